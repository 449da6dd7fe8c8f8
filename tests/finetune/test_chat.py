from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("transformers")

from clear_kgqa_finetune.chat import (
    IGNORED,
    Example,
    encode_dialogue,
    encode_turn,
    ensure_tool_template,
    marked,
    use_own_padding,
)
from clear_kgqa_finetune.packing import packed, padded, restarted_positions
from clear_kgqa_finetune.tiny import byte_tokenizer
from clear_kgqa_tools.errors import ConfigError

CALL = {
    "type": "function",
    "id": "c1",
    "function": {"name": "ExecuteSPARQL", "arguments": {"sparql": 'ASK { ?s ?p "é" }'}},
}
DIALOGUE: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Is it so?"},
    {"role": "assistant", "content": "Let me see.", "tool_calls": [CALL]},
    {"role": "tool", "name": "ExecuteSPARQL", "tool_call_id": "c1", "content": "true"},
    {"role": "assistant", "content": "Yes."},
]
JSON_CALL = '{"name": "ExecuteSPARQL", "arguments": {"sparql": "ASK { ?s ?p \\"é\\" }"}}'

CALLS = """{% for c in m.tool_calls or [] %}\
{{ {"name": c.function.name, "arguments": c.function.arguments} | tojson }}{% endfor %}"""
LLAMA3 = (
    "<s>{% for m in messages %}<|im_start|>{{ 'ipython' if m.role == 'tool' else m.role }}\n\n{{ m.content }}"
    + CALLS
    + "<|im_end|>{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n\n{% endif %}"
)
MISTRAL = (
    "<s>{% for m in messages %}{% if m.role == 'assistant' %} {{ m.content }}"
    + CALLS
    + "</s>{% else %}[INST] {{ m.content }}[/INST]{% endif %}{% endfor %}"
)
FORGETFUL = """{% for m in messages %}<|im_start|>{{ m.role }}
{% if m.role != 'assistant' or loop.last %}{{ m.content }}{% endif %}\
{% for c in m.tool_calls or [] %}{{ c.function.arguments | tojson }}{% endfor %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


def tokenizer_with(template: str | None) -> Any:
    tokenizer = byte_tokenizer(template)
    if template is None:
        ensure_tool_template(tokenizer)
    return tokenizer


@pytest.mark.parametrize(
    ("template", "stop", "first_call"),
    [
        (None, "<|im_end|>", f"Let me see.<tool_call>{JSON_CALL}</tool_call>"),
        (LLAMA3, "<|im_end|>", f"Let me see.{JSON_CALL}"),
        (MISTRAL, "</s>", f" Let me see.{JSON_CALL}"),
    ],
    ids=["chatml", "llama3", "mistral"],
)
def test_masks_token_by_token(template: str | None, stop: str, first_call: str) -> None:
    tokenizer = tokenizer_with(template)
    (example,) = encode_dialogue(tokenizer, DIALOGUE)
    last = " Yes." if template == MISTRAL else "Yes."
    spans = [f"{first_call}{stop}", f"{last}{stop}"]
    expected = [token for span in spans for token in tokenizer(span, add_special_tokens=False)["input_ids"]]
    assert [label for label in example.labels if label != IGNORED] == expected
    assert all(label in (IGNORED, token) for token, label in zip(example.ids, example.labels, strict=True))
    text = marked(tokenizer, example)
    assert [part.split("⟧")[0] for part in text.split("⟦")[1:]] == spans
    assert example.ids.count(tokenizer.bos_token_id) == 1
    assert example.ids[0] == tokenizer.bos_token_id


def test_a_template_that_rewrites_earlier_turns_gives_one_example_per_turn() -> None:
    tokenizer = tokenizer_with(FORGETFUL)
    examples = encode_dialogue(tokenizer, DIALOGUE)
    supervised = [tokenizer.decode([x for x in e.labels if x != IGNORED]) for e in examples]
    assert supervised == ['Let me see.{"sparql": "ASK { ?s ?p \\"é\\" }"}<|im_end|>', "Yes.<|im_end|>"]


def test_only_the_last_turn_of_a_pair_is_supervised() -> None:
    tokenizer = tokenizer_with(None)
    example = encode_turn(tokenizer, DIALOGUE[:-1], {"role": "assistant", "content": "No."})
    assert tokenizer.decode([x for x in example.labels if x != IGNORED]) == "No.<|im_end|>"


def test_arguments_as_a_string_are_refused() -> None:
    call = {
        "type": "function",
        "id": "c1",
        "function": {"name": "ExecuteSPARQL", "arguments": '{"sparql": "ASK {}"}'},
    }
    with pytest.raises(ConfigError, match="must be an object"):
        encode_dialogue(tokenizer_with(None), [DIALOGUE[1], {"role": "assistant", "content": "", "tool_calls": [call]}])


def test_a_template_that_escapes_arguments_twice_is_refused() -> None:
    template = LLAMA3.replace("c.function.arguments}", "c.function.arguments | tojson}")
    with pytest.raises(ConfigError, match="escapes tool-call arguments twice"):
        encode_dialogue(tokenizer_with(template), DIALOGUE)


def test_a_turn_without_stop_token_is_refused() -> None:
    with pytest.raises(ConfigError, match="never learn to stop"):
        encode_dialogue(tokenizer_with(MISTRAL.replace("</s>", "")), DIALOGUE)


def test_padding_never_is_a_stop_token() -> None:
    tokenizer = byte_tokenizer()
    tokenizer.pad_token = tokenizer.eos_token
    use_own_padding(tokenizer)
    assert tokenizer.pad_token == "<pad>"


def test_labels_survive_when_padding_and_end_share_an_id() -> None:
    batch = padded([Example([5, 2], [5, 2]), Example([7], [7])], pad_id=2)
    assert batch["input_ids"].tolist() == [[5, 2], [7, 2]]
    assert batch["labels"].tolist() == [[5, 2], [7, IGNORED]]
    assert "attention_mask" not in batch


def test_packing_fills_rows_and_restarts_positions() -> None:
    examples = [Example([1] * n, [1] * n) for n in (3, 5, 2, 4)]
    rows = packed(examples, 7)
    assert [[len(e.ids) for e in row] for row in rows] == [[5, 2], [4, 3]]
    assert restarted_positions(rows, 8).tolist() == [[0, 1, 2, 3, 4, 0, 1, 0], [0, 1, 2, 3, 0, 1, 2, 0]]
