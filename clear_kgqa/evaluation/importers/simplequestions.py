"""SimpleQuestions over Wikidata: subject, property (R123: inverse), object and question, a line each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from clear_kgqa.evaluation.importers.imported import Dropped, Imported, collect
from clear_kgqa.evaluation.importers.repair import PREFIXES
from clear_kgqa.evaluation.samples import Sample
from clear_kgqa_tools.errors import ConfigError

_LINE = re.compile(r"(?P<subject>Q\d+)\s+(?P<way>[PR])(?P<number>\d+)\s+(?P<object>Q\d+)\s+(?P<question>\S.*)")


def read(path: Path) -> Imported:
    """The questions of a SimpleQuestions-Wikidata file; ids are line numbers."""
    return collect(_questions(path))


def _questions(path: Path) -> Iterator[Sample | Dropped]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line.strip())
        if found is None:
            yield Dropped(str(number), "not: subject, property, object, question")
            continue
        node = f"<{PREFIXES['wd']}{found['subject']}>"
        property_ = f"<{PREFIXES['wdt']}P{found['number']}>"
        triple = f"{node} {property_} ?x" if found["way"] == "P" else f"?x {property_} {node}"
        answers = (PREFIXES["wd"] + found["object"],)
        kind = "forward" if found["way"] == "P" else "inverse"
        yield Sample(
            str(number),
            found["question"],
            f"SELECT ?x WHERE {{ {triple} }}",
            answers,
            type=kind,
            language="en",
        )
