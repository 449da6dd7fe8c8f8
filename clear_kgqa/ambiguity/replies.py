"""What a reply to a clarification means: a number, a label, a description, a refusal, "both", or a new question."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from clear_kgqa.ambiguity.reply_grades import graded
from clear_kgqa.ambiguity.reply_places import ORDINALS, places, rest_of
from clear_kgqa.ambiguity.reply_properties import named_property
from clear_kgqa.ambiguity.reply_words import EMPTY, option_words, overlap, spelt, told_of
from clear_kgqa.clarification import Clarification, Option, Reply
from clear_kgqa.readings.words import tokenize
from clear_kgqa_tools.folding import fold

_DELEGATE = re.compile(
    r"^\W*(you (decide|choose|pick)|your (choice|call)|i don'?t (care|know|mind)|don'?t (care|know|mind)|(no|not) (idea|sure)|"
    r"any(thing)?( (one|of them|will do))?|whatever|up to you|either( one)?|does ?n'?o?t matter|best( guess)?|surprise me|skip)\W*$",
    re.I,
)
_NONE = re.compile(
    r"^\W*(none( of (these|them|those|the above))?|neither( of them)?|something else|another( one)?|other|no)\W*$",
    re.I,
)
_ALL = re.compile(r"^\W*(both|all( of (them|these))?|all (two|three|four|five)|each( of them)?|every one)\W*$", re.I)
_QUESTION = re.compile(
    r"^\W*(who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|list|give|show|name)\b",
    re.I,
)
_NOT = re.compile(r"\b(?:not|isn'?t|non|no|except|but not|rather than)\s+(?:the\s+|a\s+|an\s+)?(.+)$", re.I)
_LEAD = re.compile(
    r"^\W*(?:(?:i (?:mean|meant|am asking about)|i'?m asking about|it'?s|it is|that'?s|that is|the one)\s+)?(?:the\s+)?",
    re.I,
)
_TAKEN_BACK = r"(?:no|sorry|wait|oops|actually|correction|i meant?|make that)"
_CORRECTED = re.compile(rf"\w.*?(?:[.,;!?-]\s*|\s){_TAKEN_BACK}\b(?:[\s,;:!.-]+{_TAKEN_BACK}\b)*[\s,;:!.-]+(.+)$", re.I)
_RATHER = re.compile(
    r"^\W*not\b(?:[^,;.]*[,;.:-]+\s*|.*?\s(?=but\b))(?:but\s+|rather\s+|i mean(?:t)?\s+)*((?:the|that|an?|number|option)\b.+|#?\d+)$",
    re.I,
)
_THANKS = re.compile(r"[\s,]+(?:please|thanks|thank you)\W*$", re.I)
_WHY = re.compile(
    r"^\W*(?:why(?: (?:do|are|is|does|would|must) .*ask.*| that(?: question)?| does (?:it|that|this) matter)?|help(?: me)?|"
    r"what do you mean(?: by (?:that|this|it))?|what(?:'?s| is| are)(?: the)? (?:difference|options?)(?: .*)?|"
    r"(?:i )?(?:do not|don'?t) (?:understand|get)(?: (?:it|that|this|you|the question))?|explain(?: (?:that|this|it))?)\W*$",
    re.I,
)
_AFTER_A_WORD = re.compile(r"^\W*(?:no|nope|yes|yeah|yep|ok|okay|well|sorry|hm+|uh|um)\s*[,;:!-]+\s*(\w.*)$", re.I)
_BY_PLACE = re.compile(r"(?:first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th)\b", re.I)


def interpret(reply: str, clarification: Clarification) -> Reply:
    """Understand a reply against the options. Numbers count from 1; one past the last means "none of these"."""
    said = reply.strip()
    return replace(_meaning(_THANKS.sub("", said), clarification.options), text=said)


def _meaning(text: str, options: tuple[Option, ...]) -> Reply:
    number = _number(text, len(options))
    if number is not None:
        return _numbered(number, text, len(options))
    if begun := _AFTER_A_WORD.match(text):
        return _meaning(begun[1], options)
    if fixed := _fixed(text, len(options)):
        return fixed
    exact = [i for i, o in enumerate(options) if fold(o.label) in (fold(text), fold(_bare(text)))]
    if len(exact) == 1:
        return Reply("options", text, tuple(exact), sure=True)
    if corrected := _CORRECTED.match(text) or _RATHER.match(text):
        later = _meaning(corrected[1], options)
        if later.kind == "options":
            return later
    if rest := rest_of(text):
        out = _described(rest, options)
        return replace(_without(text, out.chosen, options), excluding=False, sure=True) if out.chosen else out
    meant = _described(text, options)
    if meant.sure or meant.excluding or len(meant.chosen) == 1:
        return meant
    return _graded(meant, options) or _by_property(meant, options) or _respelt(meant, options)


def _fixed(text: str, count: int) -> Reply | None:
    """A reply whose words mean the same whatever `count` options are offered."""
    if not text or _DELEGATE.match(text):
        return Reply("delegate", text)
    if _NONE.match(text):
        return Reply("none", text, sure=True)
    if _ALL.match(text):
        return Reply("options", text, tuple(range(count)), sure=True)
    if _WHY.match(text):
        return Reply("why", text)
    if named := places(text, count):
        sure = len(named.chosen) == 1 or not named.excluding
        return Reply("options", text, named.chosen, sure, named.excluding)
    return None


def _graded(meant: Reply, options: tuple[Option, ...]) -> Reply | None:
    """What a grade ("the biggest one") picks among the options that fit so far, where the reply says nothing that no option shows."""
    among = meant.chosen or tuple(range(len(options)))
    at = graded(meant.text, tuple(options[i] for i in among)) if meant.kind != "new_question" else None
    return None if at is None else Reply("options", meant.text, (among[at],), sure=True)


def _by_property(meant: Reply, options: tuple[Option, ...]) -> Reply | None:
    at = None if meant.chosen else named_property(meant.text, options)
    return None if at is None else Reply("options", meant.text, (at,), sure=True)


def _respelt(meant: Reply, options: tuple[Option, ...]) -> Reply:
    """A reply that fits no option as it is written, with its words spelt as the options spell them."""
    if meant.kind == "new_question":
        return meant
    better = _less_sure(meant, options)
    if better.kind != "unclear":
        return better
    found = _described(spelt(meant.text, options), options)
    return found if found.kind == "options" else meant


def _bare(text: str) -> str:
    """A reply without what leads up to it and without its full stop: "I mean the film." is "film"."""
    return _LEAD.sub("", text).strip(" .!,;\"'")


def _less_sure(reply: Reply, options: tuple[Option, ...]) -> Reply:
    """What words alone could not tell: a label almost as said, a place in the list, a type as it is called."""
    bare = _bare(reply.text)
    ordinal = ORDINALS.get(next((w.lower for w in tokenize(bare)), ""), 0) if len(tokenize(bare)) == 2 else 0
    if _BY_PLACE.match(bare) and 1 <= ordinal <= len(options):
        return Reply("options", reply.text, (ordinal - 1,), sure=True)
    for likeness in (_label_likeness, _type_likeness):
        found = [likeness(fold(bare), option) for option in options]
        top = [i for i, f in enumerate(found) if f > 0 and f >= max(found) - 0.02]
        if len(top) == 1:
            return Reply("options", reply.text, (top[0],))
    return reply


def _label_likeness(said: str, option: Option) -> float:
    """How much a reply is an option's label, 0..1; 0 where it is no more than akin."""
    from rapidfuzz import fuzz

    ratio = fuzz.token_sort_ratio(said, fold(option.label)) / 100
    return ratio if ratio >= 0.85 else 0.0


def _type_likeness(said: str, option: Option) -> float:
    """How often the words of a reply that come before the label name one of the option's types in full."""
    told = said.removesuffix(fold(option.label)).strip()
    types = [fold(t) for t in option.type.split(",")]
    return float(types.count(told)) if told else 0.0


def _number(text: str, most: int) -> int | None:
    """The number that a reply names: "2", "2.", "#2", "the second one", "option 2", "last"."""
    found = re.fullmatch(r"[^\w-]*(?:option|number|no\.?|nr\.?)?\s*#?(\d{1,2})\W*", text, re.I)
    if found:
        return int(found[1])
    words = [w.lower for w in tokenize(text) if w.lower not in EMPTY or w.lower in ("one", "two")]
    if len(words) > 1:
        words = [w for w in words if w not in ("one", "option")]
    if len(words) == 1 and words[0] == "last":
        return most
    if len(words) == 1 and words[0] == "latter":
        return most
    return ORDINALS.get(words[0]) if len(words) == 1 else None


def _numbered(number: int, text: str, most: int) -> Reply:
    if 1 <= number <= most:
        return Reply("options", text, (number - 1,), sure=True)
    if number == most + 1:
        return Reply("none", text, sure=True)
    if number == most + 2:
        return Reply("delegate", text)
    return Reply("unclear", text)


def _described(text: str, options: tuple[Option, ...]) -> Reply:
    """Free text: the option whose words it shares most, words that all options share counting nothing."""
    negated = _NOT.search(text)
    said = text[: negated.start()] if negated else text
    bags = [option_words(o) for o in options]
    scores = overlap(said, bags)
    if negated:
        against = overlap(negated[1], bags)
        ruled_out = {i for i, s in enumerate(against) if s > 0 and s >= max(against) * 0.99}
        left = [i for i in range(len(options)) if i not in ruled_out]
        if ruled_out and left and max(scores, default=0) <= 0:
            return _without(text, tuple(ruled_out), options)
        scores = [-1.0 if i in ruled_out else s for i, s in enumerate(scores)]
    best = max(scores, default=0.0)
    chosen = tuple(i for i, s in enumerate(scores) if s > 0 and s >= best * 0.999)
    if _is_question(text, chosen, bags):
        return Reply("new_question", text)
    if not chosen:
        return Reply("unclear", text)
    verbatim = [i for i, o in enumerate(options) if _is_told(_bare(text), o)]
    if len(verbatim) == 1 and verbatim[0] in chosen:
        return Reply("options", text, tuple(verbatim), sure=True)
    parts = [p for p in re.split(r"\s+(?:and|or)\s+|,|\s*&\s*", said) if p.strip()]
    if len(parts) > 1:
        each = {i for p in parts for i in _top(overlap(p, bags))}
        if len(each) > 1:
            return Reply("options", text, tuple(sorted(each)), sure=True)
    return Reply("options", text, chosen, sure=len(chosen) == 1)


def left_out(reply: str) -> str:
    """What a reply says that it does not mean ("not the film"); empty where it denies nothing."""
    found = _NOT.search(reply)
    return found[1] if found else ""


def _is_told(said: str, option: Option) -> bool:
    """Whether an option shows what is said word for word, its label perhaps before one of the rest."""
    rest = said.removeprefix(option.label).lstrip(", ")
    shown = (fold(told_of(option)), fold(option.line()))
    return any(fold(part) in told for part in (said, rest) if part for told in shown)


def _without(text: str, out: tuple[int, ...], options: tuple[Option, ...]) -> Reply:
    """Every option but those that a reply excludes; nothing is understood where none is left."""
    left = tuple(i for i in range(len(options)) if i not in out)
    return Reply("options", text, left, sure=len(left) == 1, excluding=True) if left else Reply("unclear", text)


def _top(scores: list[float]) -> list[int]:
    best = max(scores, default=0.0)
    top = [i for i, s in enumerate(scores) if s > 0 and s >= best * 0.999]
    return top if len(top) == 1 else []


def _is_question(text: str, chosen: tuple[int, ...], bags: list[Counter[str]]) -> bool:
    if not (_QUESTION.match(text) or text.endswith("?")) or len(tokenize(text)) < 4:
        return False
    words = {w.stem for w in tokenize(text) if w.content}
    known = {w for i in chosen for w in bags[i]}
    return text.endswith("?") or len(words & known) < 0.6 * len(words)
