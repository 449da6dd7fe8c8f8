"""Names in the languages a user prefers, with the graph's own where it has none in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.lexical import LexicalSimilarity
from clear_kgqa_tools.nodes import Node
from clear_kgqa_tools.open_bundle import open_bundle

E = "http://e.org/"
TURTLE = """
@prefix e: <http://e.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix s: <http://schema.org/> .
e:City a rdfs:Class ; rdfs:label "city"@en, "Stadt"@de .
e:mayor rdfs:label "mayor"@en, "Bürgermeister"@de, "alcalde"@es .
e:size rdfs:label "size"@en .
e:vienna a e:City ; rdfs:label "Vienna"@en, "Wien"@de-AT, "Vienne"@fr ; s:description "capital"@en, "Hauptstadt"@de ;
  e:mayor e:m ; e:size 5 .
e:wien a e:City ; rdfs:label "Wien"@en, "Kleinwien"@de ; e:size 6 .
e:m rdfs:label "Michael"@en, "Михаил"@ru .
"""
Open = Callable[..., GraphBundle]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Opens the graph with preferred languages; notes go into `notes`."""
    monkeypatch.setenv("CLEAR_KGQA_CACHE", str(tmp_path / "cache"))
    (tmp_path / "g.ttl").write_text(TURTLE, encoding="utf-8")
    bundles = []

    def opened(*languages: str, notes: list[str] | None = None) -> GraphBundle:
        def note(stage: str, fraction: float) -> None:
            if notes is not None:
                notes.append(stage)

        spec = str(tmp_path / "g.ttl")
        bundles.append(open_bundle(spec, note, similarity=LexicalSimilarity(), languages=languages))
        return bundles[-1]

    yield opened
    for bundle in bundles:
        bundle.close()


def test_labels_descriptions_and_classes_come_in_the_preferred_language(opened: Open) -> None:
    node = opened("de").nodes.describe([f"{E}vienna"])[f"{E}vienna"]
    assert (node.label, node.description, node.types) == ("Wien", "Hauptstadt", ("Stadt",))


def test_what_has_no_name_in_it_falls_back_in_the_order_given_and_then_to_the_graphs_own(opened: Open) -> None:
    nodes = opened("ru", "fr").nodes
    labels = {iri: node.label for iri, node in nodes.describe([f"{E}vienna", f"{E}m", f"{E}wien"]).items()}
    assert labels == {f"{E}vienna": "Vienne", f"{E}m": "Михаил", f"{E}wien": "Wien"}


def test_properties_are_called_by_their_preferred_names_and_keep_the_others_as_aliases(opened: Open) -> None:
    properties = opened("de").schema.property_by_iri
    mayor = properties[f"{E}mayor"]
    assert mayor.label == "Bürgermeister" and "mayor" in mayor.aliases
    assert properties[f"{E}size"].label == "size"


def found(nodes: list[Node]) -> list[tuple[str, str, str]]:
    return [(n.iri.removeprefix(E), n.label, n.match) for n in nodes]


def test_the_preferred_label_is_found_before_the_same_name_in_another_language(opened: Open) -> None:
    assert found(opened().nodes.search("Wien"))[0] == ("wien", "Wien", "label")
    german = opened("de").nodes
    assert found(german.search("Wien"))[:2] == [("vienna", "Wien", "label"), ("wien", "Kleinwien", "alias")]
    assert found(german.exact(["Wien"])["Wien"])[0] == ("vienna", "Wien", "label")
    assert found(german.search("Vienna"))[0] == ("vienna", "Wien", "alias")


def test_beginnings_and_typos_are_shown_by_their_preferred_names(opened: Open) -> None:
    nodes = opened("de").nodes
    assert nodes.complete("Vienn")[0].label == "Wien"  # type: ignore[attr-defined]
    assert nodes.typos("Vienma")[0].label == "Wien"  # type: ignore[attr-defined]
    assert nodes.known_word("vienna")  # type: ignore[attr-defined]


def test_a_language_that_the_graph_does_not_have_is_told_in_one_line(opened: Open) -> None:
    notes: list[str] = []
    bundle = opened("ja", notes=notes)
    assert bundle.nodes.describe([f"{E}vienna"])[f"{E}vienna"].label == "Vienna"
    assert "has no names in ja; its own are shown (de, de-at, en, es, fr, ru)" in notes[-1].lower()
    assert "\n" not in notes[-1]


def test_the_graphs_own_language_changes_nothing(opened: Open) -> None:
    assert type(opened("en").nodes) is type(opened().nodes)


def test_what_is_no_language_is_told(opened: Open) -> None:
    with pytest.raises(ConfigError, match="is no language"):
        opened('de") || true')


def test_the_model_is_told_the_languages(opened: Open) -> None:
    assert opened("de", "fr").profile.languages == ("de", "fr", "en")
