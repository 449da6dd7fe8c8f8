"""How far a user's replies can be trusted, learnt from how they agree with what was probable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

PRIOR_REPLIES = 20.0  # how many replies the prior counts for


@dataclass(frozen=True, slots=True)
class ReplyNoise:
    """A Beta posterior over the chance that a reply is not what was meant: `strayed` of `strayed + meant` replies."""

    strayed: float
    meant: float

    @staticmethod
    def prior(chance: float) -> ReplyNoise:
        """What is believed of a user who has not replied yet."""
        return ReplyNoise(PRIOR_REPLIES * chance, PRIOR_REPLIES * (1 - chance))

    @property
    def chance(self) -> float:
        """The expected chance (0..1) that the next reply is not what is meant."""
        return self.strayed / (self.strayed + self.meant)

    def after(self, shares: Sequence[float], outcome: int) -> ReplyNoise:
        """The belief after a reply.

        `shares` are the probabilities of the options before it, `outcome` the index of the chosen one, or their number
        for "none of these". A reply that was as good as excluded counts as strayed, one that was expected as meant.
        """
        told = [*shares, max(0.0, 1.0 - sum(shares))]
        wrong = self.chance * (1 - told[outcome]) / max(len(told) - 1, 1)
        right = (1 - self.chance) * told[outcome]
        strayed = wrong / (wrong + right) if wrong + right > 0 else 0.0
        return replace(self, strayed=self.strayed + strayed, meant=self.meant + 1 - strayed)
