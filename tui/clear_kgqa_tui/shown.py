"""The boundary to the screen: text from anywhere becomes content without markup and without controls."""

from __future__ import annotations

from textual.content import Content

from clear_kgqa.clarification import Option
from clear_kgqa_tools.text import cut, one_line, visible

CELL = 300
"""Characters of a label or literal that a line shows."""


def safe(text: str, style: str = "") -> Content:
    """Text as it is, verbatim: brackets mean nothing, control characters are made visible."""
    return Content.styled(visible(text), style) if style else Content(visible(text))


def short(text: str, limit: int = CELL) -> str:
    """One visible line of at most `limit` characters."""
    return cut(one_line(text), limit)


def marked(text: str, span: tuple[int, int], style: str = "bold underline") -> Content:
    """A question with the part that is asked about set off; offsets are those of the text as given."""
    start, end = span
    if not 0 <= start < end <= len(text):
        return safe(text)
    return Content.assemble(visible(text[:start]), (visible(text[start:end]), style), visible(text[end:]))


def about(option: Option) -> str:
    """Type and description of an option, the type only where the description does not begin with it."""
    repeated = option.description.casefold().startswith(option.type.casefold())
    return "; ".join(t for t in ("" if repeated else option.type, option.description) if t)


def bar(share: float, width: int = 8) -> str:
    """A share of probability as a bar that needs no colour."""
    full = round(max(0.0, min(1.0, share)) * width)
    return "█" * full + "░" * (width - full)
