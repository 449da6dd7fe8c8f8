"""What a session yields, in order: the one stream that chat, command line, evaluation and transcripts read."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from clear_kgqa.clarification import Clarification

OPTION = "option"
"""The last column of an answer that unites several options: what each value is the answer for."""

FailureKind = Literal[
    "not_understood", "not_in_graph", "empty", "limit", "endpoint", "model", "cancelled", "steps", "gave_up"
]


@dataclass(frozen=True, slots=True)
class Thought:
    """What the model said beside its tool calls; `delta` marks a piece of a streamed thought (then no whole one follows)."""

    text: str
    delta: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model calls a tool."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Observation:
    """What a tool returned: text for the model (with any hint appended), JSON for programs."""

    id: str
    name: str
    text: str
    data: Any = None
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate of a slot with its posterior probability."""

    iri: str
    label: str
    posterior: float
    evidence: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Score:
    """How ambiguous a slot is (0..1) against its threshold, with the candidates that share the probability."""

    slot: str
    kind: str
    score: float
    threshold: float
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Scored:
    """The ambiguity plugin's view: scores per slot, 1 - U as `uncertainty`, the best question's value, and the readings."""

    scores: tuple[Score, ...]
    uncertainty: float
    voi: float
    price: float
    readings: tuple[dict[str, Any], ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """The session waits for a reply to this clarification."""

    clarification: Clarification


@dataclass(frozen=True, slots=True)
class Replied:
    """The user replied; `chosen` lists the labels of the chosen options and `options` their indexes, `kind` how the
    reply was understood, `asked` a new question as it was made complete (empty where it stands by itself)."""

    clarification_id: str
    text: str
    kind: str
    chosen: tuple[str, ...] = ()
    options: tuple[int, ...] = ()
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer of a query that was really run.

    `form` is select, ask or count; `rows` hold term objects, `values` the first answer column as
    [{"iri"|"literal", "label"}]; `text` one sentence around it; `interpretation` the reading in one line.
    """

    form: str
    columns: tuple[str, ...]
    rows: tuple[tuple[dict[str, str] | None, ...], ...]
    values: tuple[dict[str, str], ...]
    boolean: bool | None
    sparql: str
    interpretation: str
    text: str
    incomplete: bool = False
    seconds: float = 0.0

    @property
    def by_option(self) -> bool:
        """Whether the rows are values, each with the option that it is the answer for."""
        return self.columns == ("x", OPTION)


@dataclass(frozen=True, slots=True)
class Failed:
    """No answer, and why: one sentence in `reason`; `tried` lists the queries that were run."""

    kind: FailureKind
    reason: str
    tried: tuple[str, ...] = ()
    interpretation: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one turn of the model, corrections included; `cost` in US dollars where prices are set.

    A question's are the sum over its turns.
    """

    sent: int
    received: int
    cost: float | None = None


Event = Thought | ToolCall | Observation | Scored | Asked | Replied | Answered | Failed | Usage


def to_json(event: Event) -> dict[str, Any]:
    """The event as a JSON object with its class name, lower case, under `event`."""
    return {"event": type(event).__name__.lower(), **asdict(event)}
