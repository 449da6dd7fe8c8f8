"""The ambiguity plugin: scores what the tools returned, lets the ask policy decide, and words the hint."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from clear_kgqa.ambiguity import evidence
from clear_kgqa.ambiguity.contexts import Contexts
from clear_kgqa.ambiguity.evidence import Settled
from clear_kgqa.ambiguity.helped import helped
from clear_kgqa.ambiguity.listener import Listener
from clear_kgqa.ambiguity.menus import menus
from clear_kgqa.ambiguity.policy import Choice, best_question, value_of_information
from clear_kgqa.ambiguity.recipes import OFFLINE, Recipe, make_likelihood, make_recipe, recipe_scores
from clear_kgqa.ambiguity.scores import entity_scores, intent_score
from clear_kgqa.ambiguity.shown import ANSWERS_TOLD, in_words, shared_names, shown
from clear_kgqa.ambiguity.united import united_query
from clear_kgqa.clarification import Clarification
from clear_kgqa.events import FailureKind, Score, Scored
from clear_kgqa.likelihood.protocol import LikelihoodScorer, context_style
from clear_kgqa.readings.mentions import Mention
from clear_kgqa.readings.posterior import Posterior
from clear_kgqa.readings.reader import Interpretation, Reader
from clear_kgqa.settings import Settings

SURELY = 2.0  # how many times the best answer's worth the chance of "not in the graph" must be for it to be said
KEPT = 64  # questions whose posterior is kept, so that a round of clarification scores nothing again
LEAST_NULL = 0.4  # chance of "not in the graph" from which it is said


@dataclass(frozen=True)
class Best:
    """The reading to answer with: its query, its line, its form (select, count, ask)."""

    sparql: str
    interpretation: str
    form: str


@dataclass(frozen=True)
class Assessment:
    """What the plugin makes of a question: what to ask, else what to run, else why there is no answer."""

    scored: Scored
    ask: Clarification | None = None
    best: Best | None = None
    failure: tuple[FailureKind, str] | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "ask": self.ask.to_json() if self.ask else None,
            "best": asdict(self.best) if self.best else None,
            "failure": list(self.failure) if self.failure else None,
        }


class AmbiguityPlugin(Listener):
    """Decides by the readings of one graph, and understands the replies; `settings` hold policy, price and thresholds."""

    def __init__(self, reader: Reader, settings: Settings) -> None:
        super().__init__(reader, settings)
        self.posterior = lru_cache(maxsize=KEPT)(self._posterior)

    def assess(
        self,
        question: str,
        mentions: tuple[Mention, ...],
        settled: list[Settled],
        asked: int,
        silent: bool = False,
    ) -> Assessment:
        """Score the readings after the replies so far. `asked` counts this turn's questions; `silent` never asks."""
        read = self.reader.read(question, mentions)
        posterior = evidence.apply(self.posterior(question, mentions), settled)
        done = tuple(s.slot for s in settled if not s.excluding)
        choice = self._choice(posterior, question, done)
        scores = self.scores(posterior, question)
        price = self.settings.ask_cost
        scored = Scored(
            tuple(scores),
            round(1 - posterior.silent_value, 4),
            round(choice.value, 4),
            price,
            shown(posterior),
        )
        failure = self._failure(read, posterior, settled)
        if failure:
            return Assessment(scored, failure=failure)
        asking = not silent and choice.menu is not None and asked < self.settings.asks_per_turn
        closed = any(s.outcome == "delegate" for s in settled) or bool(evidence.united(posterior, settled))
        if asking and not closed and choice.menu is not None and self._worth(choice, scores):
            ask = self._told(evidence.clarification(choice.menu, asked + 1, choice.value), posterior)
            return Assessment(scored, ask=ask, best=_best(posterior, settled, shared_names(mentions)))
        return Assessment(scored, best=_best(posterior, settled, shared_names(mentions)))

    def _told(self, ask: Clarification, posterior: Posterior) -> Clarification:
        """The clarification with what each option would answer, by the most probable of its readings."""
        best = [max(o.readings, key=lambda i: posterior.p[i]) for o in ask.options]
        found = [posterior.answers[i] for i in best]
        iris = [t.value for a in found for t in a.terms[:ANSWERS_TOLD] if t.kind == "iri"]
        nodes = self.reader.bundle.nodes.describe(list(dict.fromkeys(iris)))
        told = [in_words(a, {i: n.label for i, n in nodes.items()}) for a in found]
        return replace(ask, options=tuple(replace(o, answers=t) for o, t in zip(ask.options, told, strict=True)))

    def _posterior(self, question: str, mentions: tuple[Mention, ...]) -> Posterior:
        """The readings as the reader has them, and with `calibrated` what the likelihood adds, before any reply."""
        posterior = self.reader.read(question, mentions).posterior
        if self.settings.scorer != "calibrated" or self.settings.likelihood == OFFLINE:
            return posterior
        return helped(posterior, question, *self._helper)

    @cached_property
    def _helper(self) -> tuple[Contexts, LikelihoodScorer]:
        """The likelihood with the texts that it is conditioned on, made when it is first used."""
        likelihood = make_likelihood(self.settings.likelihood, self.reader.bundle, self.settings.base_url)
        return Contexts(self.reader.bundle, context_style(likelihood)), likelihood

    def scores(self, posterior: Posterior, question: str) -> list[Score]:
        """Entity scores per mention and the intent score, those switched off left out."""
        entity, intent = self.settings.entity_threshold, self.settings.intent_threshold
        if self.settings.scorer == "calibrated":
            entities, intents = entity_scores(posterior, question, entity), intent_score(posterior, intent)
        else:
            entities, intents = recipe_scores(self._recipe, posterior, question, (entity, intent))
        return [*([] if self.settings.no_entity else entities), *([] if self.settings.no_intent else intents)]

    @cached_property
    def _recipe(self) -> Recipe:
        """The published or the noise recipe, made when it is first used."""
        s = self.settings
        return make_recipe(s.scorer, self.reader.bundle, s.likelihood, s.base_url, s.seed)

    def _kinds(self) -> frozenset[str] | None:
        off = {"entity"} if self.settings.no_entity else set()
        if self.settings.no_intent:
            off |= {"intent", "form"}
        return (
            frozenset({"entity", "intent", "form", "reading"} - off - ({"reading"} if off else set())) if off else None
        )

    def _choice(self, posterior: Posterior, question: str, done: tuple[str, ...]) -> Choice:
        if self.settings.policy == "voi":
            return best_question(posterior, question, done, self._noise(sure=True), self._kinds())
        return self._by_threshold(posterior, question, done)

    def _by_threshold(self, posterior: Posterior, question: str, done: tuple[str, ...]) -> Choice:
        """The published policy: the first slot whose score passes its threshold."""
        passed = [s.kind for s in self.scores(posterior, question) if s.score > s.threshold]
        for menu in menus(posterior, question, done):
            if menu.kind in passed:
                return Choice(menu, value_of_information(posterior, menu))
        return Choice(None, 0.0)

    def _worth(self, choice: Choice, scores: list[Score]) -> bool:
        return self.settings.policy == "thresholds" or choice.value > self.settings.ask_cost

    def _failure(
        self, read: Interpretation, posterior: Posterior, settled: list[Settled]
    ) -> tuple[FailureKind, str] | None:
        bound = next((s for s in reversed(settled) if s.outcome == "entity"), None)
        if not read.mentions and not read.posterior.readings:
            return "not_understood", "I found nothing in the graph that this question names."
        if part := _left_out(read):
            return "not_understood", f'I do not read what "{part}" leaves out; ask for what is there instead.'
        if read.missing:
            names = ", ".join(f'"{m}"' for m in read.missing)
            return "not_in_graph", f"The graph has no property that says what {names} asks for here."
        if posterior.p.sum() <= 1e-9:
            return "not_in_graph", self._nothing(read, bound)
        if posterior.null > max(SURELY * posterior.silent_value, LEAST_NULL):
            nothing = "Nothing that the graph says about " + _named(read) + " fits the question."
            return "not_in_graph", self._nothing(read, bound) if bound else nothing
        return None

    def _nothing(self, read: Interpretation, bound: Settled | None) -> str:
        nodes = {n.iri: n for m in read.mentions for n in m.nodes}
        node = nodes.get(bound.entity) if bound else None
        asked = " or ".join(read.cues.open_attributes[:2]) or "what is asked"
        if node:
            kind = f" ({node.types[0]})" if node.types else ""
            return f"The graph does not hold {asked} of {node.label}{kind}."
        return f"The graph does not hold {asked} for {_named(read)}."


def _left_out(read: Interpretation) -> str:
    """The word of a negation, which no reading honours; none within a name, nor where yes and no stay as they are."""
    start, end = read.cues.negation
    named = any(m.span[0] <= start and end <= m.span[1] for m in read.mentions)
    return "" if named or read.cues.ask else read.question[start:end]


def _named(read: Interpretation) -> str:
    names = list(dict.fromkeys(m.nodes[0].label for m in read.mentions if m.nodes))
    return " or ".join(names[:3]) or "it"


def _best(posterior: Posterior, settled: list[Settled], names: dict[str, str]) -> Best | None:
    several = evidence.united(posterior, settled)
    if several:
        readings = [posterior.readings[i] for i in several]
        return Best(united_query(readings, names), " and ".join(r.line(names) for r in readings), "select")
    if posterior.best < 0:
        return None
    best = posterior.readings[posterior.best]
    return Best(best.query, best.line(names), best.form)
