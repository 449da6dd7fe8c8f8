import json
import multiprocessing
import os
import string
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.label_index import LabelIndex, LabelRecord, local_name

E = "http://example.org/"


def record(name: str, label: str, *aliases: str, popularity: float = 1.0) -> LabelRecord:
    return LabelRecord(E + name, label, aliases, ("thing",), (E + "Thing",), f"about {name}", popularity)


RECORDS = [
    record("paris", "Paris", "City of Light", "Ville Lumière", popularity=1000),
    record("paris_tx", "Paris", popularity=10),
    record("parish", "Parishville", popularity=2000),
    record("usa", "United States", "US", "USA", popularity=900),
    record("us_album", "US", popularity=3),
    record("belarus", "Belarus", popularity=500),
    record("haiti", "Haiti", popularity=400),
    record("georgia", "Georgia", popularity=300),
    record("georgia_us", "Georgia", "Peach State", popularity=250),
    record("peach_state", "Peach State", popularity=200),
    record("c", "C"),
    record("cpp", "C++"),
    record("csharp", "C#"),
    record("chk", "!!!"),
    record("markup", "[@click=app.quit]press[/]"),
    record("closing", "[/]"),
    record("X", ""),
    record("descartes", "René Descartes"),
    record("obama", "Barack Obama", popularity=70),
    record("eiffel", "Eiffel Tower", popularity=60),
    record("eiffel_bridge", "Eiffel Bridge", popularity=80),
    record("ny", "New York City", "NYC", "Big Apple", popularity=800),
    record("tokyo", "東京都"),
    record("Paul_Lucas_%28politician%29", ""),
    *(record(f"springfield{i}", "Springfield", popularity=i) for i in range(30)),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("labels")
    LabelIndex.build(folder, RECORDS)
    return folder


@pytest.fixture(scope="module")
def index(folder: Path) -> LabelIndex:
    return LabelIndex.open(folder)


def found(index: LabelIndex, name: str) -> list[str]:
    return [node.iri.removeprefix(E) for node in index.search(name)]


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("Paris", "paris"),
        ("PARIS", "paris"),
        ("paris", "paris"),
        ("rene descartes", "descartes"),
        ("Rene\u0301 Descartes", "descartes"),
        ("C", "c"),
        ("c++", "cpp"),
        ("C#", "csharp"),
        ("!!!", "chk"),
        ("[@click=app.quit]press[/]", "markup"),
        ("[/]", "closing"),
        ("x", "X"),
        ("City of light", "paris"),
        ("ville lumiere", "paris"),
        ("東京都", "tokyo"),
        ("東京", "tokyo"),
        ("Paul Lucas (politician)", "Paul_Lucas_%28politician%29"),
        ("US", "usa"),
        ("nyc", "ny"),
    ],
)
def test_a_name_finds_its_node_first(index: LabelIndex, name: str, first: str) -> None:
    assert found(index, name)[0] == first


def test_names_of_signs_and_single_letters_are_exact_names(index: LabelIndex) -> None:
    names = ["C", "C++", "C#", "!!!", "[@click=app.quit]press[/]", "[/]", "X"]
    exact = {name: [node.iri.removeprefix(E) for node in nodes] for name, nodes in index.exact(names).items()}
    wanted = ["c", "cpp", "csharp", "chk", "markup", "closing", "X"]
    assert exact == {name: [iri] for name, iri in zip(names, wanted, strict=True)}


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("Belrus", "belarus"),
        ("Parsi", "paris"),
        ("eifel tower", "eiffel"),
        ("eiffel towr", "eiffel"),
        ("barak obma", "obama"),
        ("obama barack", "obama"),
        ("obama", "obama"),
        ("newyork city", "ny"),
        ("Tower Eifel", "eiffel"),
        ("Paris, France", "paris"),
        ("the city of lihgt", "paris"),
        ("Ne wYork City", "ny"),
        ("NewvYork City", "ny"),
        ("Nwe York City", "ny"),
        ("eiffeltower", "eiffel"),
        ("Amburack Obama", "obama"),
        ("Bellaruss", "belarus"),
    ],
)
def test_typos_word_order_and_other_words(index: LabelIndex, name: str, first: str) -> None:
    nodes = index.search(name)
    assert (nodes[0].iri, nodes[0].match) == (E + first, "fuzzy")


@pytest.mark.parametrize("short", ["us", "AI", "Pas", "Usa", "x", "ha", "ob"])
def test_three_characters_are_never_searched_with_typos(index: LabelIndex, short: str) -> None:
    for node in index.search(short):
        assert node.match in ("label", "alias", "prefix")
        assert any(n.lower().startswith(short.lower()) for n in (node.label, node.matched))


def test_us_is_not_belarus_and_ai_is_not_haiti(index: LabelIndex) -> None:
    assert found(index, "us") == ["usa", "us_album"]
    assert found(index, "AI") == []


def test_exact_before_prefix_before_typos(index: LabelIndex) -> None:
    nodes = index.search("Paris")
    assert [(n.iri.removeprefix(E), n.match) for n in nodes] == [
        ("paris", "label"),
        ("paris_tx", "label"),
        ("parish", "prefix"),
    ]
    assert [n.match for n in index.search("Parish")] == ["prefix", "fuzzy", "fuzzy"]


def test_a_label_beats_an_alias_unless_that_is_ten_times_as_popular(index: LabelIndex) -> None:
    assert found(index, "Peach State") == ["peach_state", "georgia_us"]
    assert found(index, "US") == ["usa", "us_album"]


def test_a_label_carried_many_times_gives_the_most_popular(index: LabelIndex) -> None:
    assert found(index, "Springfield") == [f"springfield{i}" for i in range(29, 19, -1)]
    assert len(index.exact(["springfield"])["springfield"]) == 30
    assert index.shared_labels() == 5


def test_a_node_carries_what_was_indexed_and_how_it_was_met(index: LabelIndex) -> None:
    (node,) = index.exact(["city of light"])["city of light"]
    assert (node.label, node.matched, node.match, node.score) == ("Paris", "City of Light", "alias", 100.0)
    assert (node.types, node.type_iris, node.popularity) == (("thing",), (E + "Thing",), 1000)


def test_many_names_at_once(index: LabelIndex) -> None:
    names = ["Georgia", "GEORGIA", "nothing here", "", "us", "Georgia"]
    exact = index.exact(names)
    assert {name: [n.iri.removeprefix(E) for n in nodes] for name, nodes in exact.items()} == {
        "Georgia": ["georgia", "georgia_us"],
        "GEORGIA": ["georgia", "georgia_us"],
        "us": ["usa", "us_album"],
    }
    assert index.exact([]) == {}


def test_describe_gives_the_indexed_among_the_iris(index: LabelIndex) -> None:
    described = index.describe([E + "haiti", E + "nowhere", E + "Paul_Lucas_%28politician%29"])
    assert {iri: node.label for iri, node in described.items()} == {
        E + "haiti": "Haiti",
        E + "Paul_Lucas_%28politician%29": "Paul Lucas (politician)",
    }


def test_typos_alone(index: LabelIndex) -> None:
    assert [(n.label, n.match) for n in index.typos("pariss")] == [("Paris", "fuzzy"), ("Paris", "fuzzy")]
    assert [n.label for n in index.typos("eifell tovver", k=1)] == []
    assert [n.label for n in index.typos("eifel towerr", k=1)] == ["Eiffel Tower"]
    assert index.typos("us") == index.typos("") == index.typos("Paris tower") == []


def test_completion_and_known_words(index: LabelIndex) -> None:
    assert [n.label for n in index.complete("pari", 2)] == ["Parishville", "Paris"]
    assert [n.label for n in index.complete("Paul Lucas (polit")] == ["Paul Lucas (politician)"]
    assert index.complete("") == index.complete("zzz") == []
    assert index.known_word("TOWER") and index.known_word("descartes") and not index.known_word("towr")


@pytest.mark.parametrize("name", ["", "   ", "\x00", "\u200b"])
def test_an_empty_name_finds_nothing(index: LabelIndex, name: str) -> None:
    assert index.search(name) == []


@pytest.mark.parametrize(
    "name", ["x" * 5000, "Paris " * 1000, "a b " * 2000, "( \" ' \\ ) AND OR ^~*", "\ud800", "東" * 3000]
)
def test_odd_names_do_no_harm(index: LabelIndex, name: str) -> None:
    assert len(index.search(name)) <= 10


@settings(max_examples=200, deadline=None)
@given(name=st.text() | st.text(alphabet=string.ascii_letters + " "))
def test_any_text_may_be_searched(index: LabelIndex, name: str) -> None:
    assert len(index.search(name)) <= 10
    assert len(index.typos(name)) <= 3
    assert len(index.complete(name)) <= 10


def test_k_bounds_the_answer(index: LabelIndex) -> None:
    assert len(index.search("Springfield", 3)) == 3
    assert len(index.search("Springfield", 40)) == 30
    assert index.search("Springfield", 0) == []


def test_an_empty_index(tmp_path: Path) -> None:
    index = LabelIndex.build(tmp_path, [])
    assert len(index) == 0
    assert index.search("Paris") == index.complete("p") == index.typos("pariss") == []
    assert index.exact(["paris"]) == {} and index.describe([E]) == {}


def test_labels_that_no_index_likes(tmp_path: Path) -> None:
    long = "long " * 4000
    rows = [
        record("long", long),
        record("lone", "lone \ud800 half"),
        record("blank", "\u200b"),
        record("nl", "two\nlines"),
        record("nan", "Not a Number", popularity=float("nan")),
        record("inf", "Infinite", popularity=float("inf")),
        record("below", "Below Zero", popularity=-5.0),
        record("many", "Many", *(f"name {i}" for i in range(3000))),
    ]
    index = LabelIndex.build(tmp_path, rows)
    assert found(index, long) == ["long"]
    assert found(index, "two lines") == ["nl"]
    assert found(index, "name 2999")[0] == "many"
    assert found(index, "lone")[0] == "lone"
    assert [found(index, n) for n in ("not a number", "infinite", "below zero")] == [
        ["nan"],
        ["inf"],
        ["below"],
    ]
    assert [index.describe([E + n])[E + n].popularity for n in ("nan", "inf", "below")] == [0.0, 1e15, 0.0]
    assert index.describe([E + "blank"])[E + "blank"].label == "\u200b"


def test_progress_counts_the_records(tmp_path: Path) -> None:
    seen: list[int] = []
    LabelIndex.build(tmp_path, (record(f"n{i}", f"name {i}") for i in range(20_001)), seen.append)
    assert seen == [10_000, 20_000, 20_001]


def test_building_again_replaces_the_index(tmp_path: Path) -> None:
    LabelIndex.build(tmp_path, RECORDS)
    index = LabelIndex.build(tmp_path, [record("only", "Only One")])
    assert len(index) == 1
    assert found(index, "Paris") == [] and found(index, "only on") == ["only"]


def test_a_build_that_is_broken_off_leaves_no_index(tmp_path: Path) -> None:
    def interrupted() -> Iterator[LabelRecord]:
        yield from RECORDS
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        LabelIndex.build(tmp_path, interrupted())
    with pytest.raises(ConfigError, match="add the graph again"):
        LabelIndex.open(tmp_path)
    assert len(LabelIndex.build(tmp_path, RECORDS)) == len(RECORDS)


def test_an_index_of_another_format_says_what_to_do(tmp_path: Path) -> None:
    LabelIndex.build(tmp_path, RECORDS)
    (tmp_path / "labels.json").write_text(json.dumps({"format": 0, "nodes": 1}))
    with pytest.raises(ConfigError, match="add the graph again"):
        LabelIndex.open(tmp_path)
    with pytest.raises(ConfigError, match="no usable label index"):
        LabelIndex.open(tmp_path / "nowhere")


@pytest.mark.parametrize("lost", ["words/meta.json", "nodes.jsonl", "name_hashes.npy", "spelling_words.txt"])
def test_a_damaged_index_says_what_to_do(tmp_path: Path, lost: str) -> None:
    LabelIndex.build(tmp_path, RECORDS)
    (tmp_path / lost).unlink()
    with pytest.raises(ConfigError, match="add the graph again"):
        LabelIndex.open(tmp_path)


def _search_as_nobody(folder: Path, name: str) -> list[str]:
    if os.getuid() == 0:
        os.setuid(65534)
    return found(LabelIndex.open(folder), name)


def test_a_read_only_folder_serves_several_processes(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    for parent in folder.parents:
        if parent.owner() == folder.owner() and parent != parent.parent and "pytest" in parent.name:
            parent.chmod(0o755)
    before = sorted(folder.rglob("*"))
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        results = [pool.submit(_search_as_nobody, folder, name) for name in ("Paris", "pariss")]
        assert [r.result()[0] for r in results] == ["paris", "paris"]
    assert sorted(folder.rglob("*")) == before


def test_local_names() -> None:
    assert [local_name(E + end) for end in ("Foo_Bar", "x#birthPlace", "a/", "S%C3%A3o")] == [
        "Foo Bar",
        "birthPlace",
        "a",
        "São",
    ]
    assert local_name("urn:x:y") == "y"
