"""Start-up time, memory and install size of the command line; times are the best of several cold processes.

python benchmarks/startup.py [--size]; --size also installs the package without extras, which takes a minute.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
RUN = "from clear_kgqa.cli import run; run()"
QUESTION = "What is the capital of Australia?"


def main() -> None:
    """Print one line per figure, with its bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", action="store_true")
    parser.add_argument("--runs", type=int, default=5)
    wanted = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else every process compiles the package anew
    ask = [sys.executable, "-c", RUN, "ask", QUESTION, "--assume-best"]
    subprocess.run(ask, check=True, capture_output=True)  # builds the demo graph, fills the file cache
    help_, langgraph, cold = _best(
        wanted.runs,
        [sys.executable, "-c", RUN, "--help"],
        [sys.executable, "-c", "import langgraph.graph"],
        ask,
    )
    print(f"clear-kgqa --help            {help_:6.2f} s   (bound 0.35)")
    print(f"import langgraph.graph       {langgraph:6.2f} s")
    print(f"ask, second cold process     {cold:6.2f} s   ({cold - langgraph:+.2f} s; bound +0.80)")
    print(f"ask, memory of all processes {_memory(ask):6.0f} MB  (bound 350)")
    if wanted.size:
        print(f"install without extras       {_install_size():6.0f} MB  (bound 250)")


def _best(runs: int, *commands: list[str]) -> list[float]:
    """Seconds of each command's fastest run; they take turns, so that a busy moment hits all alike."""
    times: list[list[float]] = [[] for _ in commands]
    for _ in range(runs):
        for command, taken in zip(commands, times, strict=True):
            begun = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            taken.append(time.perf_counter() - begun)
    return [min(taken) for taken in times]


def _memory(command: list[str]) -> float:
    """The highest sum of resident set sizes, over the process and all its descendants, in MB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        most = max(most, sum(map(_resident, [process.pid, *_descendants(process.pid)])))
        time.sleep(0.01)
    return most / 1024


def _descendants(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            children = [int(child) for child in (task / "children").read_text().split()]
        except OSError:
            continue  # ended meanwhile
        for child in children:
            found += [child, *_descendants(child)]
    return found


def _resident(pid: int) -> int:
    """Kilobytes; 0 for a process that has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")), 0)


def _install_size() -> float:
    """Megabytes that `pip install .` adds to an empty environment."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        before = _size(Path(folder))
        pip = [str(Path(folder, "bin", "pip")), "install", "-q", "--disable-pip-version-check", str(ROOT)]
        subprocess.run(pip, check=True, stdin=subprocess.DEVNULL)
        return _size(Path(folder)) - before


def _size(folder: Path) -> float:
    files = (Path(where, name) for where, _, names in os.walk(folder) for name in names)
    return sum(file.lstat().st_size for file in files) / 1e6


if __name__ == "__main__":
    main()
