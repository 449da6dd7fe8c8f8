"""TEXT2SPARQL challenge: questions in YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clear_kgqa.evaluation.importers.imported import Dropped, Imported, collect_objects, objects, text
from clear_kgqa.evaluation.importers.repair import repaired
from clear_kgqa.evaluation.samples import Sample
from clear_kgqa_tools.errors import ConfigError


def read(path: Path, language: str = "en") -> Imported:
    """The questions of a TEXT2SPARQL file in one language, or in their first where that one is missing."""
    import yaml

    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not YAML: {' '.join(str(error).split())[:200]}") from error
    dataset = (data.get("dataset") if isinstance(data, dict) else None) or {}
    name = text(dataset.get("prefix"))
    default = text(dataset.get("defaultNamespace"))
    prefixes = {"": default} if default else {}
    return collect_objects(objects(data, path, "questions"), lambda item: _question(item, name, language, prefixes))


def _question(item: dict[str, Any], name: str, language: str, prefixes: dict[str, str]) -> Sample | Dropped:
    id_ = f"{name}:{item.get('id', '')}" if name else str(item.get("id", ""))
    raw = item.get("question")
    texts = {lang: text(q) for lang, q in raw.items()} if isinstance(raw, dict) else {language: text(raw)}
    told = {lang: question for lang, question in texts.items() if question}
    sparql = repaired((item.get("query") or {}).get("sparql") or "", prefixes)
    if "id" not in item or not told or not sparql:
        return Dropped(id_ or "?", "no id, question or query")
    spoken = language if language in told else next(iter(told))
    kind = "+".join(str(f) for f in item.get("features") or ())
    return Sample(id_, told[spoken], sparql, type=kind, language=spoken)
