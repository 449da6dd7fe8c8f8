"""Step 2: the question with the types of what it names, by the model or by rule; and its translation."""

from __future__ import annotations

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from clear_kgqa.agent.prompts import text
from clear_kgqa.mars.linking import Linked
from clear_kgqa_tools.text import cut, one_line

_TEXT = 200


def rewritten_by_rule(question: str, linked: list[Linked]) -> str:
    """Each name in the question replaced by its node's label and first type: "Chad (country)"."""
    out = question
    for x in sorted(_first_of_span(linked), key=lambda x: -x.span[0]):
        start, end = x.span
        if end > start and x.value is None:
            out = out[:start] + _named(x) + out[end:]
    return out


def rewriting_request(question: str, linked: list[Linked]) -> list[BaseMessage]:
    """What the model is sent to rewrite a question."""
    lines = [f"- {_named(x)}" + (f": {_cell(x.node.description)}" if x.node.description else "") for x in linked]
    told = "\n".join(["Entities:", *lines]) if lines else "Entities: none found"
    return [SystemMessage(text("mars/rewrite.md")), HumanMessage(f"Question: {question}\n{told}")]


def translation_request(question: str) -> list[BaseMessage]:
    """What the model is sent to translate a question."""
    return [SystemMessage(text("mars/translate.md")), HumanMessage(question)]


def _first_of_span(linked: list[Linked]) -> list[Linked]:
    return list({x.span: x for x in reversed(linked)}.values())


def _named(x: Linked) -> str:
    return _cell(x.node.label) + (f" ({_cell(x.node.types[0])})" if x.node.types else "")


def _cell(value: str) -> str:
    return one_line(cut(value, _TEXT))
