"""RDF terms and query results as plain data that travels between processes and into JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"

Form = Literal["select", "ask", "construct", "describe"]
Kind = Literal["iri", "literal", "bnode", "triple"]

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_FORBIDDEN = re.compile(r"[<>\"{}|^`\\\x00-\x20]")


def _percent(match: re.Match[str]) -> str:
    return f"%{ord(match.group()):02X}"


def iri_ref(iri: str) -> str:
    """The IRI in angle brackets, with characters that SPARQL forbids there percent-encoded, so it cannot break out."""
    return f"<{iri}>" if _FORBIDDEN.search(iri) is None else f"<{_FORBIDDEN.sub(_percent, iri)}>"


def string_literal(text: str) -> str:
    """A SPARQL string literal that is built, not pasted: quotes, backslashes and line ends are escaped."""
    escaped = "".join(_ESCAPES.get(c, c if ord(c) >= 0x20 else f"\\u{ord(c):04X}") for c in text)
    return f'"{escaped}"'


@dataclass(frozen=True, slots=True)
class Term:
    """One RDF term. `datatype` is an IRI, empty for plain strings; `language` a BCP 47 tag, empty if none."""

    value: str
    kind: Kind = "literal"
    datatype: str = ""
    language: str = ""

    def n3(self) -> str:
        """The term as it stands in a SPARQL query."""
        if self.kind == "iri":
            return iri_ref(self.value)
        if self.kind == "bnode":
            return f"_:{self.value}"
        if self.kind == "triple":
            return self.value
        if self.language:
            return f"{string_literal(self.value)}@{self.language}"
        if self.datatype and self.datatype != XSD + "string":
            return f"{string_literal(self.value)}^^{iri_ref(self.datatype)}"
        return string_literal(self.value)

    def to_json(self) -> dict[str, str]:
        """`{"iri": ...}` or `{"literal": ..., "datatype"?, "language"?}` (also `bnode`, `triple`)."""
        out: dict[str, str] = {self.kind: self.value}
        if self.datatype:
            out["datatype"] = self.datatype
        if self.language:
            out["language"] = self.language
        return out


Row = tuple[Term | None, ...]


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What a query returned.

    `columns` and `rows` keep the engine's order (for construct and describe: subject, predicate, object);
    `boolean` is set for ASK alone. `incomplete` says that rows are missing and `reason` why.
    """

    form: Form
    columns: tuple[str, ...] = ()
    rows: list[Row] = field(default_factory=list)
    boolean: bool | None = None
    incomplete: bool = False
    reason: str = ""
    seconds: float = 0.0

    def column(self, name: str) -> list[Term | None]:
        """The values of one column, in row order."""
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    def to_json(self) -> dict[str, Any]:
        """A JSON object with the rows as lists of term objects (null where unbound)."""
        rows = [[None if t is None else t.to_json() for t in row] for row in self.rows]
        return {
            "form": self.form,
            "columns": list(self.columns),
            "rows": rows,
            "boolean": self.boolean,
            "incomplete": self.incomplete,
            "reason": self.reason,
            "seconds": round(self.seconds, 4),
        }
