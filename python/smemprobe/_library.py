# SPDX-License-Identifier: MIT
"""libsmemprobe, by ctypes: structs as in its headers, functions with their types, errors raised.

Sizes are compared with the library's own (``smp_abi_size``) when it is loaded.
"""

from __future__ import annotations

import ctypes
import os
from ctypes import (
    POINTER,
    Structure,
    c_bool,
    c_char,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_ssize_t,
    c_uint,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)
from functools import cache
from pathlib import Path
from typing import Any

LANES = 32
ALL_LANES = 0xFFFFFFFF
ABI = "0.1"
"""Major and minor version of the library that these structs are of."""

HAS_WAVEFRONTS, HAS_TRANSACTIONS, HAS_BOUNDS = 1, 2, 4
OK = 0


class CError(Structure):
    _fields_ = [("status", c_int), ("position", c_int), ("message", c_char * 256)]


class CArchHead(Structure):
    """The front of smp_arch; only the library makes whole ones."""

    _fields_ = [
        ("name", c_char_p),
        ("family", c_char_p),
        ("chips", c_char_p),
        ("products", c_char_p),
        ("generation", c_int),
        ("cc_major", c_uint8),
        ("cc_minor", c_uint8),
        ("banks", c_uint8),
        ("bank_bytes", c_uint8),
        ("bank_bytes_alt", c_uint8),
    ]


class COpRow(Structure):
    _fields_ = [
        ("op", c_int),
        ("name", c_char_p),
        ("summary", c_char_p),
        ("sass", c_char_p),
        ("space", c_int),
        ("is_load", c_bool),
        ("lanes_merge", c_bool),
        ("passes", c_uint8),
        ("lanes", c_uint8),
        ("fixed_group", c_uint8),
        ("widths", c_uint8),
        ("first_cc", c_uint8),
        ("evidence", (c_char * 12) * 3),
        ("source", c_char_p),
        ("note", c_char_p),
    ]


class CAccess(Structure):
    _fields_ = [
        ("op", c_int),
        ("width_bytes", c_uint32),
        ("active_mask", c_uint32),
        ("offset_bytes", c_uint32 * LANES),
        ("address_bytes", c_uint64 * LANES),
    ]


class CGroup(Structure):
    _fields_ = [
        ("lanes", c_uint32),
        ("ways", c_uint8),
        ("wavefronts_min", c_uint8),
        ("wavefronts_max", c_uint8),
    ]


class CCounts(Structure):
    _fields_ = [
        ("valid", c_uint32),
        ("evidence", c_int),
        ("note", c_char_p),
        ("active_lanes", c_uint32),
        ("wavefronts_min", c_uint32),
        ("wavefronts_max", c_uint32),
        ("ideal", c_uint32),
        ("excess", c_uint32),
        ("ways", c_uint32),
        ("transactions", c_uint32),
        ("bytes", c_uint32),
        ("transactions_min", c_uint32),
        ("transactions_max", c_uint32),
        ("paired", c_bool),
        ("group_count", c_uint32),
        ("groups", CGroup * 8),
    ]


class CLane(Structure):
    _fields_ = [
        ("offset_bytes", c_uint32),
        ("bank", c_uint8),
        ("group", c_uint8),
        ("row", c_uint32),
    ]


class CMapCell(Structure):
    _fields_ = [("lanes", c_uint32), ("row", c_uint32), ("is_pair", c_bool)]


class CMapRow(Structure):
    _fields_ = [
        ("group", c_uint32),
        ("is_first", c_bool),
        ("busy", c_uint32),
        ("cells", CMapCell * LANES),
    ]


class CLaneArray(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("row_stride_bytes", c_ssize_t),
        ("lane_stride_bytes", c_ssize_t),
        ("number", c_int),
    ]


class CMany(Structure):
    _fields_ = [
        ("op", c_int),
        ("width_bytes", c_uint32),
        ("active_mask", c_uint32),
        ("ops", c_void_p),
        ("widths", c_void_p),
        ("masks", c_void_p),
        ("offsets", CLaneArray),
        ("addresses", CLaneArray),
    ]


class CRowCounts(Structure):
    _fields_ = [
        ("transactions", c_uint32),
        ("bytes", c_uint32),
        ("wavefronts_min", c_uint16),
        ("wavefronts_max", c_uint16),
        ("ideal", c_uint16),
        ("excess", c_uint16),
        ("ways", c_uint16),
        ("transactions_min", c_uint16),
        ("transactions_max", c_uint16),
        ("active_lanes", c_uint8),
        ("valid", c_uint8),
        ("evidence", c_uint8),
        ("status", c_uint8),
    ]


class CLayoutAccess(Structure):
    _fields_ = [
        ("text", c_void_p),
        ("length", c_size_t),
        ("is_implied", c_bool),
        ("line", c_uint),
        ("op", c_int),
        ("width_bytes", c_uint32),
        ("parts", c_uint32),
    ]


class CRequestPlace(Structure):
    _fields_ = [
        ("warp", c_uint32),
        ("part", c_uint32),
        ("loops", c_uint64),
        ("values", c_int64 * 64),
    ]


class CRequestSpread(Structure):
    _fields_ = [
        ("is_given", c_bool),
        ("draws", c_uint32),
        ("least", c_uint32),
        ("most", c_uint32),
        ("sum", c_uint64),
        ("square_sum", c_uint64),
    ]


class CTotals(Structure):
    _fields_ = [
        ("status", c_int),
        ("evidence", c_int),
        ("note", c_char_p),
        ("valid", c_uint32),
        ("warps", c_uint32),
        ("active_warps", c_uint32),
        ("requests", c_uint64),
        ("wavefronts_min", c_uint64),
        ("wavefronts_max", c_uint64),
        ("ideal", c_uint64),
        ("excess", c_uint64),
        ("ways", c_uint32),
        ("takes_steps", c_bool),
        ("transactions", c_uint64),
        ("bytes", c_uint64),
        ("ideal_sectors", c_uint64),
        ("warps_alike", c_bool),
        ("worst_place", CRequestPlace),
        ("worst", CAccess),
        ("worst_counts", CCounts),
        ("spread", CRequestSpread),
    ]


class CLayoutExpect(Structure):
    _fields_ = [
        ("first", c_size_t),
        ("access", c_size_t),
        ("arch", c_void_p),
        ("text", c_void_p),
        ("length", c_size_t),
        ("line", c_uint),
    ]


class CFixTerm(Structure):
    _fields_ = [("mask", c_uint32), ("shift", c_int32)]


class CFixForm(Structure):
    _fields_ = [
        ("kind", c_int),
        ("dim_count", c_uint32),
        ("extent", c_uint32 * 4),
        ("pad", c_uint32 * 4),
        ("every", c_uint32),
        ("insert", c_uint32),
        ("term_count", c_uint32),
        ("term", CFixTerm * 16),
        ("bits", c_uint32),
        ("base", c_uint32),
        ("shift", c_int32),
        ("step", c_uint32),
        ("divide", c_uint32),
        ("element_bytes", c_uint32),
        ("element_extra", c_uint32),
    ]


PULSE = ctypes.CFUNCTYPE(c_int, c_void_p, c_int, c_uint64)


class CFixOptions(Structure):
    _fields_ = [
        ("archs", c_void_p),
        ("arch_count", c_size_t),
        ("skips_archs", c_bool),
        ("kinds", c_uint32),
        ("max_bytes", c_uint64),
        ("keep", POINTER(c_char_p)),
        ("keep_count", c_size_t),
        ("explains", c_bool),
        ("progress", PULSE),
        ("user", c_void_p),
        ("lines_before", c_uint),
    ]


class CFixResult(Structure):
    _fields_ = [
        ("is_needed", c_bool),
        ("is_free", c_bool),
        ("is_better", c_bool),
        ("is_proven", c_bool),
        ("ended_by", c_int),
        ("excess_before", c_uint64),
        ("excess_after", c_uint64),
        ("excess_bound", c_uint64),
        ("bytes_before", c_uint64),
        ("bytes_after", c_uint64),
        ("candidates", c_uint64),
    ]


_SIZES: dict[str, type[Structure]] = {
    "smp_error": CError,
    "smp_op_row": COpRow,
    "smp_access": CAccess,
    "smp_group": CGroup,
    "smp_counts": CCounts,
    "smp_lane": CLane,
    "smp_map_row": CMapRow,
    "smp_lane_array": CLaneArray,
    "smp_many": CMany,
    "smp_row_counts": CRowCounts,
    "smp_layout_access": CLayoutAccess,
    "smp_request_place": CRequestPlace,
    "smp_totals": CTotals,
    "smp_layout_expect": CLayoutExpect,
    "smp_fix_term": CFixTerm,
    "smp_fix_form": CFixForm,
    "smp_fix_options": CFixOptions,
    "smp_fix_result": CFixResult,
}

_P = c_void_p
_ERR = POINTER(CError)
_LINE = POINTER(c_uint)
# Name: what it returns, what it takes.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "smp_version": (c_char_p, []),
    "smp_abi_size": (c_size_t, [c_char_p]),
    "smp_status_name": (c_char_p, [c_int]),
    "smp_status_message": (c_char_p, [c_int]),
    "smp_evidence_name": (c_char_p, [c_int]),
    "smp_archs": (_P, [POINTER(c_size_t)]),
    "smp_arch_find": (_P, [c_char_p]),
    "smp_arch_with_bank_bytes": (c_int, [_P, c_uint, _P]),
    "smp_ops": (POINTER(COpRow), [POINTER(c_size_t)]),
    "smp_op_find": (POINTER(COpRow), [c_char_p]),
    "smp_access_check": (c_int, [_P, POINTER(CAccess), _ERR]),
    "smp_predict": (c_int, [_P, POINTER(CAccess), POINTER(CCounts)]),
    "smp_predict_many": (
        c_size_t,
        [_P, POINTER(CMany), c_size_t, c_size_t, _P, POINTER(c_size_t), _ERR],
    ),
    "smp_lanes": (c_int, [_P, POINTER(CAccess), POINTER(CLane)]),
    "smp_bank_map": (
        c_size_t,
        [_P, POINTER(CAccess), POINTER(CCounts), POINTER(CMapRow), c_size_t],
    ),
    "smp_batch_parse": (
        c_int,
        [c_char_p, c_size_t, POINTER(CAccess), POINTER(c_bool), _ERR],
    ),
    "smp_batch_format": (c_size_t, [POINTER(CAccess), c_char_p]),
    "smp_layout_new": (_P, []),
    "smp_layout_free": (None, [_P]),
    "smp_layout_add_lines": (c_int, [_P, c_char_p, c_size_t, _LINE, _ERR]),
    "smp_layout_access_count": (c_size_t, [_P]),
    "smp_layout_arch_count": (c_size_t, [_P]),
    "smp_layout_arch": (_P, [_P, c_size_t]),
    "smp_layout_shared_bytes": (c_uint64, [_P]),
    "smp_layout_check_memory": (c_int, [_P, _P, _ERR]),
    "smp_layout_access_at": (None, [_P, c_size_t, POINTER(CLayoutAccess)]),
    "smp_layout_access_array": (_P, [_P, c_size_t, POINTER(c_size_t)]),
    "smp_layout_evaluate": (c_int, [_P, _P, c_size_t, POINTER(CTotals), _LINE, _ERR]),
    "smp_request_place_format": (
        c_size_t,
        [_P, POINTER(CRequestPlace), c_char_p, c_size_t],
    ),
    "smp_layout_expect_count": (c_size_t, [_P]),
    "smp_layout_expect_at": (None, [_P, c_size_t, POINTER(CLayoutExpect)]),
    "smp_layout_expect_concerns": (c_bool, [_P, c_size_t, c_size_t]),
    "smp_layout_expect_holds": (
        c_bool,
        [_P, c_size_t, POINTER(CTotals), c_char_p, c_size_t],
    ),
    "smp_layout_value": (
        c_int,
        [_P, c_uint32, c_char_p, c_size_t, POINTER(c_int64), POINTER(c_char_p), _ERR],
    ),
    "smp_fix_solve": (
        c_int,
        [c_char_p, c_size_t, POINTER(CFixOptions), POINTER(_P), _LINE, _ERR],
    ),
    "smp_fix_free": (None, [_P]),
    "smp_fix_result_of": (CFixResult, [_P]),
    "smp_fix_form_of": (c_bool, [_P, c_char_p, POINTER(CFixForm)]),
    "smp_fix_form_text": (c_size_t, [POINTER(CFixForm), c_char_p, c_size_t]),
    "smp_fix_write_layout": (c_bool, [_P, _P]),
    "smp_fix_write_cuda": (c_bool, [_P, _P]),
    "smp_fix_write_cute": (c_bool, [_P, _P]),
}


class SmemprobeError(ValueError):
    """What the library refuses.

    status: name of the reason, as "SMP_E_MISALIGNED".
    position: a column in a text or a lane, 0-based; None if neither applies.
    row: of an array, 0-based; line: of a text, 1-based; None if there is none.
    """

    def __init__(
        self,
        message: str,
        status: str = "SMP_E_USAGE",
        position: int | None = None,
        row: int | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.position = position
        self.row = row
        self.line = line

    def __reduce__(self) -> tuple[Any, ...]:
        rest = (self.status, self.position, self.row, self.line)
        return type(self), (str(self), *rest)


SmemprobeError.__module__ = "smemprobe"


def _candidates() -> list[str]:
    named = os.environ.get("SMEMPROBE_LIBRARY")
    if named:
        return [named]
    beside = Path(__file__).parent / "lib" / f"libsmemprobe.so.{ABI}"
    if beside.exists():
        return [str(beside)]
    return [f"libsmemprobe.so.{ABI}"]


def _load() -> ctypes.CDLL:
    name = _candidates()[0]
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(
            f"smemprobe: {name} cannot be loaded ({error}); "
            "SMEMPROBE_LIBRARY may name the file of the library"
        ) from None
    for function, (result, arguments) in _FUNCTIONS.items():
        try:
            bound = getattr(library, function)
        except AttributeError:
            raise ImportError(f"smemprobe: {name} has no {function}: it is older") from None
        bound.restype, bound.argtypes = result, arguments
    version = library.smp_version().decode()
    if not version.startswith(ABI + "."):
        raise ImportError(f"smemprobe: {name} is version {version}, not {ABI}")
    for struct, mirror in _SIZES.items():
        size = library.smp_abi_size(struct.encode())
        if size != ctypes.sizeof(mirror):
            raise ImportError(
                f"smemprobe: {struct} has {size} bytes in {name}, not {ctypes.sizeof(mirror)}"
            )
    return library


lib: Any = _load()
version: str = lib.smp_version().decode()


def status_name(status: int) -> str:
    return str(lib.smp_status_name(status).decode())


def evidence_name(evidence: int) -> str:
    return str(lib.smp_evidence_name(evidence).decode())


def fail(
    status: int, error: CError, row: int | None = None, line: int | None = None, where: str = ""
) -> SmemprobeError:
    """The exception for what a function of the library returned."""
    message = error.message.decode(errors="replace") or lib.smp_status_message(status).decode()
    position = error.position if error.position >= 0 else None
    return SmemprobeError(where + message, status_name(status), position, row, line)


class Arch:
    """One architecture in one bank mode; made by :func:`find_arch`."""

    __slots__ = ("_owner", "bank_bytes", "banks", "cc", "family", "name", "pointer")

    def __init__(self, pointer: int, owner: Any = None) -> None:
        head = CArchHead.from_address(pointer)
        self.pointer = pointer
        self._owner = owner
        self.name: str = head.name.decode()
        self.family: str = head.family.decode()
        self.cc = f"{head.cc_major}.{head.cc_minor}"
        self.banks: int = head.banks
        self.bank_bytes: int = head.bank_bytes

    def __repr__(self) -> str:
        return f"<Arch {self.name} ({self.family}): {self.banks} banks of {self.bank_bytes} bytes>"


def find_arch(arch: str | Arch, bank_bytes: int | None = None) -> Arch:
    """The architecture of a name as the program takes it: "sm_90", "9.0", "hopper", "RTX 4090".

    bank_bytes: 4 or 8, on chips that can be set to either (Kepler).

    >>> find_arch("hopper")
    <Arch sm_90 (Hopper): 32 banks of 4 bytes>
    """
    if isinstance(arch, Arch):
        return arch
    row = lib.smp_arch_find(str(arch).encode())
    if not row:
        raise SmemprobeError(f"unknown architecture '{arch}'", "SMP_E_UNKNOWN_ARCH")
    if bank_bytes is None:
        return Arch(row)
    room = ctypes.create_string_buffer(lib.smp_abi_size(b"smp_arch"))
    status = lib.smp_arch_with_bank_bytes(row, bank_bytes, room)
    if status != OK:
        raise SmemprobeError(
            f"{arch} has no banks of {bank_bytes} bytes", status_name(status)
        )
    return Arch(ctypes.addressof(room), room)


def find_op(op: str) -> COpRow:
    """The row of an operation by its name: "ld.shared", or short "ld", "st", "atom", "red"."""
    row = lib.smp_op_find(op.encode())
    if not row:
        raise SmemprobeError(f"unknown operation '{op}'", "SMP_E_UNKNOWN_OP")
    found: COpRow = row.contents
    return found


@cache
def op_rows() -> tuple[COpRow, ...]:
    count = c_size_t()
    rows = lib.smp_ops(ctypes.byref(count))
    return tuple(rows[i] for i in range(count.value))


def arch_names() -> list[str]:
    """Names of all architectures, oldest first.

    >>> arch_names()[:3]
    ['sm_10', 'sm_11', 'sm_12']
    """
    count = c_size_t()
    first = lib.smp_archs(ctypes.byref(count))
    size = lib.smp_abi_size(b"smp_arch")
    return [Arch(first + i * size).name for i in range(count.value)]


def op_names() -> list[str]:
    """Names of all operations; the index of each is its code in arrays.

    >>> op_names()[:2]
    ['ld.shared', 'st.shared']
    """
    return list(op_name_tuple())


@cache
def op_name_tuple() -> tuple[str, ...]:
    return tuple(row.name.decode() for row in op_rows())
