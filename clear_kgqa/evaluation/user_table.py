"""What each simulated user gets out of one question set: quality, questions and harm, seeds taken together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from clear_kgqa.evaluation.bootstrap import Interval, interval, paired
from clear_kgqa.evaluation.report.runs import Run
from clear_kgqa.evaluation.report.tables import Table, shown
from clear_kgqa.evaluation.summary import Row, summarise

ASKING = ("asks_per_question", "changed_asks", "harmful_asks", "missed_asks", "leaks")


def user_table(title: str, runs: Mapping[str, Sequence[Run]]) -> Table:
    """A row per user with its runs, one per seed; the first is what gains are measured against.

    Quality is F1, or for sets whose gold does not run the share of intended candidates that were chosen. Intervals
    are 95 % by bootstrap over gold entities, paired where a difference is meant.
    """
    first, *_ = runs.values()
    quality = _f1 if any(row.scores for row in first[0].rows) else _choice
    head = ["user", "choice" if quality is _choice else "F1", f"gain over {next(iter(runs))}", "asks per question"]
    cells = []
    for name, seeds in runs.items():
        summary = summarise((row for run in seeds for row in run.rows), mode=seeds[0].mode)
        gain = "" if seeds is first else _signed(_gain(first, seeds, quality))
        cells.append([name, _plain(_mean(seeds, quality)), gain, *(shown(summary[n]) for n in ASKING)])
    counted = f"{len(first[0].rows)} questions" + (f", {_seeds(runs)} seeds where noisy" if _seeds(runs) > 1 else "")
    return Table(f"{title} ({counted})", [*head, "changed", "harmful", "missed", "leaks"], cells)


Quality = Callable[[Row], float | None]


def _f1(row: Row) -> float | None:
    return row.scores.f1 if row.scores else None


def _choice(row: Row) -> float | None:
    return None if row.choice is None else float(row.choice)


def _mean(seeds: Sequence[Run], quality: Quality) -> Interval:
    found = [(q, r.cluster) for run in seeds for r in run.rows if (q := quality(r)) is not None]
    return interval([q for q, _ in found], [c for _, c in found])


def _gain(first: Sequence[Run], seeds: Sequence[Run], quality: Quality) -> Interval:
    """The paired difference of every seed to the first user's only run."""
    held = {r.id: q for r in first[0].rows if (q := quality(r)) is not None}
    rows = [(q, r) for run in seeds for r in run.rows if (q := quality(r)) is not None and r.id in held]
    return paired([held[r.id] for _, r in rows], [q for q, _ in rows], [r.cluster for _, r in rows])


def _seeds(runs: Mapping[str, Sequence[Run]]) -> int:
    return max(map(len, runs.values()))


def _plain(found: Interval) -> str:
    return f"{found.mean:.3f} ({found.low:.3f}-{found.high:.3f})"


def _signed(found: Interval) -> str:
    return f"{found.mean:+.3f} ({found.low:+.3f} to {found.high:+.3f})"
