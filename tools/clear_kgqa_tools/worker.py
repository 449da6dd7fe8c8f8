"""The process that runs queries on an Oxigraph store and may be killed at any time; imports pyoxigraph alone.

Run by path, not as a module, so that nothing else is imported: `python worker.py STORE`. Frames in both
directions are a four-byte length and a marshalled tuple (both ends are the same interpreter).
"""

from __future__ import annotations

import contextlib
import ctypes
import marshal
import os
import platform
import resource
import select
import struct
import sys
import threading
from typing import Any

import pyoxigraph as ox

# Beside the resident memory a query may use: thread stacks and arenas that are reserved but not touched.
ADDRESS_SLACK = 256 << 20
_AUDIT_ARCH = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}


def read_frame(fd: int) -> bytes:
    """One frame from a blocking pipe; empty at its end."""
    head = _read_exactly(fd, 4)
    return _read_exactly(fd, struct.unpack("<I", head)[0]) if head else b""


def _read_exactly(fd: int, size: int) -> bytes:
    parts = []
    while size:
        part = os.read(fd, min(size, 1 << 20))
        if not part:
            return b""
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def write_frame(fd: int, payload: bytes) -> None:
    """Write one frame whole."""
    view = memoryview(struct.pack("<I", len(payload)) + payload)
    while view:
        view = view[os.write(fd, view) :]


def deny_sockets() -> None:
    """Make socket(2) fail in this process (Linux seccomp), so that no query can reach a network."""
    known = _AUDIT_ARCH.get(platform.machine())
    if not sys.platform.startswith("linux") or known is None:
        return
    arch, number = known
    rules = [
        (0x20, 0, 0, 4),
        (0x15, 0, 3, arch),
        (0x20, 0, 0, 0),
        (0x15, 0, 1, number),
        (0x06, 0, 0, 0x00050001),
        (0x06, 0, 0, 0x7FFF0000),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *rule) for rule in rules))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("rules", ctypes.c_void_p))

    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS, needed to install a filter without being root
    libc.prctl(22, 2, ctypes.byref(Program(len(rules), ctypes.addressof(code))), 0, 0)  # PR_SET_SECCOMP


def limit_memory(megabytes: int, baseline: int) -> None:
    """Let the address space grow by so many megabytes beyond `baseline` bytes; more cannot be allocated."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (baseline + (megabytes << 20) + ADDRESS_SLACK, hard))


def address_space() -> int:
    """Bytes of address space in use (0 where /proc is missing)."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def encode(term: object) -> str | tuple[str, str, str, str] | None:
    """A term as marshal takes it: an IRI as a string, else (kind, value, datatype, language)."""
    if isinstance(term, ox.NamedNode):
        return term.value
    if isinstance(term, ox.Literal):
        return ("literal", term.value, "" if term.language else term.datatype.value, term.language or "")
    if isinstance(term, ox.BlankNode):
        return ("bnode", term.value, "", "")
    return None if term is None else ("triple", str(term), "", "")


def run(store: ox.Store, union: bool, text: str, row_limit: int, byte_limit: int) -> tuple[Any, ...]:
    """Evaluate a query into ("ok", columns, rows, boolean, incomplete, reason); rows hold encoded terms."""
    found = store.query(text, use_default_graph_as_union=union)
    if isinstance(found, ox.QueryBoolean):
        return ("ok", (), [], bool(found), False, "")
    if isinstance(found, ox.QueryTriples):
        columns: tuple[str, ...] = ("subject", "predicate", "object")
    else:
        columns = tuple(variable.value for variable in found.variables)
    rows: list[tuple[Any, ...]] = []
    size = 0
    for solution in found:
        row = tuple(encode(term) for term in solution)
        size += sum(len(term) if isinstance(term, str) else len(term[1]) for term in row if term)
        if len(rows) >= row_limit:
            return ("ok", columns, rows, None, True, f"stopped at the limit of {row_limit:,} rows")
        if size > byte_limit:
            reason = f"stopped at {byte_limit >> 20:,} MB of results, {len(rows):,} rows"
            return ("ok", columns, rows, None, True, reason)
        rows.append(row)
    return ("ok", columns, rows, None, False, "")


def answer(store: ox.Store, union: bool, request: tuple[str, bool, int, int]) -> tuple[Any, ...]:
    """Run one request (text, dataset, row limit, megabytes); every failure of the query becomes a reply."""
    text, dataset, row_limit, megabytes = request
    try:
        return run(store, union and not dataset, text, row_limit, (megabytes << 20) // 8)
    except MemoryError:
        return ("error", "memory", "")
    except (SyntaxError, ValueError, OSError, RuntimeError) as error:
        return ("error", "query", str(error))


def leave_with_parent() -> None:
    """End this process when the other end of stdin closes, even in the middle of a query."""
    poll = select.poll()
    poll.register(0, 0)
    poll.poll()
    os._exit(0)


def main() -> None:
    try:
        store = ox.Store.read_only(sys.argv[1])
    except (OSError, ValueError) as error:
        write_frame(1, marshal.dumps(("error", "store", str(error))))
        return
    # With data in the default graph alone, its own indexes are faster than the union's.
    graphs = tuple(g.value for g in store.named_graphs())
    deny_sockets()
    threading.Thread(target=leave_with_parent, daemon=True).start()
    baseline = address_space()
    write_frame(1, marshal.dumps(("ready", graphs)))
    while frame := read_frame(0):
        request = marshal.loads(frame)
        if baseline:
            limit_memory(request[3], baseline)
        write_frame(1, marshal.dumps(answer(store, bool(graphs), request)))


if __name__ == "__main__":
    main()
