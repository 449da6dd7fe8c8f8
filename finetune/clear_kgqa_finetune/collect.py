"""`finetune data`: training rows from allowed runs and labelled items, split by entity, with a card of where
they came from.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from clear_kgqa.agent.tool_specs import tool_schemas
from clear_kgqa.likelihood.context import ContextStyle
from clear_kgqa_finetune.rows import (
    Describe,
    Row,
    agent_row,
    final_sparql,
    helper_rows,
    item_row,
    preference_rows,
    sparql_row,
)
from clear_kgqa_finetune.sources import Source, open_source, read_jsonl
from clear_kgqa_finetune.split import grouped_split
from clear_kgqa_tools.errors import ConfigError

KINDS = ("agent", "helper", "preference", "sparql")


def collect(
    runs: Sequence[str | Path], out: Path, items: Path | None, describe: Describe | None, style: ContextStyle, system: str,
    valid_share: float, seed: int, echo: Callable[[str], None],
) -> dict[str, Any]:  # fmt: skip
    """Writes KIND.train.jsonl, KIND.valid.jsonl and card.json into `out`; returns the card.

    `describe` looks candidates up in the graph, `system` is the agent's prompt over it; both may be missing.
    """
    sources = [open_source(run) for run in runs]
    rows: dict[str, list[Row]] = {kind: [] for kind in KINDS}
    dropped: Counter[str] = Counter()
    for source in sources:
        _add_source(source, rows, dropped, partial(helper_rows, describe=describe, style=style), system)
    if items:
        if describe is None:
            raise ConfigError("labelled items need the graph that describes their candidates: give --kg")
        rows["helper"] += [item_row(item, describe, style) for item in read_jsonl(items)]
    if not any(rows.values()):
        raise ConfigError(f"nothing to train on: {dict(dropped) or 'the runs are empty'}")
    out.mkdir(parents=True, exist_ok=True)
    counts = {kind: _write_split(out, kind, rows[kind], valid_share, seed) for kind in KINDS if rows[kind]}
    card = {
        "sources": [{"name": s.name, "licence": s.licence, "consent": s.consent} for s in sources],
        "items": items.name if items else None, "context_style": style,
        "rows": counts, "dropped": dict(dropped), "valid_share": valid_share, "seed": seed,
        "sha256": data_hash(out),
    }  # fmt: skip
    (out / "card.json").write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", "utf-8")
    _report(card, rows, echo)
    return card


def _add_source(
    source: Source, rows: dict[str, list[Row]], dropped: Counter[str], pairs: Callable[[Row], list[Row]], system: str
) -> None:
    tools = source.manifest.get("tools") or tool_schemas()
    for record in source.records():
        if reason := _unfit(record):
            dropped[reason] += 1
            continue
        if row := agent_row(record, record.get("tools") or tools, system):
            rows["agent"].append(row)
        else:
            dropped["dialogue without an answer"] += 1
        if pair := sparql_row(record):
            rows["sparql"].append(pair)
        rows["helper"] += pairs(record)
        rows["preference"] += preference_rows(record, record.get("tools") or tools, system)


def _unfit(record: Row) -> str:
    """Why a transcript teaches nothing good, or an empty string. F1 counts where the run was scored against
    gold.
    """
    if record.get("error"):
        return "failed"
    if not final_sparql(record):
        return "no answer"
    lenient = (record.get("metrics") or {}).get("lenient") or {}
    return "wrong answer" if lenient.get("f1", 1) < 1 else ""


def _write_split(out: Path, kind: str, rows: list[Row], valid_share: float, seed: int) -> dict[str, int]:
    train, valid = grouped_split([row["keys"] for row in rows], valid_share, seed)
    for name, numbers in (("train", train), ("valid", valid)):
        lines = [json.dumps(rows[at], ensure_ascii=False) + "\n" for at in numbers]
        (out / f"{kind}.{name}.jsonl").write_text("".join(lines), "utf-8")
    return {"train": len(train), "valid": len(valid)}


def data_hash(folder: Path) -> str:
    """sha256 over the row files of a data folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.jsonl")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def _report(card: dict[str, Any], rows: dict[str, list[Row]], echo: Callable[[str], None]) -> None:
    for kind, counts in card["rows"].items():
        echo(f"{kind}: {counts['train']} rows to train on, {counts['valid']} to validate")
        echo(shown(kind, rows[kind][0]))
    for reason, count in card["dropped"].items():
        echo(f"dropped: {count} ({reason})")


def shown(kind: str, row: Row) -> str:
    """One row as text, the part that training will supervise between ⟦ and ⟧."""
    if kind == "helper":
        return "\n".join(f"  {context}\n  Question: ⟦{row['question']}⟧" for context in row["contexts"])
    if kind == "sparql":
        return f"  {row['input']}\n  ⟦{row['output']}⟧"
    turns = [*row["messages"], *([row["chosen"]] if kind == "preference" else [])]
    supervised = [kind == "agent" or at == len(turns) - 1 for at in range(len(turns))]
    return "\n".join(f"  {_turn(m, s)}" for m, s in zip(turns, supervised, strict=True))


def _turn(message: dict[str, Any], supervised: bool) -> str:
    calls = [
        f"{c['function']['name']}{json.dumps(c['function']['arguments'])}" for c in message.get("tool_calls") or []
    ]
    text = " ".join([message["content"], *calls]).strip()
    return f"{message['role']}: " + (f"⟦{text}⟧" if supervised and message["role"] == "assistant" else text)
