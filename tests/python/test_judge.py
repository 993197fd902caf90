# SPDX-License-Identifier: MIT
"""Candidates in Python: ranked, as data, as a table, and through an agent's tools."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import smemprobe
from smemprobe import SmemprobeError, mcp

ROOT = Path(__file__).resolve().parents[2]
CODE = ROOT / "tests" / "data" / "sass" / "two.cubin"
LAUNCH = "transpose<<<dim3({0},{0}), dim3(32,8)>>>(float[16384], float[16384] = iota, 128, 128)"
CANDIDATES = [
    {"name": "whole", "file": CODE, "launch": LAUNCH.format(4)},
    {"name": "half", "file": str(CODE), "launch": LAUNCH.format(2)},
    {"name": "too many", "file": str(CODE), "launch": LAUNCH.format(8)},
]
AGENTS = [{**one, "file": str(one["file"])} for one in CANDIDATES]


class Judge(unittest.TestCase):
    def test_a_file_keeps_the_name_it_was_given(self) -> None:
        line = smemprobe._judge._line("some/kernel.cu", "candidate 1", Path())
        self.assertEqual((line["name"], Path(line["file"]).is_absolute()), ("some/kernel.cu", True))

    def test_ranked(self) -> None:
        done = smemprobe.judge(CANDIDATES, arch="H100")
        self.assertEqual([one.name for one in done], ["half", "whole", "too many"])
        self.assertEqual(done.best, done.named("half"))
        half, whole, wrong = done
        self.assertEqual((wrong.verdict, wrong.findings[0].kind, wrong.ok), ("finding", "order of blocks", False))
        assert half.wavefronts is not None and whole.cost is not None and half.cost is not None
        self.assertEqual(whole.wavefronts, 4 * half.wavefronts)
        self.assertLess(half.cost, whole.cost)
        self.assertEqual(repr(done), "<Judgement of 3: 2 right, best: half>")
        self.assertIn("too many: finding: order of blocks", str(done))
        self.assertIn("<th>cost</th>", done._repr_html_())
        self.assertEqual(list(done.to_pandas()["name"]), ["half", "whole", "too many"])

    def test_a_reference_and_its_tolerance(self) -> None:
        done = smemprobe.judge(CANDIDATES[:2], reference=CANDIDATES[0], tolerance=0.0)
        self.assertEqual([one.verdict for one in done], ["ok", "differs"])
        results = done.named("half").results
        assert results is not None
        # Unwritten elements are not 0: three of four tiles; one element is 0 in both.
        self.assertEqual((results["equal"], results["unwritten"], results["values"]), (False, 12288, 16384))

    def test_what_is_wrong_is_said(self) -> None:
        for candidates, options, text in (
            ([{"files": "x.cu"}], {}, "candidate 1: 'files' is not one of"),
            ([{"name": "a"}], {}, "a: file or source is needed"),
            ([CODE], {"arch": "A1000"}, "unknown architecture 'A1000'"),
            ([CODE], {"launch": "transpose<<<1, 32>>>(float[4"}, "launch"),
            ([], {}, "judge: no candidates"),
            ("x.cu", {}, "candidates are a list"),
            ({"file": "x.cu"}, {}, "candidates are a list"),
        ):
            with self.assertRaisesRegex(SmemprobeError, text):
                smemprobe.judge(candidates, **options)  # type: ignore[arg-type]


class Package(unittest.TestCase):
    def test_all_names_are_shown(self) -> None:
        """Also names that are loaded on first use."""
        self.assertEqual(set(smemprobe.__all__) - set(dir(smemprobe)), set())
        for name in smemprobe.__all__:
            self.assertIsNotNone(getattr(smemprobe, name), name)

    def test_tools_of_this_python_are_found(self) -> None:
        """Triton's and NVIDIA's wheels are found beside this package, whatever PATH contains."""
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "smemprobe"
            program.write_text("#!/bin/sh\nprintf %s \"$SMEMPROBE_SITE\"\n")
            program.chmod(0o755)
            done = subprocess.run(
                [sys.executable, "-m", "smemprobe", "doctor"], capture_output=True, text=True, check=True,
                env={**os.environ, "SMEMPROBE_PROGRAM": str(program)},
            )  # fmt: skip
        self.assertIn(str(Path(np.__file__).parents[1]), done.stdout.split(os.pathsep))


class Agents(unittest.TestCase):
    def test_tools(self) -> None:
        one = mcp.predict(["tile[threadIdx.x][0]"], ["float tile[32][32]"], arch="A100")["predictions"]
        self.assertEqual((one["arch"]["name"], one["accesses"][0]["ways"]), ("sm_80", 32))
        words = mcp.explain(accesses=["tile[threadIdx.x][0]"], shared=["float tile[32][32]"])
        self.assertIn("32-way bank conflict", words)
        seen = mcp.analyze(str(CODE), launch=LAUNCH.format(4))
        self.assertEqual((seen["ok"], seen["lines"][0]["ways"], seen["excess_wavefronts"]), (True, 32, 15872))
        self.assertIn("32-way", mcp.explain(source=str(CODE), launch=LAUNCH.format(4)))
        ranked = mcp.judge(AGENTS)
        self.assertEqual([row["rank"] for row in ranked["candidates"]], [1, 2, None])
        json.dumps([seen, ranked])
        with self.assertRaisesRegex(SmemprobeError, "give either source or accesses"):
            mcp.explain()
        with self.assertRaisesRegex(RuntimeError, "nowhere.cu: cannot be read"):
            mcp._told(mcp.judge, RuntimeError)([{"file": "nowhere.cu"}])

    def test_a_text_s_temporary_file_is_not_in_the_answer(self) -> None:
        def work(path: Path) -> dict[str, object]:
            self.assertEqual(path.read_text(), "one\ntwo")
            return {"lines": [{"file": str(path)}], "patch": f"--- a/{path.parent.name}/{path.name}", "ways": 2}

        def fail(path: Path) -> None:
            raise SmemprobeError(f"nvcc: {path}(1): error")

        self.assertEqual(
            mcp._on_file("one\ntwo", work), {"lines": [{"file": "kernel.cu"}], "patch": "--- a/kernel.cu", "ways": 2}
        )
        with self.assertRaisesRegex(SmemprobeError, r"^nvcc: kernel.cu\(1\): error$"):
            mcp._on_file("one\ntwo", fail)
        self.assertEqual(mcp._on_file("/a/k.cu", str), "/a/k.cu")
        (one,) = smemprobe.judge([{"name": "text", "source": "one\ntwo"}])
        self.assertNotIn("/smemprobe-", json.dumps(one.data))

    def test_over_the_protocol(self) -> None:
        try:
            from mcp import StdioServerParameters
            from mcp.client.session import ClientSession
            from mcp.client.stdio import stdio_client
        except ImportError:
            self.skipTest("the SDK is not here: pip install mcp")

        async def ask() -> tuple[str, list[str], dict[str, object], str]:
            how = StdioServerParameters(command=sys.executable, args=["-m", "smemprobe.mcp"], env=dict(os.environ))
            async with stdio_client(how) as (read, write), ClientSession(read, write) as session:
                began = await session.initialize()
                listed = await session.list_tools()
                answer = await session.call_tool("judge", {"candidates": AGENTS})
                refused = await session.call_tool("judge", {"candidates": [{"file": "nowhere.cu"}]})
                info = began.server_info if hasattr(began, "server_info") else began.serverInfo
                names = [tool.name for tool in listed.tools]
                return info.version, names, json.loads(answer.content[0].text), refused.content[0].text

        version, names, answer, refused = asyncio.run(ask())
        self.assertEqual(version, smemprobe.__version__)
        self.assertEqual(names, [tool.__name__ for tool in mcp.TOOLS])
        self.assertEqual(answer["best"], "half")
        self.assertIn("nowhere.cu: cannot be read", refused)


if __name__ == "__main__":
    unittest.main()
