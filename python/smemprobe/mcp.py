# SPDX-License-Identifier: MIT
"""Tools for agents over the Model Context Protocol: python -m smemprobe.mcp, on standard input and output.

It needs the SDK: pip install "smemprobe[mcp]". The tools are plain functions and need no GPU.
To configure a client:

    {"mcpServers": {"smemprobe": {"command": "python", "args": ["-m", "smemprobe.mcp"]}}}
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

from ._emulate import emulate as _emulate
from ._judge import Candidate
from ._judge import judge as _judge
from ._library import SmemprobeError, find_arch, version
from ._program import run

LINES, SECONDS = 20, 60

INSTRUCTIONS = """smemprobe tells what memory accesses of CUDA kernels cost and why, without a GPU.
predict: single accesses given as expressions. analyze: a whole kernel by source line, with out-of-bounds
accesses, races and other faults. fix: a patch against bank conflicts that was compiled, run and compared.
judge: versions of a kernel, compared with a reference and ranked. explain: the answers of predict or
analyze in words. A source is CUDA C++ text, or the path of a .cu, .ptx or .cubin file."""


T = TypeVar("T")


def _short(value: Any, folder: str) -> Any:
    """The answer, in which files of a temporary folder are named without it."""
    if isinstance(value, str):
        return value.replace(f"{folder}/", "").replace(f"{Path(folder).name}/", "")
    if isinstance(value, dict):
        return {name: _short(one, folder) for name, one in value.items()}
    return [_short(one, folder) for one in value] if isinstance(value, list) else value


def _on_file(source: str, work: Callable[[Path], T]) -> T:
    """Calls `work` with the file of a source, which is a path, or a text: that is "kernel.cu" in the answer."""
    if "\n" not in source and Path(source).suffix in (".cu", ".ptx", ".cubin"):
        return work(Path(source))
    with tempfile.TemporaryDirectory(prefix="smemprobe-") as name:
        path = Path(name) / "kernel.cu"
        path.write_text(source)
        try:
            answer: T = _short(work(path), name)
        except SmemprobeError as error:
            raise SmemprobeError(_short(str(error), name)) from None
        return answer


def _words(define: dict[str, int] | None) -> list[str]:
    return [word for name, value in (define or {}).items() for word in ("--define", f"{name}={int(value)}")]


def _answer(words: list[str]) -> str:
    """The program's output; raises its message if it fails."""
    done = run(words)
    if done.returncode not in (0, 1):
        raise SmemprobeError(done.stderr.strip() or f"exit status {done.returncode}")
    return done.stdout


def _layout_words(
    accesses: list[str], shared: list[str] | None, block: str, define: dict[str, int] | None, arch: str
) -> list[str]:
    words = ["predict", "--arch", find_arch(arch).name, "--block", block, *_words(define)]
    for one in shared or []:
        words += ["--shared", one]
    return [*words, *accesses]


def predict(
    accesses: list[str],
    shared: list[str] | None = None,
    block: str = "32",
    define: dict[str, int] | None = None,
    arch: str = "sm_90",
) -> dict[str, Any]:
    """Predicts bank conflicts of shared memory accesses given as expressions.

    accesses: as in the kernel, ["st tile[threadIdx.y][threadIdx.x]", "ld tile[threadIdx.x][threadIdx.y]"].
    shared: array declarations, ["float tile[32][33]"]. block: threads per block, "32x8".
    define: values of other names. arch: "sm_90", "A100", "hopper".
    """
    text = _answer([*_layout_words(accesses, shared, block, define, arch), "--format", "json"])
    return {"predictions": json.loads(text)}


def analyze(source: str, launch: str | None = None, arch: str = "sm_90", races: bool = True) -> dict[str, Any]:
    """Runs the kernels of a source on the CPU, and reports the cost of each line and any faults.

    source: CUDA C++ text, or the path of a .cu, .ptx or .cubin file. launch:
    "kernel<<<dim3(4,4), dim3(32,8)>>>(float[16384], float[16384] = random:-1:1, 128, 128)"; without it,
    the source's own launch, or an assumed one (see `messages`). races: also look for races.
    """

    def work(path: Path) -> dict[str, Any]:
        done = _emulate(path, launch=launch, arch=arch, races=races)
        return {
            "ok": done.ok,
            "findings": [str(one) for one in done.findings],
            "lines": [asdict(one) for one in done.lines[:LINES]],
            "lines_left_out": max(0, len(done.lines) - LINES),
            "excess_wavefronts": done.total("excess"),
            "messages": done.messages,
        }

    return _on_file(source, work)


def fix(source: str, seconds: int = SECONDS, arch: str = "sm_90") -> dict[str, Any]:
    """Repairs a source's bank conflicts with a patch that was compiled, run and compared.

    source: CUDA C++ text, or the path of a .cu file. The answer has: patch (a unified diff, or null), before
    and after, tries, and advice if no repair was proven.
    """

    def work(path: Path) -> dict[str, Any]:
        words = ["fix", str(path), "--time", str(seconds), "--arch", find_arch(arch).name]
        found: dict[str, Any] = json.loads(_answer([*words, "--format", "json"]))
        return found

    return _on_file(source, work)


def _ranked(rank: int, one: Candidate) -> dict[str, Any]:
    names = ("name", "verdict", "why", "cost", "ways", "excess", "wavefronts", "sectors", "instructions",
             "registers", "shared_bytes", "resident_blocks", "races", "results")  # fmt: skip
    return {
        "rank": rank if one.ok else None,
        **{name: getattr(one, name) for name in names},
        "findings": [str(found) for found in one.findings],
    }


def judge(
    candidates: list[dict[str, Any]],
    reference: str | None = None,
    launch: str | None = None,
    define: dict[str, int] | None = None,
    tolerance: float | None = None,
    arch: str = "sm_90",
    races: bool = True,
    seconds: int = SECONDS,
) -> dict[str, Any]:
    """Compiles and runs versions of a kernel on the CPU, compares their results, and ranks them.

    candidates: each {"name": ..., "source": CUDA C++ text} or {"name": ..., "file": path}, optionally with
    "launch" and "flags" (of nvcc). reference: a source with correct results. launch: for candidates
    without their own, as for analyze; define: values of sizes that their text does not set, {"n": 128}.
    seconds: limit per candidate. Small sizes suffice: cost is not time, it ranks
    candidates for sizes that fill the GPU.
    """
    done = _judge(
        candidates, reference=reference, launch=launch, define=define, tolerance=tolerance, arch=arch,
        races=races, seconds=seconds,
    )  # fmt: skip
    return {
        "best": done.best.name if done.best else None,
        "candidates": [_ranked(i, one) for i, one in enumerate(done, 1)],
    }


def explain(
    source: str | None = None,
    accesses: list[str] | None = None,
    shared: list[str] | None = None,
    block: str = "32",
    launch: str | None = None,
    arch: str = "sm_90",
) -> str:
    """Explains in words why accesses conflict, in a source (as analyze) or given as expressions (as predict)."""
    if (source is None) == (accesses is None):
        raise SmemprobeError("explain: give either source or accesses")
    if accesses is not None:
        return _answer([*_layout_words(accesses, shared, block, None, arch), "--explain"])
    assert source is not None
    return _on_file(source, lambda path: _emulate(path, launch=launch, arch=arch).text)


TOOLS = (predict, analyze, fix, judge, explain)


def _told(tool: Callable[..., Any], failure: type[Exception]) -> Callable[..., Any]:
    """Wraps a tool to raise `failure`, as the SDK hides the messages of other errors from the agent."""

    @wraps(tool)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return tool(*args, **named)
        except (SmemprobeError, OSError, TypeError, ValueError) as error:
            raise failure(str(error)) from error

    return call


def server() -> Any:
    """The SDK's server with all tools."""
    made: Any
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError

        made = MCPServer("smemprobe", instructions=INSTRUCTIONS, version=version)
    except ImportError:  # SDKs before 2.0
        from mcp.server.fastmcp import FastMCP
        from mcp.server.fastmcp.exceptions import ToolError

        made = FastMCP("smemprobe", instructions=INSTRUCTIONS)
        made._mcp_server.version = version
    for tool in TOOLS:
        made.tool()(_told(tool, ToolError))
    return made


def main() -> int:
    try:
        made = server()
    except ImportError as error:
        print(f'smemprobe: {error}; pip install "smemprobe[mcp]" installs the SDK', file=sys.stderr)
        return 2
    made.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
