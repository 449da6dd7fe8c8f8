"""Dialogues as tokens with the supervised part marked: the assistant's turns, each through its stop token."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from clear_kgqa_tools.errors import ConfigError

IGNORED = -100
Message = dict[str, Any]
Span = tuple[int, int]

_PROBE = "probe-7f3a"


@dataclass(frozen=True, slots=True)
class Example:
    """Token ids with labels of the same length: the id where supervised, -100 elsewhere."""

    ids: list[int]
    labels: list[int]


def ensure_tool_template(tokenizer: Any) -> None:
    """Gives the tokenizer a template that renders tool calls, where its own drops them (SmolLM2) or is
    missing.
    """
    call = {
        "type": "function",
        "id": "c00000001",
        "function": {"name": "SearchNodes", "arguments": {"name": _PROBE}},
    }
    messages: list[Message] = [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
    ]
    if not tokenizer.chat_template or _PROBE not in render(tokenizer, messages, []):
        template = resources.files("clear_kgqa_finetune") / "templates" / "chatml_tools.jinja"
        tokenizer.chat_template = template.read_text("utf-8")


def render(tokenizer: Any, messages: Sequence[Message], tools: Sequence[Any], prompt: bool = False) -> str:
    """The dialogue as the chat template writes it; `prompt` opens the next assistant turn. Raises
    ConfigError.
    """
    from jinja2 import TemplateError

    try:
        text: str = tokenizer.apply_chat_template(
            list(messages), tools=list(tools) or None, tokenize=False, add_generation_prompt=prompt
        )
    except (TemplateError, TypeError, KeyError) as error:
        raise ConfigError(f"the chat template cannot write this dialogue: {error}") from error
    return text


def encode_dialogue(tokenizer: Any, messages: Sequence[Message], tools: Sequence[Any] = ()) -> list[Example]:
    """The dialogue as one example with every assistant turn supervised.

    Templates that rewrite earlier turns (dropping thoughts, moving the tools) give one example per assistant
    turn instead. Raises ConfigError where a turn does not end in a stop token or tool arguments come out
    escaped.
    """
    turns = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
    text = render(tokenizer, messages, tools)
    _check_arguments(messages, text)
    spans = [_turn_span(tokenizer, messages, tools, at) for at in turns]
    if all(text.startswith(through) for _, through in spans):
        return [_example(tokenizer, text, [span for span, _ in spans])]
    return [_example(tokenizer, through, [span]) for span, through in spans]


def encode_turn(tokenizer: Any, messages: Sequence[Message], turn: Message, tools: Sequence[Any] = ()) -> Example:
    """One assistant turn after a history; only that turn is supervised."""
    span, text = _turn_span(tokenizer, [*messages, turn], tools, len(messages))
    return _example(tokenizer, text, [span])


def _turn_span(tokenizer: Any, messages: Sequence[Message], tools: Sequence[Any], at: int) -> tuple[Span, str]:
    """Where in the text through this turn the model writes, and that text."""
    before = render(tokenizer, messages[:at], tools, prompt=True)
    through = render(tokenizer, messages[: at + 1], tools).rstrip("\n")
    if not through.startswith(before):
        raise ConfigError("the chat template writes an assistant turn differently from the prompt that opens it")
    return (len(before), len(through)), through


def _example(tokenizer: Any, text: str, spans: Sequence[Span]) -> Example:
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    ids, offsets = list(encoded["input_ids"]), encoded["offset_mapping"]
    labels = [IGNORED] * len(ids)
    for start, end in spans:
        inside = [at for at, (left, right) in enumerate(offsets) if start <= left < end and right > left]
        for at in inside:
            labels[at] = ids[at]
        if not inside or ids[inside[-1]] not in stop_ids(tokenizer):
            raise ConfigError("an assistant turn does not end in a stop token, so the model would never learn to stop")
    bos = _missing_bos(tokenizer, ids)
    return Example(bos + ids, [IGNORED] * len(bos) + labels)


def stop_ids(tokenizer: Any) -> set[int]:
    """Tokens that end a turn: EOS and the special tokens that templates use for it."""
    named = ("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<end_of_turn>", "<|end|>", "</s>")
    # Not get_vocab(): it copies the whole vocabulary, 40 ms a call.
    ids = {tokenizer.convert_tokens_to_ids(name) for name in named} - {tokenizer.unk_token_id}
    return (ids | {tokenizer.eos_token_id}) - {None}


def _missing_bos(tokenizer: Any, ids: Sequence[int]) -> list[int]:
    """The BOS that the tokenizer would add and the template left out; never a second one."""
    start = tokenizer("")["input_ids"][:1]
    return list(start) if start == [tokenizer.bos_token_id] and list(ids[:1]) != start else []


def _check_arguments(messages: Sequence[Message], text: str) -> None:
    for message in messages:
        for call in message.get("tool_calls") or []:
            arguments = call["function"]["arguments"]
            if not isinstance(arguments, dict):
                raise ConfigError("tool-call arguments must be an object, not a string, or templates escape them twice")
            escaped = json.dumps(json.dumps(arguments, ensure_ascii=False), ensure_ascii=False)
            if arguments and escaped in text:
                raise ConfigError("the chat template escapes tool-call arguments twice")


def marked(tokenizer: Any, example: Example) -> str:
    """The decoded example with its supervised parts between ⟦ and ⟧."""
    out: list[str] = []
    run: list[int] = []
    supervised = False
    for token, label in [*zip(example.ids, example.labels, strict=True), (None, None)]:
        now = label is not None and label != IGNORED
        if run and (token is None or now != supervised):
            text = tokenizer.decode(run)
            out.append(f"⟦{text}⟧" if supervised else text)
            run = []
        supervised = now
        if token is not None:
            run.append(token)
    return "".join(out)


def use_own_padding(tokenizer: Any) -> None:
    """A padding token that is not a stop token; with pad = eos, trainers that mask by id teach a model never
    to stop.

    Raises ConfigError where the vocabulary offers none.
    """
    stops = stop_ids(tokenizer)
    if tokenizer.pad_token_id is not None and tokenizer.pad_token_id not in stops:
        return
    wanted = ("<|finetune_right_pad_id|>", "<pad>", "<|endoftext|>", "<unk>")
    vocabulary = tokenizer.get_vocab()
    for name in wanted:
        if name in vocabulary and vocabulary[name] not in stops:
            tokenizer.pad_token = name
            return
    raise ConfigError("padding and end of text are the same token, and the vocabulary has no other to pad with")
