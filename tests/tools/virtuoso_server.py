"""A Virtuoso of its own on loopback, with given data; Debian's package virtuoso-opensource-7 installs the programs."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.tools.sparql_server import free_port, wait_for

SETTINGS = """
[Database]
DatabaseFile = v.db
ErrorLogFile = v.log
LockFile = v.lck
TransactionFile = v.trx
xa_persistent_file = v.pxa
[TempDatabase]
DatabaseFile = v-temp.db
TransactionFile = v-temp.trx
[Parameters]
ServerPort = 127.0.0.1:{sql}
NumberOfBuffers = 2000
MaxDirtyBuffers = 1200
DirsAllowed = .
[HTTPServer]
ServerPort = {http}
ServerThreads = 4
[SPARQL]
ResultSetMaxRows = {rows}
MaxQueryExecutionTime = {seconds}
"""
LOAD = """
DB.DBA.RDF_OBJ_FT_RULE_ADD (null, null, 'All');
DB.DBA.TTLP (file_to_string_output ('data.ttl'), '', 'http://ex.org/graph', 0);
DB.DBA.VT_INC_INDEX_DB_DBA_RDF_OBJ ();
"""


def installed() -> bool:
    """Whether this machine has Virtuoso and its client."""
    return bool(shutil.which("virtuoso-t") and shutil.which("isql-vt"))


@contextmanager
def virtuoso_server(turtle: str, rows: int = 50, seconds: int = 5) -> Iterator[str]:
    """The address of a server that caps results at `rows`, stops queries after `seconds`, and indexes every text."""
    with TemporaryDirectory() as name:
        folder, sql, address = Path(name), free_port(), f"127.0.0.1:{free_port()}"
        (folder / "v.ini").write_text(SETTINGS.format(sql=sql, http=address, rows=rows, seconds=seconds))
        (folder / "data.ttl").write_text(turtle, encoding="utf-8")
        (folder / "load.isql").write_text(LOAD)
        serve = ["virtuoso-t", "+foreground", "+configfile", "v.ini"]
        running = subprocess.Popen(serve, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(address, 120)  # it makes its database first
            load = ["isql-vt", f"127.0.0.1:{sql}", "dba", "dba", "load.isql"]
            subprocess.run(load, cwd=folder, check=True, capture_output=True)
            yield f"http://{address}/sparql"
        finally:
            running.kill()
            running.wait()
