"""What pyoxigraph's RDF/XML parser leaves to others: where a file breaks off, and entities that grow without bound."""

from __future__ import annotations

import gzip
import re
from contextlib import suppress
from pathlib import Path
from typing import IO, cast
from xml.parsers import expat

from clear_kgqa_tools.errors import ConfigError

# Namespaces are what entities are used for; ten of them that hold ten of each other fill any memory.
LONGEST_ENTITY = 1_000
_REFERENCE = re.compile("&([^#;&][^;&]*);")


class _Root(Exception):
    """The first element has come: the declarations are over."""


def check_entities(path: Path) -> None:
    """Raise ConfigError for entities that hold each other and come to more than a thousand characters."""
    values = _entities(path)
    for name in values:
        if _length(name, values, ()) > LONGEST_ENTITY:
            raise ConfigError(f"{path.name}: its XML entity {name!r} grows beyond {LONGEST_ENTITY:,} characters")


def error_line(path: Path) -> int:
    """Where the file stops being well-formed XML, which pyoxigraph's errors do not say; 0 where it is."""
    with _open(path) as file:
        try:
            expat.ParserCreate().ParseFile(file)
        except expat.ExpatError as error:
            return error.lineno
    return 0


def _length(name: str, values: dict[str, str], inside: tuple[str, ...]) -> int:
    """Characters of an entity once all within it are put in, no further than needed to know that they are too many."""
    if name in inside:
        return LONGEST_ENTITY + 1
    length = len(values.get(name, ""))
    for reference in _REFERENCE.findall(values.get(name, "")):
        if length > LONGEST_ENTITY:
            break
        length += _length(reference, values, (*inside, name))
    return length


def _entities(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    parser = expat.ParserCreate()

    def declared(name: str, parameter: int, value: str | None, *rest: str | None) -> None:
        found[name] = value or ""

    def root(name: str, attributes: dict[str, str]) -> None:
        raise _Root

    parser.EntityDeclHandler, parser.StartElementHandler = declared, root
    with _open(path) as file, suppress(_Root, expat.ExpatError):
        parser.ParseFile(file)
    return found


def _open(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path)) if path.suffix.lower() == ".gz" else path.open("rb")
