"""One question answered with a user: the dialogue is run, judged, and becomes one transcript record."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from clear_kgqa.clarification import GIVEN_UP, Clarification
from clear_kgqa.evaluation.asking import asking_of
from clear_kgqa.evaluation.gold import Gold, GoldQueries
from clear_kgqa.evaluation.leak import leaks
from clear_kgqa.evaluation.metrics import answer_f1, score_answers
from clear_kgqa.evaluation.need import Describe
from clear_kgqa.evaluation.samples import Sample
from clear_kgqa.evaluation.transcripts import Record, event_json, shortened
from clear_kgqa.evaluation.users import Said
from clear_kgqa.evaluation.values import is_iri
from clear_kgqa.events import Answered, Asked, Event, Failed, Replied, Usage
from clear_kgqa.strategy import Strategy
from clear_kgqa.user import User

End = Literal["answered", "gave_up", "out_of_scope", "limit", "error", "excluded"]
_ENDS: dict[str, End] = {
    "limit": "limit",
    "steps": "limit",
    "endpoint": "error",
    "model": "error",
    "cancelled": "error",
}
_MOST_LABELS = 200


@runtime_checkable
class Closable(Protocol):
    """A strategy that holds something to release."""

    def close(self) -> None: ...


@runtime_checkable
class Speaking(Protocol):
    """A simulated user, which keeps what it said."""

    said: list[Said]


@dataclass
class Dialogue:
    """The events of one question and what came of them."""

    events: list[Event] = field(default_factory=list)
    replies: list[str | None] = field(default_factory=list)
    asked: list[Clarification] = field(default_factory=list)
    final: Answered | Failed | None = None
    waited: float = 0.0
    """Seconds spent on the user's replies."""


def hold(strategy: Strategy, user: User, question: str, most_asks: int) -> Dialogue:
    """Put the question and pass every clarification to the user, to an answer, a failure or the limit.

    One that waits because its replies were not understood is given up: the best reading is taken.
    """
    dialogue = Dialogue()
    events = strategy.start(question)
    while (asked := _read(events, dialogue)) is not None:
        if asked.tries >= GIVEN_UP:
            events = strategy.resume(None)
            continue
        if len(dialogue.replies) == most_asks:
            dialogue.final = Failed("limit", f"more than {most_asks} questions were put to the user")
            break
        dialogue.asked.append(asked)
        started = time.perf_counter()
        dialogue.replies.append(user.reply(asked))
        dialogue.waited += time.perf_counter() - started
        events = strategy.resume(dialogue.replies[-1])
    return dialogue


def _read(events: Iterator[Event], dialogue: Dialogue) -> Clarification | None:
    """Read a stream to its end; the clarification it stopped at, if any."""
    asked = None
    for event in events:
        asked = event.clarification if isinstance(event, Asked) else None
        if asked is None or asked.tries < GIVEN_UP:
            dialogue.events.append(event)
        if isinstance(event, Answered | Failed):
            dialogue.final = event
    return asked


def answer_values(answered: Answered) -> tuple[str, ...]:
    """The distinct answers as strings; unbound cells are left out, and which option a value belongs to."""
    if answered.boolean is not None:
        return ("true" if answered.boolean else "false",)
    rows = (row[:1] if answered.by_option else row for row in answered.rows)
    cells = ([next(iter(cell.values())) for cell in row if cell] for row in rows)
    return tuple(dict.fromkeys(" | ".join(row) for row in cells if row))


@dataclass(frozen=True)
class Judge:
    """Turns dialogues into records: scores in both modes, asks, leaks."""

    gold: GoldQueries
    describe: Describe

    def record(self, sample: Sample, gold: Gold, dialogue: Dialogue, user: User, seconds: float) -> Record:
        """The transcript record of a finished dialogue."""
        final = dialogue.final
        answers = answer_values(final) if isinstance(final, Answered) else ()
        said = user.said if isinstance(user, Speaking) else []
        events = [event_json(e) for e in dialogue.events]
        scored = [e for e in events if e["event"] == "scored"]
        record: Record = {
            **head(sample, _end(final, said)),
            "sparql": final.sparql if isinstance(final, Answered) else "",
            "answers": list(answers),
            "form": final.form if isinstance(final, Answered) else "",
            "error": final.reason if isinstance(final, Failed) else "",
            "failure": final.kind if isinstance(final, Failed) else "",
            "scores": scored[-1]["scores"] if scored else [],
            "clarifications": self._clarifications(sample, gold, dialogue, said),
            "gold": {"sparql": sample.sparql, **shortened(gold)},
            "seconds": round(seconds, 4),
            **_spent(dialogue.events),
            "events": events,
        }
        if gold.usable:
            record |= self._scores(gold, answers, events)
        if sample.intended:
            record["choice"] = choice(sample, record)
        return record

    def _scores(self, gold: Gold, answers: tuple[str, ...], events: list[dict[str, Any]]) -> Record:
        def f1(found: Sequence[str]) -> float:
            return answer_f1(gold.resolve(tuple(found)), found, "lenient")

        resolved = gold.resolve(answers)
        return {
            "metrics": {m: score_answers(resolved, answers, m).to_json() for m in ("strict", "lenient")},
            "asking": asking_of(events, answers, f1, self.gold.answers).to_json(),
        }

    def _clarifications(self, sample: Sample, gold: Gold, dialogue: Dialogue, said: list[Said]) -> list[Record]:
        secret = [*gold.answers, *self._labels(gold.answers)]
        replied = [e for e in dialogue.events if isinstance(e, Replied)]
        out = []
        for at, (clarification, reply) in enumerate(zip(dialogue.asked, dialogue.replies, strict=True)):
            data = {k: v for k, v in clarification.to_json().items() if k not in ("span", "value", "tries")}
            data |= {"reply": reply, "chosen": list(replied[at].chosen) if at < len(replied) else []}
            data |= {"leaks": leaks(reply, clarification, sample.question, secret)}
            if at < len(said):
                data |= {"said": said[at].kind, "bits": round(said[at].bits, 4)}
            out.append(data)
        return out

    def _labels(self, answers: tuple[str, ...]) -> list[str]:
        iris = [a for a in answers[:_MOST_LABELS] if is_iri(a)]
        return [node.label for node in self.describe(iris).values()] if iris else []


def _spent(events: list[Event]) -> Record:
    used = [e for e in events if isinstance(e, Usage)]
    return {
        "tokens": sum(u.sent + u.received for u in used),
        "cost": round(sum(u.cost or 0.0 for u in used), 8),
    }


def head(sample: Sample, end: End, error: str = "") -> Record:
    """A record in which nothing has happened yet; every record has these fields."""
    return {
        "id": sample.id,
        "end": end,
        "question": sample.question,
        "type": sample.type,
        "language": sample.language,
        "sparql": "",
        "answers": [],
        "form": "",
        "error": error,
        "failure": "",
        "scores": [],
        "clarifications": [],
        "gold": {"sparql": sample.sparql},
        "seconds": 0.0,
        "tokens": 0,
        "cost": 0.0,
        "events": [],
    }


def choice(sample: Sample, record: Record) -> bool:
    """Whether the intended candidate was chosen: by reply, else in the query, else the most probable."""
    candidates = set(sample.candidates) | {sample.intended}
    for clarification in reversed(record["clarifications"]):
        picked = [o["iri"] for o in clarification["options"] if o["label"] in clarification["chosen"]]
        if len(picked) == 1 and picked[0] in candidates:  # candidates may share their label
            return bool(picked[0] == sample.intended)
    if found := [iri for iri in candidates if f"<{iri}>" in record["sparql"]]:
        return found == [sample.intended]
    shares = {c["iri"]: c["posterior"] for s in record["scores"] for c in s["candidates"] if c["iri"] in candidates}
    return bool(shares) and max(shares, key=shares.__getitem__) == sample.intended


def _end(final: Answered | Failed | None, said: list[Said]) -> End:
    if isinstance(final, Answered):
        return "answered"
    if any(s.kind == "out_of_scope" for s in said):
        return "out_of_scope"
    return _ENDS.get(final.kind, "gave_up") if final else "gave_up"


MakeStrategy = Callable[[Sample], Strategy]


def answer_sample(
    sample: Sample,
    make_strategy: MakeStrategy,
    make_user: Callable[[Sample], User],
    judge: Judge,
    most_asks: int,
) -> Record:
    """Run one sample to its record; without gold to score or an intended candidate it is only excluded."""
    gold = judge.gold.gold(sample)
    if not gold.usable and not sample.intended:
        return {**head(sample, "excluded", gold.reason), "gold": {"sparql": sample.sparql, **asdict(gold)}}
    user = make_user(sample)
    started = time.perf_counter()
    strategy = make_strategy(sample)
    try:
        dialogue = hold(strategy, user, sample.question, most_asks)
        seconds = time.perf_counter() - started - dialogue.waited
        return judge.record(sample, gold, dialogue, user, seconds)
    finally:
        if isinstance(strategy, Closable):
            strategy.close()
