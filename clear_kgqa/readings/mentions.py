"""Mentions: which spans of a question name a node of the graph."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace

from clear_kgqa.readings.cues import Cues, lexicon
from clear_kgqa.readings.reading import Span
from clear_kgqa.readings.words import FUNCTION_WORDS, WH_WORDS, Word, singular
from clear_kgqa_tools.nodes import Node, NodeSearch

LONGEST = 9  # words in a mention
MOST_SPANS = 14
NODES_PER_SPAN = 10


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
    """Whether a span only says how much or how many ("more than 500,000 people", "how many")."""
    held = [(b.span[0], b.span[1] + len(b.attribute) + 1) for b in cues.bounds if not b.year]
    if cues.count or cues.open_attributes:
        held.append(cues.count_span if cues.count else cues.open_span)
    return any(s <= span[0] and span[1] <= e for s, e in held)


def _strip(text: str) -> str:
    return text.strip(' \t\n,;:?!"“”')


def _variants(words: tuple[Word, ...], i: int, j: int, question: str) -> Iterable[tuple[str, str]]:
    """(name, variant) pairs for the words i..j-1: as written, last word singular, adjective of a country."""
    raw = _strip(question[words[i].start : words[j - 1].end])
    yield raw, ""
    if raw.count("(") > raw.count(")") and words[j - 1].end < len(question):
        yield raw + ")", ""
    last = words[j - 1]
    one = singular(last.lower)
    if one != last.lower:
        yield raw[: len(raw) - len(last.text)] + one, "number"
    elif last.lower == "people":
        yield raw[: len(raw) - 6] + "person", "number"
    elif last.content and len(last.text) > 2:
        yield raw + "s", "number"
    if j - i == 1:
        country = lexicon()["demonyms"].get(last.lower)
        if country and (last.lower != "us" or last.text.isupper()):
            yield country, "demonym"


def _plausible(words: tuple[Word, ...], i: int, j: int) -> bool:
    """Spans of function words alone count only where capitals mark a name ("The Who"); wh-words never start one."""
    inside = words[i:j]
    if all(w.lower in FUNCTION_WORDS for w in inside):
        if j - i == 1:
            return i > 0 and inside[0].text[:1].isupper() and inside[0].lower not in ("i", "the", "a", "of")
        return i > 0 and all(w.text[:1].isupper() or w.lower in ("of", "the") for w in inside)
    if i == 0 and inside[0].lower in WH_WORDS and len(inside) > 1 and not inside[1].text[:1].isupper():
        return False
    return j - i > 1 or len(inside[0].text) > 1 or not inside[0].text.isalpha()


def find_mentions(question: str, cues: Cues, nodes: NodeSearch) -> list[Mention]:
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
    found = nodes.exact(list(names))
    by_span: dict[Span, Mention] = {}
    for name, places in names.items():
        hits = found.get(name) or []
        for i, j, variant in places if hits else ():
            span = (words[i].start, words[j - 1].end)
            mention = Mention(span, name, tuple(hits[:NODES_PER_SPAN]), variant, j - i)
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


def typo_mentions(
    question: str,
    cues: Cues,
    mentions: list[Mention],
    typos: Callable[[str, int], list[Node]],
    known: Callable[[str], bool],
) -> list[Mention]:
    """Mentions with a typo: runs of up to four words that hold one that no label knows."""
    words = cues.words
    strange = {i for i, w in enumerate(words) if w.content and len(w.text) > 3 and not known(w.lower)}
    out: list[Mention] = []
    for length in (4, 3, 2, 1):
        for i in range(len(words) - length + 1):
            j = i + length
            if not strange.intersection(range(i, j)) or not (words[i].content and words[j - 1].content):
                continue
            span = (words[i].start, words[j - 1].end)
            if any(m.span[0] <= span[0] and span[1] <= m.span[1] for m in (*mentions, *out)):
                continue
            hits = typos(_strip(question[span[0] : span[1]]), 3)
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
