# SPDX-License-Identifier: MIT
"""Layouts of tiles in the notation of CuTe and Triton, and the cost of accesses to them.

Each becomes a declaration and index expressions of the layout language, whose cost the library
predicts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from ._layout import LayoutCost, layout
from ._library import Arch, SmemprobeError

VECTORS = {1: "char", 2: "half", 4: "float", 8: "float2", 16: "float4"}
_BYTES = {"int8": 1, "char": 1, "half": 2, "bf16": 2, "float": 4, "int": 4, "double": 8}


class Tile:
    """A tile of rows and columns in shared memory."""

    element: str

    def declaration(self, name: str) -> str:
        """The tile's declaration in the layout language."""
        raise NotImplementedError

    def place(self, name: str, row: str, column: str) -> str:
        """Element (row, column) as an expression of the layout language."""
        raise NotImplementedError

    def offset_of(self, row: int, column: int) -> int:
        """Offset of element (row, column), in elements."""
        raise NotImplementedError

    def draw(self, rows: int = 8, columns: int = 32) -> str:
        """The bank where each element of the tile's corner begins."""
        size = size_of(self.element)
        return "\n".join(
            " ".join(f"{self.offset_of(row, column) * size // 4 % 32:2}" for column in range(columns))
            for row in range(rows)
        )

    def cost(
        self,
        row: str,
        column: str,
        *surroundings: str,
        op: str = "ld",
        width: int | None = None,
        arch: str | Arch | None = None,
    ) -> LayoutCost:
        """Predicts the cost of accessing element (row, column).

        row, column: expressions of threadIdx and of names in surroundings.
        surroundings: lines of the layout language ("block 32x8", "for k = 0:64:8").
        width: bytes per lane, for vector accesses that begin at the element; default: the element.
        """
        at = self.place("tile", row, column)
        if width is not None and width != size_of(self.element):
            if width not in VECTORS:
                raise SmemprobeError(f"width={width}: must be 1, 2, 4, 8 or 16 bytes per lane")
            at = f"*({VECTORS[width]} *)&{at}"
        lines = (self.declaration("tile"), *surroundings, f"{op} {at}")
        return layout(*lines, arch=arch)[-1]


def size_of(element: str) -> int:
    if element not in _BYTES:
        raise SmemprobeError(f"element='{element}'; there are: {', '.join(_BYTES)}")
    return _BYTES[element]


def type_of(element: str) -> str:
    size_of(element)
    return {"int8": "char", "bf16": "half"}.get(element, element)


@dataclass(frozen=True)
class CuteLayout(Tile):
    """A CuTe layout by its text, in elements: "(32,32):(32,1)", "Swizzle<3,3,3> o (64,64):(64,1)".

    >>> CuteLayout("(32,32):(32,1)").cost("threadIdx.x", "0").ways
    32
    >>> tile = CuteLayout("Swizzle<5,0,5> o (32,32):(32,1)")
    >>> tile.cost("threadIdx.x", "0").ways
    1
    >>> print(tile.draw(2, 4))
     0  1  2  3
     1  0  3  2
    """

    text: str
    element: str = "float"

    def declaration(self, name: str) -> str:
        return f"shared {type_of(self.element)} {name} : {self.text}"

    def place(self, name: str, row: str, column: str) -> str:
        return f"{name}[{row}][{column}]"

    def offset_of(self, row: int, column: int) -> int:
        return _cute_offset(self, row, column)


@cache
def _cute_offset(tile: CuteLayout, row: int, column: int) -> int:
    """As the library reads the text."""
    at = tile.place("tile", str(row), str(column))
    (cost,) = layout(tile.declaration("tile"), f"ld {at}")
    return next(one for one in cost.worst.offsets if one is not None) // size_of(tile.element)


def _whole(value: int, what: str) -> int:
    if not isinstance(value, int) or value < 1:
        raise SmemprobeError(f"{what}={value}: must be a whole number from 1")
    return value


@dataclass(frozen=True)
class SwizzledShared(Tile):
    """Triton's swizzled_shared: the index of each group of `vec` elements is XORed with a phase of the row.

    Element (r, c) of the order (1, 0) lies at r * columns + ((c / vec) ^ (r / per_phase % max_phase))
    * vec + c % vec; for the order (0, 1), rows and columns are exchanged.

    shape: rows, columns, in elements; order: the fastest dimension first, as in Triton.

    >>> plain = SwizzledShared((64, 64), 1, 1, 1, element="half")
    >>> plain.cost("threadIdx.x % 8", "threadIdx.x / 8 * 8", width=16).ways
    8
    >>> swizzled = SwizzledShared((64, 64), vec=8, per_phase=1, max_phase=8, element="half")
    >>> swizzled.cost("threadIdx.x % 8", "threadIdx.x / 8 * 8", width=16).ways
    1
    """

    shape: tuple[int, int]
    vec: int
    per_phase: int
    max_phase: int
    order: tuple[int, int] = (1, 0)
    element: str = "float"

    def __post_init__(self) -> None:
        for name in ("vec", "per_phase", "max_phase"):
            _whole(getattr(self, name), name)
        _check_shape(self.shape, self.order)
        if self.vec * self.max_phase > self.shape[self.order[0]]:
            raise SmemprobeError(
                f"vec {self.vec} x max_phase {self.max_phase} is more than the "
                f"{self.shape[self.order[0]]} elements of the fastest dimension"
            )

    def declaration(self, name: str) -> str:
        fast, slow = self.order
        return f"shared {type_of(self.element)} {name}[{self.shape[slow]}][{self.shape[fast]}]"

    def place(self, name: str, row: str, column: str) -> str:
        index = (f"({row})", f"({column})")
        fast, slow = index[self.order[0]], index[self.order[1]]
        phase = f"({slow} / {self.per_phase} % {self.max_phase})"
        return f"{name}[{slow}][(({fast} / {self.vec}) ^ {phase}) * {self.vec} + {fast} % {self.vec}]"

    def offset_of(self, row: int, column: int) -> int:
        index = (row, column)
        fast, slow = index[self.order[0]], index[self.order[1]]
        moved = (fast // self.vec ^ slow // self.per_phase % self.max_phase) * self.vec
        return slow * self.shape[self.order[0]] + moved + fast % self.vec


@dataclass(frozen=True)
class PaddedShared(Tile):
    """Triton's padded_shared: for each pair of pads, `padding` elements after every `interval`.

    >>> PaddedShared((32, 32), pads=((32, 1),)).cost("threadIdx.x", "0").ways
    1
    """

    shape: tuple[int, int]
    pads: tuple[tuple[int, int], ...]
    order: tuple[int, int] = (1, 0)
    element: str = "float"

    def __post_init__(self) -> None:
        for interval, padding in self.pads:
            _whole(interval, "interval"), _whole(padding, "padding")
        _check_shape(self.shape, self.order)

    def declaration(self, name: str) -> str:
        last = self.shape[0] * self.shape[1] - 1
        count = last + 1 + sum(last // interval * padding for interval, padding in self.pads)
        return f"shared {type_of(self.element)} {name}[{count}]"

    def place(self, name: str, row: str, column: str) -> str:
        index = (f"({row})", f"({column})")
        fast, slow = self.order
        plain = f"({index[slow]} * {self.shape[fast]} + {index[fast]})"
        pads = "".join(f" + {plain} / {interval} * {padding}" for interval, padding in self.pads)
        return f"{name}[{plain}{pads}]"

    def offset_of(self, row: int, column: int) -> int:
        index = (row, column)
        plain = index[self.order[1]] * self.shape[self.order[0]] + index[self.order[0]]
        return plain + sum(plain // interval * padding for interval, padding in self.pads)


def order_of(order: Any) -> tuple[int, int]:
    """Checks Triton's order: the fastest dimension first."""
    first, second = order
    if sorted((first, second)) != [0, 1]:
        raise SmemprobeError(f"order {tuple(order)}: must have two dimensions")
    return first, second


def _check_shape(shape: tuple[int, int], order: tuple[int, int]) -> None:
    if len(shape) != 2 or sorted(order) != [0, 1]:
        raise SmemprobeError(f"shape {shape}, order {order}: only tiles of two dimensions are known")
    _whole(shape[0], "rows"), _whole(shape[1], "columns")


# ---- Linear layouts: bit i of an offset XORs basis i into the row and the column ----

Basis = tuple[int, int]
Bases = tuple[Basis, ...]


def bases_of(of: Any) -> Bases:
    out = tuple((int(row), int(column)) for row, column in of)
    if any(row < 0 or column < 0 for row, column in out):
        raise SmemprobeError(f"bases {out}: rows and columns must be from 0")
    return out


def xor(words: list[str]) -> str:
    return " ^ ".join(words) if words else "0"


@dataclass(frozen=True)
class SharedLinear(Tile):
    """Triton's shared_linear: bit i of an element's offset XORs a basis into its row and column.

    >>> tile = SharedLinear(((0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (1, 1), (2, 2), (4, 4), (8, 8), (16, 16)))
    >>> tile.cost("threadIdx.x", "0").ways
    1
    >>> tile.offset_of(1, 1)
    32
    """

    offset: Bases
    element: str = "float"

    def __post_init__(self) -> None:
        size_of(self.element)
        self._offsets()

    def _offsets(self) -> dict[Basis, int]:
        """The offset that each bit of the row (0, bit) and of the column (1, bit) contributes."""
        solved: dict[int, tuple[int, int]] = {}  # by highest bit: element, offset
        for bit, (row, column) in enumerate(self.offset):
            word, offset = row << 32 | column, 1 << bit
            for top, (other, from_other) in solved.items():
                if word >> top & 1:
                    word, offset = word ^ other, offset ^ from_other
            if word == 0:
                raise SmemprobeError(f"bases {self.offset}: two offsets have the same element")
            new = word.bit_length() - 1
            for top, (other, from_other) in solved.items():
                if other >> new & 1:
                    solved[top] = other ^ word, from_other ^ offset
            solved[new] = word, offset
        if any(word != 1 << top for top, (word, _) in solved.items()):
            raise SmemprobeError(f"bases {self.offset}: some elements of the tile have no offset")
        return {(0 if top >= 32 else 1, top % 32): offset for top, (_, offset) in solved.items()}

    def declaration(self, name: str) -> str:
        return f"shared {type_of(self.element)} {name}[{1 << len(self.offset)}]"

    def place(self, name: str, row: str, column: str) -> str:
        words = [
            f"((({(row, column)[dim]}) >> {bit} & 1) * {offset})"
            for (dim, bit), offset in sorted(self._offsets().items())
        ]
        return f"{name}[{xor(words)}]"

    def offset_of(self, row: int, column: int) -> int:
        out = 0
        for (dim, bit), offset in self._offsets().items():
            out ^= offset if (row, column)[dim] >> bit & 1 else 0
        return out


def _nvmma(
    shape: tuple[int, int], swizzle_bytes: int, element_bits: int, transposed: bool, element: str
) -> SwizzledShared:
    """The layout for tensor cores and TMA: swizzled 16-byte chunks in rows of at most 128 bytes."""
    if element_bits != 8 * size_of(element):
        raise SmemprobeError(f"the layout has elements of {element_bits} bits, but element='{element}'")
    order = (0, 1) if transposed else (1, 0)
    row_bytes = shape[order[0]] * element_bits // 8
    if swizzle_bytes not in (0, 32, 64, 128):
        raise SmemprobeError(f"swizzlingByteWidth {swizzle_bytes}: must be 0, 32, 64 or 128")
    if swizzle_bytes and row_bytes != swizzle_bytes:
        raise SmemprobeError(
            f"rows of {row_bytes} bytes in pieces of {swizzle_bytes}: only rows of one piece are known"
        )
    if swizzle_bytes == 0:
        return SwizzledShared(shape, 1, 1, 1, order, element)
    vec = 128 // element_bits
    return SwizzledShared(shape, vec, 128 // swizzle_bytes, swizzle_bytes // 16, order, element)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in re.findall(r"-?\d+", text))


def named_lists(text: str, name: str) -> str:
    """The pairs in "name = [[...], ...]"."""
    found = re.search(rf"\b{name}\s*=\s*\[((?:\s*\[[^\[\]]*\]\s*,?)*)\s*\]", text)
    return found[1] if found else ""


def _padded_order(bases: Bases, shape: tuple[int, int]) -> tuple[int, int]:
    """The order of a padded layout by its bases; one that also remaps elements is refused."""
    down, across = ([1 << bit for bit in range(size.bit_length() - 1)] for size in shape)
    rows, columns = [(size, 0) for size in down], [(0, size) for size in across]
    if list(bases) == columns + rows:
        return 1, 0
    if list(bases) == rows + columns:
        return 0, 1
    raise SmemprobeError(f"padded_shared of {shape[0]} x {shape[1]} with offset bases {list(bases)}: only tiles in order are known")


def _of_text(text: str, shape: tuple[int, int] | None, element: str) -> Tile:
    match = re.search(r"#ttg\.(\w+)<\{?(.*?)\}?>\s*$", text.strip(), re.DOTALL)
    if not match:
        return CuteLayout(text, element)
    kind, body = match.groups()
    named = dict(re.findall(r"(\w+)\s*=\s*(\[[^\]]*\]|\w+)", body))
    if shape is None and "shape" in named:
        rows, columns = _numbers(named["shape"])
        shape = rows, columns
    if shape is None and kind != "shared_linear":
        raise SmemprobeError(f"{text}: shape= is needed, rows and columns in elements")
    shape = shape or (1, 1)
    rows_of = re.findall(r"\[\s*(\d+)\s*,\s*(\d+)\s*\]", named_lists(body, "offset"))
    try:
        if kind == "swizzled_shared":
            first, second = _numbers(named["order"])
            vec, per, most = (int(named[key]) for key in ("vec", "perPhase", "maxPhase"))
            return SwizzledShared(shape, vec, per, most, (first, second), element)
        if kind == "padded_shared":
            pads = re.findall(r"(\d+):\+(\d+)", body)
            first, second = _padded_order(bases_of(rows_of), shape) if rows_of else _numbers(named.get("order", "[1, 0]"))
            return PaddedShared(shape, tuple((int(i), int(p)) for i, p in pads), (first, second), element)
        if kind == "shared_linear":
            return SharedLinear(bases_of(rows_of), element)
        if kind == "nvmma_shared":
            wide, bits = int(named["swizzlingByteWidth"]), int(named["elementBitWidth"])
            return _nvmma(shape, wide, bits, named.get("transposed") == "true", element)
    except (KeyError, ValueError) as error:
        if isinstance(error, SmemprobeError):
            raise
        raise SmemprobeError(f"{text}: {error} is missing or invalid") from None
    raise SmemprobeError(
        f"{kind}: only Triton's swizzled_shared, padded_shared, nvmma_shared and shared_linear are known"
    )


def tile_layout(of: Any, shape: tuple[int, int] | None = None, element: str = "float") -> Tile:
    """Makes a tile from a layout of CuTe or Triton.

    of: CuTe's text; Triton's text in its IR (#ttg.swizzled_shared<{...}>, padded_shared,
        nvmma_shared, shared_linear); or an object of Triton (Gluon) with the same fields:
        SwizzledSharedLayout, PaddedSharedLayout, NVMMASharedLayout, SharedLinearLayout.
    shape: rows and columns in elements, for Triton. element: "float", "half", "int8", ...

    >>> text = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"
    >>> tile_layout(text, (64, 64), "half")
    SwizzledShared(shape=(64, 64), vec=8, per_phase=1, max_phase=8, order=(1, 0), element='half')
    """
    if isinstance(of, str):
        return _of_text(of, shape, element)
    is_padded = hasattr(of, "interval_padding_pairs")
    if hasattr(of, "offset_bases") and not is_padded:
        return SharedLinear(bases_of(of.offset_bases), element)
    if is_padded:
        shape = shape or tuple(of.shape)
    if shape is None:
        raise SmemprobeError(f"{of}: shape= is needed, rows and columns in elements")
    if all(hasattr(of, name) for name in ("vec", "per_phase", "max_phase", "order")):
        first, second = of.order
        return SwizzledShared(shape, of.vec, of.per_phase, of.max_phase, (first, second), element)
    if is_padded:
        bases = getattr(of, "offset_bases", None)
        first, second = _padded_order(bases_of(bases), shape) if bases else getattr(of, "order", (1, 0))
        pads = tuple((int(i), int(p)) for i, p in of.interval_padding_pairs)
        return PaddedShared(shape, pads, (first, second), element)
    if hasattr(of, "swizzle_byte_width") and hasattr(of, "element_bitwidth"):
        return _nvmma(
            shape, of.swizzle_byte_width, of.element_bitwidth, bool(of.transposed), element
        )
    raise SmemprobeError(f"{type(of).__name__}: only CuTe's text and Triton's shared layouts are known")
