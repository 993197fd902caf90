# SPDX-License-Identifier: MIT
"""Runs, compares and ranks candidates of a kernel without a GPU."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from ._findings import Finding, findings_of
from ._library import Arch, SmemprobeError, find_arch
from ._program import run

if TYPE_CHECKING:
    import pandas as pd

Verdict = Literal[
    "ok", "differs", "finding", "not compiled", "not run", "time", "memory", "crashed"
]
_FIGURES = (
    "cost", "ways", "excess", "wavefronts", "ideal", "sectors", "ideal_sectors", "instructions",
    "registers", "shared_bytes", "local_bytes", "resident_blocks", "races",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class Candidate:
    """The verdict on one candidate; figures are None if it did not run.

    verdict: "ok", or the kind of failure; why: its message. cost: cycles of the busiest units of one
    multiprocessor; it is no time, but ranks candidates whose grids fill the GPU. ways, excess, wavefronts, ideal: shared
    memory; sectors: global memory; instructions: warp instructions; registers: per thread; shared_bytes:
    per block; resident_blocks: per multiprocessor; races: None unless requested.
    results: comparison with the reference: "equal", "differ", "unwritten",
    "max_error", "tolerance", "first"; None without a reference. data: the whole document.
    """

    name: str
    verdict: Verdict
    why: str | None
    compiled: bool
    cost: float | None
    ways: int | None
    excess: int | None
    wavefronts: int | None
    ideal: int | None
    sectors: int | None
    ideal_sectors: int | None
    instructions: int | None
    registers: int | None
    shared_bytes: int | None
    local_bytes: int | None
    resident_blocks: int | None
    races: int | None
    results: Mapping[str, Any] | None
    data: dict[str, Any] = field(compare=False)

    @property
    def ok(self) -> bool:
        return self.verdict == "ok"

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        return findings_of(self.data)

    def __str__(self) -> str:
        if not self.ok:
            return f"{self.name}: {self.verdict}: {self.why}"
        ways = "" if not self.ways else "conflict-free, " if not self.excess else f"{self.ways}-way, "
        return (
            f"{self.name}: cost {self.cost:,.0f}, {ways}{self.wavefronts:,} wavefronts, "
            f"{self.sectors:,} sectors, {self.instructions:,} instructions"
        )

    def __repr__(self) -> str:
        return f"<Candidate {self}>"


def _rank(one: Candidate) -> tuple[bool, bool, float]:
    return (not one.ok, one.cost is None, one.cost or 0.0)


class Judgement(Sequence[Candidate]):
    """Candidates, best first: correct ones by cost, then incorrect ones."""

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        self._candidates = tuple(sorted(candidates, key=_rank))

    @overload
    def __getitem__(self, index: int) -> Candidate: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Candidate]: ...
    def __getitem__(self, index: int | slice) -> Candidate | Sequence[Candidate]:
        return self._candidates[index]

    def __len__(self) -> int:
        return len(self._candidates)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._candidates)

    @property
    def best(self) -> Candidate | None:
        """The cheapest correct candidate, or None."""
        return self[0] if self and self[0].ok else None

    def named(self, name: str) -> Candidate:
        for one in self:
            if one.name == name:
                return one
        raise KeyError(name)

    def __str__(self) -> str:
        return "\n".join(f"{i:3}  {one}" for i, one in enumerate(self, 1))

    def __repr__(self) -> str:
        right = sum(one.ok for one in self)
        best = f", best: {self.best.name}" if self.best else ""
        return f"<{type(self).__name__} of {len(self)}: {right} right{best}>"

    def _repr_html_(self) -> str:
        names = ("name", "verdict", *_FIGURES[:9])
        head = "".join(f"<th>{name}</th>" for name in names)
        rows = []
        for one in self:
            values = [getattr(one, name) for name in names]
            cells = [f"{value:,.0f}" if isinstance(value, (int, float)) else escape(str(value or "")) for value in values]
            title = f' title="{escape(one.why)}"' if one.why else ""
            rows.append(f"<tr{title}>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"

    def to_pandas(self) -> pd.DataFrame:
        """One row per candidate, best first."""
        import pandas as pd

        names = ["name", "verdict", "why", *_FIGURES]
        return pd.DataFrame([[getattr(one, name) for name in names] for one in self], columns=names)


def _candidate(data: dict[str, Any]) -> Candidate:
    return Candidate(
        name=data["candidate"],
        verdict=data["verdict"],
        why=data["why"],
        compiled=data["compiled"],
        results=data["results"],
        data=data,
        **{name: data[name] for name in _FIGURES},
    )


# ---- Input ----

Source = str | os.PathLike[str] | Mapping[str, Any]


def _line(given: Source, name: str, folder: Path) -> dict[str, Any]:
    """A line of the program's input. A text of several lines is source code, not a file name."""
    out: dict[str, Any] = dict(given) if isinstance(given, Mapping) else {}
    if not isinstance(given, Mapping):
        is_text = isinstance(given, str) and "\n" in given
        out = {"source" if is_text else "file": given}
    known = {"name", "file", "source", "launch", "flags"}
    unknown = sorted(set(out) - known)
    if unknown or ("file" in out) == ("source" in out):
        wrong = f"'{unknown[0]}' is not one of {', '.join(sorted(known))}" if unknown else "file or source is needed"
        raise SmemprobeError(f"{name}: {wrong}")
    if "source" in out:
        path = folder / f"{name.replace(' ', '_').replace('/', '_')}.cu"
        path.write_text(out.pop("source"))
        out = {"name": name, **out, "file": os.fspath(path)}
    out.setdefault("name", os.fspath(out["file"]))
    out["file"] = os.path.abspath(out["file"])
    return {**out, "flags": list(out.get("flags", ()))}


def judge_lines(lines: Iterable[Mapping[str, Any]], words: Sequence[str], folder: str) -> Judgement:
    """Runs the program on lines of its input; files in `folder` are named without it in the answer."""
    text = "\n".join(json.dumps(line) for line in lines)
    ran = run(["judge", "-", *words], input=text)
    if ran.returncode not in (0, 1):
        raise SmemprobeError(ran.stderr.replace(f"{folder}/", "").strip() or f"judge ended with {ran.returncode}")
    return Judgement(_candidate(json.loads(line.replace(f"{folder}/", ""))) for line in ran.stdout.splitlines())


def limits(arch: str | Arch, races: bool, seconds: float, memory_mib: int, jobs: int | None) -> list[str]:
    """Command-line options of the limits."""
    words = ["--arch", find_arch(arch).name, "--time", str(max(1, round(seconds)))]
    words += ["--max-memory", str(memory_mib)]
    words += ["--races"] if races else []
    return words + ([] if jobs is None else ["--jobs", str(jobs)])


def judge(
    candidates: Iterable[Source],
    *,
    reference: Source | None = None,
    launch: str | None = None,
    define: Mapping[str, int] | None = None,
    tolerance: float | None = None,
    arch: str | Arch = "sm_90",
    races: bool = False,
    flags: Sequence[str] = (),
    seconds: float = 60,
    memory_mib: int = 4096,
    jobs: int | None = None,
) -> Judgement:
    """Compiles and runs versions of a kernel on the CPU, and ranks them. No GPU is needed.

    candidates: files (.cu, .ptx, .cubin), source texts (of several lines), or mappings with "file" or
        "source", and optionally "name", "launch", "flags". Only their device code runs.
    reference: a version whose results are correct. tolerance: how much floating-point results may
        differ from them, relative; default: by type (float: 1e-5).
    launch: "kernel<<<grid, block>>>(arguments)" for candidates without their own; by default the launch
        in their text, with `define` for names that it does not set: {"n": 128}.
    arch: "sm_90", "A100", "hopper". races: also look for races. flags: options of nvcc
        for all candidates.
    seconds, memory_mib: limits per candidate. jobs: candidates at once; default: one per core.
    """
    if isinstance(candidates, (str, Path, Mapping)):
        raise SmemprobeError("judge: candidates are a list, also of one")
    words = limits(arch, races, seconds, memory_mib, jobs)
    words += [] if launch is None else ["--launch", launch]
    words += [] if tolerance is None else ["--tolerance", repr(float(tolerance))]
    for name, value in (define or {}).items():
        words += ["--define", f"{name}={int(value)}"]
    with tempfile.TemporaryDirectory(prefix="smemprobe-") as name:
        folder = Path(name)
        lines = []
        if reference is not None:
            lines.append({**_line(reference, "reference", folder), "reference": True})
        for i, one in enumerate(candidates, 1):
            called = str(one.get("name", f"candidate {i}")) if isinstance(one, Mapping) else f"candidate {i}"
            lines.append(_line(one, called, folder))
        if len(lines) == (reference is not None):
            raise SmemprobeError("judge: no candidates")
        return judge_lines(lines, [*words, *(["--", *flags] if flags else [])], name)
