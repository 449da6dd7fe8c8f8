"""What a user's replies mean: over a reader, with what the graph knows of the options and of what was asked."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from clear_kgqa.ambiguity.evidence import Settled
from clear_kgqa.ambiguity.menus import node_option
from clear_kgqa.ambiguity.option_facts import picked_by_facts
from clear_kgqa.ambiguity.replies import interpret, left_out
from clear_kgqa.ambiguity.reply_noise import ReplyNoise
from clear_kgqa.ambiguity.reply_words import words_left
from clear_kgqa.clarification import GIVEN_UP, Clarification, Reply
from clear_kgqa.followup import Carried, Topic, carry_over
from clear_kgqa.readings.mentions import Mention
from clear_kgqa.readings.reader import Reader
from clear_kgqa.settings import Settings
from clear_kgqa_tools.folding import fold
from clear_kgqa_tools.nodes import Node

TEXT_NOISE = 0.05  # chance that a reply in free text is not what was meant, before this user's replies tell more
HALF = 0.5
NOT_UNDERSTOOD = "That fits none of these."
STILL_NOT_UNDERSTOOD = 'That fits none of these either; say a number, or "you decide".'


class Listener:
    """Understands replies and questions that lean on something. `settings` hold the doubt in replies and the budget per
    turn."""

    def __init__(self, reader: Reader, settings: Settings) -> None:
        self.reader = reader
        self.settings = settings
        self.reply_noise = ReplyNoise.prior(max(settings.reply_noise, TEXT_NOISE))

    def _noise(self, sure: bool) -> float:
        """The chance that a reply is not what is meant: an explicit choice binds unless the settings doubt it."""
        return 0.0 if sure and not self.settings.reply_noise else self.reply_noise.chance

    def understand(
        self, clarification: Clarification, reply: str | None, mentions: tuple[Mention, ...], question: str
    ) -> tuple[Reply, Settled]:
        """What a reply means and the evidence it gives; a node that no option offered is looked for as well."""
        menu_queries = tuple(self._queries(question, mentions, o.readings) for o in clarification.options)
        if reply is None:
            return Reply("delegate", ""), Settled(clarification.slot, "delegate")
        meant = self.meaning(clarification, reply)
        if meant.kind == "unclear":
            node, span = self._other_node(reply, mentions)
            if node is not None:
                return replace(meant, kind="options"), Settled(clarification.slot, "entity", entity=node.iri, span=span)
        noise = self._noise(meant.sure or meant.excluding)
        self._heard(clarification, meant)
        if meant.kind == "options":
            several = len(meant.chosen) > 1
            together, excluding = meant.sure and several, meant.excluding and several
            chosen = Settled(clarification.slot, "options", menu_queries, meant.chosen, noise)
            return meant, replace(chosen, together=together, excluding=excluding)
        if meant.kind == "none":
            return meant, Settled(clarification.slot, "none", menu_queries, noise=noise)
        return meant, Settled(clarification.slot, "delegate")

    def meaning(self, clarification: Clarification, reply: str) -> Reply:
        """What a reply means by what the options show, else by what the graph says of them."""
        meant = interpret(reply, clarification)
        if meant.kind not in ("unclear", "options") or meant.sure or meant.excluding or len(meant.chosen) == 1:
            return meant
        among = meant.chosen or tuple(range(len(clarification.options)))
        iris = [clarification.options[i].iri for i in among]
        negated = left_out(reply)
        at = picked_by_facts(self.reader.bundle, negated or reply, iris)
        if at is None:
            return meant
        chosen = tuple(i for i in among if i != among[at]) if negated else (among[at],)
        return replace(meant, kind="options", chosen=chosen, sure=len(chosen) == 1, excluding=bool(negated))

    def _heard(self, clarification: Clarification, meant: Reply) -> None:
        """Learn from a reply that names one option or none how far this user's replies can be trusted."""
        shares = [o.share for o in clarification.options]
        if meant.kind == "none" or (meant.kind == "options" and len(meant.chosen) == 1):
            self.reply_noise = self.reply_noise.after(shares, meant.chosen[0] if meant.chosen else len(shares))

    def asked_again(
        self, clarification: Clarification, reply: str | None, mentions: tuple[Mention, ...], asked: int
    ) -> Clarification | None:
        """The clarification to put once more after a reply that fits no option, nor a node that none offers; else None.

        `asked` counts this turn's questions. A second such reply leaves it open where no reading is probable enough to
        answer with.
        """
        if reply is None or self.meaning(clarification, reply).kind != "unclear":
            return None
        if self._other_node(reply, mentions)[0] is not None:
            return None
        text = clarification.question.removeprefix(NOT_UNDERSTOOD).removeprefix(STILL_NOT_UNDERSTOOD).strip()
        again = replace(clarification, id=clarification.id.removesuffix("-again") + "-again")
        if not clarification.tries and asked < self.settings.asks_per_turn:
            return replace(again, question=f"{NOT_UNDERSTOOD} {text}", tries=1)
        if 0 < max((o.share for o in clarification.options), default=0.0) < HALF:
            return replace(again, question=f"{STILL_NOT_UNDERSTOOD} {text}", tries=GIVEN_UP)
        return None

    def asks_anew(self, clarification: Clarification, reply: str, mentions: tuple[Mention, ...]) -> bool:
        """Whether a reply that fits the options badly, or not at all, is a question of its own ("population of Oslo")."""
        meant = self.meaning(clarification, reply)
        if meant.kind == "unclear":
            apart = self._other_node(reply, mentions)[0] is None
        else:
            offered = (clarification.options[i] for i in meant.chosen)
            apart = meant.kind == "options" and not meant.sure and words_left(reply, offered) >= HALF
        return meant.kind == "new_question" or (apart and self._is_complete(reply))

    def completed(self, question: str, topic: Topic | None, swap: bool = False) -> Carried | None:
        """A question that leans on a topic, made complete; None where it stands by itself.

        Of the two entities it could lean on it takes the other where only that has an answer, or with `swap`.
        """
        mentions = self.reader.mentions(question)
        carried = carry_over(question, topic, mentions, swap, self._names_property)
        if carried is None or not carried.other or swap or self._is_answered(carried.question):
            return carried
        other = carry_over(question, topic, mentions, True, self._names_property)
        return other if other and self._is_answered(other.question) else carried

    def _is_answered(self, question: str) -> bool:
        read = self.reader.read(question)
        return not read.missing and read.posterior.best >= 0 and read.posterior.null < HALF

    def _names_property(self, text: str) -> bool:
        return fold(text) in self._property_names

    @cached_property
    def _property_names(self) -> frozenset[str]:
        """What the graph's properties are called, in the plural as well."""
        names = [fold(n) for p in self.reader.bundle.schema.properties for n in (p.label, *p.aliases)]
        return frozenset(n for name in names for n in (name, f"{name}s", f"{name.removesuffix('y')}ies"))

    def _is_complete(self, text: str) -> bool:
        """Whether a text names a node and says what is asked of it, so that it can be answered by itself."""
        read = self.reader.read(text)
        if read.posterior.best < 0 or read.posterior.null >= HALF:
            return False
        spans = [a.span for a in read.posterior.readings[read.posterior.best].entities]
        beside = [w for w in read.cues.words if w.content and not any(s <= w.start < e for s, e in spans)]
        return bool(spans and beside)

    def _queries(self, question: str, mentions: tuple[Mention, ...], indexes: tuple[int, ...]) -> tuple[str, ...]:
        readings = self.reader.read(question, mentions).posterior.readings
        return tuple(readings[i].query for i in indexes if i < len(readings))

    def _other_node(self, reply: str, mentions: tuple[Mention, ...]) -> tuple[Node | None, tuple[int, int]]:
        """The node of an ambiguous mention that a free-text reply describes, if exactly one."""
        if not any(c.isalpha() for c in reply):
            return None, (0, 0)  # a number means a place in what was offered
        for mention in mentions:
            nodes = mention.nodes
            if len(nodes) < 2:
                continue
            meant = self.meaning(Clarification("", "", "entity", "", tuple(node_option(n) for n in nodes)), reply)
            if meant.kind == "options" and len(meant.chosen) == 1:
                return nodes[meant.chosen[0]], mention.span
        return None, (0, 0)
