# SPDX-License-Identifier: MIT
"""Arrow and Parquet: results as tables, files of accesses as input."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet

import smemprobe
from smemprobe import SmemprobeError, _tables, predict_many
from test_predict import lines_of, some_accesses


def table_of(accesses: list[tuple[str, int, int, list[int]]]) -> pyarrow.Table:
    flat = pyarrow.array(np.array([access[3] for access in accesses], np.int64).ravel())
    return pyarrow.table(
        {
            "op": [access[0] for access in accesses],
            "width": pyarrow.array([access[1] for access in accesses], pyarrow.uint8()),
            "mask": pyarrow.array([access[2] for access in accesses], pyarrow.uint32()),
            "offsets": pyarrow.FixedSizeListArray.from_arrays(flat, 32),
        }
    )


class Results(unittest.TestCase):
    def test_unknown_figures_are_null(self) -> None:
        rows = np.arange(64).reshape(2, 32) * 4
        codes = np.array([smemprobe.op_names().index(op) for op in ("ld.shared", "ld.global")])
        counts = predict_many(rows, op=codes)
        table = counts.to_arrow().to_pydict()
        self.assertEqual(table["ways"], [1, None])
        self.assertEqual(table["transactions"], [None, 4])
        self.assertEqual(table["evidence"][0], "measured")
        frame = counts.to_pandas()
        self.assertEqual(frame["transactions"].sum(), 4)
        self.assertTrue(frame["ways"].isna()[1])
        self.assertEqual(str(frame["ways"].dtype), "UInt16")
        self.assertIsInstance(frame, pandas.DataFrame)

    def test_lists_of_arrow_are_read_where_they_lie(self) -> None:
        table = table_of(some_accesses(100, 5))
        column = table.column("offsets").combine_chunks()
        shifted = column.slice(40, 20)
        shared = np.array(column.flatten()).reshape(-1, 32)
        got = predict_many(shifted, 1).array
        np.testing.assert_array_equal(got, predict_many(shared[40:60], 1).array)
        self.assertEqual(len(predict_many(table.column("offsets"), 1)), 100)

    def test_what_arrow_lacks_is_said(self) -> None:
        lists = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array([1] * 62, pyarrow.int64()), 31)
        nulls = pyarrow.array([[0] * 32, None], pyarrow.list_(pyarrow.int64(), 32))
        lanes = pyarrow.array([[0] * 31 + [None]], pyarrow.list_(pyarrow.int64(), 32))
        for given, text in (
            (lists, "a row is a fixed_size_list of 32"),
            (nulls, "1 rows are null"),
            (lanes, "1 lanes are null"),
            (pyarrow.array([[1], [2]]), "a row is a fixed_size_list"),
        ):
            with self.assertRaisesRegex(SmemprobeError, text):
                predict_many(given)


class Files(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.accesses = some_accesses(400, 6)
        self.table = table_of(self.accesses)

    def batch(self, *words: object) -> subprocess.CompletedProcess[str]:
        """`python -m smemprobe batch` on tables, in this process."""
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            status = _tables.main([str(word) for word in words])
        return subprocess.CompletedProcess([], status, out.getvalue(), errors.getvalue())

    def test_a_file_of_rows_is_a_file_of_lines(self) -> None:
        text = self.folder / "accesses.txt"
        text.write_text(lines_of(self.accesses))
        want = smemprobe.run(["batch", text])
        pyarrow.parquet.write_table(self.table, self.folder / "a.parquet", row_group_size=100)
        with pyarrow.OSFile(str(self.folder / "a.arrow"), "wb") as sink:
            with pyarrow.ipc.new_file(sink, self.table.schema) as writer:
                writer.write_table(self.table, 70)
        for name in ("a.parquet", "a.arrow"):
            got = self.batch(self.folder / name)
            self.assertEqual(got.stdout, want.stdout, name)
            self.assertEqual(got.returncode, want.returncode, name)
        entered = subprocess.run(
            [sys.executable, "-m", "smemprobe", "batch", str(self.folder / name)],
            capture_output=True,
            text=True,
        )
        self.assertEqual((entered.stdout, entered.returncode), (want.stdout, want.returncode))

    def test_columns_that_are_not_there_hold_for_all(self) -> None:
        pyarrow.parquet.write_table(self.table.select(["offsets"]), self.folder / "a.parquet")
        got = self.batch(self.folder / "a.parquet", "--width", "1", "--op", "st.shared")
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertIn("\n2,st.shared,1,32,", got.stdout)

    def test_wrong_rows_are_named_and_the_rest_is_there(self) -> None:
        offsets = np.zeros((5, 32), np.int64)
        offsets[3, 9] = 2
        lists = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(offsets.ravel()), 32)
        pyarrow.parquet.write_table(pyarrow.table({"offsets": lists}), self.folder / "a.parquet")
        got = self.batch(self.folder / "a.parquet")
        self.assertEqual(got.returncode, 3)
        self.assertIn("a.parquet:4: lane 9: offset 2", got.stderr)
        self.assertIn("1 of 5 rows are invalid", got.stderr)
        self.assertEqual([line.split(",")[0] for line in got.stdout.splitlines()[1:]], list("1235"))

    def test_other_files_are_refused(self) -> None:
        broken = self.folder / "broken.parquet"
        pyarrow.parquet.write_table(self.table, broken)
        broken.write_bytes(broken.read_bytes()[:-20])
        got = self.batch(broken)
        self.assertEqual(got.returncode, 3)
        self.assertIn("broken.parquet: ", got.stderr)
        self.assertEqual(self.batch(self.folder / "none.parquet").returncode, 3)
        pyarrow.parquet.write_table(pyarrow.table({"x": [1]}), self.folder / "x.parquet")
        self.assertIn("no column 'offsets', but x", self.batch(self.folder / "x.parquet").stderr)
        extra = self.table.append_column("lanes", [[1] * len(self.table)])
        pyarrow.parquet.write_table(extra, self.folder / "y.parquet")
        self.assertIn("unknown columns: lanes", self.batch(self.folder / "y.parquet").stderr)
        op = self.table.set_column(0, "op", [["load"] * len(self.table)])
        pyarrow.parquet.write_table(op, self.folder / "z.parquet")
        self.assertIn("'load' is not an operation", self.batch(self.folder / "z.parquet").stderr)

    def test_an_output_is_whole_and_new(self) -> None:
        pyarrow.parquet.write_table(self.table, self.folder / "a.parquet")
        target = self.folder / "out.csv"
        self.assertIn(self.batch(self.folder / "a.parquet", "-o", target).returncode, (0, 3))
        before = target.read_text()
        self.assertEqual(before, self.batch(self.folder / "a.parquet").stdout)
        again = self.batch(self.folder / "a.parquet", "-o", target)
        self.assertEqual((again.returncode, target.read_text()), (2, before))
        self.assertEqual([p for p in os.listdir(self.folder) if "partial" in p], [])

    def test_the_same_in_process(self) -> None:
        counts = _tables.predict_batch(self.table, errors="mark")
        self.assertEqual(len(counts), 400)


if __name__ == "__main__":
    unittest.main()
