# SPDX-License-Identifier: MIT
"""The cost of many accesses: rows of arrays, read in place, on all cores."""

from __future__ import annotations

import ctypes
import os
from concurrent.futures import ThreadPoolExecutor
from ctypes import Structure
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _library as c
from ._library import ALL_LANES, LANES, Arch, SmemprobeError, lib

if TYPE_CHECKING:
    import pandas
    import pyarrow

ROW_DTYPE = np.dtype(c.CRowCounts)

# Values of smp_number, by kind and bytes.
_NUMBERS = {("u", 4): 0, ("i", 4): 1, ("u", 8): 2, ("i", 8): 3}
_SLICE_ROWS = 1 << 16


class Counts:
    """The costs of n accesses: a structured array with one record per row.

    array: fields as in :data:`ROW_DTYPE`. If a bit of `valid` is not set (1: wavefronts, ideal,
        excess, ways; 2: transactions, bytes; 4: transactions_min and _max), its fields are 0 and
        meaningless; to_arrow and to_pandas make them null. `status` is 0, or an error number.
    first_bad: the error of the first invalid row, or None.
    """

    def __init__(self, array: npt.NDArray[Any], first_bad: SmemprobeError | None = None) -> None:
        self.array = array
        self.first_bad = first_bad

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, key: Any) -> Any:
        return self.array[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return self.array if dtype is None else self.array.astype(dtype)

    def __repr__(self) -> str:
        return f"<Counts of {len(self)} accesses: {self.totals()}>"

    def totals(self) -> dict[str, int]:
        """Sums over the rows with known figures, and their numbers."""
        valid = self.array["valid"]
        waves = (valid & c.HAS_WAVEFRONTS) != 0
        moved = (valid & c.HAS_TRANSACTIONS) != 0
        out = {"accesses": len(self), "with_wavefronts": int(waves.sum())}
        for name in ("wavefronts_min", "wavefronts_max", "ideal", "excess"):
            out[name] = int(self.array[name].sum(dtype=np.uint64))
        out["ways"] = int(self.array["ways"].max(initial=0))
        out["with_transactions"] = int(moved.sum())
        for name in ("transactions", "bytes"):
            out[name] = int(self.array[name].sum(dtype=np.uint64))
        out["wrong"] = int((~np.isin(self.array["status"], fine_statuses())).sum())
        return out

    def _columns(self) -> dict[str, tuple[npt.NDArray[Any], npt.NDArray[np.bool_] | None]]:
        valid = self.array["valid"]
        return {
            name: (self.array[name], (valid & bit) == 0 if bit else None)
            for name, bit in (c.FIGURES | {"active_lanes": 0}).items()
        }

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow table; unknown figures are null."""
        import pyarrow

        columns: dict[str, Any] = {
            name: pyarrow.array(values, mask=unknown)
            for name, (values, unknown) in self._columns().items()
        }
        evidence, status = _names("evidence"), _names("status")
        for name, words in (("evidence", evidence), ("status", status)):
            codes = pyarrow.array(self.array[name].astype(np.int8))
            columns[name] = pyarrow.DictionaryArray.from_arrays(codes, words)
        return pyarrow.table(columns)

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with nullable columns; unknown figures are <NA>."""
        import pandas

        frame: dict[str, Any] = {}
        for name, (values, unknown) in self._columns().items():
            mask = np.zeros(len(self), bool) if unknown is None else unknown
            frame[name] = pandas.arrays.IntegerArray(np.ascontiguousarray(values), mask)
        for name in ("evidence", "status"):
            frame[name] = pandas.Categorical.from_codes(self.array[name].astype(int), _names(name))
        return pandas.DataFrame(frame)


def _names(field: str) -> list[str]:
    name = c.evidence_name if field == "evidence" else c.status_name
    return list(dict.fromkeys(name(code) for code in range(128)))


def fine_statuses() -> list[int]:
    """The statuses of valid rows: no error, or no rule."""
    return [c.OK, _names("status").index("SMP_E_NOT_MODELLED")]


def _as_array(values: Any, what: str) -> npt.NDArray[Any]:
    """The numbers of an array, the buffer protocol, DLPack or Arrow, without a copy."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise SmemprobeError(f"{what}: a masked array; give the active lanes by mask=")
    if isinstance(values, np.ndarray):
        return values
    if hasattr(values, "combine_chunks") and hasattr(values, "type"):  # pyarrow.ChunkedArray
        values = values.combine_chunks()
    if hasattr(values, "type") and hasattr(values, "flatten") and hasattr(values, "null_count"):
        return _from_arrow(values, what)
    if hasattr(values, "__dlpack__"):
        try:
            return np.from_dlpack(values)
        except (RuntimeError, BufferError, TypeError, ValueError) as error:
            raise SmemprobeError(
                f"{what}: not in host memory ({error}); copy it to the host"
            ) from None
    try:
        return np.asarray(memoryview(values))
    except TypeError:
        raise SmemprobeError(
            f"{what}: {type(values).__name__} is not an array; use NumPy, the buffer protocol, DLPack or "
            "Arrow's fixed_size_list<int64, 32>"
        ) from None


def _from_arrow(values: Any, what: str) -> npt.NDArray[Any]:
    if getattr(values.type, "list_size", None) != LANES:
        raise SmemprobeError(f"{what}: {values.type}; a row is a fixed_size_list of {LANES}")
    if values.null_count:
        raise SmemprobeError(f"{what}: {values.null_count} rows are null")
    flat = values.flatten()
    if flat.null_count:
        raise SmemprobeError(
            f"{what}: {flat.null_count} lanes are null; give the active lanes by mask="
        )
    try:
        numbers: npt.NDArray[Any] = flat.to_numpy(zero_copy_only=True)
    except Exception as error:
        raise SmemprobeError(f"{what}: {values.type}: {error}") from None
    return numbers.reshape(-1, LANES)


def _lane_array(values: Any, what: str) -> tuple[Structure, npt.NDArray[Any]]:
    array = _as_array(values, what)
    if array.ndim != 2 or array.shape[1] != LANES:
        raise SmemprobeError(
            f"{what}: an array of shape {array.shape}; rows of {LANES} lanes are (n, {LANES})"
        )
    number = _NUMBERS.get((array.dtype.kind, array.dtype.itemsize))
    if number is None or not array.dtype.isnative:
        raise SmemprobeError(
            f"{what}: {array.dtype} numbers; int32, uint32, int64 or uint64 (native) are possible"
        )
    rows, lanes = array.strides
    return c.CLaneArray(array.ctypes.data, rows, lanes, number), array


def _column(values: Any, what: str, dtype: str, rows: int) -> npt.NDArray[Any]:
    array = _as_array(values, what)
    wanted = np.dtype(dtype)
    if array.shape != (rows,):
        raise SmemprobeError(f"{what}: an array of shape {array.shape}, not ({rows},)")
    if array.dtype.kind not in "iu":
        raise SmemprobeError(f"{what}: {array.dtype} numbers, not {wanted}")
    if array.dtype != wanted:
        info = np.iinfo(wanted)
        outside = (array < 0) | (array > info.max)
        if outside.any():
            row = int(outside.argmax())
            raise SmemprobeError(f"{what}: row {row} has {array[row]}", row=row)
    return np.ascontiguousarray(array, wanted)


def cores() -> int:
    """Number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def predict_many(
    offsets: Any,
    width: int | npt.NDArray[Any] = 4,
    op: str | npt.NDArray[Any] = "ld.shared",
    arch: str | Arch = "sm_90",
    *,
    mask: int | npt.NDArray[Any] = ALL_LANES,
    addresses: Any = None,
    bank_bytes: int | None = None,
    threads: int | None = None,
    errors: Literal["raise", "mark"] = "raise",
) -> Counts:
    """Predicts the costs of n accesses on all cores, without copying the offsets.

    offsets: integers of shape (n, 32), byte offsets into shared memory (for global operations
        addresses): a NumPy array with any strides, an object with the buffer protocol or DLPack, or
        Arrow's fixed_size_list<int64, 32>. Entries of inactive lanes are ignored.
    width, op, mask: one for all rows, or an array of n: bytes per lane, codes (indices of op_names()),
        lane masks (bit l is lane l).
    addresses: for copies, the source address of each lane, shape (n, 32).
    threads: maximum number of threads; default: all cores.
    errors: "raise" a SmemprobeError for the first invalid row and lane, or "mark" invalid rows in
        the field `status`; Counts.first_bad then holds the first error.

    >>> import numpy as np
    >>> rows = np.arange(32) * np.arange(4)[:, None] * 4
    >>> predict_many(rows)["ways"].tolist()
    [1, 1, 2, 1]
    >>> predict_many(rows + 1)
    Traceback (most recent call last):
    ...
    smemprobe.SmemprobeError: row 0: lane 0: offset 1 is not a multiple of the width of 4 bytes
    """
    if errors not in ("raise", "mark"):
        raise SmemprobeError(f"errors='{errors}': must be 'raise' or 'mark'")
    found = c.find_arch(arch, bank_bytes)
    many, rows, alive = rows_of(offsets, width, op, mask, addresses)
    out = np.empty(rows, ROW_DTYPE)
    bad = _run(found, many, out, cores() if threads is None else max(1, threads))
    del alive
    if bad and errors == "raise":
        raise bad
    return Counts(out, bad)


def rows_of(
    offsets: Any,
    width: int | npt.NDArray[Any],
    op: str | npt.NDArray[Any],
    mask: int | npt.NDArray[Any],
    addresses: Any,
) -> tuple[Structure, int, list[Any]]:
    """The C struct for arguments of predict_many, the number of rows, and the objects that must stay alive."""
    many = c.CMany()
    many.offsets, kept = _lane_array(offsets, "offsets")
    rows = len(kept)
    alive: list[Any] = [kept]
    if addresses is not None:
        many.addresses, kept = _lane_array(addresses, "addresses")
        alive.append(kept)
        if len(kept) != rows:
            raise SmemprobeError(f"addresses: {len(kept)} rows, but offsets has {rows}")

    def column(values: Any, what: str, dtype: str) -> int:
        alive.append(_column(values, what, dtype, rows))
        return int(alive[-1].ctypes.data)

    if isinstance(op, str):
        many.op = c.find_op(op).op
    else:
        many.ops = column(op, "op", "u1")
    if isinstance(width, (int, np.integer)):
        many.width_bytes = _whole(width, "width", 255)
    else:
        many.widths = column(width, "width", "u1")
    if isinstance(mask, (int, np.integer)):
        many.active_mask = _whole(mask, "mask", ALL_LANES)
    else:
        many.masks = column(mask, "mask", "u4")
    return many, rows, alive


def _whole(value: int | np.integer[Any], what: str, most: int) -> int:
    if isinstance(value, bool):
        raise SmemprobeError(f"{what}: {value}; a number from 0 to {most} is possible")
    if not 0 <= value <= most:
        raise SmemprobeError(f"{what}: {value}; 0 to {most} is possible")
    return int(value)


def _run(
    arch: Arch, many: Structure, out: npt.NDArray[Any], threads: int
) -> SmemprobeError | None:
    """Fills `out` in slices, each in a call that releases the interpreter's lock; returns the first invalid row."""
    rows, size = len(out), out.dtype.itemsize
    start = out.ctypes.data

    def take(first: int) -> SmemprobeError | None:
        count = min(_SLICE_ROWS, rows - first)
        at, error = ctypes.c_size_t(), c.CError()
        bad = lib.smp_predict_many(
            arch.pointer, many, first, count, start + first * size, at, error
        )
        if not bad:
            return None
        return c.fail(error.status, error, row=at.value, where=f"row {at.value}: ")

    firsts = range(0, rows, _SLICE_ROWS)
    if threads == 1 or len(firsts) <= 1:
        found = [take(first) for first in firsts]
    else:
        with ThreadPoolExecutor(min(threads, len(firsts))) as pool:
            found = list(pool.map(take, firsts))
    return next((bad for bad in found if bad), None)
