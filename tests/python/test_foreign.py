# SPDX-License-Identifier: MIT
"""The kernels of foreign_kernels.py on the CPU: each computes what NumPy says."""

import tempfile
import unittest
from pathlib import Path

from foreign_kernels import cases, run

from smemprobe._program import run as program


class Foreign(unittest.TestCase):
    def test_all_of_them(self) -> None:
        for case in cases():
            with self.subTest(case.name):
                self.assertEqual(run(case).messages, "")

    def test_what_was_kept_runs_again(self) -> None:
        case = next(one for one in cases() if one.name == "numba-histogram")
        with tempfile.TemporaryDirectory() as folder:
            run(case, capture=Path(folder) / "kept")
            again = program(["emulate", Path(folder) / "kept", "--format", "json"])
            self.assertEqual((again.returncode, again.stderr), (0, ""))
            self.assertIn("n_histogram", again.stdout)
