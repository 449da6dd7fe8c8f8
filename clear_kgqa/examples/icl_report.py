"""The table of the in-context learning experiment, and the files it is written to."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path


@dataclass(frozen=True, slots=True)
class IclRow:
    """One line of the table; `types` is "predicted", "gold" (an upper bound) or "" (no type is used)."""

    model: str
    strategy: str
    shots: int
    types: str
    bleu: float
    f1: float
    n: int


@dataclass(frozen=True)
class IclReport:
    """The table with what it was made from; accuracies are shares of test questions (0..1)."""

    rows: tuple[IclRow, ...]
    train: int
    test: int
    left_out: int
    similarity: str
    type_accuracy: float
    most_frequent_type: float
    predictions: tuple[dict[str, str], ...] = ()

    def markdown(self) -> str:
        """The report as one Markdown table."""
        lines = [
            f"{self.train} examples, {self.test} questions, vectors by {self.similarity}. "
            f"Type predicted right: {self.type_accuracy:.3f} "
            f"(the most frequent type would give {self.most_frequent_type:.3f}).",
            "",
            "| model | strategy | shots | type | BLEU | F1 |",
            "|---|---|---|---|---|---|",
            *(f"| {r.model} | {r.strategy} | {r.shots} | {r.types} | {r.bleu:.4f} | {r.f1:.4f} |" for r in self.rows),
        ]
        return "\n".join(lines) + "\n"


def write_report(report: IclReport, out: Path) -> None:
    """Write `icl.md` (the table), `icl.json` and `predictions.jsonl` (each predicted line) into `out`."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "icl.md").write_text(report.markdown(), encoding="utf-8")
    summary = asdict(replace(report, predictions=()))
    del summary["predictions"]
    (out / "icl.json").write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")
    with (out / "predictions.jsonl").open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(p, ensure_ascii=False) + "\n" for p in report.predictions)
