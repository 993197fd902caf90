# SPDX-License-Identifier: MIT
"""Accesses in Parquet and Arrow files.

A row is an access: `offsets`, a fixed_size_list<int64, 32> (or of int32, uint32, uint64); optional
columns are `op` (its name), `width` (bytes), `mask` (bit l is lane l) and, for copies,
`addresses`. A missing column has its default in all rows.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _library as c
from ._library import ALL_LANES, SmemprobeError
from ._many import Counts, fine_statuses, predict_many

if TYPE_CHECKING:
    import pyarrow

BATCH_ROWS = 1 << 18


def batches(path: str) -> Iterator[pyarrow.RecordBatch]:
    """Yields the record batches of a .parquet, .arrow or .feather file."""
    import pyarrow

    if path.endswith(".parquet"):
        import pyarrow.parquet

        with pyarrow.parquet.ParquetFile(path) as file:
            yield from file.iter_batches(BATCH_ROWS)
        return
    with pyarrow.memory_map(path) as source, pyarrow.ipc.open_file(source) as reader:
        for i in range(reader.num_record_batches):
            yield reader.get_batch(i)


def _op_codes(column: Any) -> Any:
    """Operation codes for a column of names."""
    names = {name: code for code, name in enumerate(c.op_names())}
    words = column.dictionary_encode() if not hasattr(column, "dictionary") else column
    if words.null_count:
        raise SmemprobeError(f"op: {words.null_count} rows are null")
    for word in words.dictionary.to_pylist():
        if word not in names:
            raise SmemprobeError(f"op: '{word}' is not an operation", "SMP_E_UNKNOWN_OP")
    codes = np.array([names[word] for word in words.dictionary.to_pylist()], np.uint8)
    return codes[words.indices.to_numpy(zero_copy_only=False)]


def predict_batch(
    batch: pyarrow.RecordBatch | pyarrow.Table,
    width: int = 4,
    op: str = "ld.shared",
    arch: str = "sm_90",
    **more: Any,
) -> Counts:
    """predict_many for a table of accesses; `more`: its other options."""
    given = columns_of(batch, width, op)
    offsets, widths, ops = given.pop("offsets"), given.pop("width"), given.pop("op")
    return predict_many(offsets, widths, ops, arch, **given, **more)


def columns_of(
    batch: pyarrow.RecordBatch | pyarrow.Table, width: int = 4, op: str = "ld.shared"
) -> dict[str, Any]:
    """The columns of a table as the arguments offsets, width, op, mask and addresses."""
    names = batch.schema.names
    if "offsets" not in names:
        raise SmemprobeError(f"no column 'offsets', but {', '.join(names)}")
    unknown = set(names) - {"offsets", "op", "width", "mask", "addresses"}
    if unknown:
        raise SmemprobeError(f"unknown columns: {', '.join(sorted(unknown))}")

    def column(name: str) -> Any:
        values = batch.column(name)
        return values.combine_chunks() if hasattr(values, "combine_chunks") else values

    def numbers(name: str, default: int) -> Any:
        if name not in names:
            return default
        values = column(name)
        if values.null_count:
            raise SmemprobeError(f"{name}: {values.null_count} rows are null")
        return values.to_numpy(zero_copy_only=False)

    return {
        "offsets": column("offsets"),
        "width": numbers("width", width),
        "op": _op_codes(column("op")) if "op" in names else op,
        "mask": numbers("mask", ALL_LANES),
        "addresses": column("addresses") if "addresses" in names else None,
    }


CSV_HEAD = "line,op,width_bytes,active_lanes,wavefronts_min,wavefronts_max,ideal,ways,transactions,bytes"


def _write_rows(out: Any, batch: Any, counts: Counts, first: int, arguments: Any) -> None:
    valid = counts["valid"]
    names = batch.schema.names

    def column(name: str, default: Any) -> list[Any]:
        return batch.column(name).to_pylist() if name in names else [default] * len(counts)

    ops, widths = column("op", arguments.op), column("width", arguments.width)
    masks = column("mask", ALL_LANES)
    figures = [(counts[name].tolist(), c.FIGURES[name]) for name in CSV_HEAD.split(",")[4:]]
    fine = np.isin(counts["status"], fine_statuses())
    for i in np.flatnonzero(fine).tolist():
        row = [first + i, ops[i], widths[i], int(masks[i]).bit_count()]
        row += [values[i] if valid[i] & bit else "" for values, bit in figures]
        out.write(",".join(map(str, row)) + "\n")


def _run(arguments: argparse.Namespace, take: Callable[[Any, Counts, int], None]) -> int:
    """Calls `take` with each batch, its costs and the number of its first row; reports invalid rows."""
    row, bad = 1, 0
    for batch in batches(arguments.file):
        counts = predict_batch(
            batch, arguments.width, arguments.op, arguments.arch, errors="mark"
        )
        if counts.first_bad:
            where = row + (counts.first_bad.row or 0)
            text = str(counts.first_bad).split(": ", 1)[1]
            print(f"{arguments.file}:{where}: {text}", file=sys.stderr)
            bad += counts.totals()["wrong"]
        take(batch, counts, row)
        row += len(counts)
    if bad:
        print(f"{arguments.file}: {bad} of {row - 1} rows are invalid", file=sys.stderr)
    return 3 if bad else 0


def _to_csv(arguments: argparse.Namespace, out: Any) -> int:
    out.write(CSV_HEAD + "\n")
    return _run(
        arguments, lambda batch, counts, row: _write_rows(out, batch, counts, row, arguments)
    )


def _to_trace(arguments: argparse.Namespace) -> int:
    """Writes the valid rows as a trace."""
    from ._traces import TraceWriter

    with TraceWriter(arguments.output) as trace:

        def take(batch: Any, counts: Counts, row: int) -> None:
            fine = np.isin(counts["status"], fine_statuses())
            if not fine.all():
                batch = batch.filter(fine)
            trace.write(**columns_of(batch, arguments.width, arguments.op))

        return _run(arguments, take)


@contextmanager
def _appearing(path: str) -> Iterator[str]:
    """Yields a temporary name; the file is renamed to `path` when it is complete."""
    partial = f"{path}.{os.getpid()}.partial"
    try:
        yield partial
        os.link(partial, path)
    finally:
        if os.path.exists(partial):
            os.unlink(partial)


def trace_to_table(trace: str, table: str) -> int:
    """Writes a trace as a new Parquet or Arrow file; returns 3 if rows were lost."""
    import pyarrow
    import pyarrow.parquet

    from ._traces import read_trace

    new_file = pyarrow.parquet.ParquetWriter if table.endswith(".parquet") else pyarrow.ipc.new_file
    writer: Any = None
    gathered: list[pyarrow.Table] = []

    def flush() -> None:
        nonlocal writer
        if gathered:
            one = pyarrow.concat_tables(gathered)
            gathered.clear()
            writer = writer or new_file(partial, one.schema)
            writer.write_table(one)

    with _appearing(table) as partial, read_trace(trace) as reader:
        for rows in reader:
            gathered.append(rows.to_arrow())
            if sum(map(len, gathered)) >= BATCH_ROWS // 4:
                flush()
        if writer is None and not gathered:
            raise SmemprobeError("a trace without accesses cannot become a table")
        flush()
        writer.close()
    for loss in reader.losses:
        print(f"{trace}: {loss}", file=sys.stderr)
    return 3 if reader.losses else 0


def main(words: list[str]) -> int:
    """batch FILE.parquet: the CSV of the program's batch, with a line per row of the file.

    batch FILE.parquet -o FILE.smptrace, or the reverse: converts accesses between formats.
    """
    parser = argparse.ArgumentParser(prog="smemprobe batch", allow_abbrev=False)
    parser.add_argument("file", help="a .parquet, .arrow or .feather file, or a .smptrace")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--op", default="ld.shared", help="if there is no column op")
    parser.add_argument("--width", type=int, default=4, help="if there is no column width")
    parser.add_argument("--format", choices=["csv"], default="csv")
    parser.add_argument("-o", "--output", help="a new file")
    arguments = parser.parse_args(words)
    try:
        import pyarrow
    except ImportError:
        print("smemprobe: batch of Parquet and Arrow files needs pyarrow", file=sys.stderr)
        return 5
    arrow_error: type[Exception] = pyarrow.ArrowException
    try:
        if not arguments.output:
            return _to_csv(arguments, sys.stdout)
        return _to_file(arguments)
    except SmemprobeError as error:
        print(f"smemprobe: {arguments.file}: {error}", file=sys.stderr)
        return 2 if error.status in ("SMP_E_UNKNOWN_ARCH", "SMP_E_UNKNOWN_OP") else 3
    except (OSError, arrow_error) as error:
        # Arrow's messages do not name the file.
        names = " to ".join(filter(None, [arguments.file, arguments.output]))
        where = "" if getattr(error, "filename", None) else f"{names}: "
        print(f"smemprobe: {where}{error}", file=sys.stderr)
        return 3


def _to_file(arguments: argparse.Namespace) -> int:
    """Writes the file completely or not at all; does not replace an existing file."""
    target = arguments.output
    if os.path.exists(target):
        print(f"smemprobe: {target}: output file exists", file=sys.stderr)
        return 2
    if arguments.file.endswith(".smptrace"):
        return trace_to_table(arguments.file, target)
    if target.endswith(".smptrace"):
        return _to_trace(arguments)
    with _appearing(target) as partial, open(partial, "x") as out:
        return _to_csv(arguments, out)
