"""The inspector: how the last question was read, how sure that is, and the query behind the answer."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from clear_kgqa.events import Answered, Failed, Score, Scored
from clear_kgqa.session_store import Turn
from clear_kgqa_tools.text import visible
from clear_kgqa_tui.answer_view import AnswerView
from clear_kgqa_tui.query_editor import QueryEditor
from clear_kgqa_tui.shown import bar, safe, short

SHOWN = 6  # candidates of a slot


class Inspector(VerticalScroll):
    """Reads the events of one turn; an edited query runs through the chat and comes back to `ran`."""

    def __init__(self) -> None:
        super().__init__(id="inspector")

    def compose(self) -> ComposeResult:
        yield Static("Query (ctrl+g runs it as edited)", classes="title", markup=False)
        yield QueryEditor()
        yield Static(id="details", markup=False)
        yield Static("Scores", classes="title", markup=False)
        yield Static(id="scores", markup=False)

    def show(self, turn: Turn | None, graph: str) -> None:
        """Show a turn, or that there is none yet."""
        self.query(AnswerView).remove()
        if turn is None:
            self.query_one("#scores", Static).update(safe("No question yet."))
            return
        answer, failure = turn.last(Answered), turn.last(Failed)
        self.query_one("#scores", Static).update(scores_text(turn))
        sparql = answer.sparql if answer else failure.tried[-1] if failure and failure.tried else ""
        self.edit(sparql)
        self.query_one("#details", Static).update(safe(details(answer, failure, graph)))

    def edit(self, sparql: str) -> None:
        """Put a query into the editor."""
        self.query_one(QueryEditor).text = visible(laid_out(sparql))

    def ran(self, outcome: Answered | Failed) -> None:
        """Show what the edited query gave."""
        self.query(AnswerView).remove()
        if isinstance(outcome, Failed):
            self.query_one("#details", Static).update(safe(outcome.reason))
            return
        self.query_one("#details", Static).update(safe(details(outcome, None, "")))
        self.mount(AnswerView(outcome), after="#details")


def scores_text(turn: Turn) -> Content:
    """The reading, then every slot's score against its threshold with its candidates."""
    answer, scored = turn.last(Answered), turn.last(Scored)
    parts: list[Content | tuple[str, str] | str] = []
    if answer:
        parts += [("Read as ", "dim"), safe(short(answer.interpretation, 600)), "\n"]
    if scored is None:
        return Content.assemble(*parts, "No scores for this turn.")
    for score in scored.scores:
        parts += _score_lines(score)
    worth = f"Asking would gain {scored.voi:.2f} F1 and costs {scored.price:.2f}; expected loss unasked {scored.uncertainty:.2f}"
    return Content.assemble(*parts, (worth, "dim"))


def _score_lines(score: Score) -> list[Content | tuple[str, str] | str]:
    verdict = "ambiguous" if score.score > score.threshold else "clear"
    name = score.slot if score.slot.startswith(score.kind) else f"{score.kind} {score.slot}"
    out: list[Content | tuple[str, str] | str] = [
        (short(name, 80), "bold"), f"  {score.score:.2f} of {score.threshold:.2f} {verdict}\n"
    ]  # fmt: skip
    labels = [c.label for c in score.candidates]
    for candidate in score.candidates[:SHOWN]:
        which = _tail(candidate.iri) if labels.count(candidate.label) > 1 else ""
        shown = f"{short(candidate.label, 60)}{which}"
        out += [f"  {bar(candidate.posterior, 6)} {candidate.posterior:6.1%} ", safe(shown), "\n"]
    return out


def _tail(iri: str) -> str:
    """The end of an IRI, to tell two candidates of one name apart."""
    return f"  …{short(iri.rstrip('/#')[-12:])}"


def laid_out(sparql: str) -> str:
    """A one-line query over several lines, broken where its parts begin; any other query as it is."""
    if "\n" in sparql or '"' in sparql or "'" in sparql:
        return sparql
    text = sparql.replace(" WHERE { ", "\nWHERE {\n  ").replace(" . ", " .\n  ").replace("ASK { ", "ASK {\n  ")
    return text.replace("\n  }", "\n}")


def details(answer: Answered | None, failure: Failed | None, graph: str) -> str:
    """Run time, graph and whether rows are missing."""
    lines = [f"Graph {short(graph, 200)}"] if graph else []
    if answer is not None:
        rows = (
            f"{len(answer.rows):,} row{'' if len(answer.rows) == 1 else 's'}" if answer.form != "ask" else "yes or no"
        )
        lines.insert(
            0,
            f"{rows} in {answer.seconds * 1000:,.1f} ms" + ("; INCOMPLETE" if answer.incomplete else "; complete"),
        )
    elif failure is not None:
        lines.insert(0, failure.reason)
    return "\n".join(lines)
