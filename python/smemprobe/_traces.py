# SPDX-License-Identifier: MIT
"""Traces (.smptrace): compressed files of accesses, in blocks that can be read independently.

They are written by the program (`emulate --trace`, `profile --no-gpu --trace`, `batch -o FILE.smptrace`) and
by this module, through the same library.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import suppress
from ctypes import Structure
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _library as c
from ._library import ALL_LANES, LANES, SmemprobeError
from ._many import Counts, predict_many, rows_of

if TYPE_CHECKING:
    import pyarrow

_NOTHING_LOST = 2**64 - 1


_FUNCTIONS = """
const char *smp_version()
size_t smp_machine_abi_size(const char *type)
int smp_trace_open(FILE *in, smp_trace_reader **out, smp_error *error)
int smp_trace_next(smp_trace_reader *reader, smp_trace_block *out, smp_trace_loss *loss,
    smp_error *error)
void smp_trace_reader_free(smp_trace_reader *reader)
smp_trace_writer *smp_trace_writer_new(FILE *out)
int smp_trace_put_many(smp_trace_writer *writer, smp_many *many, size_t first, size_t rows, size_t *bad,
    smp_error *error)
int smp_trace_finish(smp_trace_writer *writer, smp_error *error)
void smp_trace_writer_free(smp_trace_writer *writer)
"""


@cache
def _lib() -> Any:
    structs = ("trace_block", "trace_loss")
    return c.load(c.library_name("smemprobe_machine"), _FUNCTIONS, c.version, "smp_machine_abi_size", structs)


def _stream(path: str, flags: int, mode: bytes) -> int:
    """A FILE of the C library."""
    number = os.open(path, flags | os.O_CLOEXEC, 0o666)
    stream = c.libc().fdopen(number, mode)
    if not stream:
        os.close(number)
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), path)
    return int(stream)


@dataclass(frozen=True)
class TraceLoss:
    """An unreadable part of a trace.

    first_row: the first missing row, from 0; rows: known number of missing rows. offset:
    the first damaged byte of the file. is_cut: the file ends early.
    """

    first_row: int
    rows: int
    offset: int
    is_cut: bool

    def __str__(self) -> str:
        missing = f": rows {self.first_row} to {self.first_row + self.rows - 1} are missing"
        return (
            f"damaged at byte {self.offset}"
            + (missing if self.rows else "")
            + ("; the file is cut off" if self.is_cut else "")
        )


@dataclass(frozen=True)
class TraceRows:
    """A block of accesses of a trace, as columns.

    first_row: number of the first access in the trace. op: codes, indices of op_names(). width: bytes
    per lane. mask: bit l is lane l. offsets: (n, 32), byte offsets in shared memory, or global
    addresses; entries of inactive lanes are undefined. addresses: (n, 32), sources of copies, or None.
    """

    first_row: int
    op: npt.NDArray[np.uint8]
    width: npt.NDArray[np.uint8]
    mask: npt.NDArray[np.uint32]
    offsets: npt.NDArray[np.uint64]
    addresses: npt.NDArray[np.uint64] | None

    def __len__(self) -> int:
        return len(self.op)

    def predict(self, arch: str | c.Arch = "sm_90", **more: Any) -> Counts:
        """predict_many for these accesses; `more`: its other options."""
        return predict_many(
            self.offsets, self.width, self.op, arch, mask=self.mask, addresses=self.addresses, **more
        )

    def to_arrow(self) -> pyarrow.Table:
        """The columns that `python -m smemprobe batch` reads from Parquet and Arrow."""
        import pyarrow

        def lists(values: npt.NDArray[np.uint64]) -> Any:
            if values.max(initial=0) >= 2**63:
                raise SmemprobeError("an address beyond 63 bits does not fit a column of int64")
            flat = pyarrow.array(values.view(np.int64).ravel())
            return pyarrow.FixedSizeListArray.from_arrays(flat, LANES)

        codes = pyarrow.array(self.op.astype(np.int8))
        columns = {
            "op": pyarrow.DictionaryArray.from_arrays(codes, c.op_names()).cast("string"),
            "width": pyarrow.array(self.width),
            "mask": pyarrow.array(self.mask),
            "offsets": lists(self.offsets),
        }
        zeros = np.zeros_like(self.offsets)
        columns["addresses"] = lists(zeros if self.addresses is None else self.addresses)
        return pyarrow.table(columns)


def _column(address: int | None, dtype: Any, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """An array over the reader's memory, valid until the next block."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    bytes_there = (ctypes.c_char * size).from_address(address or 0)
    return np.frombuffer(bytes_there, dtype).reshape(shape)


def _lanes(lanes: Structure, rows: int) -> npt.NDArray[np.uint64]:
    dtype = np.uint32 if lanes.lane_stride_bytes == 4 else np.uint64
    return _column(lanes.data, dtype, (rows, LANES)).astype(np.uint64)


class Trace:
    """A trace opened for reading. Iterates once over its blocks as TraceRows.

    losses: unreadable parts so far; the other blocks are still read.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.losses: list[TraceLoss] = []
        self._reader = ctypes.c_void_p()
        self._stream: int | None = _stream(self.path, os.O_RDONLY, b"rb")
        error = c.CError()
        status = _lib().smp_trace_open(self._stream, self._reader, error)
        if status != c.OK:
            self.close()
            raise c.fail(status, error, where=f"{self.path}: ")

    def close(self) -> None:
        if self._reader:
            _lib().smp_trace_reader_free(self._reader)
            self._reader = ctypes.c_void_p()
        if self._stream:
            c.libc().fclose(self._stream)
            self._stream = None

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    def __iter__(self) -> Iterator[TraceRows]:
        block, loss, error = c.CTraceBlock(), c.CTraceLoss(), c.CError()
        while self._reader:
            status = _lib().smp_trace_next(self._reader, block, loss, error)
            if status != c.OK:
                raise c.fail(status, error, where=f"{self.path}: ")
            if loss.offset != _NOTHING_LOST:
                self.losses.append(TraceLoss(loss.first_row, loss.rows, loss.offset, loss.is_cut))
            if block.rows == 0:
                self.close()
                return
            n, many = block.rows, block.many
            yield TraceRows(
                block.first_row,
                _column(many.ops, np.uint8, (n,)).copy(),
                _column(many.widths, np.uint8, (n,)).copy(),
                _column(many.masks, np.uint32, (n,)).copy(),
                _lanes(many.offsets, n),
                _lanes(many.addresses, n) if many.addresses.data else None,
            )


def read_trace(path: str | os.PathLike[str]) -> Trace:
    """Opens a trace for iteration over its blocks.

    >>> import tempfile, numpy as np
    >>> name = tempfile.mkdtemp() + "/a.smptrace"
    >>> with TraceWriter(name) as trace:
    ...     trace.write(np.arange(32) * np.arange(4)[:, None] * 4)
    >>> for rows in read_trace(name):
    ...     print(rows.first_row, len(rows), rows.predict()["ways"].tolist())
    0 4 [1, 1, 2, 1]
    """
    return Trace(path)


class TraceWriter:
    """Writes a trace. The file gets its name when the `with` block ends without an exception.

    overwrite: replace an existing file of that name.
    """

    def __init__(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        self.path, self.overwrite = os.fspath(path), overwrite
        self._writer: int | None = None
        self._stream: int | None = None
        self._partial: str | None = None
        if not overwrite and os.path.lexists(self.path):
            raise FileExistsError(17, "overwrite=True replaces it", self.path)
        partial = f"{self.path}.{os.getpid()}.partial"
        try:
            self._stream = _stream(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, b"wb")
        except FileExistsError:
            raise FileExistsError(17, f"is being written, or {partial} was left", self.path) from None
        self._partial = partial
        self._writer = _lib().smp_trace_writer_new(self._stream)
        if not self._writer:
            self._drop()
            raise MemoryError("no memory for a trace")

    def write(
        self,
        offsets: Any,
        width: int | npt.NDArray[Any] = 4,
        op: str | npt.NDArray[Any] = "ld.shared",
        *,
        mask: int | npt.NDArray[Any] = ALL_LANES,
        addresses: Any = None,
    ) -> None:
        """Adds rows, given as to predict_many. An invalid row is an error."""
        if not self._writer:
            raise ValueError("the trace is closed")
        many, rows, alive = rows_of(offsets, width, op, mask, addresses)
        at, error = ctypes.c_size_t(rows), c.CError()
        status = _lib().smp_trace_put_many(self._writer, many, 0, rows, at, error)
        del alive
        if status != c.OK:
            row = at.value if at.value < rows else None
            where = f"{self.path}: " if row is None else f"row {row}: "
            raise c.fail(status, error, row=row, where=where)

    def _drop(self) -> None:
        if self._writer:
            _lib().smp_trace_writer_free(self._writer)
            self._writer = None
        if self._stream:
            c.libc().fclose(self._stream)
            self._stream = None
        if self._partial:
            partial, self._partial = self._partial, None
            with suppress(FileNotFoundError):
                os.unlink(partial)

    def close(self) -> None:
        """Ends the trace and renames the file; a failure leaves no file."""
        if not self._writer:
            return
        error = c.CError()
        try:
            status = _lib().smp_trace_finish(self._writer, error)
            if status != c.OK:
                raise c.fail(status, error, where=f"{self.path}: ")
            stream, self._stream = self._stream, None
            if c.libc().fclose(stream) != 0:
                number = ctypes.get_errno()
                raise OSError(number, os.strerror(number), self.path)
            partial = str(self._partial)
            if self.overwrite:
                os.replace(partial, self.path)
            else:
                os.link(partial, self.path)
        finally:
            self._drop()

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(self, *raised: object) -> None:
        if raised[0] is None:
            self.close()
        else:
            self._drop()

    def __del__(self) -> None:
        with suppress(Exception):
            self._drop()
