"""The questions that could be put to the user: by entity, by intent, by form, or a menu of complete readings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from clear_kgqa.clarification import Option, SlotKind
from clear_kgqa.readings.posterior import Posterior
from clear_kgqa.readings.reading import Anchor, Reading, Span, hop_words
from clear_kgqa_tools.nodes import Node

MOST_OPTIONS = 5
TYPES_TOLD = 2
LEAST_SHARE = 0.004  # options below this share of probability are not worth a line


@dataclass(frozen=True, slots=True)
class Menu:
    """One possible question. `groups[i]` are the indexes of the readings that option i keeps."""

    slot: str
    kind: SlotKind
    text: str
    options: tuple[Option, ...]
    groups: tuple[tuple[int, ...], ...]
    span: Span = (0, 0)


def menus(posterior: Posterior, question: str, settled: Iterable[str] = ()) -> list[Menu]:
    """Every question that is still open: at least two options whose best answers differ."""
    done = set(settled)
    found = [
        *entity_menus(posterior, question),
        *intent_menu(posterior),
        *form_menu(posterior),
        *reading_menu(posterior),
    ]
    return [m for m in found if m.slot not in done]


def _grouped(posterior: Posterior, keys: Iterable[tuple[int, object]]) -> list[tuple[object, list[int]]]:
    groups: dict[object, list[int]] = {}
    for i, key in keys:
        groups.setdefault(key, []).append(i)
    return sorted(groups.items(), key=lambda g: -sum(posterior.p[i] for i in g[1]))


def _menu(
    posterior: Posterior,
    slot: str,
    kind: SlotKind,
    text: str,
    groups: list[tuple[object, list[int]]],
    option: Callable[[int, list[int]], Option],
    span: Span = (0, 0),
) -> list[Menu]:
    """Build a menu from groups of readings, merging those whose best readings answer alike; nothing if one remains."""
    seen: dict[int, int] = {}
    kept: list[list[int]] = []
    for _, members in groups:
        best = max(members, key=lambda i: posterior.p[i])
        share = sum(posterior.p[i] for i in members)
        answer_class = posterior.classes[best]
        if answer_class in seen:
            kept[seen[answer_class]] += members
        elif share >= LEAST_SHARE and len(kept) < MOST_OPTIONS:
            seen[answer_class] = len(kept)
            kept.append(list(members))
    if len(kept) < 2:
        return []
    options = []
    for members in kept:
        best = max(members, key=lambda i: posterior.p[i])
        made = option(best, members)
        options.append(replace(made, share=float(sum(posterior.p[i] for i in members)), readings=tuple(members)))
    if kind != "entity" and len({o.iri for o in options}) == 1:
        # One entity in every line: what it is tells nothing apart.
        options = [replace(o, type="", description="", path="") for o in options]
    return [Menu(slot, kind, text, tuple(options), tuple(tuple(m) for m in kept), span)]


def node_option(node: Node) -> Option:
    """An option that shows a node: label, type and description as the graph has them."""
    return Option(node.iri, node.label, node.types[0] if node.types else "", node.description)


def _telling(options: tuple[Option, ...], nodes: dict[str, Node]) -> tuple[Option, ...]:
    """Options with up to two of their types, those that all share left out where that leaves any."""
    types = [nodes[o.iri].types if o.iri in nodes else () for o in options]
    shared = set(types[0]).intersection(*types[1:]) if types else set()
    told = [[t for t in own if t not in shared][:TYPES_TOLD] or list(own[:1]) for own in types]
    return tuple(replace(o, type=", ".join(t)) for o, t in zip(options, told, strict=True))


def entity_menus(posterior: Posterior, question: str) -> list[Menu]:
    """One menu per mention that several nodes may mean."""
    spans: dict[Span, list[tuple[int, object]]] = {}
    nodes: dict[tuple[Span, str], Node] = {}
    for i, reading in enumerate(posterior.readings):
        for anchor in reading.entities:
            spans.setdefault(anchor.span, []).append((i, anchor.node.iri))
            nodes[anchor.span, anchor.node.iri] = anchor.node
    out: list[Menu] = []
    for span, keys in spans.items():
        name = question[span[0] : span[1]]

        def option(best: int, members: list[int], span: Span = span) -> Option:
            anchor = next(a for a in posterior.readings[best].entities if a.span == span)
            return node_option(anchor.node)

        text = f"Which {name} do you mean?"
        found = _menu(posterior, f"entity:{name.casefold()}", "entity", text, _grouped(posterior, keys), option, span)
        known = {iri: node for (at, iri), node in nodes.items() if at == span}
        out += [replace(m, options=_telling(m.options, known)) for m in found]
    return out


def _entity_key(reading: Reading) -> tuple[tuple[Span, str], ...]:
    return tuple((a.span, a.node.iri) for a in reading.entities)


def intent_menu(posterior: Posterior) -> list[Menu]:
    """What is asked about the most probable entities: one option per path."""
    by_entity = _grouped(posterior, ((i, _entity_key(r)) for i, r in enumerate(posterior.readings)))
    if not by_entity:
        return []
    members = by_entity[0][1]
    first = posterior.readings[members[0]]
    name = " and ".join(a.node.label for a in first.entities)
    keys = ((i, posterior.readings[i].path_key) for i in members)
    text = f"What do you want to know about {name}?" if name else "What do you mean?"

    def option(best: int, _: list[int]) -> Option:
        return reading_option(posterior.readings[best])

    return _menu(posterior, f"intent:{name.casefold()}", "intent", text, _grouped(posterior, keys), option)


def form_menu(posterior: Posterior) -> list[Menu]:
    """How to answer: a list, a number, or yes/no."""
    groups = _grouped(posterior, ((i, r.form) for i, r in enumerate(posterior.readings)))

    def option(best: int, _: list[int]) -> Option:
        return reading_option(posterior.readings[best])

    return _menu(posterior, "form", "form", "What kind of answer do you want?", groups, option)


def reading_menu(posterior: Posterior) -> list[Menu]:
    """The most probable complete readings, one per answer class."""
    groups = _grouped(posterior, enumerate(posterior.classes))

    def option(best: int, _: list[int]) -> Option:
        return reading_option(posterior.readings[best])

    return _menu(posterior, "reading", "reading", "Which of these do you mean?", groups, option)


def reading_option(reading: Reading) -> Option:
    """An option that shows a complete reading, led by its main entity."""
    anchor: Anchor | None = reading.entities[0] if reading.entities else None
    hops = [h for a in reading.anchors for h in a.hops] or list(reading.order.hops if reading.order else ())
    path = hop_words(tuple(hops))
    if anchor is None:
        iri = reading.type.iri if reading.type else ""
        return Option(iri, reading.line(), path=path, sparql=reading.query)
    return replace(node_option(anchor.node), label=reading.line(), path=path, sparql=reading.query)
