"""CoT: the model thinks step by step and answers from memory."""

from __future__ import annotations

from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.examples.patterns import Triple, query_pattern
from clear_kgqa.examples.readable import readable_samples
from clear_kgqa.nlkgq.wrapper import NAMESPACE
from clear_kgqa.strategies.io import FromMemory
from clear_kgqa_tools.errors import QueryError


class ChainOfThought(FromMemory):
    """`FromMemory` with steps before the answer, which are told as a thought."""

    prompt = "cot.md"

    def reasoning(self, sample: Sample) -> str:
        """The triples of the example's query in words."""
        try:
            [shown] = readable_samples([sample], self.bundle)
            triples = query_pattern(shown.sparql).triples
        except QueryError:
            return ""
        return f"What leads to the answer: {'; '.join(map(_in_words, triples))}.\n" if triples else ""


def _in_words(triple: Triple) -> str:
    parts = (triple.subject, triple.relation, triple.object)
    return ", ".join(p.replace(f"<{NAMESPACE}", "").rstrip(">").replace("_", " ") for p in parts)
