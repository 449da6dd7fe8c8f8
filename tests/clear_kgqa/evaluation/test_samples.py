import json
from pathlib import Path

import pytest

from clear_kgqa.evaluation.samples import Sample, read_samples, select, write_samples
from clear_kgqa_tools.errors import ConfigError


def lines(path: Path, *objects: object) -> Path:
    path.write_text("".join((o if isinstance(o, str) else json.dumps(o)) + "\n" for o in objects), encoding="utf-8")
    return path


def test_reads_every_field(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "q.jsonl",
        {
            "id": 7,
            "question": "Q?",
            "sparql": "ASK {}",
            "answers": [1, True, 2.5, "x"],
            "candidates": ["http://x/a"],
            "intended": "http://x/a",
            "needs_clarification": True,
            "history": ["before"],
            "type": "ask",
            "language": "de",
            "other": {},
        },
        "",
    )
    assert read_samples(path) == [
        Sample(
            "7",
            "Q?",
            "ASK {}",
            ("1", "true", "2.5", "x"),
            ("http://x/a",),
            "http://x/a",
            True,
            ("before",),
            "ask",
            "de",
        )
    ]


def test_a_boolean_field_is_an_answer(tmp_path: Path) -> None:
    assert read_samples(lines(tmp_path / "q.jsonl", {"id": "1", "question": "Q?", "boolean": False}))[0].answers == (
        "false",
    )


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    samples = [
        Sample("1", "Wo? ü", answers=(), needs_clarification=False),
        Sample("2", "b", "ASK {}", ("x",), type="t"),
    ]
    write_samples(tmp_path / "q.jsonl", samples)
    assert [s.id for s in read_samples(tmp_path / "q.jsonl")] == ["1", "2"]
    assert read_samples(tmp_path / "q.jsonl")[1] == samples[1]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "q.jsonl:2: not JSON"),
        ("[1]", "q.jsonl:2: a JSON object is expected, not list"),
        ('{"id": "2"}', "q.jsonl:2: `question` is missing"),
        ('{"question": "x"}', "q.jsonl:2: `id` is missing"),
        ('{"id": "2", "question": "x", "answers": "y"}', "q.jsonl:2: `answers` must be a list"),
        (
            '{"id": "2", "question": "x", "candidates": [1]}',
            "q.jsonl:2: `candidates` must be a list of strings",
        ),
        ('{"id": "2", "question": "x", "sparql": 3}', "q.jsonl:2: `sparql` must be a string"),
        ('{"id": "1", "question": "x"}', "q.jsonl:2: the id '1' was used before, at"),
    ],
)
def test_a_wrong_line_is_named_in_one_line(tmp_path: Path, line: str, message: str) -> None:
    path = lines(tmp_path / "q.jsonl", {"id": "1", "question": "Q?"}, line)
    with pytest.raises(ConfigError) as caught:
        read_samples(path)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        read_samples(tmp_path / "none.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b'{"id": "\xe9"}\n')
    with pytest.raises(ConfigError, match="not UTF-8"):
        read_samples(tmp_path / "latin.jsonl")
    with pytest.raises(ConfigError, match="no questions"):
        read_samples(lines(tmp_path / "empty.jsonl", ""))


def test_selection() -> None:
    samples = [Sample(str(i), "q", type="ab"[i % 2]) for i in range(10)]
    assert [s.id for s in select(samples, limit=3)] == ["0", "1", "2"]
    shards = [select(samples, shard=(i, 3)) for i in (1, 2, 3)]
    assert sorted((s.id for shard in shards for s in shard), key=int) == [str(i) for i in range(10)]
    assert [s.id for s in select(samples, limit=4, shard=(2, 2))] == ["1", "3"]
    stratified = select(samples, per_type=2, seed=1)
    assert sorted(s.type for s in stratified) == ["a", "a", "b", "b"]
    assert stratified == select(samples, per_type=2, seed=1) != select(samples, per_type=2, seed=2)
    with pytest.raises(ConfigError, match="--shard 4/3"):
        select(samples, shard=(4, 3))
