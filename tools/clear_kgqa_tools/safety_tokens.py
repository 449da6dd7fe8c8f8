"""The tokens of a SPARQL text: enough to tell literals, IRIs and comments from the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from clear_kgqa_tools.errors import QueryError

_ESCAPE = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
_LOCAL = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
_KINDS = {
    "space": r"[ \t\n]+",
    "comment": r"#[^\n]*",
    "iri": rf'<(?:[^<>"{{}}|^`\\\x00-\x20]|{_ESCAPE})*>',
    "string": r'"""(?:[^"\\]|\\.|"(?!""))*"""'
    r"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*'",
    "var": r"[?$]\w+",
    "bnode": r"_:\w(?:[\w\-.·]*[\w\-·])?",
    "pname": rf"(?:[^\W\d_](?:[\w\-.·]{{0,99}}[\w\-·])?)?:(?:(?:[\w:]|{_LOCAL})(?:(?:[\w\-.:·]|{_LOCAL})*"
    rf"(?:[\w\-:·]|{_LOCAL}))?)?",
    "lang": r"@[A-Za-z]+(?:-[A-Za-z0-9]+)*",
    "number": r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?",
    "word": r"[^\W\d]\w*",
    "escape": _ESCAPE,
    "mark": r".",
}
_TOKEN = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _KINDS.items()), re.DOTALL)
_BACKSLASH_U = re.compile(r"\\\\([uU]?)|\\.")
_STRING_ESCAPES = {"\\": "\\\\", '"': '\\"', "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, slots=True)
class Token:
    """One token with its kind (a key of the grammar above) and its offset."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def word(self) -> str:
        """The keyword in upper case, empty for any other kind."""
        return self.text.upper() if self.kind == "word" else ""


def scan(text: str, start: int = 0) -> Iterator[Token]:
    """The tokens from an offset on, one at a time."""
    return (Token(str(m.lastgroup), m[0], m.start()) for m in _TOKEN.finditer(text, start))


def tokens(text: str) -> list[Token]:
    """All tokens; joined they are the text."""
    return list(scan(text))


def significant(text: str) -> list[Token]:
    """The tokens without white space."""
    return [t for t in tokens(text) if t.kind != "space"]


def normalise(text: str) -> str:
    """The same query without comments, carriage returns and code-point escapes.

    Parsers differ in where a comment ends and in when an escape is expanded; what they could read differently
    is taken out, so that the engine runs exactly what the check has read.
    """
    text = re.sub(r"\r\n?", "\n", text)
    if any(t.kind == "escape" for t in tokens(text)):
        text = "".join(_char(t.text) if t.kind == "escape" else t.text for t in tokens(text))
    text = "".join(_plain(t) for t in tokens(text)).strip()
    if any(t.kind == "escape" or (t.kind == "iri" and "\\" in t.text) for t in tokens(text)):
        raise QueryError("the query hides characters behind \\u escapes; write them plainly")
    return text


def for_rdflib(text: str) -> str:
    """The same query for rdflib, which would take the u of an escaped backslash and a u for an escape."""
    return "".join(_BACKSLASH_U.sub(_spelt_u, t.text) if t.kind == "string" else t.text for t in tokens(text))


def _spelt_u(match: re.Match[str]) -> str:
    return f"\\\\\\U{ord(match[1]):08x}" if match[1] else match[0]


def _plain(token: Token) -> str:
    if token.kind == "comment":
        return ""
    if token.kind not in ("string", "iri") or "\\" not in token.text:
        return token.text
    if token.kind == "iri":
        return re.sub(_ESCAPE, lambda m: _char(m[0]), token.text)
    return re.sub(rf"\\\\|{_ESCAPE}", lambda m: m[0] if m[0] == "\\\\" else _string_char(m[0]), token.text)


def _string_char(escape: str) -> str:
    char = _char(escape)
    if ord(char) < 0x20 and char not in _STRING_ESCAPES:
        raise QueryError(f"the query holds the control character U+{ord(char):04X} in a literal")
    return _STRING_ESCAPES.get(char, char)


def _char(escape: str) -> str:
    code = int(escape[2:], 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise QueryError(f"{escape} is not a character")
    return chr(code)


def declared(found: list[Token]) -> tuple[dict[str, str], set[int]]:
    """The prefixes that a query declares, and the offsets of the tokens that declare them."""
    prefixes: dict[str, str] = {}
    at: set[int] = set()
    for before, name, iri in zip(found, found[1:], found[2:], strict=False):
        if before.word == "PREFIX" and name.kind == "pname" and name.text.endswith(":") and iri.kind == "iri":
            prefixes[name.text[:-1]] = iri.text[1:-1]
            at.add(name.start)
    return prefixes, at


def expand(token: Token, prefixes: Mapping[str, str]) -> str | None:
    """The IRI of an IRI or prefixed name; None where its prefix is unknown."""
    if token.kind == "iri":
        return token.text[1:-1]
    prefix, _, local = token.text.partition(":")
    if token.kind != "pname" or prefix not in prefixes:
        return None
    return prefixes[prefix] + re.sub(r"\\(.)", r"\1", local)
