# ruff: noqa: E402 (imports follow the checks for optional packages)
from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("peft")
pytest.importorskip("accelerate")

from clear_kgqa.likelihood.hf import HuggingFaceLikelihood
from clear_kgqa.likelihood.weights import fingerprint, load_causal_lm, load_tokenizer
from clear_kgqa_finetune import lora
from clear_kgqa_finetune.agent import loss as agent_loss
from clear_kgqa_finetune.agent import prepare as prepare_agent
from clear_kgqa_finetune.chat import ensure_tool_template
from clear_kgqa_finetune.recipe import load_recipe
from clear_kgqa_finetune.tiny import build_tiny_llama, tiny_rows
from clear_kgqa_tools.errors import ConfigError

ROOT = Path(__file__).parents[2]
TURNS = [{"role": "user", "content": "Is it so?"}, {"role": "assistant", "content": "Yes."}]


def quiet(line: str) -> None:
    return


def recipe_file(folder: Path, **changes: Any) -> str:
    """The recipe tiny-cpu with some fields changed."""
    recipe = {**load_recipe("tiny-cpu").model_dump(mode="json", exclude_none=True), **changes}
    file = folder / "recipe.yaml"
    file.write_text(yaml.safe_dump(recipe))
    return str(file)


def write_rows(folder: Path, kind: str, rows: list[dict[str, Any]]) -> Path:
    folder.mkdir(exist_ok=True)
    for part in ("train", "valid"):
        (folder / f"{kind}.{part}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
    return folder


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(folder / "adapter" / "adapter_model.safetensors")


def test_a_killed_run_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    """Saved at step 5 of 10, killed after it; the rest must see the same rows, rates, dropout and optimizer
    state.
    """
    changes = {"eval_steps": 3, "save_steps": 5, "epochs": 2, "max_steps": -1, "batch_size": 5}
    recipe = recipe_file(tmp_path, **changes, lora={"dropout": 0.2})
    code = (
        "import os, signal; from pathlib import Path; from clear_kgqa_finetune import lora\n"
        "def echo(line):\n"
        "    if line.startswith('step 6/10'): os.kill(os.getpid(), signal.SIGKILL)\n"
        f"lora.train({recipe!r}, Path({str(tmp_path / 'killed')!r}), echo=echo)"
    )
    path = os.pathsep.join(str(ROOT / part) for part in ("", "tools", "finetune"))
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, check=False)
    assert done.returncode == -signal.SIGKILL
    lines: list[str] = []
    resumed = lora.train(recipe, tmp_path / "killed", echo=lines.append)
    assert "resuming from checkpoint-5" in lines
    undisturbed = lora.train(recipe, tmp_path / "whole", echo=quiet)
    assert resumed["steps"] == undisturbed["steps"] == 10
    ours, theirs = weights(tmp_path / "killed"), weights(tmp_path / "whole")
    assert max(float((ours[name] - theirs[name]).abs().max()) for name in ours) <= 1e-5
    histories = [json.loads((tmp_path / run / "losses.json").read_text()) for run in ("killed", "whole")]
    logged = [[(e["step"], e["loss"], e["learning_rate"]) for e in history if "loss" in e] for history in histories]
    assert logged[0] == [(step, pytest.approx(loss, abs=1e-5), pytest.approx(rate)) for step, loss, rate in logged[1]]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tiny")
    lora.train("tiny-cpu", out, echo=quiet)
    return out


def test_what_a_run_leaves(trained: Path) -> None:
    metrics = json.loads((trained / "metrics.json").read_text())
    assert metrics["steps"] == 10
    assert {
        "auroc",
        "auroc_base",
        "auroc_question_only",
        "accuracy",
        "valid_loss",
        "seconds",
        "peak_mb",
    } <= set(metrics)
    assert not list((trained / "adapter").glob("*.bin"))
    assert (
        json.loads((trained / "adapter" / "adapter_config.json").read_text())["base_model_name_or_path"] == "tiny-llama"
    )


def test_a_finished_run_is_not_repeated(trained: Path) -> None:
    lines: list[str] = []
    metrics = lora.train("tiny-cpu", trained, echo=lines.append)
    assert metrics == json.loads((trained / "metrics.json").read_text())
    assert "is trained already" in lines[0]


def test_another_recipe_in_the_same_folder_is_refused(trained: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="another recipe"):
        lora.train(recipe_file(tmp_path, seed=1), trained, echo=quiet)


def test_check_and_merge_and_use(trained: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    lora.check(trained, echo=lines.append)
    assert lines[0].startswith("belongs to its base: tiny-llama")
    lora.merge(trained, tmp_path / "merged", echo=quiet)
    contexts = tiny_rows()[0][0]["contexts"]
    adapted = HuggingFaceLikelihood(f"{trained / 'base'}+{trained / 'adapter'}").score("Who is the mayor?", contexts)
    merged = HuggingFaceLikelihood(str(tmp_path / "merged"), neutral_share=0).score("Who is the mayor?", contexts)
    assert merged == pytest.approx(adapted, rel=2e-2)  # bf16 weights


def test_check_refuses_another_base(trained: Path, tmp_path: Path) -> None:
    other = build_tiny_llama(tmp_path / "other", seed=5)
    with pytest.raises(ConfigError, match="belongs to tiny-llama"):
        lora.check(trained, base=str(other), echo=quiet)


def test_check_refuses_a_base_that_an_adapter_was_merged_into(trained: Path, tmp_path: Path) -> None:
    lora.merge(trained, tmp_path / "merged", echo=quiet)
    models = [load_causal_lm(str(folder), "float32") for folder in (trained / "base", tmp_path / "merged")]
    assert fingerprint(models[0]) == fingerprint(models[1])
    with pytest.raises(ConfigError, match=r"belongs to tiny-llama \(2:\w{16}\), not to this base model \(2:\w{16}\)"):
        lora.check(trained, base=str(tmp_path / "merged"), echo=quiet)


def test_a_card_of_before_the_weights_were_sampled_is_read(trained: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(trained, tmp_path / "run")
    file = tmp_path / "run" / "adapter" / "clear_kgqa.json"
    card = json.loads(file.read_text())
    del card["weights_fingerprint"]
    file.write_text(json.dumps(card))
    lines: list[str] = []
    lora.check(tmp_path / "run", echo=lines.append)
    assert lines[0] == f"belongs to its base: tiny-llama ({card['base_fingerprint']})"


def test_a_run_is_not_resumed_on_other_weights(tmp_path: Path) -> None:
    base = build_tiny_llama(tmp_path / "base")
    recipe = recipe_file(tmp_path, base=str(base), max_steps=2)
    lora.train(recipe, tmp_path / "out", echo=quiet)
    (tmp_path / "out" / "metrics.json").unlink()
    model = load_causal_lm(str(base), "float32")
    with torch.no_grad():
        model.model.layers[1].mlp.up_proj.weight.mul_(1.1)
    model.save_pretrained(base)
    with pytest.raises(ConfigError, match="other weights"):
        lora.train(recipe, tmp_path / "out", echo=quiet)


def test_check_refuses_an_adapter_that_changes_nothing(trained: Path, tmp_path: Path) -> None:
    import shutil

    from safetensors.torch import save_file

    shutil.copytree(trained, tmp_path / "run")
    file = tmp_path / "run" / "adapter" / "adapter_model.safetensors"
    save_file({k: torch.zeros_like(v) for k, v in weights(trained).items()}, file)
    with pytest.raises(ConfigError, match="changes nothing"):
        lora.check(tmp_path / "run", echo=quiet)


def test_learning_on_the_tiny_model(tmp_path: Path) -> None:
    metrics = lora.train(
        recipe_file(tmp_path, max_steps=30, learning_rate=0.03, eval_steps=30), tmp_path / "out", echo=quiet
    )
    history = json.loads((tmp_path / "out" / "losses.json").read_text())
    losses = [entry["loss"] for entry in history if "loss" in entry]
    assert sum(losses[-6:]) < 0.8 * sum(losses[:6])
    assert metrics["steps"] == 30


@pytest.mark.parametrize(
    ("rows", "changes", "message"),
    [
        ([{"messages": TURNS[:1], "tools": [], "keys": []}], {}, "no supervised token"),
        ([{"messages": TURNS, "tools": [], "keys": []}], {"max_tokens": 16}, "max_tokens is 16"),
        (
            [{"messages": TURNS, "tools": [], "keys": []}],
            {"max_tokens": 16, "drop_long": True},
            "every dialogue is longer",
        ),
        ([], {}, "no agent rows"),
        ([{"messages": TURNS, "tools": [], "keys": []}], {"lora": {"targets": ["nothing"]}}, "do not fit"),
        ([{"messages": TURNS, "tools": [], "keys": []}], {"base": "./nowhere"}, "no such model"),
    ],
)
def test_what_would_spoil_a_run_stops_it_before_it_starts(
    rows: list[dict[str, Any]], changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    data = write_rows(tmp_path / "data", "agent", rows)
    recipe = recipe_file(tmp_path, method="agent", data=str(data), **changes)
    with pytest.raises(ConfigError, match=message):
        lora.train(recipe, tmp_path / "out", echo=quiet)
    assert not list((tmp_path / "out").glob("checkpoint-*"))


def test_only_helpers_can_train_on_made_up_rows(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="needs data"):
        lora.train(recipe_file(tmp_path, method="agent"), tmp_path / "out", echo=quiet)


@pytest.mark.skipif(torch.cuda.is_available(), reason="refused only where there is no CUDA")
def test_four_bits_need_cuda(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="needs CUDA"):
        lora.train(recipe_file(tmp_path, lora={"quantize": "4bit"}), tmp_path / "out", echo=quiet)


AGENT_ROWS = [
    {
        "messages": [{"role": "user", "content": q}, {"role": "assistant", "content": a}],
        "tools": [],
        "keys": [q],
    }
    for q, a in (
        ("Is it?", "Yes."),
        ("And then what comes?", "No more."),
        ("Who?", "Me, of course, who else."),
    )
]


def test_packed_rows_give_the_loss_of_their_parts(tmp_path: Path) -> None:
    source = str(build_tiny_llama(tmp_path / "base"))
    model, tokenizer = load_causal_lm(source, "float32").eval(), load_tokenizer(source)
    ensure_tool_template(tokenizer)
    recipe = load_recipe("tiny-cpu").model_copy(update={"method": "agent", "max_tokens": 400})
    plain = prepare_agent(recipe, tokenizer, AGENT_ROWS, AGENT_ROWS)
    packed = prepare_agent(recipe.model_copy(update={"packing": True}), tokenizer, AGENT_ROWS, AGENT_ROWS)
    assert len(packed.train) < len(plain.train)
    with torch.no_grad():
        losses = [float(agent_loss(model, task.collate(task.train))) for task in (plain, packed)]
    assert losses[1] == pytest.approx(losses[0], abs=1e-4)


@pytest.mark.parametrize("packing", [False, True])
def test_agent_training_runs_and_saves_a_tool_template(packing: bool, tmp_path: Path) -> None:
    data = write_rows(tmp_path / "data", "agent", AGENT_ROWS)
    recipe = recipe_file(
        tmp_path, method="agent", data=str(data), max_steps=2, packing=packing, gradient_checkpointing=True
    )
    lines: list[str] = []
    lora.train(recipe, tmp_path / "out", echo=lines.append)
    assert any("⟦Yes.<|im_end|>⟧" in line for line in lines)
    tokenizer = load_tokenizer(str(tmp_path / "out" / "adapter"))
    assert "tool_call" in tokenizer.chat_template
    lora.merge(tmp_path / "out", tmp_path / "merged", echo=quiet)
    settings = json.loads((tmp_path / "merged" / "generation_config.json").read_text())
    assert tokenizer.convert_tokens_to_ids("<|im_end|>") in settings["eos_token_id"]
    assert settings["pad_token_id"] not in settings["eos_token_id"]


def test_preference_training_prefers_the_chosen_turn(tmp_path: Path) -> None:
    rows = [{**row, "messages": row["messages"][:1], "chosen": row["messages"][1],
             "rejected": {"role": "assistant", "content": "Hm?"}} for row in AGENT_ROWS]  # fmt: skip
    data = write_rows(tmp_path / "data", "preference", rows)
    recipe = recipe_file(tmp_path, method="preference", data=str(data), max_steps=20, learning_rate=0.02, epochs=20)
    lora.train(recipe, tmp_path / "out", echo=quiet)
    losses = [e["loss"] for e in json.loads((tmp_path / "out" / "losses.json").read_text()) if "loss" in e]
    assert losses[0] == pytest.approx(0.6931, abs=0.01)
    assert losses[-1] < 0.6


def test_early_stopping_keeps_the_best_adapter(tmp_path: Path) -> None:
    recipe = recipe_file(tmp_path, max_steps=60, learning_rate=0.5, eval_steps=2, patience=2)
    metrics = lora.train(recipe, tmp_path / "out", echo=quiet)
    history = json.loads((tmp_path / "out" / "losses.json").read_text())
    assert metrics["steps"] < 60
    assert metrics["valid_loss"] == pytest.approx(min(e["eval_loss"] for e in history if "eval_loss" in e), abs=1e-4)


def test_seq2seq_training_on_a_tiny_t5(tmp_path: Path) -> None:
    from transformers import T5Config, T5ForConditionalGeneration

    tokenizer = load_tokenizer(str(build_tiny_llama(tmp_path / "llama")))
    sizes = {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 1, "num_heads": 4}
    config = T5Config(vocab_size=len(tokenizer), pad_token_id=3, eos_token_id=2, decoder_start_token_id=3, **sizes)
    T5ForConditionalGeneration(config).save_pretrained(tmp_path / "t5")
    tokenizer.save_pretrained(tmp_path / "t5")
    rows = [{"input": "Who?", "output": "SELECT ?x {}", "keys": []}]
    data = write_rows(tmp_path / "data", "sparql", rows)
    recipe = recipe_file(tmp_path, method="seq2seq", base=str(tmp_path / "t5"), data=str(data), max_steps=2,
                         lora={"targets": ["q", "v"]})  # fmt: skip
    lines: list[str] = []
    assert lora.train(recipe, tmp_path / "out", echo=lines.append)["steps"] == 2
    assert any("⟦<s>SELECT ?x {}⟧" in line for line in lines)
    lora.check(tmp_path / "out", echo=quiet)
