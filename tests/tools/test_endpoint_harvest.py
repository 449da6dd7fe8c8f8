from collections.abc import Iterator
from pathlib import Path

import pytest

from clear_kgqa_tools.catalog import kg_add, kg_info
from clear_kgqa_tools.endpoint import EndpointGraph
from clear_kgqa_tools.endpoint_harvest import EndpointHarvest, add_endpoint
from clear_kgqa_tools.endpoint_search import EndpointSearch
from clear_kgqa_tools.errors import EndpointError
from clear_kgqa_tools.graph import CheckedQuery, Limits
from clear_kgqa_tools.lexical import LexicalSimilarity
from clear_kgqa_tools.load_profile import load_profile
from clear_kgqa_tools.open_bundle import open_bundle
from clear_kgqa_tools.search_graph_pattern import SearchGraphPattern
from clear_kgqa_tools.terms import QueryResult
from tests.tools.sparql_server import sparql_server

TURTLE = """
@prefix : <http://o/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:alien a :Film ; rdfs:label "Alien"@en ; :directedBy :scott ; :year 1979 .
:blade a :Film ; rdfs:label "Blade Runner"@en, "Der Blade Läufer"@de ; :directedBy :scott ; :year 1982 .
:other a :Person ; rdfs:label "Alien" .
:scott a :Person ; rdfs:label "Ridley \\"Sir\\" Scott"@en ; :name "R. Scott" .
:directedBy rdfs:label "director"@en .
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with sparql_server(TURTLE) as address:
        yield address


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLEAR_KGQA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_an_added_endpoint_is_searched_locally_and_asked_remotely(url: str, cache: Path) -> None:
    report = kg_add("films", url.replace("//", "//user:secret@"))
    assert report.records >= 4 and report.triples == 15
    info = kg_info("films")
    assert (info["endpoint"], info["profile"], info["shared_labels"]) == (url, "generic", 1)
    assert "secret" not in (cache / "graphs" / "films" / "meta.json").read_text()
    assert not (cache / "graphs" / "films" / "store").exists()
    for spec in ("films", url):
        bundle = open_bundle(spec, similarity=LexicalSimilarity())
        try:
            assert {n.iri for n in bundle.nodes.search("alien")} == {"http://o/alien", "http://o/other"}
            assert [n.label for n in bundle.nodes.search("der blade laufer")] == ["Blade Runner"]
            director = bundle.schema.property_by_iri["http://o/directedBy"]
            assert (director.label, director.count, director.domains) == ("director", 2, ("http://o/Film",))
            assert bundle.schema.property_by_iri["http://o/year"].values == "number"
            around = SearchGraphPattern(bundle).around(["http://o/scott"])["http://o/scott"]
            assert {(h.label, h.direction) for p in around for h in p.hops} >= {("director", "in")}
        finally:
            bundle.close()


def test_an_endpoint_as_it_is(url: str) -> None:
    notes: list[str] = []
    bundle = open_bundle(url, lambda stage, _: notes.append(stage), similarity=LexicalSimilarity())
    try:
        assert "kg add NAME" in notes[0]
        found = bundle.nodes.search("alien")
        assert {(n.iri, n.types, n.match) for n in found} == {
            ("http://o/alien", ("Film",), "label"),
            ("http://o/other", ("Person",), "label"),
        }
        assert [n.iri for n in bundle.nodes.exact(["BLADE RUNNER", "nobody"])["BLADE RUNNER"]] == ["http://o/blade"]
        assert bundle.nodes.search("R. Scott")[0].match == "alias"
        assert (
            bundle.nodes.describe(["http://o/scott", "http://o/none"])["http://o/scott"].label == 'Ridley "Sir" Scott'
        )
        assert bundle.schema.property_by_iri["http://o/directedBy"].label == "director"
        assert bundle.data_hash == "" and bundle.folder is None
    finally:
        bundle.close()


@pytest.mark.parametrize("name", ['x" } DROP ALL #', "a\\", "line\nbreak", "", "🙂" * 5000])
def test_odd_names_find_nothing_and_break_nothing(url: str, name: str) -> None:
    graph = EndpointGraph(url)
    assert EndpointSearch(graph, load_profile("dbpedia")).search(name) == []
    graph.close()


class Interrupted:
    """The endpoint, cut off after so many queries."""

    def __init__(self, url: str, queries: int) -> None:
        self._graph, self._left = EndpointGraph(url), queries
        self.asked: list[str] = []

    def query(self, query: CheckedQuery, limits: Limits | None = None) -> QueryResult:
        if self._left == 0:
            raise KeyboardInterrupt
        self._left -= 1
        self.asked.append(query.text)
        return self._graph.query(query, limits)

    def cancel(self) -> None:
        self._graph.cancel()

    def close(self) -> None:
        self._graph.close()


def test_an_interrupted_harvest_goes_on_where_it_stopped(url: str, tmp_path: Path) -> None:
    folder, whole = tmp_path / "films", Interrupted(url, 1000)
    add_endpoint(whole, url, tmp_path / "whole", None, lambda *_: None)
    asked: list[str] = []
    for _ in range(40):
        part = Interrupted(url, 3)
        try:
            report = add_endpoint(part, url, folder, None, lambda *_: None)
            break
        except KeyboardInterrupt:
            assert not folder.exists()
        finally:
            asked += part.asked
    assert report.records >= 4
    assert sorted(asked) == sorted(whole.asked)
    assert sorted(p.name for p in tmp_path.iterdir() if p.name != "cache") == ["films", "whole"]


def test_a_harvest_of_another_source_starts_over(url: str, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        add_endpoint(Interrupted(url, 5), url, tmp_path / "films", None, lambda *_: None)
    other = Interrupted(url, 1000)
    add_endpoint(other, url + "?other", tmp_path / "films", None, lambda *_: None)
    assert "GROUP BY ?p" in other.asked[0]


def test_pages_shrink_to_what_the_server_gives(url: str, tmp_path: Path) -> None:
    class TwoRows(Interrupted):
        def query(self, query: CheckedQuery, limits: Limits | None = None) -> QueryResult:
            result = super().query(query, limits)
            if "OFFSET" in query.text:
                del result.rows[2:]
            return result

    harvest = EndpointHarvest(TwoRows(url, 1000), url, load_profile("generic"), tmp_path, lambda *_: None)
    lines = harvest.run().read_text().splitlines()
    assert sum("rdf-schema#label" in line for line in lines) == 6


def test_an_endpoint_that_is_not_there_is_one_line() -> None:
    with pytest.raises(EndpointError) as error:
        open_bundle("http://127.0.0.1:9/query", similarity=LexicalSimilarity())
    assert "\n" not in str(error.value)
