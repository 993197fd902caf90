# SPDX-License-Identifier: MIT
"""Triton's linear layouts: which element is in each register of each lane, or at each offset.

Bit i of an input (register, lane, warp, or offset) XORs basis i into the element's row and
column. A register layout and a tile in shared memory together form an access, whose cost the library
predicts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._layout import LayoutCost, layout
from ._library import LANES, Arch, SmemprobeError
from ._tiles import VECTORS, Bases, Basis, Tile, bases_of, named_lists, order_of, size_of, xor

def _terms(index: str, numbers: Sequence[int]) -> list[str]:
    """An expression that XORs number i for each set bit i of `index`."""
    return [f"((({index}) >> {bit} & 1) * {number})" for bit, number in enumerate(numbers) if number]


def _taken(bases: Bases, index: int) -> Basis:
    """The element at input `index`."""
    row = column = 0
    for bit, basis in enumerate(bases):
        if index >> bit & 1:
            row, column = row ^ basis[0], column ^ basis[1]
    return row, column


@dataclass(frozen=True)
class Registers:
    """Elements of a tile in registers: Triton's linear and blocked layouts.

    >>> blocked = Registers.blocked((32, 32), (1, 4), (4, 8), (4, 1))
    >>> blocked.element(register=1, lane=9, warp=0)
    (1, 5)
    """

    register: Bases
    lane: Bases
    warp: Bases = ()

    def __post_init__(self) -> None:
        if len(self.lane) != 5:
            raise SmemprobeError(f"{len(self.lane)} bases for lanes; a warp has 5, one per bit")

    @staticmethod
    def blocked(
        shape: tuple[int, int],
        size_per_thread: Sequence[int],
        threads_per_warp: Sequence[int],
        warps_per_cta: Sequence[int],
        order: Sequence[int] = (1, 0),
    ) -> Registers:
        """Triton's blocked layout of a tile; a tile smaller than the layout is held in several copies."""
        first, second = order_of(order)
        at = [1, 1]
        found: list[list[Basis]] = [[], [], []]

        def take(into: int, dim: int, count: int) -> None:
            for _ in range(count.bit_length() - 1):
                step = at[dim] if at[dim] < shape[dim] else 0
                found[into].append((step, 0) if dim == 0 else (0, step))
                at[dim] *= 2

        for into, sizes in enumerate((size_per_thread, threads_per_warp, warps_per_cta)):
            for dim in (first, second):
                if sizes[dim] < 1 or sizes[dim] & (sizes[dim] - 1):
                    raise SmemprobeError(f"{tuple(sizes)}: powers of two")
                take(into, dim, sizes[dim])
        for dim in (first, second):  # the rest of the tile: more registers
            take(0, dim, max(1, shape[dim] // at[dim]))
        return Registers(*(tuple(one) for one in found))

    def element(self, register: int, lane: int, warp: int = 0) -> Basis:
        """Row and column of the element in a register of a lane."""
        out = (0, 0)
        for bases, index in ((self.register, register), (self.lane, lane), (self.warp, warp)):
            row, column = _taken(bases, index)
            out = out[0] ^ row, out[1] ^ column
        return out

    def indices(self, register: int) -> tuple[str, str]:
        """Row and column of the element in a register of each thread, as expressions."""
        fixed = _taken(self.register, register)
        threads = (*self.lane, *self.warp)
        row, column = (
            xor([*([str(fixed[i])] if fixed[i] else []), *_terms("threadIdx.x", [one[i] for one in threads])])
            for i in (0, 1)
        )
        return row, column

    def draw(self, rows: int = 8, columns: int = 8, warp: int = 0) -> str:
        """The lane that holds each element of the tile's corner; a dot: no lane of this warp.

        >>> print(Registers.blocked((32, 32), (1, 2), (8, 4), (4, 1)).draw(2, 8))
         0  0  1  1  2  2  3  3
         4  4  5  5  6  6  7  7
        """
        held: dict[Basis, int] = {}
        for register in range(1 << len(self.register)):
            for lane in range(LANES):
                held.setdefault(self.element(register, lane, warp), lane)
        return "\n".join(
            " ".join(f"{held.get((row, column), '.'):>2}" for column in range(columns))
            for row in range(rows)
        )


# ---- Accesses ----


@dataclass(frozen=True)
class TileAccess:
    """The cost of moving a whole tile between registers and shared memory.

    width: bytes per lane of each instruction. costs: each instruction over all warps. worst: the most
    expensive request, with its bank map. Counts are sums.
    """

    width: int
    costs: tuple[LayoutCost, ...]

    def _sum(self, name: str) -> int:
        return sum(getattr(one, name) or 0 for one in self.costs)

    @property
    def requests(self) -> int:
        return self._sum("requests")

    @property
    def wavefronts(self) -> int:
        return self._sum("wavefronts_max")

    @property
    def ideal(self) -> int:
        return self._sum("ideal")

    @property
    def excess(self) -> int:
        return self._sum("excess")

    @property
    def worst(self) -> LayoutCost:
        return max(self.costs, key=lambda one: one.ways or 0)

    @property
    def ways(self) -> int:
        return self.worst.ways or 0

    def __str__(self) -> str:
        return (
            f"{self.ways}-way, {self.requests} requests of {self.width} bytes per lane, "
            f"{self.wavefronts} wavefronts, ideal {self.ideal}"
        )

    def _repr_html_(self) -> str:
        return self.worst.worst._repr_html_()


def _groups(registers: Registers, tile: Tile, count: int) -> list[int]:
    """First registers of the vectors of `count` elements; empty if some lane's are not contiguous."""
    indices = range(1 << len(registers.register))
    if count == 1:
        return list(indices)
    places = {i: tile.offset_of(*registers.element(i, 0)) for i in indices}
    by_place = sorted(indices, key=lambda i: places[i])
    if len(by_place) % count:
        return []
    groups = [by_place[at : at + count] for at in range(0, len(by_place), count)]
    for lane in range(LANES):
        for warp in range(1 << len(registers.warp)):
            for group in groups:
                first, *rest = [tile.offset_of(*registers.element(i, lane, warp)) for i in group]
                if first % count or any(one != first + 1 + i for i, one in enumerate(rest)):
                    return []
    return [group[0] for group in groups]


def tile_access(
    registers: Any, tile: Any, op: str = "ld", arch: str | Arch | None = None, width: int | None = None
) -> TileAccess:
    """Predicts the cost of loading or storing a whole tile with Triton's layouts.

    registers: Registers, or an argument of registers_of; tile: a result of tile_layout. width: bytes
    per lane; default: the widest at which every lane's registers are contiguous.

    >>> from smemprobe import CuteLayout, SwizzledShared
    >>> rows = Registers.blocked((32, 32), (1, 1), (32, 1), (1, 4))
    >>> print(tile_access(rows, SwizzledShared((32, 32), 1, 1, 1)))
    32-way, 32 requests of 4 bytes per lane, 1024 wavefronts, ideal 32
    >>> tile_access(rows, SwizzledShared((32, 32), 1, 1, 32)).ways
    1
    >>> tile_access(rows, CuteLayout("Swizzle<5,0,5> o (32,32):(32,1)")).ways
    1
    """
    registers, size = registers_of(registers, getattr(tile, "shape", None)), size_of(tile.element)
    wanted = (width,) if width else tuple(one for one in sorted(VECTORS, reverse=True) if one >= size)
    for bytes_a_lane in wanted:
        groups = _groups(registers, tile, bytes_a_lane // size) if bytes_a_lane >= size else []
        if groups:
            break
    else:
        raise SmemprobeError(f"width={width}: the registers of a lane are not contiguous")
    lines = [tile.declaration("tile"), f"block {LANES << len(registers.warp)}"]
    for register in groups:
        at = tile.place("tile", *registers.indices(register))
        lines.append(f"{op} {at}" if bytes_a_lane == size else f"{op} *({VECTORS[bytes_a_lane]} *)&{at}")
    return TileAccess(bytes_a_lane, tuple(layout(*lines, arch=arch)))


# ---- Triton's syntax ----


def _numbers(text: str, name: str) -> list[int] | None:
    """The numbers in "name = [1, 4]"."""
    found = re.search(rf"\b{name}\s*=\s*\[([\d\s,]*)\]", text)
    return [int(word) for word in re.findall(r"\d+", found[1])] if found else None


def _rows(text: str, name: str) -> Bases:
    return bases_of(re.findall(r"\[\s*(\d+)\s*,\s*(\d+)\s*\]", named_lists(text, name)))


def registers_of(of: Any, shape: tuple[int, int] | None = None) -> Registers:
    """Triton's register layout: its text (#ttg.blocked<{...}>, #ttg.linear<{...}>), or Gluon's
    BlockedLayout or DistributedLinearLayout.

    shape: rows and columns, required for a blocked layout.

    >>> registers_of("#ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], "
    ...              "warp = [[8, 0]], block = []}>").element(1, 2)
    (0, 5)
    """
    if isinstance(of, Registers):
        return of
    if isinstance(of, str):
        if "#ttg.linear" in of:
            return Registers(*(_rows(of, name) for name in ("register", "lane", "warp")))
        sizes = [_numbers(of, name) for name in ("sizePerThread", "threadsPerWarp", "warpsPerCTA", "order")]
    elif hasattr(of, "lane_bases"):
        return Registers(bases_of(of.reg_bases), bases_of(of.lane_bases), bases_of(of.warp_bases))
    else:
        names = ("size_per_thread", "threads_per_warp", "warps_per_cta", "order")
        sizes = [getattr(of, name, None) for name in names]
    known = [one for one in sizes if one is not None]
    if len(known) < len(sizes):
        raise SmemprobeError(f"{of}: only Triton's blocked and linear register layouts are known")
    if shape is None:
        raise SmemprobeError("a blocked layout needs shape=, rows and columns in elements")
    return Registers.blocked(shape, *known)
