"""A small graph in an Oxigraph store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyoxigraph
import pytest

from clear_kgqa_tools.embedded import EmbeddedGraph

DATA = """
@prefix e: <http://e/> .
e:a e:size 5 ; e:name "A" . e:b e:size 4 ; e:name "B" . e:c e:size 3.0 ; e:name "C" .
e:d e:size 3 ; e:name "D" . e:f e:size 1 ; e:name "F" .
"""


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedGraph]:
    folder: Path = tmp_path_factory.mktemp("store")
    store = pyoxigraph.Store(str(folder))
    store.load(DATA.encode(), pyoxigraph.RdfFormat.TURTLE)
    store.flush()
    del store
    found = EmbeddedGraph(folder, workers=1)
    yield found
    found.close()
