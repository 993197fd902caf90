# SPDX-License-Identifier: MIT
"""libsmemprobe through ctypes: structs and functions of its headers, with errors raised as exceptions.

Struct sizes are checked against the library (``smp_abi_size``) when it is loaded.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Iterable, Iterator
from ctypes import POINTER, Structure, c_char, c_char_p, c_size_t, c_void_p
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any

LANES = 32
ALL_LANES = 0xFFFFFFFF
ABI = "0.2"
"""Major and minor version of the library that these structs match."""

HAS_WAVEFRONTS, HAS_TRANSACTIONS, HAS_BOUNDS = 1, 2, 4
OK = 0

WAVES = ("wavefronts_min", "wavefronts_max", "ideal", "excess", "ways")
MOVED = ("transactions", "bytes")
# The figures of a count, and the bit of `valid` that is set if they are known.
FIGURES = {
    **dict.fromkeys(MOVED, HAS_TRANSACTIONS),
    **dict.fromkeys(WAVES, HAS_WAVEFRONTS),
    **dict.fromkeys(("transactions_min", "transactions_max"), HAS_BOUNDS),
}


def _type(name: str, stars: int) -> Any:
    """The ctypes type of a C declaration. smp_row_counts is CRowCounts; a type without a class here is void."""
    mirror = "C" + "".join(word.title() for word in name.split("_")[1:])
    plain = getattr(ctypes, f"c_{name}", None) or getattr(ctypes, f"c_{name.removesuffix('_t')}", None)
    found = globals().get(mirror) or plain
    if stars == 0:
        return found
    if stars == 1 and (found is None or found is c_char):
        return c_void_p if found is None else c_char_p
    return POINTER(_type(name, stars - 1))


def _declared(text: str, between: str) -> Iterator[tuple[str, Any]]:
    """Names and types of C declarations; after a comma, a name alone has the previous type."""
    kind = ""
    for one in filter(None, map(str.strip, re.split(between, text.replace("const ", "")))):
        parts = re.fullmatch(r"(?:(\w+)\s+)?(\**)(\w+)((?:\[\d+\])*)", one)
        assert parts, one
        kind = parts[1] or kind
        found = _type(kind, len(parts[2]))
        for size in reversed(re.findall(r"\d+", parts[4])):
            found = found * int(size)
        yield parts[3], found


def _struct(fields: str) -> type[Structure]:
    """The class of a struct with these members, declared in C."""
    return type("struct", (Structure,), {"_fields_": list(_declared(fields, "[;,]"))})


CError = _struct("int status, position; char message[256]")
# The first members of smp_arch; only the library makes complete ones.
CArchHead = _struct("""const char *name, *family, *chips, *products; int generation;
    uint8_t cc_major, cc_minor, banks, bank_bytes, bank_bytes_alt""")
COpRow = _struct("""int op; const char *name, *summary, *sass; int space;
    bool is_load, lanes_merge; uint8_t passes, lanes, fixed_group, widths, first_cc;
    char evidence[3][12]; const char *source, *note""")
CAccess = _struct("""int op; uint32_t width_bytes, active_mask, offset_bytes[32];
    uint64_t address_bytes[32]""")
CGroup = _struct("uint32_t lanes; uint8_t ways, wavefronts_min, wavefronts_max")
CCounts = _struct("""uint32_t valid; int evidence; const char *note; uint32_t active_lanes,
    wavefronts_min, wavefronts_max, ideal, excess, ways, transactions, bytes,
    transactions_min, transactions_max; bool paired; uint32_t group_count; smp_group groups[8]""")
CLane = _struct("uint32_t offset_bytes; uint8_t bank, group; uint32_t row")
CMapCell = _struct("uint32_t lanes, row; bool is_pair")
CMapRow = _struct("uint32_t group; bool is_first; uint32_t busy; smp_map_cell cells[32]")
CLaneArray = _struct("void *data; ssize_t row_stride_bytes, lane_stride_bytes; int number")
CMany = _struct("""int op; uint32_t width_bytes, active_mask; void *ops, *widths, *masks;
    smp_lane_array offsets, addresses""")
CRowCounts = _struct("""uint32_t transactions, bytes; uint16_t wavefronts_min, wavefronts_max,
    ideal, excess, ways, transactions_min, transactions_max;
    uint8_t active_lanes, valid, evidence, status""")
CLayoutAccess = _struct("""void *text; size_t length; bool is_implied; uint line; int op;
    uint32_t width_bytes, parts""")
CRequestPlace = _struct("uint32_t warp, part; uint64_t loops; int64_t values[64]")
CRequestSpread = _struct("bool is_given; uint32_t draws, least, most; uint64_t sum, square_sum")
CTotals = _struct("""int status, evidence; const char *note; uint32_t valid, warps, active_warps;
    uint64_t requests, wavefronts_min, wavefronts_max, ideal, excess; uint32_t ways;
    bool takes_steps; uint64_t transactions, bytes, ideal_sectors; bool warps_alike;
    smp_request_place worst_place; smp_access worst; smp_counts worst_counts;
    smp_request_spread spread""")
CLayoutExpect = _struct("size_t first, access; void *arch, *text; size_t length; uint line")
CFixTerm = _struct("uint32_t mask; int32_t shift")
CFixForm = _struct("""int kind; uint32_t dim_count, extent[4], pad[4], every, insert, term_count;
    smp_fix_term term[16]; uint32_t bits, base; int32_t shift;
    uint32_t step, divide, element_bytes, element_extra""")
CFixOptions = _struct("""void *archs; size_t arch_count; bool skips_archs; uint32_t kinds;
    uint64_t max_bytes; const char **keep; size_t keep_count; bool explains;
    void *progress, *user; uint lines_before""")
CFixResult = _struct("""bool is_needed, is_free, is_better, is_proven; int ended_by;
    uint64_t excess_before, excess_after, excess_bound, bytes_before, bytes_after, candidates""")
CTraceBlock = _struct("uint64_t first_row; uint32_t rows; smp_many many")
CTraceLoss = _struct("uint64_t rows, first_row, offset; bool is_cut")

_SIZED = """error op_row access group counts lane map_row lane_array many row_counts layout_access
    request_place totals layout_expect fix_term fix_form fix_options fix_result"""

_FUNCTIONS = """
const char *smp_version()
size_t smp_abi_size(const char *type)
const char *smp_status_name(int status)
const char *smp_status_message(int status)
const char *smp_evidence_name(int evidence)
smp_arch *smp_archs(size_t *count)
smp_arch *smp_arch_find(const char *name)
int smp_arch_with_bank_bytes(smp_arch *arch, uint bank_bytes, smp_arch *out)
smp_op_row *smp_ops(size_t *count)
smp_op_row *smp_op_find(const char *name)
int smp_access_check(smp_arch *arch, smp_access *access, smp_error *error)
int smp_predict(smp_arch *arch, smp_access *access, smp_counts *out)
size_t smp_predict_many(smp_arch *arch, smp_many *many, size_t first, size_t rows, void *out,
    size_t *bad, smp_error *error)
int smp_lanes(smp_arch *arch, smp_access *access, smp_lane *out)
size_t smp_bank_map(smp_arch *arch, smp_access *access, smp_counts *counts, smp_map_row *out,
    size_t room)
int smp_batch_parse(const char *line, size_t length, smp_access *out, bool *is_empty, smp_error
    *error)
size_t smp_batch_format(smp_access *access, char *out)
smp_layout *smp_layout_new()
void smp_layout_free(smp_layout *layout)
int smp_layout_add_lines(smp_layout *layout, const char *text, size_t length, uint *line, smp_error
    *error)
size_t smp_layout_access_count(smp_layout *layout)
size_t smp_layout_arch_count(smp_layout *layout)
smp_arch *smp_layout_arch(smp_layout *layout, size_t index)
uint64_t smp_layout_shared_bytes(smp_layout *layout)
int smp_layout_check_memory(smp_layout *layout, smp_arch *arch, smp_error *error)
void smp_layout_access_at(smp_layout *layout, size_t index, smp_layout_access *out)
void *smp_layout_access_array(smp_layout *layout, size_t index, size_t *length)
int smp_layout_evaluate(smp_layout *layout, smp_arch *arch, size_t index, smp_totals *out, uint
    *line, smp_error *error)
size_t smp_request_place_format(smp_layout *layout, smp_request_place *place, char *out, size_t
    room)
size_t smp_layout_expect_count(smp_layout *layout)
void smp_layout_expect_at(smp_layout *layout, size_t index, smp_layout_expect *out)
bool smp_layout_expect_concerns(smp_layout *layout, size_t index, size_t access)
bool smp_layout_expect_holds(smp_layout *layout, size_t index, smp_totals *totals, char *reason,
    size_t room)
int smp_layout_value(smp_layout *layout, uint32_t warp, const char *text, size_t length, int64_t
    *out, const char **type, smp_error *error)
int smp_fix_solve(const char *text, size_t length, smp_fix_options *options, smp_fix **out, uint
    *line, smp_error *error)
void smp_fix_free(smp_fix *fix)
smp_fix_result smp_fix_result_of(smp_fix *fix)
bool smp_fix_form_of(smp_fix *fix, const char *array, smp_fix_form *out)
size_t smp_fix_form_text(smp_fix_form *form, char *out, size_t room)
bool smp_fix_write_layout(FILE *out, smp_fix *fix)
bool smp_fix_write_cuda(FILE *out, smp_fix *fix)
bool smp_fix_write_cute(FILE *out, smp_fix *fix)
"""


class SmemprobeError(ValueError):
    """An error of the library or the program.

    status: name of the reason, such as "SMP_E_MISALIGNED".
    position: a column in a text, or a lane, from 0; None if not applicable.
    row: row of an array, from 0; line: line of a text, from 1; None if not applicable.
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


_STREAMS = """
FILE *fdopen(int file, const char *mode)
FILE *open_memstream(void **text, size_t *length)
int fclose(FILE *file)
void free(void *memory)
"""


def library_name(name: str) -> str:
    """The file of libNAME.so: beside SMEMPROBE_LIBRARY, in the package, or the system's."""
    named = os.environ.get("SMEMPROBE_LIBRARY")
    file = f"lib{name}.so.{ABI}"
    if named and name != "smemprobe":
        return str(Path(named).parent / file)
    beside = Path(__file__).parent / "lib" / file
    return named or str(beside if beside.exists() else file)


def _bind(library: ctypes.CDLL, functions: str) -> None:
    """Sets the declared types of a library's functions."""
    for one in functions.strip().rstrip(")").split(")"):
        declared, arguments = one.split("(")
        ((name, result),) = _declared(declared, ",")
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"smemprobe: {library._name} has no {name}: it is too old") from None
        function.restype = result
        function.argtypes = [kind for _, kind in _declared(arguments, ",")]


@cache
def libc() -> Any:
    """The C library, for streams."""
    library = ctypes.CDLL(None, use_errno=True)
    _bind(library, _STREAMS)
    return library


def load(name: str, functions: str, version: str, abi_size: str, sized: Iterable[str]) -> Any:
    """Loads a library with the declared functions, if it has this version.

    abi_size: its function for struct sizes; sized: structs to compare, without smp_.
    """
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(
            f"smemprobe: {name} cannot be loaded ({error}); "
            "in a clone: pip install ./python; or set SMEMPROBE_LIBRARY to the path of the library"
        ) from None
    _bind(library, functions)
    there = library.smp_version().decode()
    if not f"{there}.".startswith(version + "."):
        raise ImportError(f"smemprobe: {name} is version {there}, not {version}")
    for struct in (f"smp_{one}" for one in sized):
        size, here = getattr(library, abi_size)(struct.encode()), ctypes.sizeof(_type(struct, 0))
        if size != here:
            raise ImportError(f"smemprobe: {struct} has {size} bytes in {name}, not {here}")
    return library


lib: Any = load(library_name("smemprobe"), _FUNCTIONS, ABI, "smp_abi_size", _SIZED.split())
version: str = lib.smp_version().decode()


def status_name(status: int) -> str:
    return str(lib.smp_status_name(status).decode())


def evidence_name(evidence: int) -> str:
    return str(lib.smp_evidence_name(evidence).decode())


def figures(counts: Structure) -> dict[str, Any]:
    """The figures of a prediction; None if their bits in `valid` are not set."""
    return {
        name: getattr(counts, name) if counts.valid & FIGURES[name] else None
        for name in (*WAVES, *MOVED)
    }


def fail(
    status: int, error: Structure, row: int | None = None, line: int | None = None, where: str = ""
) -> SmemprobeError:
    """The exception for a status that a library function returned."""
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


def _meant(word: str, known: Iterable[str], function: str) -> str:
    """The known name closest to a wrong one, or the function that lists them all."""
    near = {name: SequenceMatcher(None, word.lower(), name.lower()).ratio() for name in known}
    best = max(near, key=near.__getitem__)
    return f"did you mean '{best.strip()}'?" if near[best] >= 0.7 else f"smemprobe.{function}() lists them"


def _arch_rows() -> list[int]:
    """The addresses of all architectures, oldest first."""
    count = c_size_t()
    first = lib.smp_archs(ctypes.byref(count))
    return [first + i * lib.smp_abi_size(b"smp_arch") for i in range(count.value)]


def find_arch(arch: str | Arch, bank_bytes: int | None = None) -> Arch:
    """Finds an architecture by any name that the program takes: "sm_90", "9.0", "hopper", "RTX 4090".

    bank_bytes: 4 or 8, on chips with both modes (Kepler).

    >>> find_arch("hopper")
    <Arch sm_90 (Hopper): 32 banks of 4 bytes>
    """
    if isinstance(arch, Arch):
        return arch
    row = lib.smp_arch_find(str(arch).encode())
    if not row:
        heads = map(CArchHead.from_address, _arch_rows())
        lists = b",".join(text for one in heads for text in (one.family, one.products))
        hint = _meant(str(arch), lists.decode().split(","), "arch_names")
        raise SmemprobeError(f"unknown architecture '{arch}'; {hint}", "SMP_E_UNKNOWN_ARCH")
    if bank_bytes is None:
        return Arch(row)
    room = ctypes.create_string_buffer(lib.smp_abi_size(b"smp_arch"))
    status = lib.smp_arch_with_bank_bytes(row, bank_bytes, room)
    if status != OK:
        raise SmemprobeError(
            f"{arch} has no banks of {bank_bytes} bytes", status_name(status)
        )
    return Arch(ctypes.addressof(room), room)


def find_op(op: str) -> Structure:
    """Finds an operation by name: "ld.shared", or short "ld", "st", "atom", "red"."""
    row = lib.smp_op_find(op.encode())
    if not row:
        hint = _meant(op, op_name_tuple(), "op_names")
        raise SmemprobeError(f"unknown operation '{op}'; {hint}", "SMP_E_UNKNOWN_OP")
    found: Structure = row.contents
    return found


@cache
def op_rows() -> tuple[Structure, ...]:
    count = c_size_t()
    rows = lib.smp_ops(ctypes.byref(count))
    return tuple(rows[i] for i in range(count.value))


def arch_names() -> list[str]:
    """Names of all architectures, oldest first.

    >>> arch_names()[:3]
    ['sm_10', 'sm_11', 'sm_12']
    """
    return [Arch(row).name for row in _arch_rows()]


def op_names() -> list[str]:
    """Names of all operations; the index of each is its code in arrays.

    >>> op_names()[:2]
    ['ld.shared', 'st.shared']
    """
    return list(op_name_tuple())


@cache
def op_name_tuple() -> tuple[str, ...]:
    return tuple(row.name.decode() for row in op_rows())
