"""summary.json: the headline numbers of a run, computed from its transcripts one record at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from clear_kgqa.evaluation.bootstrap import interval
from clear_kgqa.evaluation.metrics import Scores, average, mean
from clear_kgqa.evaluation.query_shape import shape_of
from clear_kgqa.evaluation.transcripts import Record
from clear_kgqa.evaluation.values import Mode
from clear_kgqa_tools.errors import QueryError

NAME = "summary.json"
_NOTHING = Scores(0, 0, 0, 0, 0, 0, qald_precision=1, qald_recall=0)

Summary = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """What a summary keeps of one record. `cluster` is the gold entity; a failed question scores nothing."""

    id: str
    type: str
    end: str
    scores: Scores | None
    cluster: str
    asks: int
    divergent: tuple[bool, ...]
    changed: tuple[bool, ...]
    gains: tuple[float, ...]
    silent_f1: float | None
    missed: bool
    leaks: int
    bits: float
    seconds: float
    tokens: int
    cost: float
    differs: bool
    tied: bool
    choice: bool | None
    unreachable: bool = False


def row_of(record: Record, mode: Mode) -> Row:
    """The row of a transcript record."""
    gold, asking = record.get("gold") or {}, record.get("asking") or {}
    asks = asking.get("asks") or []
    clarifications = record.get("clarifications") or []
    metrics = record.get("metrics")
    failed = record["end"] == "error" and gold.get("status") not in ("empty", "broken")
    scores = Scores(**metrics[mode]) if metrics else _NOTHING if failed else None
    return Row(
        record["id"],
        record.get("type", ""),
        record["end"],
        scores,
        _cluster(gold.get("sparql", "")) or record["id"],
        len(clarifications),
        tuple(a["divergent"] for a in asks if a["divergent"] is not None),
        tuple(a["changed"] for a in asks if a["changed"] is not None),
        tuple(a["gain"] for a in asks if a["gain"] is not None),
        asking.get("silent_f1"),
        bool(asking.get("missed")),
        sum(bool(c["leaks"]) for c in clarifications),
        sum(c.get("bits", 0.0) for c in clarifications),
        record.get("seconds", 0.0),
        record.get("tokens", 0),
        record.get("cost", 0.0),
        bool(gold.get("differs")),
        bool(gold.get("tied") or gold.get("unchecked")),
        record.get("choice"),
        unreachable(record),
    )


def unreachable(record: Record) -> bool:
    """Whether a question failed because the endpoint or the model did not answer."""
    return record["end"] == "error" and record.get("failure") in ("endpoint", "model")


def _cluster(sparql: str) -> str:
    try:
        nodes = shape_of(sparql).nodes if sparql else ()
    except QueryError:
        nodes = ()
    return nodes[0] if nodes else ""


def _share(flags: Iterable[bool]) -> float:
    return round(mean(map(float, flags)), 6)


def _numbers(rows: Sequence[Row]) -> Summary:
    """The numbers of some rows; `missed_asks` is a share of scored questions, other shares are of asks."""
    scored = [r for r in rows if r.scores is not None]
    run = [r for r in rows if r.end not in ("excluded", "error")]
    changed = [c for r in rows for c in r.changed]
    gains = [g for r in rows for g in r.gains]
    chosen = [r.choice for r in rows if r.choice is not None]
    return {
        "n": len(rows),
        "done": len([r for r in scored if r.end != "error"]),
        "failed": sum(r.end == "error" for r in rows),
        "unreachable": sum(r.unreachable for r in rows),
        "excluded": sum(r.scores is None and r.end != "error" for r in rows),
        **average([r.scores for r in scored if r.scores]),
        "asks_per_question": round(mean(r.asks for r in run), 6),
        "asked_share": _share(r.asks > 0 for r in run),
        "divergent_asks": _share(d for r in rows for d in r.divergent),
        "changed_asks": _share(changed),
        "harmful_asks": _share(g < 0 for g in gains),
        "missed_asks": _share(r.missed for r in scored),
        "gain_per_ask": round(mean(gains), 6),
        "bits_per_ask": round(sum(r.bits for r in rows) / max(1, sum(r.asks for r in rows)), 4),
        "leaks": sum(r.leaks for r in rows),
        "seconds_per_question": round(mean(r.seconds for r in run), 4),
        "tokens": sum(r.tokens for r in rows),
        "cost": round(sum(r.cost for r in rows), 6),
        **({"choice": _share(chosen), "choice_n": len(chosen)} if chosen else {}),
    }


def summarise(rows: Iterable[Row], selected: int | None = None, mode: Mode = "strict") -> Summary:
    """The summary of a run; `selected` is the number of questions asked for, where some have no record yet.

    `f1_low` and `f1_high` bound F1 by a bootstrap over gold entities; `ends` counts how dialogues ended;
    `gold_differs` and `gold_ties` list questions whose gold is not what the file stores, or is cut by a tie.
    """
    rows = sorted(rows, key=lambda r: r.id)
    scored = [r for r in rows if r.scores]
    bounds = interval([r.scores.f1 for r in scored if r.scores], [r.cluster for r in scored])
    out = _numbers(rows)
    out["n"] = max(len(rows), selected or 0)
    out |= {"mode": mode, "f1_low": round(bounds.low, 6), "f1_high": round(bounds.high, 6)}
    out["ends"] = {end: sum(r.end == end for r in rows) for end in sorted({r.end for r in rows})}
    out["gold_differs"] = [r.id for r in rows if r.differs]
    out["gold_ties"] = [r.id for r in rows if r.tied]
    kinds = sorted({r.type for r in rows if r.type})
    if kinds:
        out["types"] = {kind: _numbers([r for r in rows if r.type == kind]) for kind in kinds}
    return out
