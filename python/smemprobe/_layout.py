# SPDX-License-Identifier: MIT
"""CUDA source text as input: the cost of the accesses in a layout, and layouts without conflicts."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterable, Sequence
from ctypes import Structure
from dataclasses import dataclass, field

from . import _library as c
from ._library import LANES, Arch, SmemprobeError, lib
from ._predict import SPACE_GLOBAL, Prediction, from_access


@dataclass(frozen=True)
class LayoutCost:
    """The cost of an access in a layout over the whole block, in all warps and iterations.

    text, line: source text and line, from 1. parts: instructions per object.
    Counts are None if not applicable or without a rule; `note` then says why.
    worst: the costliest request; worst_place: its warp and iteration.
    broken: each violated `expect`, with the actual cost.
    """

    text: str
    line: int
    array: str
    op: str
    width: int
    parts: int
    arch: str
    evidence: str
    note: str | None
    warps: int
    active_warps: int
    requests: int
    wavefronts_min: int | None
    wavefronts_max: int | None
    ideal: int | None
    excess: int | None
    ways: int | None
    transactions: int | None
    bytes: int | None
    ideal_sectors: int | None
    worst_place: str
    worst: Prediction = field(repr=False)
    broken: tuple[str, ...]

    @property
    def wavefronts(self) -> int | None:
        """Most wavefronts of all requests."""
        return self.wavefronts_max


def _join(statements: Iterable[str]) -> bytes:
    text = "\n".join(statements)
    name = re.fullmatch(r"\s*(\S+\.(?:cuh?|py|smp|smprof|ptx|cubin))\s*", text)
    if name:
        raise SmemprobeError(
            f"{name[1]} is the name of a file, but statements are expected: open('x.smp').read(), "
            "or 'shared float tile[32][32]', 'ld tile[threadIdx.x][0]'; python -m smemprobe fix FILE repairs a file"
        )
    return text.encode()


def _text(pointer: int | None, length: int) -> str:
    return ctypes.string_at(pointer, length).decode(errors="replace") if pointer else ""


class _Parsed:
    """A layout of the library, and the text that it references."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.handle = lib.smp_layout_new()
        if not self.handle:
            raise MemoryError
        line, error = ctypes.c_uint(), c.CError()
        status = lib.smp_layout_add_lines(self.handle, text, len(text), line, error)
        if status != c.OK:
            raise _fail(status, error, line.value)

    def __del__(self) -> None:
        lib.smp_layout_free(self.handle)


def _fail(status: int, error: Structure, line: int) -> SmemprobeError:
    place = f"line {line}"
    if error.position >= 0:
        place += f", column {error.position + 1}"
    return c.fail(status, error, line=line, where=f"{place}: ")


def _broken(parsed: _Parsed, arch: Arch, index: int, totals: Structure) -> tuple[str, ...]:
    out: list[str] = []
    for i in range(lib.smp_layout_expect_count(parsed.handle)):
        expect = c.CLayoutExpect()
        lib.smp_layout_expect_at(parsed.handle, i, expect)
        if not expect.first <= index <= expect.access:
            continue
        if expect.arch and Arch(expect.arch).name != arch.name:
            continue
        if not lib.smp_layout_expect_concerns(parsed.handle, i, index):
            continue
        reason = ctypes.create_string_buffer(256)
        if not lib.smp_layout_expect_holds(parsed.handle, i, totals, reason, len(reason)):
            out.append(f"{_text(expect.text, expect.length)}: {reason.value.decode()}")
    return tuple(out)


def _cost(parsed: _Parsed, arch: Arch, index: int) -> LayoutCost:
    access, totals = c.CLayoutAccess(), c.CTotals()
    lib.smp_layout_access_at(parsed.handle, index, access)
    line, error = ctypes.c_uint(), c.CError()
    status = lib.smp_layout_evaluate(parsed.handle, arch.pointer, index, totals, line, error)
    if status != c.OK:
        raise _fail(status, error, line.value)
    length = ctypes.c_size_t()
    array = lib.smp_layout_access_array(parsed.handle, index, length)
    place = ctypes.create_string_buffer(512)
    lib.smp_request_place_format(parsed.handle, totals.worst_place, place, len(place))
    op = c.op_rows()[access.op]
    worst = totals.worst
    numbers = worst.address_bytes if op.space == SPACE_GLOBAL else worst.offset_bytes
    offsets = tuple(
        numbers[lane] if worst.active_mask >> lane & 1 else None for lane in range(LANES)
    )
    return LayoutCost(
        text=_text(access.text, access.length),
        line=access.line,
        array=_text(array, length.value),
        op=op.name.decode(),
        width=access.width_bytes,
        parts=access.parts,
        arch=arch.name,
        evidence=c.evidence_name(totals.evidence),
        note=totals.note.decode() if totals.note else None,
        warps=totals.warps,
        active_warps=totals.active_warps,
        requests=totals.requests,
        **c.figures(totals),
        ideal_sectors=totals.ideal_sectors if totals.valid & c.HAS_TRANSACTIONS else None,
        worst_place=place.value.decode(),
        worst=from_access(arch, worst, totals.worst_counts, offsets),
        broken=_broken(parsed, arch, index, totals),
    )


def _archs(parsed: _Parsed, arch: str | Arch | None) -> list[Arch]:
    if arch is not None:
        return [c.find_arch(arch)]
    count = lib.smp_layout_arch_count(parsed.handle)
    named = [Arch(lib.smp_layout_arch(parsed.handle, i), parsed) for i in range(count)]
    return named or [c.find_arch("sm_90")]


def layout(*statements: str, arch: str | Arch | None = None) -> list[LayoutCost]:
    """Predicts the cost of each access in a layout.

    statements: as in a layout file (.smp), one or more lines each: arrays, the block, loops,
        definitions and accesses, as in a kernel.
    arch: default: the first of an "arch" statement, else sm_90.

    >>> cost, = layout("shared float tile[32][32]", "ld tile[threadIdx.x][0]")
    >>> cost.ways, cost.wavefronts
    (32, 32)
    >>> layout("shared float tile[32][33]", "ld tile[threadIdx.x][0]")[0].excess
    0
    >>> layout("shared float tile[32][33]", "ld tile[threadIdx.x][")
    Traceback (most recent call last):
    ...
    smemprobe.SmemprobeError: line 2, column 22: expected a value, but the text ends here
    """
    parsed = _Parsed(_join(statements))
    chosen = _archs(parsed, arch)[0]
    error = c.CError()
    status = lib.smp_layout_check_memory(parsed.handle, chosen.pointer, error)
    if status != c.OK:
        raise c.fail(status, error)
    count = lib.smp_layout_access_count(parsed.handle)
    return [_cost(parsed, chosen, i) for i in range(count)]


def values(expression: str, *statements: str, warp: int = 0) -> tuple[int, ...]:
    """The value of an integer expression in each of the 32 lanes of a warp.

    >>> values("threadIdx.x * 33 % 32", "block 32x8")[:4]
    (0, 1, 2, 3)
    """
    parsed = _Parsed(_join(statements))
    text = expression.encode()
    room, kind, error = (ctypes.c_int64 * LANES)(), ctypes.c_char_p(), c.CError()
    status = lib.smp_layout_value(parsed.handle, warp, text, len(text), room, kind, error)
    if status != c.OK:
        raise _fail(status, error, 1)
    return tuple(room)


KINDS = ("keep", "pad", "xor", "linear", "rotate", "pad_xor")


@dataclass(frozen=True)
class Form:
    """The layout of one array.

    kind: "keep", "pad", "xor", "linear", "rotate" or "pad_xor". extents and pads count elements.
    swizzle: CuTe's B, M, S on the element index; None if one CuTe swizzle cannot express it.
    """

    kind: str
    text: str
    extents: tuple[int, ...]
    pads: tuple[int, ...]
    swizzle: tuple[int, int, int] | None
    element_bytes: int


@dataclass(frozen=True)
class Fix:
    """Layouts with the fewest excess wavefronts over all architectures.

    needed: an access conflicts. free: the new layout has no conflict. better: an array should change.
    proven: every kind was searched completely. layout, cuda, cute: the repaired version as text.
    """

    needed: bool
    free: bool
    better: bool
    proven: bool
    excess_before: int
    excess_after: int
    excess_bound: int
    bytes_before: int
    bytes_after: int
    candidates: int
    forms: dict[str, Form]
    layout: str = field(repr=False)
    cuda: str = field(repr=False)
    cute: str = field(repr=False)


def _written(write: Callable[[int, ctypes.c_void_p], bool], handle: ctypes.c_void_p) -> str:
    """The text that a library function writes to a stream."""
    room, size = ctypes.c_void_p(), ctypes.c_size_t()
    stream = c.libc().open_memstream(room, size)
    if not stream:
        raise MemoryError
    fine = write(stream, handle)
    closed = c.libc().fclose(stream)
    text = _text(room.value, size.value)
    c.libc().free(room)
    if not fine or closed != 0:
        raise MemoryError
    return text


def _form(handle: ctypes.c_void_p, name: str) -> Form | None:
    form = c.CFixForm()
    if not lib.smp_fix_form_of(handle, name.encode(), form):
        return None
    room = ctypes.create_string_buffer(512)
    lib.smp_fix_form_text(form, room, len(room))
    kind = KINDS[form.kind]
    return Form(
        kind=kind,
        text=room.value.decode(),
        extents=tuple(form.extent[: form.dim_count]),
        pads=tuple(form.pad[: form.dim_count]),
        swizzle=(form.bits, form.base, form.shift) if kind in ("xor", "pad_xor") else None,
        element_bytes=form.element_bytes,
    )


def fix(
    *statements: str,
    arch: str | Arch | Sequence[str | Arch] | None = None,
    kinds: Sequence[str] = (),
    keep: Sequence[str] = (),
    max_bytes: int = 0,
) -> Fix:
    """Finds the smallest padding or swizzle without bank conflicts.

    statements: as for :func:`layout`. arch: one or several, with equal weight.
    kinds: layouts to search ("pad", "xor", "linear", "rotate", "pad_xor"); default: all.
    keep: names of arrays that must not change. max_bytes: shared memory limit; 0: a block's maximum.

    >>> found = fix("shared float tile[32][32]", "block 32x8", "ld tile[threadIdx.x][threadIdx.y]")
    >>> found.free, found.forms["tile"].kind, found.excess_before, found.excess_after
    (True, 'xor', 248, 0)
    >>> fix("shared float t[32][32]", "ld t[threadIdx.x][0]", kinds=["pad"]).forms["t"].text
    '[32][33]'
    """
    text = _join(statements)
    parsed = _Parsed(text)
    if arch is None or isinstance(arch, (str, Arch)):
        chosen = _archs(parsed, arch)
    else:
        chosen = [c.find_arch(one) for one in arch]
    size = lib.smp_abi_size(b"smp_arch")
    archs = ctypes.create_string_buffer(size * len(chosen))
    for i, one in enumerate(chosen):
        ctypes.memmove(ctypes.addressof(archs) + i * size, one.pointer, size)
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise SmemprobeError(f"unknown kind '{unknown[0]}'; there are: {', '.join(KINDS[1:])}")
    names = (ctypes.c_char_p * len(keep))(*[name.encode() for name in keep])
    options = c.CFixOptions(
        archs=ctypes.addressof(archs),
        arch_count=len(chosen),
        kinds=sum({1 << KINDS.index(kind) for kind in kinds}),
        max_bytes=max_bytes,
        keep=names,
        keep_count=len(keep),
    )
    handle, line, error = ctypes.c_void_p(), ctypes.c_uint(), c.CError()
    status = lib.smp_fix_solve(text, len(text), options, handle, line, error)
    if status != c.OK:
        raise _fail(status, error, line.value) if line.value else c.fail(status, error)
    try:
        return _fixed(parsed, handle)
    finally:
        lib.smp_fix_free(handle)


_FIX_FIGURES = ("excess_before", "excess_after", "excess_bound", "bytes_before", "bytes_after", "candidates")


def _fixed(parsed: _Parsed, handle: ctypes.c_void_p) -> Fix:
    result = lib.smp_fix_result_of(handle)
    forms: dict[str, Form] = {}
    for i in range(lib.smp_layout_access_count(parsed.handle)):
        length = ctypes.c_size_t()
        name = _text(lib.smp_layout_access_array(parsed.handle, i, length), length.value)
        form = None if name in forms else _form(handle, name)
        if form:
            forms[name] = form
    return Fix(
        **{name: getattr(result, f"is_{name}") for name in ("needed", "free", "better", "proven")},
        **{name: getattr(result, name) for name in _FIX_FIGURES},
        forms=forms,
        layout=_written(lib.smp_fix_write_layout, handle),
        cuda=_written(lib.smp_fix_write_cuda, handle),
        cute=_written(lib.smp_fix_write_cute, handle),
    )
