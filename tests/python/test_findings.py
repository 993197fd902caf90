# SPDX-License-Identifier: MIT
"""Findings in Python: findings, ok, exceptions on request, the gate."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np

import smemprobe
from smemprobe import Arch, FindingError, FindingPlace, GateError, SmemprobeError, Tensor, _emulate
from smemprobe._arrays import Arguments

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "programs"
CUBIN = DATA / "findings.cubin"
sys.path.insert(0, str(ROOT / "tests" / "web"))
import profile_file  # noqa: E402

# Launches a kernel with one array of 64 numbers through the runtime.
SCRIPT = """
import ctypes, sys
cuda = ctypes.CDLL("libcudart.so.13")
class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]
cuda.cudaLaunchKernel.argtypes = [ctypes.c_void_p, Dim3, Dim3, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
cuda.cudaLibraryLoadData.argtypes = [ctypes.c_void_p] * 5 + [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint]
library, kernel, out = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
assert cuda.cudaLibraryLoadData(ctypes.byref(library), open(sys.argv[1], "rb").read(), None, None, 0, None, None, 0) == 0
assert cuda.cudaLibraryGetKernel(ctypes.byref(kernel), library, sys.argv[2].encode()) == 0
assert cuda.cudaMalloc(ctypes.byref(out), ctypes.c_size_t(256)) == 0
cuda.cudaLaunchKernel(kernel, Dim3(1, 1, 1), Dim3(64, 1, 1), (ctypes.c_void_p * 1)(ctypes.addressof(out)), 0, None)
sys.exit(int(sys.argv[3]))
"""


class Findings(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def emulated(self, launch: str, cubin: Path = CUBIN) -> Path:
        path = self.folder / f"{launch.split('<')[0]}.smprof"
        smemprobe.run(["emulate", cubin, "--launch", launch, "-o", path])
        return path

    def test_of_a_file(self) -> None:
        seen = smemprobe.read_profile(self.emulated("behind<<<2, 64>>>(float[100], float[100])"))
        (one,) = seen.findings
        self.assertEqual((one.kind, one.severity, one.is_error, one.count), ("out of bounds", "error", True, 1))
        self.assertEqual((one.line, Path(one.file or "").name, one.array), (9, "findings.cu", "argument 2"))
        self.assertEqual((one.block, one.thread), ((1, 0, 0), (36, 0, 0)))
        self.assertEqual((one.offset, one.instruction), (0x90, "LDG.E R3, desc[UR4][R2.64]"))
        self.assertEqual((one.kernel, one.missing, one.other), ("_Z6behindPfPKf", None, None))
        self.assertTrue(str(one).endswith("findings.cu:9: out of bounds: 4 bytes at byte 400 of argument 2, which has 400"))
        self.assertFalse(seen.ok)
        self.assertEqual(repr(seen), "<Profile of behind(float*, float const*): 0 excess wavefronts, 1 error>")
        self.assertIn("out of bounds", seen.text.split("\n")[1])

    def test_lines_tables_pages(self) -> None:
        code = ROOT / "tests" / "data" / "sass" / "two.cubin"
        seen = smemprobe.read_profile(
            self.emulated("transpose<<<dim3(4,4), dim3(32,8)>>>(float[16384], float[16384] = iota, 128, 128)", code)
        )
        self.assertEqual(repr(seen), "<Profile of transpose(float*, float const*, int, int): 15,872 excess wavefronts, 0 errors>")
        worst = seen.lines[0]
        self.assertEqual((worst.ways, worst.wavefronts, worst.ideal, worst.excess), (32, 16384, 512, 15872))
        self.assertEqual((worst.sectors, worst.excess_sectors), (2048, 0))
        self.assertIn("32-way, 16,384 wavefronts, ideal 512, 2,048 sectors, ideal 2,048", str(worst))
        self.assertEqual(sum(one.requests for one in seen.lines), seen.total("requests"))
        self.assertEqual(seen.to_pandas()["ways"].tolist()[0], 32)
        self.assertIn(f"<td style=\"text-align:left\">{worst.place}</td>", seen._repr_html_())
        self.assertEqual(seen.races, ())
        for name, begins in (("r.html", "<!doctype html"), ("r.json", "{"), ("r.csv", "kernel"), ("r.md", ""), ("r.txt", "")):
            seen.save(self.folder / name)
            seen.save(self.folder / name)  # replaces the file
            self.assertTrue((self.folder / name).read_text().lower().startswith(begins), name)
        self.assertIn("transpose", (self.folder / "r.html").read_text())
        with self.assertRaisesRegex(SmemprobeError, "xyz"):
            seen.save(self.folder / "r.xyz")

    def test_of_a_file_that_is_emulated(self) -> None:
        done = smemprobe.emulate(CUBIN, launch="behind<<<2, 64>>>(float[100], float[100])", arch="H100")
        self.assertEqual([one.kind for one in done.findings], ["out of bounds"])
        self.assertIn("out of bounds", done._repr_html_())
        for words, text in (({"grid": 1}, "launch='kernel"), ({"launch": "nothing<<<1, 1>>>()"}, "nothing")):
            with self.assertRaisesRegex(SmemprobeError, text):
                smemprobe.emulate(CUBIN, **words)  # type: ignore[arg-type]
        with self.assertRaisesRegex(SmemprobeError, "kernel.cu"):
            smemprobe.emulate("__global__ void k(int *p) { p[0] = ; }")

    def test_on_request(self) -> None:
        path = self.emulated("unwritten<<<1, 64>>>(float[64])")
        with self.assertRaisesRegex(FindingError, "uninitialised") as caught:
            smemprobe.read_profile(path, raise_on_finding=True)
        self.assertEqual([one.kind for one in caught.exception.findings], ["uninitialised"])
        with self.assertRaises(SmemprobeError):
            smemprobe.read_profile(path).check()
        idle = self.emulated("idle<<<1, 32>>>()", DATA / "idle.cubin")
        smemprobe.read_profile(idle, raise_on_finding=True).check()

    def test_races_and_notes(self) -> None:
        for severity in ("error", "note"):
            path = self.folder / f"{severity}.smprof"
            profile_file.write(path, [], [profile_file.kernel([])], [profile_file.finding(severity=severity)])
        note = smemprobe.read_profile(self.folder / "note.smprof", raise_on_finding=True)
        self.assertTrue(note.ok)
        self.assertEqual(note.races, note.findings)
        self.assertEqual(
            note.findings[0].other,
            FindingPlace("/src/race.cu", 42, 0x120, "LDS R4, [R5]", (0, 0, 0), (35, 0, 0)),
        )
        self.assertIn("__syncthreads() before line 42", note.findings[0].missing or "")
        both = smemprobe.read_profile(self.folder / "note.smprof", self.folder / "error.smprof", self.folder / "error.smprof")
        self.assertEqual([(one.severity, one.count) for one in both.findings], [("error", 8), ("note", 4)])
        self.assertEqual(both.findings, smemprobe.read_profile(*[self.folder / f"{n}.smprof" for n in ("error", "note", "error")]).findings)
        both.save(self.folder / "both.smprof")
        self.assertEqual(smemprobe.read_profile(self.folder / "both.smprof").findings, both.findings)

    def test_of_a_launch(self) -> None:
        def launch() -> None:
            """Stand-in for a Numba kernel."""

        out = np.zeros(64, np.float32)

        def compiled(kernel: object, arguments: object, shape: _emulate.Shape, arch: Arch, given: Arguments) -> _emulate.Code:
            path = given.folder / "kernel.cubin"
            path.write_bytes(CUBIN.read_bytes())
            return _emulate.Code(path, names[0], *shape, given.texts([Tensor(out, "float32")]))

        names = ["unwritten"]
        with mock.patch.object(_emulate, "_numba_compile", compiled):
            done = smemprobe.emulate(launch, 1, 64, [out])
            self.assertEqual([one.kind for one in done.findings], ["uninitialised"])
            self.assertFalse(done.ok)
            self.assertIn("uninitialised", done.messages)
            np.testing.assert_array_equal(out[32:], 1)  # the written file, unchanged
            out[:] = 0
            with self.assertRaises(FindingError):
                smemprobe.emulate(launch, 1, 64, [out], raise_on_finding=True)
            np.testing.assert_array_equal(out[32:], 1)
            names[:] = ["unordered"]
            self.assertEqual(smemprobe.emulate(launch, 1, 64, [out]).races, ())
            self.assertIn("__syncthreads()", smemprobe.emulate(launch, 1, 64, [out], races=True).races[0].missing or "")

    def test_of_a_program(self) -> None:
        if not (Path(os.environ["SMEMPROBE_PROGRAM"]).parent / "runtime" / "13" / "libcudart.so.13").exists():
            self.skipTest("no runtime beside the program")
        script = self.folder / "script.py"
        script.write_text(SCRIPT)
        command = [sys.executable, script, CUBIN, "_Z9unwrittenPf"]
        said, screen = self.folder / "said", os.dup(2)
        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT), 2)
        try:
            done = smemprobe.profile([*command, "7"], no_gpu=True)
        finally:
            os.dup2(screen, 2)
        self.assertIn("uninitialised", said.read_text())
        self.assertNotIn("smemprobe report", said.read_text())  # of a file that is gone
        self.assertEqual(done.status, 7)
        self.assertEqual([(one.kind, one.array) for one in done.findings], [("uninitialised", "tile")])
        self.assertGreater(done.total("requests"), 0)
        with self.assertRaises(FindingError):
            smemprobe.profile([*command, "0"], no_gpu=True, raise_on_finding=True)
        with self.assertRaisesRegex(SmemprobeError, "left no profile"):
            smemprobe.profile(["no-such-program"], no_gpu=True)

    def test_the_gate(self) -> None:
        site = profile_file.site(16, "/src/k.cu", 3, stride=128)
        profile_file.write(self.folder / "seen.smprof", [], [profile_file.kernel([site])])
        profile_file.write(self.folder / "nothing.smprof", [], [])
        seen = smemprobe.read_profile(self.folder / "seen.smprof")
        seen.check(max_ways=32)
        with self.assertRaisesRegex(GateError, "32-way, at most 2-way"):
            seen.check(max_ways=2)
        with self.assertRaisesRegex(GateError, "excess wavefronts, at most 0"):
            seen.check(max_excess=0)
        rules = self.folder / "rules.gate"
        rules.write_text("* other.cu ways <= 1\n")
        with self.assertRaisesRegex(GateError, "nothing was judged: no rule of"):
            seen.check(gate=rules)
        with self.assertRaisesRegex(GateError, "nothing was judged: no kernel was seen"):
            smemprobe.read_profile(self.folder / "nothing.smprof").check(max_ways=1)

    def test_the_document(self) -> None:
        done = smemprobe.run(["emulate", CUBIN, "--launch", "odd<<<1, 32>>>(char[132], float[32])", "--format", "json"])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json.loads(done.stdout)["findings"][0]["kind"], "misaligned")
        self.assertEqual(subprocess.run([sys.executable, "-c", "import smemprobe; smemprobe.Finding"], check=False).returncode, 0)


if __name__ == "__main__":
    unittest.main()
