import gzip
import hashlib
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pyoxigraph as ox
import pytest

from clear_kgqa_tools.build import build_graph
from clear_kgqa_tools.build_read import SourceFile
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.label_index import LabelIndex
from clear_kgqa_tools.load_profile import load_profile
from clear_kgqa_tools.schema import Schema

LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
NT = f"""<http://o/a> {LABEL} "Alpha"@en .
<http://o/a> <http://o/likes> <http://o/b> .
<http://o/b> {LABEL} "Beta" .
"""
SAME = {
    "g.nt": NT,
    "g.nq": NT.replace(" .\n", " <http://o/graph> .\n"),
    "g.ttl": NT,
    "g.trig": f"<http://o/graph> {{ {NT} }}",
    "g.rdf": """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:o="http://o/"
        xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
        <rdf:Description rdf:about="http://o/a"><rdfs:label xml:lang="en">Alpha</rdfs:label>
        <o:likes><rdf:Description rdf:about="http://o/b"><rdfs:label>Beta</rdfs:label></rdf:Description></o:likes>
        </rdf:Description></rdf:RDF>""",
    "g.jsonld": json.dumps(
        [
            {
                "@id": "http://o/a",
                LABEL.strip("<>"): {"@value": "Alpha", "@language": "en"},
                "http://o/likes": {"@id": "http://o/b"},
            },
            {"@id": "http://o/b", LABEL.strip("<>"): "Beta"},
        ]
    ),
}


@pytest.mark.parametrize("name", [*SAME, "g.nt.gz", "g.ttl.gz"])
def test_every_syntax_plain_and_gzipped(tmp_path: Path, name: str) -> None:
    data = SAME[name.removesuffix(".gz")].encode()
    source = tmp_path / name
    source.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    report = build_graph(source, tmp_path / "graph")
    assert (report.triples, report.records, report.bad_lines, report.profile) == (3, 2, 0, "generic")
    assert report.data_hash == hashlib.sha256(source.read_bytes()).hexdigest()
    index = LabelIndex.open(tmp_path / "graph" / "labels")
    assert {n.label for name in ("alpha", "BETA") for n in index.search(name)} == {"Alpha", "Beta"}
    schema = Schema.from_json(json.loads((tmp_path / "graph" / "schema.json").read_text()))
    assert [(p.iri, p.count) for p in schema.properties] == [("http://o/likes", 1)]


def test_bad_lines_are_skipped_counted_and_listed(tmp_path: Path) -> None:
    bad = [
        "not a triple at all",
        '<http://o/a> <http://o/p> "unclosed .',
        "<http://o/a b> <http://o/p> <http://o/c> .",
    ]
    lines = NT.splitlines()
    source = tmp_path / "g.nt"
    source.write_bytes(
        "\n".join([lines[0], bad[0], lines[1], bad[1], bad[2], lines[2], ""]).encode() + b'<http://o/a> "\xff" .\n'
    )
    report = build_graph(source, tmp_path / "graph")
    assert (report.triples, report.bad_lines) == (3, 4)
    assert [line.split(":")[0] for line in report.bad_listed] == ["line 2", "line 4", "line 5", "line 7"]
    assert "not a triple at all" in report.bad_listed[0]


def test_a_control_character_in_a_bad_line_is_made_visible(tmp_path: Path) -> None:
    source = tmp_path / "g.nt"
    source.write_text(NT + "evil \x1b]52;c;x\x07 line\n")
    assert "\x1b" not in build_graph(source, tmp_path / "graph").bad_listed[0]


def test_many_bad_lines_take_no_longer_than_good_ones(tmp_path: Path) -> None:
    source = tmp_path / "g.nt"
    source.write_text("nonsense\n" * 20_000 + NT)
    report = build_graph(source, tmp_path / "graph")
    assert (report.triples, report.bad_lines, len(report.bad_listed)) == (3, 20_000, 20)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.ttl", "@prefix a: <http://a/> .\na:b a:c a:d .\na:x a:y ;;; .\n", "g.ttl, line 3"),
        ("g.jsonld", '{"@id": }', "g.jsonld, line 1"),
        ("g.rdf", "<rdf>\n<a></b></rdf>", "g.rdf, line 2"),
        ("g.nt", "nothing here\n", "no triple could be read"),
        ("g.nt", "", "it is empty"),
        ("g.csv", "a,b", "cannot tell the RDF syntax of g.csv"),
        ("g.nt.gz", NT, "not a complete gzip file"),
    ],
)
def test_unreadable_sources_are_one_line_and_leave_nothing(tmp_path: Path, name: str, text: str, message: str) -> None:
    source = tmp_path / name
    source.write_text(text)
    with pytest.raises(ConfigError) as error:
        build_graph(source, tmp_path / "graph")
    assert message in str(error.value) and "\n" not in str(error.value)
    assert [p.name for p in tmp_path.iterdir()] == [name]


BOMB = """<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">{}]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://e/">
<rdf:Description rdf:about="http://e/a"><x:p>&{};</x:p></rdf:Description></rdf:RDF>"""


def test_entities_that_grow_without_bound_are_refused(tmp_path: Path) -> None:
    nested = "".join(f'<!ENTITY {b} "' + f"&{a};" * 10 + '">' for a, b in pairwise("abcdefghijkl"))
    for text in (BOMB.format(nested, "l"), BOMB.format('<!ENTITY b "&c;"><!ENTITY c "&b;">', "b")):
        (tmp_path / "bomb.rdf").write_text(text)
        with pytest.raises(ConfigError, match=r"bomb\.rdf: its XML entity '\w' grows beyond"):
            build_graph(tmp_path / "bomb.rdf", tmp_path / "graph")
    (tmp_path / "fine.rdf").write_text(BOMB.format('<!ENTITY b "&a;&a;">', "b"))
    assert build_graph(tmp_path / "fine.rdf", tmp_path / "graph").triples == 1


def test_literals_too_long_to_read(tmp_path: Path) -> None:
    long = f'<http://o/a> <http://o/p> "{"x" * (17 << 20)}" .\n'
    (tmp_path / "long.nt").write_text('<http://o/a> <http://o/p> "1" .\n' + long + '<http://o/a> <http://o/p> "2" .\n')
    report = build_graph(tmp_path / "long.nt", tmp_path / "graph")
    assert (report.triples, report.bad_lines) == (2, 1) and "line 2: over 16 MB" in report.bad_listed[0]
    (tmp_path / "long.ttl").write_text(long)
    with pytest.raises(ConfigError, match="a literal is over 16 MB"):
        build_graph(tmp_path / "long.ttl", tmp_path / "other")


@pytest.mark.parametrize("name", ["a.nt", "a.ttl", "a.trig", "a.nq", "a.ttl.gz", "a.nt.gz"])
def test_a_byte_order_mark_is_no_part_of_the_data(tmp_path: Path, name: str) -> None:
    data = b'\xef\xbb\xbf<http://o/a> <http://o/p> "1" .\n'
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    report = build_graph(tmp_path / name, tmp_path / "graph")
    assert (report.triples, report.bad_lines) == (1, 0)


def test_cut_off_gzip(tmp_path: Path) -> None:
    source = tmp_path / "g.nt.gz"
    source.write_bytes(gzip.compress((NT * 500).encode())[:-12])
    with pytest.raises(ConfigError, match="not a complete gzip file"):
        build_graph(source, tmp_path / "graph")


def quads(stop_after: int = 0) -> Iterator[ox.Quad]:
    for number, quad in enumerate(ox.parse(NT, format=ox.RdfFormat.N_TRIPLES)):
        if stop_after and number == stop_after:
            raise KeyboardInterrupt
        yield quad


def test_interrupted_build_leaves_the_old_graph_and_nothing_half_made(tmp_path: Path) -> None:
    folder = tmp_path / "graph"
    build_graph(quads(), folder, load_profile("generic"), origin="here", attribution="Someone")
    with pytest.raises(KeyboardInterrupt):
        build_graph(quads(stop_after=2), folder)
    assert [p.name for p in tmp_path.iterdir()] == ["graph"]
    meta = json.loads((folder / "meta.json").read_text())
    assert (meta["triples"], meta["source"], meta["attribution"]) == (3, "here", "Someone")
    assert meta["sha256"] == build_graph(quads(), folder).data_hash


def test_progress_rises_to_one(tmp_path: Path) -> None:
    seen: list[tuple[str, float]] = []
    build_graph(quads(), tmp_path / "graph", progress=lambda stage, fraction: seen.append((stage, fraction)))
    assert seen[0][0] == "loading" and seen[-1] == ("done", 1.0)
    assert all(0.0 <= fraction <= 1.0 for _, fraction in seen)


def test_a_big_file_keeps_blank_nodes_apart_and_together(tmp_path: Path) -> None:
    source = tmp_path / "g.nt"
    source.write_text("".join(f'_:b{n % 3000} <http://o/p> "{n}" .\n' for n in range(9_000)))
    build_graph(source, tmp_path / "graph")
    store = ox.Store.read_only(str(tmp_path / "graph" / "store"))
    assert len({q.subject for q in store}) == 3000
    assert SourceFile(source).bad.count == 0
