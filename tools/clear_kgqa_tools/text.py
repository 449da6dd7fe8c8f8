"""Text from graphs, models and endpoints made fit to be shown: no terminal controls, no hidden order."""

from __future__ import annotations

import re

# C0 but newline and tab, DEL, C1; bidi marks, embeddings, overrides, isolates; line separators; invisible
# operators; tag characters; lone surrogates (which no output can encode).
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)


def visible(text: str) -> str:
    """The text with control and format characters shown (␛ for ESC, `\\u202e`); idempotent."""
    return text if _CONTROL.search(text) is None else _CONTROL.sub(_shown, text.replace("\r\n", "\n"))


def _shown(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def one_line(text: str) -> str:
    """Visible text in a single line, with white space run together."""
    return " ".join(visible(text).split())


def cut(text: str, limit: int) -> str:
    """At most `limit` characters of the text, and its whole length where that is more."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text):,} characters in all)"
