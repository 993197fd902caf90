# SPDX-License-Identifier: MIT
"""python -m smemprobe profile script.py, without a GPU: a script that launches kernels, and marks some."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data" / "programs"

# Transposes a matrix of 64 x 2048 floats through the runtime, and checks the result.
SCRIPT = """
import ctypes, sys
import smemprobe

cuda = ctypes.CDLL("libcudart.so.13")
WIDTH, HEIGHT = 2048, 64


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


cuda.cudaLaunchKernel.argtypes = [ctypes.c_void_p, Dim3, Dim3, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
cuda.cudaLibraryLoadData.argtypes = [ctypes.c_void_p] * 5 + [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint]


def check(status):
    if status != 0:
        sys.exit(f"status {status}")


code = open(sys.argv[1], "rb").read()
library, kernel = ctypes.c_void_p(), ctypes.c_void_p()
check(cuda.cudaLibraryLoadData(ctypes.byref(library), code, None, None, 0, None, None, 0))
check(cuda.cudaLibraryGetKernel(ctypes.byref(kernel), library, b"_Z9transposePfPKfii"))
bytes_there = ctypes.c_size_t(4 * WIDTH * HEIGHT)
given = (ctypes.c_float * (WIDTH * HEIGHT))(*range(WIDTH * HEIGHT))
taken = (ctypes.c_float * (WIDTH * HEIGHT))()
out, into = ctypes.c_void_p(), ctypes.c_void_p()
check(cuda.cudaMalloc(ctypes.byref(into), bytes_there))
check(cuda.cudaMalloc(ctypes.byref(out), bytes_there))
check(cuda.cudaMemcpy(into, given, bytes_there, 1))


def launch(times):
    values = [out, into, ctypes.c_int(WIDTH), ctypes.c_int(HEIGHT)]
    arguments = (ctypes.c_void_p * 4)(*(ctypes.addressof(value) for value in values))
    for _ in range(times):
        check(cuda.cudaLaunchKernel(kernel, Dim3(64, 2, 1), Dim3(32, 8, 1), arguments, 0, None))


launch(1)
with smemprobe.marked() as is_profiled:
    launch(2)
    with smemprobe.marked():
        pass
    launch(1)
launch(1)
try:
    with smemprobe.marked():
        raise KeyError
except KeyError:
    launch(1)
check(cuda.cudaMemcpy(taken, out, bytes_there, 2))
wrong = sum(taken[x * HEIGHT + y] != y * WIDTH + x for y in range(HEIGHT) for x in range(0, WIDTH, 64))
print(f"{wrong} wrong, profiled: {is_profiled}, {sys.argv[2:]}")
sys.exit(int(sys.argv[2]))
"""


class Profile(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "script.py").write_text(SCRIPT)

    def profile(self, *options: str, status: int = 0, words: tuple[str, ...] = ()) -> dict:
        """Profiles the script, checks its exit status, and returns the document."""
        out = self.folder / "out.json"
        out.unlink(missing_ok=True)
        command = [sys.executable, "-m", "smemprobe", "profile", "--no-gpu", *options, "-o", str(out), "script.py"]
        ran = subprocess.run(
            [*command, str(DATA / "transpose.fatbin"), str(status), *words],
            capture_output=True,
            text=True,
            cwd=self.folder,
        )
        if lacking := re.search("(nvdisasm|cuobjdump) not found", ran.stderr):
            self.skipTest(lacking[0])
        self.assertEqual(ran.returncode, status, ran.stderr)
        self.assertIn("0 wrong, profiled: True", ran.stdout, ran.stderr)
        return {"kernels": json.loads(out.read_text())["kernels"], "said": ran.stderr, "out": ran.stdout}

    def test_all_launches_and_the_marked_ones(self) -> None:
        (every,) = self.profile()["kernels"]
        (marked,) = self.profile("--launches", "marked")["kernels"]
        (first,) = self.profile("--launches", "2")["kernels"]
        self.assertEqual([every["launches"], marked["launches"], first["launches"]], [6, 3, 2])

        def wavefronts(kernel: dict) -> int:
            return sum(one["wavefronts"] or 0 for one in kernel["instructions"])

        self.assertEqual(wavefronts(every), 2 * wavefronts(marked))
        self.assertEqual(wavefronts(every), 3 * wavefronts(first))

    def test_the_script_keeps_its_words_and_its_status(self) -> None:
        got = self.profile(status=7, words=("--format", "x.py", "-o"))
        self.assertIn("['7', '--format', 'x.py', '-o']", got["out"])

    def test_without_a_profile_nothing_is_marked(self) -> None:
        code = "import smemprobe\nwith smemprobe.marked() as p: print(p)"
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual((ran.stdout, ran.returncode), ("False\n", 0), ran.stderr)

    def test_what_cannot_be_marked(self) -> None:
        program = os.environ["SMEMPROBE_PROGRAM"]
        for words, text in (
            (["--launches", "marked", "--time", "--", "true"], "measure whole programs"),
            (["--launches", "marke", "--", "true"], "launches"),
        ):
            ran = subprocess.run([program, "profile", *words], capture_output=True, text=True)
            self.assertEqual(ran.returncode, 2, ran.stderr)
            self.assertIn(text, ran.stderr)


if __name__ == "__main__":
    unittest.main()
