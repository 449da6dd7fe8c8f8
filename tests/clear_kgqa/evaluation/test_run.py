import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from clear_kgqa.evaluation.run import EvaluateGraph, EvaluateOptions, Progress, evaluate
from clear_kgqa.evaluation.samples import Sample, write_samples
from clear_kgqa.evaluation.transcripts import Transcripts, read_transcripts
from clear_kgqa.events import Usage
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.safety import check

P = "PREFIX : <http://x.example/> "


def by(node: str) -> str:
    return f"{P}SELECT ?a {{ :{node} :author ?a }}"


SAMPLES = [
    Sample("book", "Who is the author of Dune?", by("dune"), type="shared"),
    Sample("film", "Who is the author of Dune?", by("dune2"), type="shared"),
    Sample("emma", "Who is the author of Emma?", by("emma"), ("http://x.example/charlotte",), type="single"),
    Sample("nobody", "Who is the author of Nothing?", by("ivanhoe"), type="single"),
    Sample("bad", "Who is the author of Emma?", "SELECT {", type="single"),
]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    write_samples(tmp_path / "questions.jsonl", SAMPLES)
    return tmp_path / "questions.jsonl"


Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(asked: EvaluateGraph, questions: Path, tiny: ModuleType) -> Run:
    """Evaluate the questions with the label strategy (or another) into a folder beside them."""

    def run(out: str = "run", strategy: Any = None, progress: Any = None, **more: Any) -> dict[str, Any]:
        people = {name: more.pop(name) for name in ("person", "user_model") if name in more}
        options = EvaluateOptions(questions, questions.parent / out, **more)
        make = strategy or (lambda _: tiny.LabelStrategy(asked.graph))
        return evaluate(options, make, asked, progress=progress, **people)

    return run


def test_silent_and_oracle(run: Run, questions: Path) -> None:
    silent = run("silent")
    assert (silent["n"], silent["done"], silent["failed"], silent["excluded"]) == (5, 4, 0, 1)
    # the last option is taken: the film for both; Emma right; Nothing unanswered
    assert (silent["f1"], silent["match"]) == (0.5, 0.5)
    assert (
        silent["qald_f1"] == round(2 * 0.75 * 0.5 / 1.25, 6)
        and silent["asks_per_question"] == 0.5
        and silent["asked_share"] == 0.5
    )
    assert silent["divergent_asks"] == 1 and silent["leaks"] == 0 and silent["bits_per_ask"] == 0
    assert silent["ends"] == {"answered": 3, "excluded": 1, "gave_up": 1}
    assert silent["gold_differs"] == ["emma"]
    assert silent["types"]["shared"]["f1"] == 0.5 and silent["types"]["single"]["n"] == 3
    assert silent == json.loads((questions.parent / "silent" / "summary.json").read_text())
    oracle = run("oracle", user="oracle")
    assert oracle["f1"] == 0.75 and oracle["bits_per_ask"] == pytest.approx(1.585, abs=1e-3)
    assert oracle["changed_asks"] == 0.5 and oracle["gain_per_ask"] == 0.5 and oracle["harmful_asks"] == 0
    assert oracle["f1_low"] <= 0.75 <= oracle["f1_high"]


def test_noise_harms(run: Run, questions: Path) -> None:
    assert run(user="noisy:1")["harmful_asks"] == 0.5


def test_out_of_scope_and_lazy(run: Run, questions: Path) -> None:
    for user in ("out-of-scope", "lazy", "vague", "contradicting", "random-gold", "text"):
        assert run(user, user=user)["done"] == 4


def test_a_person_and_a_model_can_answer(run: Run, questions: Path) -> None:
    class Novelist:
        def reply(self, clarification: object) -> str:
            return "novel"

    summary = run("person", user="person", person=Novelist())
    assert summary["types"]["shared"]["f1"] == 0.5
    model = FakeListChatModel(responses=["OUT OF SCOPE"])
    assert run("model", user="llm:fake", user_model=model)["done"] == 4
    with pytest.raises(ConfigError, match="--user person"):
        run("x", user="person")


def test_tokens_and_cost_come_from_usage_events(run: Run, asked: EvaluateGraph, tiny: ModuleType) -> None:
    class Paid(tiny.LabelStrategy):
        def start(self, question: str) -> Any:
            yield Usage(100, 20, 0.5)
            yield Usage(10, 1)
            yield from super().start(question)

    summary = run(strategy=lambda _: Paid(asked.graph), limit=2)
    assert summary["tokens"] == 262 and summary["cost"] == 1.0


def test_one_failing_question_is_recorded(run: Run, questions: Path) -> None:
    write_samples(questions, [*SAMPLES[:2], Sample("crash", "The author of crash?", by("emma"))])
    summary = run()
    assert (summary["n"], summary["done"], summary["failed"]) == (3, 2, 1)
    assert summary["f1"] == pytest.approx(1 / 3, abs=1e-6)  # a failed question counts as unanswered
    record = next(r for r in read_transcripts(questions.parent / "run") if r["id"] == "crash")
    assert record["error"] == "RuntimeError: broken on purpose by the test question"


def test_resume_does_nothing_twice(run: Run, asked: EvaluateGraph, tiny: ModuleType) -> None:
    made: list[str] = []

    def strategy(sample: Sample) -> Any:
        made.append(sample.id)
        return tiny.LabelStrategy(asked.graph)

    assert run(strategy=strategy, limit=2)["n"] == 2 and made == ["book", "film"]
    whole = run(strategy=strategy)
    assert made == ["book", "film", "emma", "nobody"] and whole["n"] == 5
    assert run(strategy=strategy) == whole and len(made) == 4


def test_retry_failed(run: Run, questions: Path, asked: EvaluateGraph, tiny: ModuleType) -> None:
    write_samples(questions, [Sample("once", "The author of Emma?", by("emma"))])
    out = questions.parent / "run"

    class Down(tiny.LabelStrategy):
        def start(self, question: str) -> Any:
            raise OSError("endpoint down")

    assert run(strategy=lambda _: Down(asked.graph))["failed"] == 1
    assert run()["failed"] == 1
    done = run(retry_failed=True)
    assert done["failed"] == 0 and done["f1"] == 1
    assert len((out / "transcripts.jsonl").read_text().splitlines()) == 2


def test_another_run_does_not_mix_in(run: Run, questions: Path) -> None:
    run()
    with pytest.raises(ConfigError, match="different user"):
        run(user="oracle")
    write_samples(questions, SAMPLES[:1])
    with pytest.raises(ConfigError, match="different questions"):
        run()


def test_two_processes_cannot_write_one_folder(run: Run, questions: Path) -> None:
    with Transcripts(questions.parent / "run"), pytest.raises(ConfigError, match="another process"):
        run()


def test_a_configuration_fault_stops_the_run(run: Run, questions: Path) -> None:
    def strategy(sample: Sample) -> Any:
        raise ConfigError("the model needs a key")

    with pytest.raises(ConfigError, match="needs a key"):
        run(strategy=strategy)


def test_concurrency_changes_nothing(run: Run, questions: Path) -> None:
    def same(out: str) -> list[dict[str, Any]]:
        records = sorted(read_transcripts(questions.parent / out), key=lambda r: str(r["id"]))
        return [{**r, "seconds": 0} for r in records]

    run("one", user="noisy:0.5")
    run("many", user="noisy:0.5", concurrency=4)
    assert same("one") == same("many")


def test_too_many_asks_end_at_the_limit(run: Run, questions: Path) -> None:
    summary = run(most_asks=0)
    assert summary["ends"]["limit"] == 2


def test_progress(run: Run, questions: Path) -> None:
    seen: list[Progress] = []
    run(user="oracle", progress=seen.append)
    assert [p.done for p in seen] == [1, 2, 3, 4, 5] and seen[-1].f1 == 0.75
    assert seen[-1].seconds_left == 0 and seen[1].asks_per_question == 1


def test_the_manifest_names_everything_and_no_password(asked: EvaluateGraph, questions: Path, tiny: ModuleType) -> None:
    settings = {"model": "offline", "base_url": "http://me:secret@host/v1"}
    options = EvaluateOptions(questions, questions.parent / "run", seed=7, settings=settings)
    secret = EvaluateGraph(asked.graph, check, asked.describe, "https://user:secret@host/sparql")
    evaluate(options, lambda _: tiny.LabelStrategy(asked.graph), secret)
    text = (questions.parent / "run" / "manifest.json").read_text()
    assert "secret" not in text
    manifest = json.loads(text)
    assert manifest["seed"] == 7 and manifest["settings"]["base_url"] == "http://host/v1"
    assert {"clear-kgqa", "python", "pyoxigraph"} <= set(manifest["versions"])


def test_no_transcript_event_holds_the_gold_query(run: Run, questions: Path) -> None:
    run(user="oracle")
    for record in read_transcripts(questions.parent / "run"):
        assert P not in json.dumps(record.get("events", []))
