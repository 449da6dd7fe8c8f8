"""What stands in front of a conversation: role, graph profile, rules, and worked examples of the question's kind."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any
from zlib import crc32

import yaml
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage

from clear_kgqa.agent.context import tokens
from clear_kgqa.examples.chosen import queries_shown
from clear_kgqa.examples.selectors import Selector
from clear_kgqa.readings.cues import read_cues
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.schema import Property
from clear_kgqa_tools.terms import iri_ref
from clear_kgqa_tools.text import cut, one_line

KINDS = (
    "one_hop",
    "two_hop",
    "conjunction",
    "composition",
    "comparative",
    "superlative",
    "count",
    "yes_no",
    "temporal",
)
"""The published question kinds, one worked example each."""
CLARIFICATION = "clarification"
_SHOWN = (40, 15, 5)  # classes and properties in the prompt, the most that fit
_LABEL = 60
_NOW = re.compile(r"\b(?:now|current|currently|today|present|presently|still|at the moment|as of|these days)\b", re.I)
_JOINED = re.compile(r"\b(?:and|but|both|that also|as well as)\b", re.I)
_NESTED = re.compile(
    r"\bof the \w+(?: \w+)? (?:of|that|who|which|where)\b|'s \w+(?: \w+)?'s\b|\bthe \w+ (?:who|that|whose)\b", re.I
)
_ROLE = re.compile(
    r"\b(?:play(?:ed|s)?|role|character|position|office|member|married|award|win|won|nominated|serve[ds]?)\b", re.I
)


class Prompts:
    """The prompts of one graph. `asking` says whether the model may ask back; `selector` picks queries to show."""

    def __init__(self, bundle: GraphBundle, asking: bool = True, selector: Selector | None = None) -> None:
        self._asking, self._selector = asking, selector
        rules = text("rules.md").replace("{asking}", text("asking.md" if asking else "not_asking.md").strip())
        self._systems = ["\n".join([text("role.md"), graph_profile(bundle, shown), rules]) for shown in _SHOWN]

    def system(self, budget: int) -> str:
        """The longest that fits `budget` tokens; the same for every question, so that servers can keep its prefix."""
        return next((s for s in self._systems if tokens([SystemMessage(s)]) <= budget), self._systems[-1])

    def queries(self, question: str, budget: int) -> str:
        """Questions like this one with their right queries, as many of the nearest as fit `budget` tokens."""
        found = self._selector.select(question) if self._selector else []
        while found:
            told = text("queries.md") + queries_shown(found)
            if tokens([SystemMessage(told)]) <= budget:
                return told
            found = found[1:]
        return ""

    def examples(self, question: str, budget: int) -> list[BaseMessage]:
        """Worked examples for the question's kinds in at most `budget` tokens, the most fitting first to be kept."""
        out: list[BaseMessage] = []
        likely, other = question_kinds(question)
        names = [likely, CLARIFICATION, other] if self._asking else [likely, other]
        for name in names:
            dialogue, size = example(name)
            if size <= budget:
                out += dialogue
                budget -= size
        return out


@cache
def text(name: str) -> str:
    """A prompt file."""
    return files("clear_kgqa").joinpath("data/prompts", name).read_text(encoding="utf-8")


@lru_cache(maxsize=256)
def question_kinds(question: str) -> tuple[str, str]:
    """The two most probable kinds of a question by its wording, the likelier first; they are guesses."""
    cues = read_cues(question)
    comparing = any(g.comparative for g in cues.grades) or any(b.operator != "=" for b in cues.bounds)
    signs = {
        "count": cues.count,
        "yes_no": cues.ask,
        "superlative": any(not g.comparative for g in cues.grades),
        "comparative": comparing or (cues.choice and bool(cues.grades)),
        "temporal": bool(_NOW.search(question)),
        "composition": bool(_NESTED.search(question)),
        "conjunction": bool(_JOINED.search(question)),
        "two_hop": bool(_ROLE.search(question)),
    }
    found = [kind for kind, there in signs.items() if there]
    first, second = [*found, "one_hop", "two_hop" if "two_hop" not in found else "composition"][:2]
    return first, second


@cache
def example(name: str) -> tuple[tuple[BaseMessage, ...], int]:
    """One worked example as the messages of a conversation with tool calls, and its tokens."""
    data: dict[str, Any] = yaml.safe_load(text(f"examples/{name}.yaml"))
    out: list[BaseMessage] = [HumanMessage(data["question"])]
    for i, step in enumerate(data["steps"]):
        identity = f"e{crc32(f'{name} {i}'.encode()):08x}"  # nine letters and digits, as Mistral's API insists on
        call = ToolCall(name=step["tool"], args=step["arguments"], id=identity)
        out += [
            AIMessage(step["thought"], tool_calls=[call]),
            ToolMessage(step["observation"], tool_call_id=identity, name=step["tool"]),
        ]
    out.append(AIMessage(data["answer"]))
    return tuple(out), tokens(out)


def graph_profile(bundle: GraphBundle, shown: int = _SHOWN[0]) -> str:
    """What is particular to the graph: label languages, mediators, prefixes, and `shown` classes and properties."""
    profile, schema = bundle.profile, bundle.schema
    mediators = [p for p in schema.properties if p.mediator][:shown]
    told = "Properties that lead to nodes without names (mediators): " + ", ".join(map(_property, mediators)) + "\n"
    types = dict.fromkeys([*(c.predicate for c in schema.classes if c.predicate), *profile.type_predicates])
    filled = {
        "{languages}": ", ".join(profile.languages),
        "{types}": ", ".join(map(iri_ref, list(types)[:3])),
        "{mediators}": told if mediators else "",
        "{prefixes}": "\n".join(f"PREFIX {p}: {iri_ref(iri)}" for p, iri in profile.prefixes.items()),
        "{classes}": ", ".join(f"{_label(c.label)} {iri_ref(c.iri)}" for c in schema.classes[:shown]),
        "{properties}": ", ".join(
            map(_property, [p for p in schema.properties if p.iri not in profile.hidden][:shown])
        ),
    }
    # one pass, so that a label holding "{classes}" is not filled in its turn
    return re.sub("|".join(map(re.escape, filled)), lambda m: filled[m[0]], text("graph.md"))


def _property(found: Property) -> str:
    return f"{_label(found.label)} {iri_ref(found.iri)}" + (f" ({found.values})" if found.values != "iri" else "")


def _label(label: str) -> str:
    return one_line(cut(label, _LABEL))
