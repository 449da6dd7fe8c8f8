"""Importers of published benchmarks: each a pure function from a file to samples and what was dropped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from clear_kgqa.evaluation.importers import (
    claqua,
    cwq,
    dblpquad,
    lcquad1,
    lcquad2,
    qald,
    simplequestions,
    text2sparql,
    webqsp,
)  # fmt: skip
from clear_kgqa.evaluation.importers.imported import Dropped, Imported

IMPORTERS: dict[str, Callable[[Path], Imported]] = {
    "webqsp": webqsp.read,
    "cwq": cwq.read,
    "qald": qald.read,
    "lcquad1": lcquad1.read,
    "lcquad2": lcquad2.read,
    "simplequestions": simplequestions.read,
    "text2sparql": text2sparql.read,
    "claqua": claqua.read,
    "dblpquad": dblpquad.read,
}

__all__ = ["IMPORTERS", "Dropped", "Imported"]
