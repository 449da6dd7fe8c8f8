from pathlib import Path
from types import ModuleType

from clear_kgqa.evaluation.report import load_runs
from clear_kgqa.evaluation.run import EvaluateGraph, EvaluateOptions
from clear_kgqa.evaluation.samples import Sample, write_samples
from clear_kgqa.evaluation.tables import Variant, tables
from clear_kgqa.evaluation.user_table import user_table

P = "PREFIX : <http://x.example/> "
USERS = (Variant("silent"), Variant("oracle", "oracle"), Variant("noisy", "noisy:0.5", seeds=3))


def rows(samples: list[Sample], asked: EvaluateGraph, tiny: ModuleType, folder: Path) -> tuple[str, list[list[str]]]:
    write_samples(folder / "q.jsonl", samples)
    options = EvaluateOptions(folder / "q.jsonl", folder / "out")
    tables(options, lambda _: lambda _: tiny.LabelStrategy(asked.graph), asked, variants=USERS)
    table = user_table("books", {v.name: load_runs([folder / "out" / f for f in v.folders()]) for v in USERS})
    assert all(len(row) == len(table.head) for row in table.rows)
    return f"{table.title}: {table.head[1]}", table.rows


def test_quality_gain_and_questions_of_every_user(asked: EvaluateGraph, tiny: ModuleType, tmp_path: Path) -> None:
    samples = [
        Sample("book", "Who is the author of Dune?", f"{P}SELECT ?a {{ :dune :author ?a }}"),
        Sample("emma", "Who is the author of Emma?", f"{P}SELECT ?a {{ :emma :author ?a }}"),
    ]
    title, (silent, oracle, noisy) = rows(samples, asked, tiny, tmp_path)
    assert title == "books (2 questions, 3 seeds where noisy): F1"
    assert silent == ["silent", "0.500 (0.000-1.000)", "", "0.500", "1.000", "1.000", "0.000", "0"]
    assert oracle[:4] == ["oracle", "1.000 (1.000-1.000)", "+0.500 (+0.000 to +1.000)", "0.500"]
    assert 0.5 <= float(noisy[1][:5]) <= 1


def test_sets_whose_gold_does_not_run_have_their_choices_compared(
    asked: EvaluateGraph, tiny: ModuleType, tmp_path: Path
) -> None:
    nodes = ("http://x.example/dune", "http://x.example/dune2")
    samples = [
        Sample(str(at), "Who is the author of Dune?", f"{P}SELECT ?a {{ :none :author ?a }}", None, nodes, node)
        for at, node in enumerate(nodes)
    ]
    title, (silent, oracle, _) = rows(samples, asked, tiny, tmp_path)
    assert title == "books (2 questions, 3 seeds where noisy): choice"
    assert (silent[1][:5], oracle[1][:5], oracle[2][:6]) == ("0.500", "1.000", "+0.500")
