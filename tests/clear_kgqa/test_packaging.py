"""What is installed: declared dependencies, light extras, and a Makefile that explains itself."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES: list[str] = CONFIG["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
OURS = {Path(package).name for package in PACKAGES}


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    project: dict[str, Any] = CONFIG["project"]
    return project


def names(requirements: list[str]) -> set[str]:
    """The distribution names of requirements, as PyPI normalises them."""
    return {normalised(re.split(r"[\s\[<>=!~;]", requirement)[0]) for requirement in requirements}


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imports(file: Path) -> set[str]:
    """The top-level names of the packages that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def test_whatever_is_imported_is_declared(project: dict[str, Any]) -> None:
    declared = names(project["dependencies"])
    for requirements in project["optional-dependencies"].values():
        declared |= names(requirements)
    distributions = packages_distributions()
    used = {name for package in PACKAGES for file in (ROOT / package).rglob("*.py") for name in imports(file)}
    foreign = used - OURS - set(sys.stdlib_module_names)
    undeclared = {name for name in foreign if not declared & {normalised(d) for d in distributions.get(name, [name])}}
    assert not undeclared


def test_the_light_extras_bring_no_torch(project: dict[str, Any]) -> None:
    extras = project["optional-dependencies"]
    light = names(project["dependencies"] + extras["offline"] + extras["demo"])
    assert not light & {"torch", "transformers", "sentence-transformers", "textual"}


def test_the_command_exists(project: dict[str, Any]) -> None:
    module, _, function = project["scripts"]["clear-kgqa"].partition(":")
    assert callable(getattr(import_module(module), function))


def test_every_package_is_typed_and_in_the_wheel() -> None:
    for package in PACKAGES:
        assert (ROOT / package / "py.typed").is_file()
        assert (ROOT / package / "__init__.py").is_file()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with the Makefile alone, and a python3 without the packages that Debian splits off."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    python = tmp_path / "python3"
    python.write_text(f'#!/bin/sh\ncase "$*" in *ensurepip*) exit 1;; esac\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return tmp_path


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
def test_make_names_the_package_that_is_missing(clone: Path) -> None:
    done = subprocess.run(
        ["make", "chat", f"PYTHON={clone / 'python3'}"],
        cwd=clone,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    told = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert told == [
        f"Python's venv is missing: apt-get install python3.{sys.version_info.minor}-venv",
    ]
    assert done.returncode == 2
    assert not (clone / ".venv").exists()


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
@pytest.mark.parametrize("fails", [False, True])
def test_make_shows_what_is_being_installed(clone: Path, fails: bool) -> None:
    said = ["Obtaining file", "Installing build dependencies", *(f"Collecting p{n}>=1" for n in range(1, 23))]
    said += ["Installing collected packages: p1, p2"] * (not fails)
    told = "".join(f"echo '{line}'\n" for line in said)
    for name, script in (("pip", ""), ("python", f"{told}exit {int(fails)}\n"), ("clear-kgqa", "echo asked\n")):
        file = clone / ".venv" / "bin" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}")
        file.chmod(0o755)
    alone = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}  # `make test` runs this too
    done = subprocess.run(
        ["make", "chat"], cwd=clone, capture_output=True, text=True, timeout=60, check=False, env=alone
    )
    steps = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    shown = ["  package 20: p20>=1", "  writing the packages, without a word for up to a minute"]
    assert steps[1:] == shown[: 2 - fails]
    assert (done.returncode, done.stdout) == ((2, "") if fails else (0, "asked\n"))
    assert (clone / ".venv" / "demo,tui.stamp").exists() is not fails
