# SPDX-License-Identifier: MIT
"""Runs kernels of Triton, Numba and CUDA C++ on the CPU, in the program's emulator.

No GPU is needed: Triton, Numba and nvcc compile for it, and `smemprobe emulate` runs the machine code
on arrays of this process.
"""

from __future__ import annotations

import inspect
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import _cute, _triton
from ._arrays import Arguments, Tensor, tensor_of
from ._library import Arch, SmemprobeError, find_arch
from ._profile import Profile, load
from ._program import run

Grid = int | Sequence[int] | Callable[[dict[str, Any]], int | Sequence[int]]


@dataclass(frozen=True, repr=False)
class Emulation(Profile):
    """The cost of a launch by machine instruction, and its findings.

    config: the configuration that ran, for a kernel with @triton.autotune.
    """

    config: str | None = None


@dataclass(frozen=True)
class Code:
    """Machine code or PTX to launch, and the parts of its launch text."""

    path: Path
    kernel: str
    block: tuple[int, ...]
    shared_bytes: int
    arguments: list[str]

    def launch_text(self, grid: tuple[int, ...], shared_bytes: int = 0) -> str:
        return (
            f"{self.kernel}<<<{_dim3_text(grid)}, {_dim3_text(self.block)}, "
            f"{self.shared_bytes or shared_bytes}>>>({', '.join(self.arguments)})"
        )


def _dim3_text(numbers: tuple[int, ...]) -> str:
    return f"dim3({','.join(map(str, numbers))})"


# ---- Triton ----


def triton_code(bound: _triton.Bound, arch: Arch, given: Arguments, name: str = "kernel") -> Code:
    built = _triton.build(bound, cc_of(arch), given)
    path = given.folder / f"{name}.cubin"
    path.write_bytes(built.cubin)
    return Code(path, built.name, (built.threads,), built.shared_bytes, built.arguments)


def cc_of(arch: Arch) -> int:
    """90 of "9.0"."""
    return int(arch.cc.replace(".", ""))


# ---- Numba ----


def _numba_values(function: Any, arguments: Sequence[Any]) -> list[tuple[str, Any]]:
    """The arguments by name, arrays as Tensor."""
    names = inspect.getfullargspec(function).args
    if len(names) != len(arguments):
        raise SmemprobeError(
            f"{len(arguments)} arguments, but the kernel takes {len(names)}: {', '.join(names)}"
        )
    out: list[tuple[str, Any]] = []
    for name, value in zip(names, arguments, strict=True):
        tensor = tensor_of(value, name)
        if tensor is not None and tensor.element != tensor.data.dtype.name:
            raise SmemprobeError(f"argument {name}: Numba has no type for {tensor.element}")
        if tensor is None and (np.ndim(value) > 0 or np.asarray(value).dtype.kind not in "biufc"):
            raise SmemprobeError(f"argument {name}: {type(value).__name__} is neither array nor number")
        out.append((name, value if tensor is None else tensor))
    return out


def _numba_flatten(value: Any, given: Arguments) -> list[str | Tensor]:
    """An array as Numba passes it: two internal pointers, size, item size, data, shape, strides."""
    if isinstance(value, Tensor):
        data = value.data
        return [
            "nullptr",
            "nullptr",
            *(given.number(word, "i8") for word in (data.size, data.itemsize)),
            value,
            *(given.number(word, "i8") for word in (*data.shape, *data.strides)),
        ]
    return [given.number(value, np.asarray(value).dtype.str)]


def _numba_compile(
    kernel: Any, arguments: Sequence[Any], block: tuple[int, ...], arch: Arch, given: Arguments
) -> Code:
    from numba import cuda, typeof

    function = getattr(kernel, "py_func", kernel)
    cc = cc_of(arch)
    values = _numba_values(function, arguments)
    types = tuple(typeof(one.data if isinstance(one, Tensor) else one) for _, one in values)
    options = dict(getattr(kernel, "targetoptions", {}))
    text, result = cuda.compile(
        function,
        types,
        debug=False,
        lineinfo=True,
        device=False,
        fastmath=bool(options.get("fastmath", False)),
        cc=(cc // 10, cc % 10),
        abi="numba",
        output="ptx",
    )
    if str(result) not in ("none", "void"):
        raise SmemprobeError(f"a kernel must not return a value, but this one returns {result}")
    if isinstance(text, bytes):
        text = text.decode()
    # With lineinfo, Numba marks the code as debug if it links its own functions, which disables optimization.
    text = text.replace(", debug\n", "\n", 1)
    path = given.folder / "kernel.ptx"
    path.write_text(text)
    name = text.split(".visible .entry", 1)[1].split("(", 1)[0].strip()
    texts = given.texts([word for _, value in values for word in _numba_flatten(value, given)])
    return Code(path, name, block, 0, texts)


# ---- The CuTe DSL ----


def _cute_code(kernel: Any, arguments: Sequence[Any], block: tuple[int, ...], given: Arguments) -> Code:
    code, name = _cute.cubin(kernel)
    path = given.folder / "kernel.cubin"
    path.write_bytes(code)
    return Code(path, name, block, 0, _cute.texts(arguments, given))


# ---- Any kernel ----


def dim3(value: Any, what: str) -> tuple[int, ...]:
    numbers = (value,) if isinstance(value, (int, np.integer)) else tuple(value)
    if not 1 <= len(numbers) <= 3 or any(number < 1 for number in numbers):
        raise SmemprobeError(f"{what}={value}: must be one to three numbers from 1")
    return tuple(int(number) for number in numbers)


def grid_of(grid: Grid | None, values: dict[str, Any]) -> tuple[int, ...]:
    """Evaluates a grid, which may be Triton's `lambda meta: (...)`."""
    if grid is None:
        raise SmemprobeError("grid= is required: the number of blocks")
    return dim3(grid(values) if callable(grid) else grid, "grid")


def _is_file(kernel: Any) -> bool:
    return isinstance(kernel, (str, os.PathLike))


def emulate(
    kernel: Any,
    grid: Grid | None = None,
    block: int | Sequence[Any] | Mapping[str, Any] | None = None,
    arguments: Sequence[Any] | Mapping[str, Any] = (),
    *,
    constants: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    shared_bytes: int = 0,
    arch: str | Arch = "sm_90",
    launch: str | None = None,
    races: bool = False,
    capture: str | os.PathLike[str] | None = None,
    raise_on_finding: bool = False,
) -> Emulation:
    """Runs one launch of a kernel on the CPU and reports the cost of its accesses.

    kernel: a function of @triton.jit (also below @triton.autotune and @triton.heuristics) or
        @numba.cuda.jit (or a plain function for Numba); a result of the CuTe DSL's cute.compile
        with CUTE_DSL_KEEP_CUBIN=1; or a file: .cu, .ptx or .cubin.
    grid, block: number of blocks and threads per block; one to three numbers. For Triton, grid may be a
        function of the arguments; block follows from num_warps, so arguments may stand in its place.
    arguments: numbers and arrays (NumPy, PyTorch on the CPU, JAX, anything with DLPack or the array
        interface), for Triton also by name. The kernel's results are written to the arrays, except
        read-only ones.
    constants: Triton's constexpr arguments by name; missing ones come from the first
        configuration of autotune (`sweep` runs all), heuristics and defaults. options: Triton's
        compiler options (num_warps, num_stages). shared_bytes: dynamic shared memory, for Numba and CuTe.
    arch: "sm_90", "A100", "hopper": the target of the compiler and of the cost rules.
    launch: for a file, "kernel<<<grid, block>>>(arguments)" as on the command line; by default the
        file's own launches, or assumed ones (see `messages`).
    races: also look for races.
    capture: a new folder to keep the launch in, for `smemprobe emulate FOLDER`.
    raise_on_finding: raise FindingError if the kernel has a fault; the arrays then hold what it wrote
        before. By default, see `findings` and `ok` of the result.

    It needs ptxas (for Numba), nvcc (for .cu) and nvdisasm, but no GPU. Triton includes its own.
    """
    row = find_arch(arch)
    more = ["--races"] if races else []
    more += [] if capture is None else ["--capture", os.path.abspath(capture)]
    with tempfile.TemporaryDirectory(prefix="smemprobe-") as name:
        given = Arguments(Path(name))
        config: str | None = None
        if _is_file(kernel):
            if grid is not None or block is not None or len(arguments) > 0:
                raise SmemprobeError("give the launch of a file by launch='kernel<<<grid, block>>>(arguments)'")
            words = [] if launch is None else ["--launch", launch]
            done = _emulate(Path(kernel), [*words, *more], row, Path(name))
        else:
            if launch is not None:
                raise SmemprobeError("launch= is for files only; give grid, block and arguments")
            code, blocks, config = _compile(
                kernel, grid, block, arguments, constants, options, shared_bytes, row, given
            )
            # Run in the folder of the arrays, so that the command in reports names no temporary folder.
            text = code.launch_text(blocks, shared_bytes).replace(f"{name}/", "")
            words = ["--launch", text, *more]
            done = _emulate(Path(code.path.name), words, row, Path(name), config, cwd=name)
        given.restore()
        if raise_on_finding:
            done.check()
        return done


def _compile(
    kernel: Any,
    grid: Grid | None,
    block: Any,
    arguments: Sequence[Any] | Mapping[str, Any],
    constants: Mapping[str, Any] | None,
    options: Mapping[str, Any] | None,
    shared_bytes: int,
    arch: Arch,
    given: Arguments,
) -> tuple[Code, tuple[int, ...], str | None]:
    """Code, grid, and the chosen configuration, if the kernel has configurations."""
    if _triton.is_triton(kernel):
        if len(arguments) == 0 and isinstance(block, (Sequence, Mapping)):
            block, arguments = None, block
        if block is not None:
            raise SmemprobeError("block= is set by Triton's num_warps; a kernel's arguments are given by arguments=")
        if shared_bytes:
            raise SmemprobeError("shared_bytes= is set by Triton itself")
        tuned = _triton.configs_of(kernel)
        first = tuned[0] if tuned else _triton.Config()
        config = _triton.Config(first.constants, {**first.options, **(options or {})})
        bound = _triton.bind(kernel, arguments, constants or {}, config)
        blocks = grid_of(grid, bound.values)
        return triton_code(bound, arch, given), blocks, str(config) if tuned else None
    is_cute = _cute.is_cute(kernel)
    if not is_cute and not callable(getattr(kernel, "py_func", kernel)):
        raise SmemprobeError(f"{kernel!r} is neither a kernel of Triton, Numba or the CuTe DSL, nor a file")
    if constants or options:
        raise SmemprobeError("constants= and options= are for Triton only")
    if isinstance(arguments, Mapping):
        raise SmemprobeError("arguments by name are for Triton only; give them in order")
    if callable(grid):
        raise SmemprobeError("a grid that is a function is for Triton only")
    if block is None:
        raise SmemprobeError("block= is required: the threads per block")
    blocks = grid_of(grid, {})
    if is_cute:
        return _cute_code(kernel, arguments, dim3(block, "block"), given), blocks, None
    return _numba_compile(kernel, arguments, dim3(block, "block"), arch, given), blocks, None


def _emulate(
    path: Path,
    words: Sequence[str],
    arch: Arch,
    folder: Path,
    config: str | None = None,
    cwd: str | None = None,
) -> Emulation:
    profile = folder / "launch.smprof"
    ran = run(["emulate", path, *words, "--arch", arch.name, "-o", os.fspath(profile)], cwd=cwd)
    if ran.returncode not in (0, 1) or not profile.exists():
        raise SmemprobeError(ran.stderr.strip() or f"emulate ended with {ran.returncode}")
    data, text, smprof = load(profile)
    messages = [line for line in ran.stderr.splitlines() if os.fspath(profile) not in line]
    return Emulation(data, text, "\n".join(messages), smprof, is_own=True, config=config)
