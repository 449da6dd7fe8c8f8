import multiprocessing
import sys
from pathlib import Path

import pytest

from clear_kgqa_tools.catalog import data_folder, kg_add, kg_again, kg_info, kg_list, kg_remove, locked
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.graph import trusted
from clear_kgqa_tools.lexical import LexicalSimilarity
from clear_kgqa_tools.open_bundle import open_bundle

LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
NT = f"""<http://o/a> {LABEL} "Alpha"@en .
<http://o/b> {LABEL} "Alpha"@de .
<http://o/a> {TYPE} <http://o/Letter> .
<http://o/a> <http://o/likes> <http://o/b> .
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own, named by the environment as a user would."""
    monkeypatch.setenv("CLEAR_KGQA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "letters.nt"
    path.write_text(NT)
    return path


def labels(spec: str) -> list[str]:
    bundle = open_bundle(spec, similarity=LexicalSimilarity())
    try:
        rows = bundle.graph.query(trusted(f"SELECT ?l WHERE {{ ?s {LABEL} ?l }} ORDER BY ?l")).rows
        assert {n.iri for n in bundle.nodes.search("alpha")} == {"http://o/a", "http://o/b"}
        return [row[0].value for row in rows if row[0]]
    finally:
        bundle.close()


def test_add_list_ask_inform_remove(source: Path) -> None:
    report = kg_add("letters", str(source))
    assert (report.triples, report.records) == (4, 3)
    assert [entry["name"] for entry in kg_list()] == ["letters"]
    assert labels("letters") == ["Alpha", "Alpha"]
    info = kg_info("letters")
    assert (info["classes"], info["properties"], info["shared_labels"]) == (1, 2, 1)
    assert info["languages"] == {"en": 1, "de": 1} and info["profile"] == "generic"
    assert info["top_classes"] == [{"iri": "http://o/Letter", "label": "letter", "count": 1}]
    assert kg_again("letters") == f"again: clear-kgqa kg add letters {source}"
    kg_remove("letters")
    assert kg_list() == []


def test_a_chosen_profile_is_kept(source: Path) -> None:
    kg_add("letters", str(source), "dbpedia")
    assert kg_info("letters")["profile"] == "dbpedia"


def test_adding_again_replaces(source: Path) -> None:
    kg_add("letters", str(source))
    source.write_text(NT + '<http://o/c> <http://o/p> "x" .\n')
    assert kg_add("letters", str(source)).triples == 5
    assert kg_info("letters")["triples"] == 5


def test_what_a_killed_process_left_is_cleared(source: Path, cache: Path) -> None:
    left = cache / "graphs" / ".letters.build-abcdefgh"
    left.mkdir(parents=True)
    kg_add("letters", str(source))
    assert not left.exists()


def test_a_file_is_built_once_and_again_when_it_changes(source: Path, cache: Path) -> None:
    notes: list[str] = []
    open_bundle(str(source), lambda stage, _: notes.append(stage), similarity=LexicalSimilarity()).close()
    assert "kg add NAME letters.nt" in notes[0]
    notes.clear()
    open_bundle(str(source), lambda stage, _: notes.append(stage), similarity=LexicalSimilarity()).close()
    assert notes == []
    source.write_text(NT.replace("likes", "dislikes"))
    assert labels(str(source)) == ["Alpha", "Alpha"]
    assert len(list((cache / "files").glob("*/[!.]*"))) == 1


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nowhere", "no graph named 'nowhere'; there are demo"),
        ("./nowhere.nt", "./nowhere.nt: no such file"),
        ("bad name", "cannot name a graph"),
        ("../no-such-file", "../no-such-file: no such file"),
        ("", "cannot name a graph"),
    ],
)
def test_wrong_specs_say_what_to_do(spec: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        open_bundle(spec, similarity=LexicalSimilarity())
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["demo", "a/b", "..", "-x", "x" * 65, "a\n", "x.lock"])
def test_names_that_cannot_be(source: Path, name: str) -> None:
    with pytest.raises(ConfigError):
        kg_add(name, str(source))


def test_unknown_names_list_the_known(source: Path) -> None:
    kg_add("letters", str(source))
    for act in (kg_again, kg_info, kg_remove, open_bundle):
        with pytest.raises(ConfigError, match="demo, letters"):
            act("nowhere")


def test_a_folder_and_a_missing_file_are_no_sources(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a folder, not a file"):
        kg_add("x", str(tmp_path))
    with pytest.raises(ConfigError, match="no such file"):
        kg_add("x", str(tmp_path / "none.nt"))


def test_a_name_in_use_is_not_given_to_another_source(source: Path, tmp_path: Path) -> None:
    kg_add("letters", str(source))
    (tmp_path / "other.nt").write_text("<http://o/a> <http://o/p> <http://o/b> .\n")
    with pytest.raises(
        ConfigError, match=r"letters is made from .*; choose another name, or first: .* kg remove letters"
    ):
        kg_add("letters", str(tmp_path / "other.nt"))
    assert kg_add("letters", str(source)).triples == 4


def test_a_graph_of_another_version_asks_to_be_added_again(source: Path, cache: Path) -> None:
    kg_add("letters", str(source))
    meta = cache / "graphs" / "letters" / "meta.json"
    meta.write_text(meta.read_text().replace('"format": "', '"format": "0 '))
    with pytest.raises(ConfigError, match="built by another version"):
        open_bundle("letters", similarity=LexicalSimilarity())
    kg_remove("letters")


def _add(source: str) -> int:
    return kg_add("letters", source).triples


def _open(source: str) -> list[str]:
    return labels(source)


def test_two_processes_at_once(source: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(_add, [str(source)] * 2) == [4, 4]
        assert pool.map(_open, [str(source)] * 2) == [["Alpha", "Alpha"]] * 2
    assert labels("letters") == ["Alpha", "Alpha"]


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="other platforms have no XDG folder")
def test_the_cache_follows_the_platforms_convention(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLEAR_KGQA_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "clear-kgqa"


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("CLEAR_KGQA_CACHE", str(tmp_path / "file" / "cache"))
    (tmp_path / "a.nt").write_text("<http://o/a> <http://o/p> <http://o/b> .\n")
    with pytest.raises(ConfigError, match=r"the graph cannot be built in .*: Not a directory"):
        kg_add("a", str(tmp_path / "a.nt"))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no /dev/full")
def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No space left"), locked(tmp_path / "graphs" / "a"):
        Path("/dev/full").write_text("x" * 100_000)
