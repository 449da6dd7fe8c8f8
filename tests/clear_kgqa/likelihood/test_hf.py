# ruff: noqa: E402 (imports follow the checks for optional packages)
from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("peft")

from clear_kgqa.likelihood.adapter import AdapterCard
from clear_kgqa.likelihood.hf import HuggingFaceLikelihood, split_spec
from clear_kgqa.likelihood.prompt import NEUTRAL_QUESTION
from clear_kgqa.likelihood.tokens import padded_batch, tokenize_pair
from clear_kgqa.likelihood.weights import (
    SMOLLM2,
    cache_folder,
    converted_gguf,
    fingerprint,
    load_causal_lm,
    load_tokenizer,
    weights_fingerprint,
    weights_source,
)
from clear_kgqa_finetune.tiny import build_tiny_llama
from clear_kgqa_tools.errors import ConfigError

CONTEXTS = ["Paris (city). has population", "Georgia (country). has capital, population, river", "Georgia"]
QUESTION = "What is the capital of Georgia?"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_tiny_llama(tmp_path_factory.mktemp("base"))


def by_hand(folder: Path, context: str, question: str) -> float:
    """One unpadded row, token by token."""
    tokenizer, model = load_tokenizer(str(folder)), load_causal_lm(str(folder), "float32").eval()
    before = tokenizer(f"{context}\nQuestion:")["input_ids"]
    asked = tokenizer(f" {question}", add_special_tokens=False)["input_ids"]
    with torch.no_grad():
        log_p = model(torch.tensor([before + asked])).logits[0].log_softmax(-1)
    return sum(float(log_p[len(before) + at - 1, token]) for at, token in enumerate(asked))


def test_sums_over_question_tokens_in_one_padded_batch(base: Path) -> None:
    scores = HuggingFaceLikelihood(str(base), neutral_share=0).score(QUESTION, CONTEXTS)
    assert scores == pytest.approx([by_hand(base, c, QUESTION) for c in CONTEXTS], abs=1e-3)


def test_takes_off_half_of_the_neutral_question(base: Path) -> None:
    expected = [by_hand(base, c, QUESTION) - 0.5 * by_hand(base, c, NEUTRAL_QUESTION) for c in CONTEXTS]
    assert HuggingFaceLikelihood(str(base)).score(QUESTION, CONTEXTS) == pytest.approx(expected, abs=1e-3)


def test_order_and_repetition_of_candidates_change_nothing(base: Path) -> None:
    scorer = HuggingFaceLikelihood(str(base))
    forwards = scorer.score(QUESTION, CONTEXTS)
    backwards = HuggingFaceLikelihood(str(base)).score(QUESTION, CONTEXTS[::-1])
    assert backwards[::-1] == pytest.approx(forwards, abs=1e-3)
    assert scorer.score(QUESTION, [CONTEXTS[0]] * 3) == [forwards[0]] * 3
    assert scorer.score(QUESTION, []) == []


def test_the_batch_is_padded_on_the_left_and_has_one_bos(base: Path) -> None:
    tokenizer = load_tokenizer(str(base))
    pairs = [tokenize_pair(tokenizer, context, "Who?", context_tokens=4) for context in ("ab", "abcdefgh")]
    batch = padded_batch(pairs, tokenizer.pad_token_id)
    assert tokenizer.decode(batch.ids[1]) == "<s>abcd\nQuestion: Who?"
    assert tokenizer.decode(batch.ids[0]) == "<pad><pad><s>ab\nQuestion: Who?"
    assert batch.attention[0].tolist() == [0, 0] + [1] * (batch.ids.shape[1] - 2)
    assert batch.tail == len(" Who?")


def adapter_on(base: Path, folder: Path, card_of: Path) -> Path:
    from peft import LoraConfig, get_peft_model

    torch.manual_seed(1)
    config = LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False)
    get_peft_model(load_causal_lm(str(base), "float32"), config).save_pretrained(folder)
    AdapterCard(card_of.name, fingerprint(load_causal_lm(str(card_of), "float32")), "helper").write(folder)
    return folder


def test_adapter_changes_the_scores(base: Path, tmp_path: Path) -> None:
    adapter = adapter_on(base, tmp_path / "adapter", base)
    bare = HuggingFaceLikelihood(str(base), neutral_share=0).score(QUESTION, CONTEXTS)
    tuned = HuggingFaceLikelihood(f"{base}+{adapter}").score(QUESTION, CONTEXTS)
    assert max(abs(a - b) for a, b in zip(bare, tuned, strict=True)) > 0.1


def test_adapter_of_another_base_is_refused(base: Path, tmp_path: Path) -> None:
    other = build_tiny_llama(tmp_path / "other", seed=7)
    adapter = adapter_on(base, tmp_path / "adapter", other)
    with pytest.raises(ConfigError, match="belongs to other"):
        HuggingFaceLikelihood(f"{base}+{adapter}")


def test_the_fingerprint_does_not_depend_on_precision(base: Path) -> None:
    models = [load_causal_lm(str(base), dtype) for dtype in ("float32", "bfloat16")]
    assert len({fingerprint(model) for model in models}) == 1
    assert len({weights_fingerprint(model) for model in models}) == 1


def test_pickled_weights_are_refused(base: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pickled"
    model = load_causal_lm(str(base))
    model.config.save_pretrained(folder)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    load_tokenizer(str(base)).save_pretrained(folder)
    with pytest.raises(ConfigError, match="safetensors"):
        HuggingFaceLikelihood(str(folder))
    with pytest.raises(ConfigError, match=r"adapter_model\.safetensors is missing"):
        HuggingFaceLikelihood(f"{base}+{folder}")


def test_code_from_a_model_folder_is_never_run(base: Path, tmp_path: Path) -> None:
    folder = build_tiny_llama(tmp_path / "model")
    (folder / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n")
    config = (folder / "config.json").read_text()
    classes = '{"AutoConfig": "evil.Config", "AutoModelForCausalLM": "evil.Model"}'
    auto_map = f'"auto_map": {classes},\n  "model_type": "evil"'
    (folder / "config.json").write_text(config.replace('"model_type": "llama"', auto_map))
    with pytest.raises(ConfigError):
        HuggingFaceLikelihood(str(folder))
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("spec", ["missing.gguf", "/nowhere/model", "no-such-model", "a/b/c"])
def test_wrong_specs_are_one_clear_error(spec: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such"):
        weights_source(spec, tmp_path)


def test_specs() -> None:
    assert split_spec("owner/name") == ("owner/name", None)
    assert split_spec("owner/name+runs/adapter") == ("owner/name", Path("runs/adapter"))


@pytest.mark.slow
def test_smollm2_is_converted_once_and_prefers_the_fitting_entity(tmp_path: Path) -> None:
    from clear_kgqa.likelihood.smollm2 import smollm2_gguf

    folder = converted_gguf(smollm2_gguf(cache_folder()), tmp_path)
    stamp = (folder / "model.safetensors").stat().st_mtime_ns
    assert converted_gguf(smollm2_gguf(cache_folder()), tmp_path) == folder
    assert (folder / "model.safetensors").stat().st_mtime_ns == stamp
    contexts = ["Mercury: chemical element, liquid metal", "Mercury: planet, nearest to the sun"]
    melts, orbits = (
        HuggingFaceLikelihood(SMOLLM2, tmp_path).score(question, contexts)
        for question in (
            "At what temperature does Mercury melt?",
            "How long does Mercury take to orbit the sun?",
        )
    )
    assert melts[0] > melts[1]
    assert orbits[1] > orbits[0]
