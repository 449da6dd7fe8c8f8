"""What is known of one question while the pipeline runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from clear_kgqa.ambiguity.evidence import Settled
from clear_kgqa.ambiguity.plugin import Assessment
from clear_kgqa.mars.linking import Linked
from clear_kgqa.mars.offers import Offer
from clear_kgqa.readings.mentions import Mention
from clear_kgqa.readings.reading import Span, TypeConstraint


@dataclass
class View:
    """One turn. `question` is as it was asked, `searched` in English, `rewritten` what patterns are ranked by.

    `settled` are the user's replies, with the nodes `chosen` at a span and those `ruled_out`; `offers` are all
    patterns that were offered, `expanded` the numbers of those that were looked beyond, `tried` the queries run,
    `tokens` what the model took.
    """

    question: str
    searched: str = ""
    rewritten: str = ""
    mentions: tuple[Mention, ...] = ()
    settled: list[Settled] = field(default_factory=list)
    chosen: dict[Span, tuple[str, ...]] = field(default_factory=dict)
    ruled_out: set[str] = field(default_factory=set)
    asked: int = 0
    assessment: Assessment | None = None
    linked: list[Linked] = field(default_factory=list)
    classes: list[TypeConstraint] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)
    expanded: set[int] = field(default_factory=set)
    tried: list[str] = field(default_factory=list)
    tokens: int = 0

    def offer(self, number: int) -> Offer:
        """The offer of a number; numbers count from 1."""
        return self.offers[number - 1]

    def expandable(self, numbers: tuple[int, ...]) -> list[int]:
        """Those of the numbers that were offered and not looked beyond yet."""
        return [n for n in numbers if 1 <= n <= len(self.offers) and n not in self.expanded]
