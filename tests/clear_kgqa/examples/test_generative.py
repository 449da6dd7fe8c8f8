"""Generation by tiny random models made here: causal and seq2seq, from a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clear_kgqa_tools.errors import ConfigError

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

WORDS = ["<pad>", "</s>", "<unk>", "Question", "Triples", ":", "who", "wrote", "Dune", "?", "a", "b"]


def saved(model: Any, folder: Path) -> Path:
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(folder)
    model.save_pretrained(folder)
    return folder


def causal() -> Any:
    torch.manual_seed(0)
    size = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(vocab_size=len(WORDS), max_position_embeddings=64, eos_token_id=1, **size)
    )


def seq2seq() -> Any:
    torch.manual_seed(0)
    return transformers.T5ForConditionalGeneration(
        transformers.T5Config(
            vocab_size=len(WORDS), d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2,
            decoder_start_token_id=0, eos_token_id=1,
        )
    )  # fmt: skip


@pytest.mark.parametrize("build", [causal, seq2seq])
def test_prompts_are_continued_whatever_they_are_batched_with(build: Any, tmp_path: Path) -> None:
    from clear_kgqa.examples.generative import TransformersModel

    model = TransformersModel(str(saved(build(), tmp_path)), new_tokens=5, batch=2)
    prompts = ["Question : who wrote Dune ?", "a", "b a b a b a who", "Triples : " * 60]
    texts = model.generate(prompts)
    assert len(texts) == 4
    assert all("\n" not in t and len(t.split()) <= 5 for t in texts)
    assert [model.generate([p])[0] for p in prompts] == texts


def test_a_model_that_is_not_there_is_a_configuration_error(tmp_path: Path) -> None:
    from clear_kgqa.examples.generative import TransformersModel

    with pytest.raises(ConfigError):
        TransformersModel(str(tmp_path))


def test_encoder_states_are_unit_vectors_of_one_length(tmp_path: Path) -> None:
    from clear_kgqa.examples.encoder_state import EncoderState

    similarity = EncoderState(str(saved(seq2seq(), tmp_path)), tokens=4)
    vectors = similarity.encode(["who wrote Dune ?", "who wrote Dune ?", "a", "who wrote Dune ? a b a b"])
    assert vectors.shape == (4, 4 * 16)
    assert (vectors * vectors).sum(axis=1) == pytest.approx(1)
    assert (vectors[0] @ vectors[1]) == pytest.approx(1)
    assert (vectors[0] @ vectors[2]) < 0.999
    assert similarity.encode([]).shape == (0, 4 * 16)
    with pytest.raises(ConfigError, match="encoder"):
        EncoderState(str(saved(causal(), tmp_path / "causal")))
