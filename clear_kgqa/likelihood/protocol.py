"""The protocol of a likelihood: how probable a question is, given what is known about each candidate."""

from __future__ import annotations

from typing import Protocol

from clear_kgqa.likelihood.context import ContextStyle


class LikelihoodScorer(Protocol):
    """Scores candidates by how well their context explains the question. Safe in several threads."""

    def score(self, question: str, contexts: list[str]) -> list[float]:
        """For each context, the log-likelihood of the question's tokens in nats (sums, not means; higher fits
        better).

        An empty list of contexts gives an empty list. Raises EndpointError where a server is asked and fails.
        """
        ...


def context_style(likelihood: LikelihoodScorer) -> ContextStyle:
    """How the contexts look that a likelihood was trained on; "full" for one that was not trained for this."""
    style: ContextStyle = getattr(likelihood, "context_style", "full")
    return style
