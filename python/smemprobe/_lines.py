# SPDX-License-Identifier: MIT
"""Source lines of a profile, with sums over their machine instructions."""

from __future__ import annotations

import linecache
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Line:
    """The cost of a source line in a kernel; None if not applicable or not modelled.

    source: text of the line, if the file can be read. requests: warp instructions that access memory.
    wavefronts, ideal, excess, ways: shared memory (ways: of the worst request). sectors,
    ideal_sectors, excess_sectors: global memory. not_modelled: requests without a rule.
    """

    file: str | None
    line: int | None
    source: str
    kernel: str
    ways: int | None
    excess: int | None
    wavefronts: int | None
    ideal: int | None
    excess_sectors: int | None
    sectors: int | None
    ideal_sectors: int | None
    requests: int
    not_modelled: int

    @property
    def place(self) -> str:
        """"kernel.py:12", or "?"."""
        return f"{Path(self.file).name}:{self.line}" if self.file else "?"

    def __str__(self) -> str:
        words = []
        if self.ways is not None:
            words.append("conflict-free" if self.excess == 0 else f"{self.ways}-way")
            words.append(f"{self.wavefronts:,} wavefronts, ideal {self.ideal:,}")
        if self.sectors is not None:
            words.append(f"{self.sectors:,} sectors, ideal {self.ideal_sectors:,}")
        if not words:
            words.append(f"{self.requests:,} requests, not modelled")
        return f"{self.place}: {', '.join(words)}" + (f"  {self.source}" if self.source else "")


def _sum(rows: Iterable[dict[str, Any]], name: str) -> int | None:
    known = [row[name] for row in rows if row[name] is not None]
    return sum(known) if known else None


def _minus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a - b


def _source(file: str | None, line: int | None, is_own: bool) -> str:
    """The line's text. For profiles made elsewhere, only files below the current folder are read, as by the program."""
    if file is None or line is None:
        return ""
    path = Path(file)
    if not is_own and not (path.is_file() and path.resolve().is_relative_to(Path.cwd().resolve())):
        return ""
    return linecache.getline(file, line).strip()  # also for notebook cells


def _line(kernel: str, rows: list[dict[str, Any]], is_own: bool) -> Line:
    file, line = rows[0]["file"], rows[0]["line"]
    ways = [row["ways"] for row in rows if row["ways"] is not None]
    sectors, ideal_sectors = _sum(rows, "sectors"), _sum(rows, "ideal_sectors")
    return Line(
        file=file,
        line=line,
        source=_source(file, line, is_own),
        kernel=kernel,
        ways=max(ways) if ways else None,
        excess=_sum(rows, "excess"),
        wavefronts=_sum(rows, "wavefronts"),
        ideal=_sum(rows, "ideal"),
        excess_sectors=_minus(sectors, ideal_sectors),
        sectors=sectors,
        ideal_sectors=ideal_sectors,
        requests=_sum(rows, "requests") or 0,
        not_modelled=sum(row["requests"] for row in rows if not row["modelled"]),
    )


def lines_of(data: dict[str, Any], is_own: bool) -> tuple[Line, ...]:
    """The lines of a `report` document, by the sum of excess wavefronts and sectors."""
    found: list[Line] = []
    for kernel in data["kernels"]:
        by_place: dict[tuple[str | None, int | None], list[dict[str, Any]]] = {}
        for one in kernel["instructions"]:
            by_place.setdefault((one["file"], one["line"]), []).append(one)
        name = kernel["demangled"] or kernel["name"]
        found += [_line(name, rows, is_own) for rows in by_place.values()]
    found.sort(key=lambda one: -((one.excess or 0) + (one.excess_sectors or 0)))
    return tuple(found)
