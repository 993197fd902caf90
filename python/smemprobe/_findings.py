# SPDX-License-Identifier: MIT
"""Faults of kernels: out-of-bounds accesses, races, barriers that some threads never reach."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from ._library import SmemprobeError

Triple = tuple[int, int, int]


@dataclass(frozen=True)
class FindingPlace:
    """Source line, machine instruction, and one thread of a fault; None if unknown.

    offset: byte offset of the instruction in its function.
    """

    file: str | None
    line: int | None
    offset: int | None
    instruction: str | None
    block: Triple | None
    thread: Triple | None

    def __str__(self) -> str:
        parts = [f"{self.file}:{self.line}"] if self.file else []
        if self.thread is not None:
            parts.append(f"thread {self.thread} of block {self.block}")
        if self.instruction is not None:
            parts.append(f"{self.offset:#x}: {self.instruction}")
        return ", ".join(parts)


@dataclass(frozen=True)
class Finding(FindingPlace):
    """A fault at a machine instruction.

    kind: "out of bounds", "freed memory", "misaligned", "uninitialised", "barrier", "endless loop",
        "order of blocks", "trap", "assertion", "not understood", "race".
    severity: "error", or "note" if it may be intended.
    kernel: mangled name. address: global address, or byte offset in shared or local memory.
    array: name of the array, if known. count: number of occurrences.
    For a race, missing: the synchronization that would order the accesses; other: the other access.
    """

    kind: str
    severity: Literal["error", "note"]
    message: str
    kernel: str
    address: int | None
    array: str | None
    count: int
    missing: str | None
    other: FindingPlace | None

    @property
    def is_error(self) -> bool:
        return self.severity == "error"

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file else ""
        return f"{place}{'' if self.is_error else 'note: '}{self.kind}: {self.message}"


class FindingError(SmemprobeError):
    """Raised on request if a kernel has a fault; `findings` holds all findings."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(one) for one in self.findings if one.is_error))


def _triple(value: list[int] | None) -> Triple | None:
    return None if value is None else (value[0], value[1], value[2])


def _place(data: dict[str, Any]) -> dict[str, Any]:
    instruction = data["instruction"] or {"offset": None, "text": None}
    return {
        "file": data["file"],
        "line": data["line"],
        "offset": instruction["offset"],
        "instruction": instruction["text"],
        "block": _triple(data["block"]),
        "thread": _triple(data["thread"]),
    }


def findings_of(document: dict[str, Any]) -> tuple[Finding, ...]:
    """The findings of a `report` document, errors first."""
    own = ("kind", "severity", "message", "kernel", "address", "array", "count", "missing")
    return tuple(
        Finding(
            **_place(one),
            **{name: one[name] for name in own},
            other=None if one["other"] is None else FindingPlace(**_place(one["other"])),
        )
        for one in document["findings"]
    )
