# SPDX-License-Identifier: MIT
"""Traces written and read, compared with the program; damaged ones; Parquet and Arrow in both directions."""

import contextlib
import io
import os
import resource
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import pyarrow.parquet

import smemprobe
from smemprobe import SmemprobeError, TraceWriter, _tables, predict_many, read_trace
from test_predict import lines_of, some_accesses
from test_tables import table_of

FRAME = 24


class Traces(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "a.smptrace"

    def write(self, rows: int = 10000, seed: int = 1) -> np.ndarray:
        """Random rows of 4-byte loads, in three blocks by default."""
        offsets = np.random.default_rng(seed).integers(0, 12288, (rows, 32)) * 4
        with TraceWriter(self.path) as trace:
            trace.write(offsets)
        return offsets

    def blocks(self, data: bytes) -> list[int]:
        """The offsets at which the blocks of a trace begin."""
        found, at = [], data.find(b"smpblock")
        while at >= 0:
            found.append(at - 8)
            at = data.find(b"smpblock", at + 1)
        return found


class RoundTrip(Traces):
    def test_rows_come_back_and_cost_what_they_cost(self) -> None:
        offsets = self.write()
        got = list(read_trace(self.path))
        self.assertEqual([rows.first_row for rows in got], [0, 4096, 8192])
        np.testing.assert_array_equal(np.concatenate([rows.offsets for rows in got]), offsets)
        counts = np.concatenate([rows.predict().array for rows in got])
        np.testing.assert_array_equal(counts, predict_many(offsets).array)
        printed = smemprobe.run(["batch", self.path, "--format", "csv"]).stdout.splitlines()[1:]
        self.assertEqual([int(line.split(",")[4]) for line in printed], counts["wavefronts_min"].tolist())

    def test_all_operations_as_the_program_writes_and_reads_them(self) -> None:
        accesses = some_accesses(600, 9)
        text, other = self.folder / "a.txt", self.folder / "b.smptrace"
        text.write_text(lines_of(accesses))
        want = smemprobe.run(["batch", text, "--format", "csv"]).stdout.splitlines()
        smemprobe.run(["batch", text, "-o", other])
        with TraceWriter(self.path) as trace:
            for rows in read_trace(other):
                trace.write(rows.offsets, rows.width, rows.op, mask=rows.mask, addresses=rows.addresses)
        self.assertEqual(self.path.read_bytes(), other.read_bytes())
        got = smemprobe.run(["batch", self.path, "--format", "csv"]).stdout.splitlines()
        self.assertEqual([line.split(",", 1)[1] for line in got], [line.split(",", 1)[1] for line in want])

    def test_arrays_of_any_kind(self) -> None:
        rows = (np.arange(64).reshape(2, 32) * 4).astype(np.uint32)
        with TraceWriter(self.path) as trace:
            trace.write(rows[::-1], 4, "st.shared", mask=np.array([1, 0xFFFFFFFF], np.uint32))
            trace.write(rows.astype(np.int64).T.copy().T, np.array([8, 16], np.uint8))
        (got,) = read_trace(self.path)
        self.assertEqual(got.mask.tolist(), [1, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF])
        self.assertEqual(got.width.tolist(), [4, 4, 8, 16])
        self.assertEqual(got.offsets[0, 0], rows[1, 0])
        np.testing.assert_array_equal(got.offsets[1:3], rows[[0, 0]])

    def test_parquet_and_arrow_both_ways(self) -> None:
        table = table_of(some_accesses(500, 4))
        for ending in ("parquet", "arrow"):
            first, second = self.folder / f"one.{ending}", self.folder / f"two.{ending}"
            trace = self.folder / f"{ending}.smptrace"
            if ending == "parquet":
                pyarrow.parquet.write_table(table, first)
            else:
                with pyarrow.ipc.new_file(str(first), table.schema) as writer:
                    writer.write_table(table)

            def batch(*words: object) -> subprocess.CompletedProcess:
                if not any(str(word).endswith((".parquet", ".arrow")) for word in words):
                    return smemprobe.run(["batch", *map(str, words), "--format", "csv"])
                out, errors = io.StringIO(), io.StringIO()
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
                    status = _tables.main([str(word) for word in words])
                return subprocess.CompletedProcess([], status, out.getvalue(), errors.getvalue())

            want = batch(first)
            self.assertEqual(batch(first, "-o", trace).returncode, want.returncode)
            self.assertEqual(batch(trace, "-o", second).returncode, 0)
            rest = [line.split(",", 1)[1] for line in want.stdout.splitlines()]
            for file in (trace, second):
                got = [line.split(",", 1)[1] for line in batch(file).stdout.splitlines()]
                self.assertEqual(got, rest, file)
            again = batch(trace, "-o", second)
            self.assertEqual((again.returncode, "exists" in again.stderr), (2, True))


class Bad(Traces):
    def test_a_damaged_block_is_named_and_the_rest_is_there(self) -> None:
        offsets = self.write()
        data = bytearray(self.path.read_bytes())
        data[self.blocks(bytes(data))[1] + 200] ^= 0x40
        self.path.write_bytes(data)
        with read_trace(self.path) as trace:
            got = list(trace)
        self.assertEqual([rows.first_row for rows in got], [0, 8192])
        np.testing.assert_array_equal(got[1].offsets, offsets[8192:])
        (loss,) = trace.losses
        self.assertEqual((loss.first_row, loss.rows, loss.is_cut), (4096, 4096, False))
        self.assertRegex(str(loss), r"damaged at byte \d+: rows 4096 to 8191 are missing$")

    def test_a_file_that_is_cut(self) -> None:
        offsets = self.write()
        data = self.path.read_bytes()
        starts = self.blocks(data)
        for end, rows in ((starts[2] + 50, 8192), (starts[1], 4096), (starts[1] + 3, 4096), (FRAME, 0)):
            self.path.write_bytes(data[:end])
            with read_trace(self.path) as trace:
                got = [block.offsets for block in trace]
            self.assertEqual(sum(map(len, got)), rows)
            if got:
                np.testing.assert_array_equal(np.concatenate(got), offsets[:rows])
            self.assertTrue(trace.losses[-1].is_cut)
            self.assertIn("the file is cut off", str(trace.losses[-1]))

    def test_newer_and_other_files(self) -> None:
        self.write(10)
        data = bytearray(self.path.read_bytes())
        data[16] = 2
        self.path.write_bytes(data)
        with self.assertRaisesRegex(SmemprobeError, "version 2, this program reads 1: a newer"):
            read_trace(self.path)
        for other in (b"", b"PK", b"x" * 100):
            self.path.write_bytes(other)
            with self.assertRaisesRegex(SmemprobeError, "a.smptrace: this is not a trace"):
                read_trace(self.path)
        with self.assertRaises(FileNotFoundError):
            read_trace(self.folder / "none")

    def test_rows_that_are_none(self) -> None:
        rows = np.zeros((5, 32), np.int64)
        rows[3, 9] = -4
        with self.assertRaises(SmemprobeError) as caught, TraceWriter(self.path) as trace:
            trace.write(rows)
        self.assertRegex(str(caught.exception), "^row 3: lane 9: the offset is below 0")
        self.assertEqual((caught.exception.row, caught.exception.position), (3, 9))
        for given, text in (
            (np.zeros((5, 31), int), r"shape \(5, 31\)"),
            (np.zeros((5, 32)), "float64 numbers"),
            ("text", "str is not an array"),
        ):
            with self.assertRaisesRegex(SmemprobeError, text), TraceWriter(self.path) as trace:
                trace.write(given)
        with self.assertRaisesRegex(SmemprobeError, "row 0: .*source"), TraceWriter(self.path) as trace:
            trace.write(rows[:1], 4, "cp.async")
        self.assertEqual(os.listdir(self.folder), [])

    def test_two_writers_of_one_file(self) -> None:
        with TraceWriter(self.path) as first:
            first.write(np.zeros((1, 32), int))
            with self.assertRaises(FileExistsError):
                TraceWriter(self.path)  # of this process
            code = (
                "import sys, numpy as np, smemprobe\n"
                "with smemprobe.TraceWriter(sys.argv[1]) as t: t.write(np.zeros((2, 32), int))\n"
            )
            subprocess.run([sys.executable, "-c", code, str(self.path)], check=True)
            with self.assertRaises(FileExistsError):
                first.close()
        self.assertEqual(sum(map(len, read_trace(self.path))), 2)
        with self.assertRaises(FileExistsError):
            TraceWriter(self.path)
        with TraceWriter(self.path, overwrite=True) as trace:
            trace.write(np.zeros((3, 32), int))
        self.assertEqual(sum(map(len, read_trace(self.path))), 3)
        self.assertEqual(os.listdir(self.folder), ["a.smptrace"])

    def test_a_full_disk_leaves_nothing(self) -> None:
        def full() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))

        code = (
            "import sys, numpy as np, smemprobe\n"
            "rows = np.random.default_rng(1).integers(0, 9999, (int(sys.argv[2]), 32))\n"
            "with smemprobe.TraceWriter(sys.argv[1]) as t: t.write(rows, 1)\n"
        )
        for rows, status in ((900, 0), (1400, 1), (20000, 1)):
            got = subprocess.run(
                [sys.executable, "-c", code, str(self.path), str(rows)],
                preexec_fn=full,
                capture_output=True,
                text=True,
            )
            self.assertEqual(got.returncode, status, got.stderr)
            self.assertEqual(os.listdir(self.folder), ["a.smptrace"] if status == 0 else [])
            if status:
                self.assertRegex(got.stderr, "File too large|could not be written")
            with contextlib.suppress(FileNotFoundError):
                self.path.unlink()


if __name__ == "__main__":
    unittest.main()
