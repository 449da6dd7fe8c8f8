"""A simulated user played by a chat model, which knows the gold query in words: neither IRIs nor answers."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from clear_kgqa.clarification import Clarification
from clear_kgqa.evaluation.need import Need
from clear_kgqa.evaluation.users import Said, shuffled, unshuffled

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

OUT_OF_SCOPE = "OUT OF SCOPE"
_ROLE = f"""You play a person who asked a question and is now asked back. Answer in one line, as that person.
Choose by number or in a few words. If no option is what you meant, say "none of these".
If what you know does not settle it, say exactly "{OUT_OF_SCOPE}".
Never write queries, identifiers or the answer to your own question.
You asked: {{question}}
You meant: {{meaning}}"""


def meaning(need: Need) -> str:
    """The gold in words: labels (types, descriptions) of its nodes and predicates, and its form."""
    nodes = [_told(n.label, *n.types, n.description) for n in need.nodes if n.label]
    predicates = [p.label for p in need.predicates if p.label]
    form = {"count": "a number", "ask": "yes or no"}.get(need.form, "a list")
    about, by = "; ".join(nodes) or "nothing named", ", ".join(predicates) or "its type"
    return f"about {about}; by {by}; wanted: {form}"


def _told(label: str, *more: str) -> str:
    told = ", ".join(m for m in more if m)
    return f"{label} ({told})" if told else label


class ModelUser:
    """A User played by any LangChain chat model; options are shuffled, `said` keeps every reply."""

    def __init__(self, model: BaseChatModel, need: Need, rng: Random) -> None:
        self.said: list[Said] = []
        self._model = model
        self._need = need
        self._rng = rng

    def reply(self, clarification: Clarification) -> str | None:
        """One line of the model's; raises what the model's client raises."""
        shown, order = shuffled(clarification, self._rng)
        lines = [f"{at}. {option.line()}" for at, option in enumerate(shown.options, 1)]
        role = _ROLE.format(question=self._need.question, meaning=meaning(self._need))
        content = self._model.invoke([("system", role), ("user", "\n".join([shown.question, *lines]))]).content
        text = content if isinstance(content, str) else ""
        line = next((part.strip() for part in text.splitlines() if part.strip()), "")
        off = OUT_OF_SCOPE in line.upper()
        said = Said(unshuffled(line, order) or None, "out_of_scope" if off else "text")
        self.said.append(said)
        return said.text
