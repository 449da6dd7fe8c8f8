"""The worked examples that `--examples` and `--examples-from` ask for, ready for any strategy's prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.resources import as_file, files
from pathlib import Path
from threading import Lock

from clear_kgqa.evaluation.samples import Sample, read_samples
from clear_kgqa.examples.index import ExampleIndex, build_index
from clear_kgqa.examples.selectors import Selector, parse_spec
from clear_kgqa.settings import Settings
from clear_kgqa_tools.bundle import GraphBundle
from clear_kgqa_tools.catalog import DEMO, data_folder
from clear_kgqa_tools.errors import ConfigError, QueryError
from clear_kgqa_tools.safety_tokens import normalise
from clear_kgqa_tools.similarity import Similarity
from clear_kgqa_tools.text import one_line

_DEFAULT = "stss:3"
_lock = Lock()
_kept: dict[tuple[Path, int, str, int], ExampleIndex] = {}
"""The index used last in this process, by file, its time, similarity and seed."""


def chosen_selector(settings: Settings, bundle: GraphBundle) -> Selector | None:
    """The selector over the settings' questions, or None where no examples are asked for.

    Over the demo graph the questions that ship with it are the default. The index is kept in the cache folder
    and, for the sessions of one process, in memory. Raises ConfigError where there is nothing to choose from.
    """
    if not settings.examples and settings.examples_from is None:
        return None
    strategy, shots = parse_spec(settings.examples or _DEFAULT)
    if settings.examples_from is not None:
        index = _index_of(settings.examples_from, bundle.similarity, settings.seed)
    elif bundle.name == DEMO:
        with as_file(files("clear_kgqa") / "data" / "demo_questions.jsonl") as path:
            index = _index_of(path, bundle.similarity, settings.seed)
    else:
        raise ConfigError(
            f"--examples {settings.examples} needs questions with gold queries over {bundle.name}: "
            "--examples-from FILE (JSON Lines: id, question, sparql)"
        )
    return Selector(strategy, shots, index, bundle.similarity, settings.seed)


def queries_shown(examples: Sequence[Sample], rewritten: Callable[[str], str] = lambda sparql: sparql) -> str:
    """The examples as text for a prompt: each question with its query on one line, the nearest last."""
    told = (f"Question: {one_line(s.question)}\nSPARQL: {on_one_line(rewritten(s.sparql))}" for s in examples)
    return "\n\n".join(told)


def on_one_line(sparql: str) -> str:
    """The query without comments and line ends; one that cannot be read stays as it is."""
    try:
        return " ".join(normalise(sparql).split())
    except QueryError:
        return sparql


def _index_of(path: Path, similarity: Similarity, seed: int) -> ExampleIndex:
    try:
        written = path.stat().st_mtime_ns
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    key = (path, written, similarity.name, seed)
    with _lock:  # sessions that run side by side share one index
        if key not in _kept:
            _kept.clear()
            _kept[key] = build_index(_with_queries(path), similarity, seed, data_folder() / "examples")
        return _kept[key]


def _with_queries(path: Path) -> list[Sample]:
    examples = [s for s in read_samples(path) if s.sparql]
    if not examples:
        raise ConfigError(f"{path} holds no question with a gold query (`sparql`)")
    return examples
