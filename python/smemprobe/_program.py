# SPDX-License-Identifier: MIT
"""The program in the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def program_path() -> str:
    """Path of the program: SMEMPROBE_PROGRAM, else the one in the package, else the one in PATH."""
    named = os.environ.get("SMEMPROBE_PROGRAM")
    if named:
        return named
    beside = Path(__file__).parent / "bin" / "smemprobe"
    if beside.exists():
        return str(beside)
    found = shutil.which("smemprobe")
    if not found:
        raise FileNotFoundError(
            "smemprobe: the program is neither in the package nor in PATH; "
            "set SMEMPROBE_PROGRAM to its path"
        )
    return found


def environment() -> dict[str, str]:
    """This process's environment, with the folders of its packages, where the wheels of Triton and NVIDIA
    install their tools."""
    ends = ("site-packages", "dist-packages")
    folders = [path for path in sys.path if os.path.isabs(path) and path.endswith(ends)]
    return {**os.environ, "SMEMPROBE_SITE": os.pathsep.join(folders)}


def run(
    arguments: Sequence[str | os.PathLike[str]],
    *,
    input: str | None = None,
    cwd: str | os.PathLike[str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs the program and returns its output and exit status, even if that is not 0.

    >>> run(["--stride", "33", "--format", "csv"]).returncode
    0
    """
    return subprocess.run(
        [program_path(), *[os.fspath(word) for word in arguments]],
        input=input,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
