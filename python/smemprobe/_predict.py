# SPDX-License-Identifier: MIT
"""The cost of one access."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from ctypes import Structure
from dataclasses import dataclass
from functools import cached_property

from . import _library as c
from ._library import ALL_LANES, LANES, Arch, SmemprobeError, lib


@dataclass(frozen=True)
class Group:
    """Lanes served together.

    lanes: lane numbers. ways: most distinct words in one bank. wavefronts: minimum and maximum.
    """

    lanes: tuple[int, ...]
    ways: int
    wavefronts_min: int
    wavefronts_max: int


@dataclass(frozen=True)
class Lane:
    """The place of a lane's first byte. offset: in bytes; row: a row has one word of each bank."""

    lane: int
    offset: int
    bank: int
    row: int
    group: int


@dataclass(frozen=True)
class Cell:
    """One bank in one wavefront. lanes: the lanes that it serves; empty if it is idle."""

    lanes: tuple[int, ...]
    row: int
    is_pair: bool


@dataclass(frozen=True)
class Wavefront:
    """One pass over the banks. is_first: the first pass of its group."""

    group: int
    is_first: bool
    cells: tuple[Cell, ...]


@dataclass(frozen=True, repr=False)
class Prediction:
    """The cost of one request (one instruction of one warp).

    Counts that do not apply, or for which no rule is known, are None; `note` then says why.
    offsets: in bytes, None for inactive lanes; for global operations, addresses.
    wavefronts_min and _max differ only if the hardware may choose (CC 1.x).
    transactions: 32-byte sectors from CC 3.x; bytes: the bytes that they move.
    """

    arch: Arch
    op: str
    width: int
    mask: int
    offsets: tuple[int | None, ...]
    evidence: str
    note: str | None
    active_lanes: int
    wavefronts_min: int | None
    wavefronts_max: int | None
    ideal: int | None
    excess: int | None
    ways: int | None
    transactions: int | None
    bytes: int | None
    groups: tuple[Group, ...]
    lanes: tuple[Lane, ...]

    @cached_property
    def bank_map(self) -> tuple[Wavefront, ...]:
        """The lanes that each bank serves in each wavefront; empty for memory without banks."""
        if not self.groups:
            return ()
        access = c.CAccess(op=c.find_op(self.op).op, width_bytes=self.width, active_mask=self.mask)
        for lane, offset in enumerate(self.offsets):
            access.offset_bytes[lane] = offset or 0
        counts = c.CCounts()
        lib.smp_predict(self.arch.pointer, access, counts)
        return _bank_map(self.arch, access, counts)

    @property
    def wavefronts(self) -> int | None:
        """The maximum number of wavefronts."""
        return self.wavefronts_max

    @property
    def is_free(self) -> bool | None:
        """True if no bank has to serve two words; None if unknown."""
        return None if self.excess is None else self.excess == 0

    def __str__(self) -> str:
        from ._show import sentence

        return sentence(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def svg(self) -> str:
        """The bank map as SVG: banks from left to right, wavefronts from top to bottom."""
        from ._show import bank_map_svg

        return bank_map_svg(self)

    def _repr_svg_(self) -> str | None:
        return self.svg() if self.bank_map else None

    def _repr_html_(self) -> str:
        from ._show import html

        return html(self)


def lanes_of(mask: int) -> tuple[int, ...]:
    """Numbers of the lanes of a mask."""
    return tuple(lane for lane in range(LANES) if mask >> lane & 1)


def _fill(
    values: Iterable[int | None], what: str, room: ctypes.Array[ctypes.c_uint32], limit: int
) -> tuple[tuple[int | None, ...], int]:
    """Copies 32 numbers into `room`; returns them and a mask of those that are not None."""
    if isinstance(values, str):
        raise SmemprobeError(f"{what} are numbers; layout() takes source text")
    lanes = tuple(values)
    if len(lanes) != LANES:
        raise SmemprobeError(
            f"{what}: {len(lanes)} numbers; a warp has {LANES} lanes (None: an inactive one)"
        )
    given = 0
    for lane, value in enumerate(lanes):
        if value is None:
            continue
        try:
            number = value.__index__()
        except (AttributeError, TypeError):  # np.ma.masked has an __index__ that raises
            raise SmemprobeError(
                f"{what}: lane {lane} has {value!r}, which is not a whole number of bytes",
                position=lane,
            ) from None
        if not 0 <= number < limit:
            raise SmemprobeError(
                f"{what}: lane {lane} has {number}; 0 to {limit - 1} is possible",
                "SMP_E_RANGE",
                position=lane,
            )
        room[lane] = number
        given |= 1 << lane
    return tuple(None if value is None else value.__index__() for value in lanes), given


def _bank_map(arch: Arch, access: Structure, counts: Structure) -> tuple[Wavefront, ...]:
    total = lib.smp_bank_map(arch.pointer, access, counts, None, 0)
    rows = (c.CMapRow * total)()
    lib.smp_bank_map(arch.pointer, access, counts, rows, total)
    return tuple(
        Wavefront(
            row.group,
            row.is_first,
            tuple(
                Cell(lanes_of(cell.lanes), cell.row, cell.is_pair)
                for cell in row.cells[: arch.banks]
            ),
        )
        for row in rows
    )


def _lanes(arch: Arch, access: Structure) -> tuple[Lane, ...]:
    room = (c.CLane * LANES)()
    if lib.smp_lanes(arch.pointer, access, room) != c.OK:
        return ()
    return tuple(
        Lane(i, at.offset_bytes, at.bank, at.row, at.group)
        for i, at in enumerate(room)
        if access.active_mask >> i & 1
    )


def from_access(
    arch: Arch, access: Structure, counts: Structure, offsets: tuple[int | None, ...]
) -> Prediction:
    """The Prediction of an access and its counts."""
    groups = tuple(
        Group(lanes_of(group.lanes), group.ways, group.wavefronts_min, group.wavefronts_max)
        for group in counts.groups[: counts.group_count]
    )
    return Prediction(
        arch=arch,
        op=c.op_name_tuple()[access.op],
        width=access.width_bytes,
        mask=access.active_mask,
        offsets=offsets,
        evidence=c.evidence_name(counts.evidence),
        note=counts.note.decode() if counts.note else None,
        active_lanes=counts.active_lanes,
        **c.figures(counts),
        groups=groups,
        lanes=_lanes(arch, access) if groups else (),
    )


SPACE_COPY, SPACE_GLOBAL = 1, 2


def predict(
    offsets: Iterable[int | None],
    width: int = 4,
    op: str = "ld.shared",
    arch: str | Arch = "sm_90",
    *,
    mask: int | None = None,
    addresses: Iterable[int | None] | None = None,
    bank_bytes: int | None = None,
) -> Prediction:
    """Predicts the cost of one access.

    offsets: 32 byte offsets into shared memory, one per lane, None for an inactive lane; for global
        operations, addresses.
    width: bytes per lane, 1, 2, 4, 8 or 16 (16 for matrix operations).
    mask: lane mask (bit l is lane l); default: the lanes with an offset.
    addresses: 32 source addresses, for "cp.async" only.

    Raises SmemprobeError for an access that the hardware would not execute.

    >>> stride = predict([lane * 33 * 4 for lane in range(32)])
    >>> stride.wavefronts, stride.ways, stride.excess
    (1, 1, 0)
    >>> print(predict([lane * 32 * 4 for lane in range(32)]))
    ld.shared on sm_90: 32-way bank conflict, 32 wavefronts, ideal 1, excess 31
    >>> predict([2] * 32)
    Traceback (most recent call last):
    ...
    smemprobe.SmemprobeError: lane 0: offset 2 is not a multiple of the width of 4 bytes
    """
    found = c.find_arch(arch, bank_bytes)
    row = c.find_op(op)
    access = c.CAccess(op=row.op, width_bytes=width)
    is_global = row.space == SPACE_GLOBAL
    room = access.address_bytes if is_global else access.offset_bytes
    lanes, given = _fill(offsets, "offsets", room, 1 << (64 if is_global else 32))
    access.active_mask = given if mask is None else mask
    if access.active_mask & ~given & ALL_LANES:
        lane = lanes_of(access.active_mask & ~given)[0]
        raise SmemprobeError(f"lane {lane} is active in the mask, but has no offset", position=lane)
    if row.space == SPACE_COPY:
        if addresses is None:
            raise SmemprobeError(f"{row.name.decode()} also needs addresses=, its source addresses")
        _, given = _fill(addresses, "addresses", access.address_bytes, 1 << 64)
        if access.active_mask & ~given:
            lane = lanes_of(access.active_mask & ~given)[0]
            raise SmemprobeError(f"lane {lane} is active, but has no address", position=lane)
    elif addresses is not None:
        raise SmemprobeError(f"addresses= is for copies only, not for {row.name.decode()}")
    counts = c.CCounts()
    status = lib.smp_predict(found.pointer, access, counts)
    if status != c.OK and c.status_name(status) != "SMP_E_NOT_MODELLED":
        error = c.CError()
        lib.smp_access_check(found.pointer, access, error)
        raise c.fail(status, error)
    active = tuple(
        value if access.active_mask >> lane & 1 else None for lane, value in enumerate(lanes)
    )
    return from_access(found, access, counts, active)
