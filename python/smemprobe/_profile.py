# SPDX-License-Identifier: MIT
"""Profiles: the cost of a program's accesses, and the findings in its kernels."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._findings import Finding, FindingError, findings_of
from ._library import SmemprobeError
from ._lines import Line, lines_of
from ._program import environment, program_path

if TYPE_CHECKING:
    import pandas as pd

Word = str | os.PathLike[str]


class GateError(SmemprobeError):
    """A line exceeds a limit of a gate, or the gate had nothing to check."""


@dataclass(frozen=True, repr=False)
class Profile:
    """The cost of what ran, by machine instruction, and the findings.

    data: the document of `smemprobe report --format json`. text: the report for people.
    messages: what the program printed on standard error. smprof: the profile file.
    status: exit status of the profiled program; 0 for files. is_own: made by this process, so lines of
        any source file may be shown; otherwise only of files below the current folder.

    print(profile) shows the report; a notebook shows the lines and findings.
    """

    data: dict[str, Any]
    text: str
    messages: str
    smprof: bytes = b""
    status: int = 0
    is_own: bool = False

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        # Numba's names hold its options: "kernel[abi:v1][abi:cw51...](Array<...>)".
        names = [re.sub(r"\[abi:.*", "", one["demangled"] or one["name"]) for one in self.data["kernels"]]
        errors, excess = sum(one.is_error for one in self.findings), self.total("excess")
        found = f"{excess:,} excess wavefronts, {errors} error{'' if errors == 1 else 's'}"
        return f"<{type(self).__name__} of {', '.join(names) or 'no kernel'}: {found}>"

    def _repr_html_(self) -> str:
        from ._show import profile_html

        return profile_html(self)

    @property
    def instructions(self) -> list[dict[str, Any]]:
        """Memory instructions of the kernels, in the order of the machine code."""
        return [one for kernel in self.data["kernels"] for one in kernel["instructions"]]

    def total(self, name: str) -> int:
        """Sum of a figure over the instructions that have it: "wavefronts", "excess", ..."""
        return sum(one[name] or 0 for one in self.instructions)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The cost of each source line, by excess."""
        return lines_of(self.data, self.is_own)

    def to_pandas(self) -> pd.DataFrame:
        """`lines` as a data frame, with missing values where not applicable."""
        import pandas as pd

        names = [name for name in Line.__dataclass_fields__]
        return pd.DataFrame([[getattr(one, name) for name in names] for one in self.lines], columns=names)

    @property
    def races(self) -> tuple[Finding, ...]:
        """The findings that are races; they are searched only with `races=True` or `--races`."""
        return tuple(one for one in self.findings if one.kind == "race")

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, errors first; equal ones of several runs are joined."""
        return findings_of(self.data)

    @property
    def ok(self) -> bool:
        """True if no finding is an error."""
        return not any(one.is_error for one in self.findings)

    def check(
        self,
        *,
        max_ways: int | None = None,
        max_excess: int | None = None,
        gate: Word | None = None,
    ) -> None:
        """Raises FindingError if a finding is an error, and GateError if a limit is exceeded.

        max_ways, max_excess: limits for the ways and excess wavefronts of a line. gate: a file
        of rules. A limit with nothing to check also raises GateError.
        """
        if not self.ok:
            raise FindingError(self.findings)
        words: list[Word] = []
        for name, value in (("--max-ways", max_ways), ("--max-excess", max_excess), ("--gate", gate)):
            words += [] if value is None else [name, str(value) if isinstance(value, int) else value]
        if words:
            done = _report(["-", "--format", "json", *words], self.smprof)
            if done.returncode != 0:
                raise GateError(done.stderr.decode(errors="replace").strip())

    def save(self, path: Word) -> None:
        """Writes the profile in the format of the file's ending: "r.smprof" for `smemprobe report` and
        `read_profile`, "r.html", "r.json", "r.csv", "r.md", "r.txt", "r.sarif". An existing file is
        replaced."""
        path = Path(path)
        if path.suffix in (".smprof", ""):
            path.write_bytes(self.smprof)
            return
        root = ["--source-root", "/"] if self.is_own else []
        done = _report(["-", "-o", path, "--force", *root], self.smprof)
        if done.returncode not in (0, 1):
            raise SmemprobeError(done.stderr.decode(errors="replace").strip())


def _report(
    words: Sequence[Word], given: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    command = [program_path(), "report", *(os.fspath(word) for word in words)]
    return subprocess.run(command, input=given, capture_output=True, check=False)


def load(path: Path, *, is_own: bool = True) -> tuple[dict[str, Any], str, bytes]:
    """Document, text and bytes of a profile file, even if it has findings.

    is_own: made by this process, so the text may show lines of any source file; otherwise only of
        files below the current folder.
    """
    shown = _report([path, "--format", "json"])
    if shown.returncode not in (0, 1):
        raise SmemprobeError(shown.stderr.decode(errors="replace").strip())
    root = ["--source-root", "/"] if is_own else []
    text = _report([path, *root]).stdout.decode(errors="replace")
    return json.loads(shown.stdout), text, path.read_bytes()


def _checked(profile: Profile, raises: bool) -> Profile:
    if raises:
        profile.check()
    return profile


def read_profile(
    *paths: Word, kernel: str | None = None, raise_on_finding: bool = False
) -> Profile:
    """Reads profile files (.smprof) and merges them; `kernel`: only kernels that match this pattern.

    raise_on_finding: raise FindingError if a kernel has a fault.
    """
    chosen = [] if kernel is None else ["--kernel", kernel]
    with tempfile.TemporaryDirectory(prefix="smemprobe-") as name:
        merged = Path(name) / "all.smprof"
        done = _report([*paths, *chosen, "-o", merged])
        if done.returncode not in (0, 1) or not merged.exists():
            raise SmemprobeError(done.stderr.decode(errors="replace").strip())
        data, text, smprof = load(merged, is_own=False)
        return _checked(Profile(data, text, "", smprof), raise_on_finding)


def profile(
    command: str | Sequence[Word],
    *,
    no_gpu: bool = False,
    races: bool = False,
    options: Sequence[str] = (),
    raise_on_finding: bool = False,
) -> Profile:
    """Runs a program under `smemprobe profile` and returns its profile.

    command: its words; a string is split as by a shell. The program keeps its input and output.
    no_gpu: run its kernels on the CPU. races: also look for races, with no_gpu.
    options: further options of `smemprobe profile`, such as ["--kernel", "sgemm"].
    raise_on_finding: raise FindingError if a kernel has a fault.
    """
    with tempfile.TemporaryDirectory(prefix="smemprobe-") as name:
        kept = Path(name) / "run.smprof"
        words = ["--no-gpu"] * no_gpu + ["--races"] * races
        command = shlex.split(command) if isinstance(command, str) else command
        ran = subprocess.run(
            [program_path(), "profile", *words, *options, "-o", os.fspath(kept), "--"]
            + [os.fspath(word) for word in command],
            check=False,
            env={**environment(), "SMP_READS_PROFILE": "1"},
        )
        if not kept.exists():
            raise SmemprobeError(f"profile ended with {ran.returncode} and left no profile")
        data, text, smprof = load(kept)
        done = Profile(data, text, "", smprof, ran.returncode, is_own=True)
        return _checked(done, raise_on_finding)
