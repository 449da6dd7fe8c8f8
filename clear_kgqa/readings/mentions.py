"""Mentions: which spans of a question name a node of the graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace

from clear_kgqa.readings.amounts import Grade
from clear_kgqa.readings.cues import Cues
from clear_kgqa.readings.english import lexicon, synonyms
from clear_kgqa.readings.reading import Span
from clear_kgqa.readings.words import FUNCTION_WORDS, WH_WORDS, Word, singular
from clear_kgqa_tools.nodes import Node, NodeSearch

LONGEST = 9  # words in a mention
MOST_SPANS = 14
NODES_PER_SPAN = 10
ABBREVIATION = 5  # letters


@dataclass(frozen=True, slots=True)
class Mention:
    """A span (character offsets), the name it was searched by, and the nodes that came back.

    `variant` says how the name differs from the span: "" (as written), "number" (singular for plural or the other
    way), "demonym", "pair" (with another word of the question: "drama" ... "film"), "within" (told apart by the name
    after it: "Paris, Texas"); how each node met the name
    (alias, beginning, typo) is its own `match`.
    """

    span: Span
    name: str
    nodes: tuple[Node, ...]
    variant: str = ""
    words: int = 1


def _in_cue(span: Span, cues: Cues) -> bool:
    """Whether a span only says how much or how many ("more than 500,000 people", "how many", "the most")."""
    held = [(w.start, w.end) for w in cues.words for g in cues.grades if g.count and _quantifies(w, g)]
    held += [(b.span[0], b.span[1] + len(b.attribute) + 1) for b in cues.bounds if not b.year]
    if cues.count or cues.open_attributes:
        held.append(cues.count_span if cues.count else cues.open_span)
    return any(s <= span[0] and span[1] <= e for s, e in held)


def _another_word(name: str, node: Node) -> bool:
    """Whether a small word that can name a property is a proper name's alias by accident ("spoken", Spokane)."""
    return node.match == "alias" and name in synonyms() and node.label[:1].isupper()


def _quantifies(word: Word, grade: Grade) -> bool:
    """Whether a word is the "most" of "the most countries", which is also the name of a town."""
    return word.start == grade.span[0] and word.text.islower()


def _strip(text: str) -> str:
    return text.strip(' \t\n,;:?!"“”') or text


def _variants(words: tuple[Word, ...], i: int, j: int, question: str) -> Iterable[tuple[str, str]]:
    """(name, variant) pairs for the words i..j-1: as written, last word singular, adjective of a country."""
    raw = _strip(question[words[i].start : words[j - 1].end])
    yield raw, ""
    if (whole := _strip(_unbroken(question, words[i].start, words[j - 1].end))) != raw:
        yield whole, ""
    if raw.count("(") > raw.count(")") and words[j - 1].end < len(question):
        yield raw + ")", ""
    last = words[j - 1]
    one = singular(last.lower)
    if one != last.lower:
        yield raw[: len(raw) - len(last.text)] + one, "number"
    elif last.lower == "people":
        yield raw[: len(raw) - 6] + "person", "number"
    elif last.content and len(last.text) > 2 and last.text.islower():  # a name has no plural: "the Nile" is not Niles
        yield raw + "s", "number"
    if j - i == 1:
        country = lexicon()["demonyms"].get(last.lower)
        if country and (last.lower != "us" or last.text.isupper()):
            yield country, "demonym"


def _unbroken(question: str, start: int, end: int) -> str:
    """The span up to the spaces around it: signs may belong to a name ("[@click=app.quit]press[/]")."""
    begin = max(question.rfind(space, 0, start) for space in " \t\n") + 1
    rest = re.search(r"\s", question[end:])
    return question[begin : end + rest.start() if rest else len(question)]


def _plausible(words: tuple[Word, ...], i: int, j: int) -> bool:
    """Spans of function words alone count only where capitals mark a name ("The Who"); wh-words never start one."""
    inside = words[i:j]
    if all(w.lower in FUNCTION_WORDS for w in inside):
        if j - i == 1:
            return i > 0 and inside[0].text[:1].isupper() and inside[0].lower not in ("i", "the", "a", "of")
        return i > 0 and all(w.text[:1].isupper() or w.lower in ("of", "the") for w in inside)
    if j - i == 1 and _verbal(words, i):
        return False
    if i == 0 and inside[0].lower in WH_WORDS and len(inside) > 1 and not inside[1].text[:1].isupper():
        return False
    return j - i > 1 or len(inside[0].text) > 1 or not inside[0].text.isalpha() or inside[0].text.isupper()


def _verbal(words: tuple[Word, ...], i: int) -> bool:
    """Whether a small word can only be a verb: after "who", or after "that" where it ends in s ("that plays house")."""
    before, lower = words[i - 1].lower if i else "", words[i].lower
    verb = before == "who" or (before == "that" and lower.endswith("s"))
    return verb and words[i].text.islower() and i + 1 < len(words)


def find_mentions(question: str, cues: Cues, search: NodeSearch) -> list[Mention]:
    """Exact mentions (label, alias, plural, demonym), then typos for words that nothing explains.

    Spans are ordered longest first and cut to `MOST_SPANS`; each keeps its `NODES_PER_SPAN` most popular nodes.
    """
    words = cues.words
    names: dict[str, list[tuple[int, int, str]]] = {}
    for i in range(len(words)):
        for j in range(i + 1, min(i + LONGEST, len(words)) + 1):
            if _plausible(words, i, j) and not _in_cue((words[i].start, words[j - 1].end), cues):
                for name, variant in _variants(words, i, j, question):
                    names.setdefault(name, []).append((i, j, variant))
    for i, j, name in _pairs(words):
        names.setdefault(name, []).append((i, j, "pair"))
    found = search.exact(list(names))
    by_span: dict[Span, Mention] = {}
    for name, places in names.items():
        hits = [n for n in found.get(name) or [] if not _another_word(name, n)]
        for i, j, variant in places if hits else ():
            span = (words[i].start, words[j - 1].end)
            nodes = hits[:NODES_PER_SPAN]
            if variant == "demonym":
                nodes = [replace(n, match="demonym") for n in nodes]
            mention = Mention(span, name, tuple(nodes), variant, j - i)
            known = by_span.get(span)
            by_span[span] = mention if known is None else _joined(known, mention)
    return sorted(by_span.values(), key=lambda m: (-_weight(m, words), m.span))[:MOST_SPANS]


def _pairs(words: tuple[Word, ...]) -> Iterable[tuple[int, int, str]]:
    """Names made of two content words that do not stand together: "a film in the drama genre" names "drama film"."""
    content = [i for i, w in enumerate(words) if w.content][:8]
    for i in content:
        for j in content:
            if i != j and j != i + 1:
                yield i, i + 1, f"{words[i].text} {singular(words[j].lower)}"


def begun_mentions(
    cues: Cues, mentions: list[Mention], complete: Callable[[str, int], list[Node]], common: Container[str]
) -> list[Mention]:
    """Nodes whose longer name begins so ("lego star wars ii"), for maximal runs of content words; merged by span.

    Single words that are `common` (they name properties or classes) are left alone.
    """
    words, spans = cues.words, {m.span: m for m in mentions}
    begun: list[Span] = []
    for length in (5, 4, 3, 2, 1):
        for i in range(len(words) - length + 1):
            inside = words[i : i + length]
            span = (inside[0].start, inside[-1].end)
            if not (inside[0].content and inside[-1].content) or _in_cue(span, cues):
                continue
            if length == 1 and (len(inside[0].text) < 5 or inside[0].lower in common):
                continue
            around = [*begun, *(m.span for m in mentions if m.words > length)]
            if len(begun) >= 6 or any(s <= span[0] and span[1] <= e for s, e in around):
                continue
            hits = tuple(replace(n, match="prefix") for n in complete(" ".join(w.text for w in inside), 3))
            known = spans.get(span)
            fresh = tuple(n for n in hits if known is None or all(n.iri != k.iri for k in known.nodes))
            if fresh:
                begun.append(span)
                spans[span] = (
                    Mention(span, " ".join(w.text for w in inside), fresh, "", length)
                    if known is None
                    else (replace(known, nodes=known.nodes[: NODES_PER_SPAN - len(fresh)] + fresh))
                )
    return list(spans.values())


def _joined(first: Mention, second: Mention) -> Mention:
    """Two ways to read one span: the nodes of both, the more literal first."""
    seen = {n.iri for n in first.nodes}
    nodes = first.nodes + tuple(n for n in second.nodes if n.iri not in seen)
    return Mention(first.span, first.name, nodes[:NODES_PER_SPAN], first.variant, first.words)


def _weight(mention: Mention, words: tuple[Word, ...]) -> float:
    inside = [w for w in words if mention.span[0] <= w.start < mention.span[1]]
    return sum(1.0 if w.content else 0.2 for w in inside) + 0.3 * any(w.text[:1].isupper() for w in inside[:1])


def uncovered(words: tuple[Word, ...], mentions: Iterable[Mention]) -> list[Word]:
    """The content words that no mention covers."""
    spans = [m.span for m in mentions]
    return [w for w in words if w.content and not any(s <= w.start and w.end <= e for s, e in spans)]


def _may_be_meant(name: str, label: str, capitals: bool) -> bool:
    """Whether a name may be mistyped for a label: by somebody who writes `capitals` neither an abbreviation for a word
    ("NATO" for "Nago") nor a small word for a proper name ("member" for "Jember")."""
    abbreviation = name.isupper() and len(name) <= ABBREVIATION and not label.isupper()
    return not capitals or not (abbreviation or (name.islower() and label[:1].isupper()))


def typo_mentions(
    question: str,
    cues: Cues,
    mentions: list[Mention],
    typos: Callable[[str, int], list[Node]],
    known: Callable[[str], bool],
) -> list[Mention]:
    """Mentions with a typo: runs of up to four words that hold one that no label knows."""
    words = cues.words
    capitals = any(w.text.istitle() for w in words[1:] if w.content)
    alone = [w for w in uncovered(words, mentions) if w.text.istitle() and w is not words[0]]
    strange = {
        i for i, w in enumerate(words)
        if w.content and len(w.text) > 3 and w.lower not in synonyms() and (w in alone or not known(w.lower))
    }  # fmt: skip
    out: list[Mention] = []
    for length in (4, 3, 2, 1):
        for i in range(len(words) - length + 1):
            j = i + length
            if not strange.intersection(range(i, j)) or not (words[i].content and words[j - 1].content):
                continue
            span = (words[i].start, words[j - 1].end)
            if any(m.span[0] <= span[0] and span[1] <= m.span[1] for m in (*mentions, *out)):
                continue
            name = _strip(question[span[0] : span[1]])
            hits = [n for n in typos(name, 3) if _may_be_meant(name, n.label, capitals)]
            if hits:
                out.append(
                    Mention(
                        span,
                        question[span[0] : span[1]],
                        tuple(replace(n, match="fuzzy") for n in hits),
                        "",
                        length,
                    )
                )
    return out[:4]
