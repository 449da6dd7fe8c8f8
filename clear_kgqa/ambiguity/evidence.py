"""What the user has settled so far, as plain data, and its effect on the posterior."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from clear_kgqa.ambiguity.menus import Menu
from clear_kgqa.ambiguity.policy import update
from clear_kgqa.clarification import Clarification
from clear_kgqa.readings.posterior import Posterior
from clear_kgqa.readings.reading import Span

LEAST_NULL = 0.02  # chance, before it is named, that the graph lacks what is asked of a node that no option offered
Outcome = Literal["options", "none", "delegate", "entity"]


@dataclass(frozen=True, slots=True)
class Settled:
    """One reply as evidence. `offered` holds the queries behind each option, `chosen` the chosen options.

    `entity` and `span` bind a node that the user named although no option offered it. `noise` is the chance that
    the reply is not what was meant; 0 for an explicit choice, which nothing reinterprets. `together` says that all
    of `chosen` were asked for, `excluding` that they are what an exclusion leaves and the slot is still open.
    """

    slot: str
    outcome: Outcome
    offered: tuple[tuple[str, ...], ...] = ()
    chosen: tuple[int, ...] = ()
    noise: float = 0.0
    entity: str = ""
    span: Span = (0, 0)
    together: bool = False
    excluding: bool = False

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> Settled:
        offered = tuple(tuple(o) for o in data["offered"])
        return Settled(**{**data, "offered": offered, "chosen": tuple(data["chosen"]), "span": tuple(data["span"])})


def apply(posterior: Posterior, settled: list[Settled]) -> Posterior:
    """The posterior after every reply so far, in order."""
    for reply in settled:
        if reply.outcome == "entity":
            posterior = _bind(posterior, reply)
        elif reply.outcome != "delegate":
            posterior = _reply(posterior, reply)
    return posterior


def _bind(posterior: Posterior, reply: Settled) -> Posterior:
    keep = np.array(
        [any(a.node.iri == reply.entity and a.span == reply.span for a in r.entities) for r in posterior.readings],
        dtype=bool,
    )
    p = posterior.p * keep if len(keep) else posterior.p
    null = max(posterior.null, LEAST_NULL)
    total = p.sum()
    if total <= 0:
        return posterior.with_p(p, 1.0)
    return posterior.with_p(p / (total + null), float(null / (total + null)))


def _reply(posterior: Posterior, reply: Settled) -> Posterior:
    groups = [tuple(i for i, r in enumerate(posterior.readings) if r.query in set(o)) for o in reply.offered]
    if reply.outcome == "none":
        chosen, outcome = groups, len(groups)
    else:
        together = tuple(i for c in reply.chosen for i in groups[c])
        rest = [g for i, g in enumerate(groups) if i not in reply.chosen]
        chosen, outcome = [*rest, together], len(rest)
    menu = Menu(reply.slot, "reading", "", tuple(_blank(g) for g in chosen), tuple(chosen))
    return update(posterior, menu, outcome, reply.noise)


def _blank(group: tuple[int, ...]) -> Any:
    from clear_kgqa.clarification import Option

    return Option("", "", readings=group)


def united(posterior: Posterior, settled: list[Settled]) -> list[int]:
    """The best reading of each option where the last choice named several ("both"); else nothing.

    Words that fit several options ("the modern one") leave it open which: they narrow, and nothing is united.
    """
    last = next((s for s in reversed(settled) if s.outcome == "options"), None)
    if last is None or len(last.chosen) < 2 or not last.together:
        return []
    best = []
    for c in last.chosen:
        group = [i for i, r in enumerate(posterior.readings) if r.query in set(last.offered[c])]
        if group:
            best.append(max(group, key=lambda i: posterior.p[i]))
    return best if len(best) > 1 else []


def clarification(menu: Menu, number: int, value: float) -> Clarification:
    """The pending question that a menu becomes."""
    options = tuple(replace(o, share=round(o.share, 4)) for o in menu.options)
    return Clarification(f"c{number}", menu.slot, menu.kind, menu.text, options, menu.span, round(value, 4))
