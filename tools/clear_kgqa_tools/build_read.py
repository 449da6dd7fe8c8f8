"""Reading RDF files of every common syntax as a stream of quads, plain or gzipped."""

from __future__ import annotations

import gzip
import hashlib
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import IO, cast

import pyoxigraph as ox

from clear_kgqa_tools.build_xml import check_entities, error_line
from clear_kgqa_tools.errors import ConfigError
from clear_kgqa_tools.text import cut, one_line

FORMATS = {
    ".ttl": ox.RdfFormat.TURTLE,
    ".nt": ox.RdfFormat.N_TRIPLES,
    ".nq": ox.RdfFormat.N_QUADS,
    ".trig": ox.RdfFormat.TRIG,
    ".rdf": ox.RdfFormat.RDF_XML,
    ".owl": ox.RdfFormat.RDF_XML,
    ".jsonld": ox.RdfFormat.JSON_LD,
}
_BY_LINE = (ox.RdfFormat.N_TRIPLES, ox.RdfFormat.N_QUADS)
_BLOCK = 4_000
_LISTED = 20
_LONGEST = (16 << 20) - 1024  # bytes: pyoxigraph takes 16 MB of one line or literal
_POSITION = re.compile(r"^Parser error at [^:]*: ")


@dataclass
class BadLines:
    """Lines that were skipped: how many, and the first twenty as "line N: reason: text"."""

    count: int = 0
    listed: list[str] = field(default_factory=list)

    def add(self, number: int, reason: str, text: str) -> None:
        self.count += 1
        if len(self.listed) < _LISTED:
            why = one_line(_POSITION.sub("", reason))
            self.listed.append(f"line {number:,}: {why}: {cut(one_line(text), 120)}")


def syntax_of(path: Path) -> ox.RdfFormat:
    """The RDF syntax that the file name promises; raises ConfigError for others."""
    suffixes = [s.lower() for s in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    if not suffixes or suffixes[-1] not in FORMATS:
        raise ConfigError(
            f"cannot tell the RDF syntax of {path.name}: expected one of {' '.join(FORMATS)}, also with .gz"
        )
    return FORMATS[suffixes[-1]]


def file_hash(path: Path) -> str:
    """sha256 of the file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class SourceFile:
    """An RDF file as a stream of quads; `bad` lists skipped lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bad = BadLines()
        self._syntax = syntax_of(path)
        self._raw: BufferedReader | None = None
        self._size = 1
        try:
            self._size = max(path.stat().st_size, 1)
            path.open("rb").close()
        except OSError as error:
            raise ConfigError(f"cannot read {path}: {error.strerror}") from error

    def fraction(self) -> float:
        """Share of the file's bytes read so far."""
        return min(self._raw.tell() / self._size, 1.0) if self._raw and not self._raw.closed else 1.0

    def quads(self) -> Iterator[ox.Quad]:
        """The quads without bad lines; syntaxes other than by line raise ConfigError at the first error."""
        with self.path.open("rb") as raw:
            self._raw = raw
            stream = cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if self.path.suffix.lower() == ".gz" else raw
            try:
                yield from self._by_line(stream) if self._syntax in _BY_LINE else self._whole(stream)
            except (gzip.BadGzipFile, EOFError) as error:
                raise ConfigError(f"{self.path.name} is not a complete gzip file: {error}") from error

    def _whole(self, stream: IO[bytes]) -> Iterator[ox.Quad]:
        base = self.path.resolve().as_uri()
        if self._syntax == ox.RdfFormat.RDF_XML:
            check_entities(self.path)
        if self._syntax == ox.RdfFormat.TURTLE or self._syntax == ox.RdfFormat.TRIG:
            stream = _without_mark(stream)
        try:
            yield from ox.parse(stream, format=self._syntax, base_iri=base)
        except SyntaxError as error:
            line = error.lineno or (error_line(self.path) if self._syntax == ox.RdfFormat.RDF_XML else 0)
            where = f", line {line:,}" if line else ""
            raise ConfigError(f"{self.path.name}{where}: {one_line(error.msg)}") from error
        except MemoryError:
            raise ConfigError(f"{self.path.name}: a literal is over 16 MB") from None

    def _by_line(self, stream: IO[bytes]) -> Iterator[ox.Quad]:
        start = 1
        while lines := list(islice(stream, _BLOCK)):
            if start == 1:
                lines[0] = lines[0].removeprefix(BOM_UTF8)
            for at, line in enumerate(lines):
                if len(line) > _LONGEST:
                    self.bad.add(start + at, "over 16 MB", line[:200].decode("utf-8", "replace"))
                    lines[at] = b"\n"
            yield from self._block(lines, start)
            start += len(lines)

    def _block(self, lines: list[bytes], start: int) -> Iterator[ox.Quad]:
        """Parse lines at once; after a bad one, which is skipped, each of the rest by itself."""
        try:
            yield from ox.parse(b"".join(lines), format=self._syntax)
        except SyntaxError as error:
            at = min(max(error.lineno or 1, 1), len(lines)) - 1
            self.bad.add(start + at, error.msg, lines[at].decode("utf-8", "replace"))
            if len(lines) > 1:
                for number, line in enumerate(lines[at + 1 :], start + at + 1):
                    yield from self._block([line], number)


def _without_mark(stream: IO[bytes]) -> IO[bytes]:
    """The stream after a byte-order mark, if it begins with one; a gzipped one stays where it is read from."""
    if stream.read(len(BOM_UTF8)) != BOM_UTF8:
        stream.seek(0)
    return stream
