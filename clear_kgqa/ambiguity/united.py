"""One query for several readings at once ("both"), in which every value keeps the option that it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clear_kgqa.events import OPTION
from clear_kgqa.readings.reading import Reading
from clear_kgqa_tools.terms import Term


def united_query(readings: Sequence[Reading], names: Mapping[str, str]) -> str:
    """A query whose rows are a value and what it is the answer for, in the order of the readings."""
    parts = [
        f"{{ {_value(reading)} BIND({Term(told).n3()} AS ?{OPTION}) BIND({at} AS ?at) }}"
        for at, (reading, told) in enumerate(zip(readings, _told_apart(readings, names), strict=True))
    ]
    return f"SELECT ?x ?{OPTION} WHERE {{ {' UNION '.join(parts)} }} ORDER BY ?at"


def _value(reading: Reading) -> str:
    """The pattern that binds a reading's answer to ?x."""
    if reading.form == "ask":
        return f"BIND(EXISTS {reading.query.removeprefix('ASK').strip()} AS ?x)"
    counted = " BIND(?count AS ?x)" if reading.form == "count" else ""
    return f"{{ {reading.query} }}{counted}"


def _told_apart(readings: Sequence[Reading], names: Mapping[str, str]) -> list[str]:
    """What each reading is about, by the entities where those alone differ, else in its whole line."""
    about = [", ".join(names.get(a.node.iri, a.node.label) for a in r.entities) for r in readings]
    same_path = len({r.path_key for r in readings}) == 1
    return about if same_path and len(set(about)) == len(about) else [r.line(names) for r in readings]
