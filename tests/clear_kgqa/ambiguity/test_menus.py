"""What a menu shows of its options."""

from __future__ import annotations

import numpy as np

from clear_kgqa.ambiguity.menus import entity_menus
from clear_kgqa.readings.answers import Answers
from clear_kgqa.readings.posterior import Posterior, overlap_f1
from clear_kgqa.readings.reading import Anchor, Reading
from clear_kgqa_tools.nodes import Hop, Node
from clear_kgqa_tools.terms import Term


def _types_shown(*types: tuple[str, ...]) -> list[str]:
    nodes = [Node(f"e{i}", "Sam", types=own) for i, own in enumerate(types)]
    readings = [Reading((Anchor(node, (0, 3), (Hop("p", "p", "out"),)),)) for node in nodes]
    answers = [Answers((Term(str(i)),)) for i in range(len(nodes))]
    p = np.arange(len(nodes), 0, -1) / sum(range(len(nodes) + 1))
    (menu,) = entity_menus(Posterior(readings, answers, p, 0.0, overlap_f1(answers)), "Sam?")
    return [option.type for option in menu.options]


def test_options_show_up_to_two_types_that_tell_them_apart() -> None:
    assert _types_shown(("human", "painter"), ("human", "writer", "poet", "critic")) == ["painter", "writer, poet"]


def test_where_no_type_tells_options_apart_the_first_is_shown() -> None:
    assert _types_shown(("city", "place"), ("city", "place"), ()) == ["city, place", "city, place", ""]
    assert _types_shown(("city", "place"), ("city", "place")) == ["city", "city"]
