"""What the conversation by line and `ask` write: menus, answers, and how a question was read."""

from __future__ import annotations

from clear_kgqa.clarification import Clarification
from clear_kgqa.events import Answered, Failed, Scored
from clear_kgqa_tools.text import cut, one_line

FIXED = ("none of these", "you decide")
ROWS = 20


def menu(asked: Clarification) -> str:
    """The clarification with its options numbered, then "none of these" and "you decide"."""
    choices = [*(short(option.line()) for option in asked.options), *FIXED]
    numbered = [f"  {number}. {choice}" for number, choice in enumerate(choices, 1)]
    return "\n".join([short(asked.question), *numbered, "  Or say it in your own words."])


def why_asked(asked: Clarification) -> str:
    """Why a clarification is asked, in one line: its options differ in what they would answer."""
    told = [f"{number}: {option.answers}" for number, option in enumerate(asked.options, 1) if option.answers]
    between = f" ({'; '.join(told)})" if told else ""
    return short(f"Because the options answer differently{between}, and the question does not say which is meant.")


def answer_text(answer: Answered, attribution: str = "") -> str:
    """The answer, the reading of the question in one line, and what must stand beside it."""
    lines = [answer.text, *_rows(answer)]
    if answer.incomplete:
        lines.append("  (incomplete: the source left rows out)")
    lines.append(f"  Read as: {_read_as(answer.interpretation)}")
    if attribution:
        lines.append(f"  Source: {attribution}")
    return "\n".join(lines)


def failure_text(failure: Failed) -> str:
    """Why there is no answer, and how the question was read."""
    read = f"\n  Read as: {_read_as(failure.interpretation)}" if failure.interpretation else ""
    return f"No answer: {failure.reason}{read}"


def _rows(answer: Answered) -> list[str]:
    """The rows, where there are several columns; a single column and values by option stand in the sentence already."""
    if len(answer.columns) < 2 or answer.by_option:
        return []
    shown = [[_cell(cell) for cell in row] for row in answer.rows[:ROWS]]
    more = len(answer.rows) - len(shown)
    lines = [f"  {' | '.join(row)}" for row in (list(answer.columns), *shown)]
    return [*lines, f"  ... and {more:,} more rows"] if more else lines


def _cell(cell: dict[str, str] | None) -> str:
    return "" if cell is None else short(cell.get("label") or next(iter(cell.values())))


def short(text: str) -> str:
    """One line, however long a label is and whatever line ends it holds: it must not imitate a menu."""
    return cut(one_line(text), 300)


def _read_as(interpretation: str) -> str:
    return cut(one_line(interpretation), 600)


def why_text(scored: Scored) -> list[str]:
    lines = []
    for score in scored.scores:
        lines.append(f"{score.kind} {score.slot}: ambiguity {score.score:.2f}, threshold {score.threshold:.2f}")
        lines += [f"  {c.posterior:5.1%}  {short(f'{c.label} {c.iri}')}" for c in score.candidates]
    worth = f"asking would gain {scored.voi:.2f} F1 and costs {scored.price:.2f}"
    return [*lines, f"Expected loss when not asking: {scored.uncertainty:.2f}; {worth}"]
