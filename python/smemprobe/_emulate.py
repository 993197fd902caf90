# SPDX-License-Identifier: MIT
"""Runs kernels of Triton, Numba and CUDA C++ on the CPU, in the program's emulator.

No GPU is needed: Triton, Numba and nvcc compile for it, and `smemprobe emulate` runs the machine code
on arrays of this process.
"""

from __future__ import annotations

import inspect
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np

from . import _cute, _triton
from ._arrays import Arguments, Tensor, tensor_of
from ._library import Arch, SmemprobeError, find_arch
from ._profile import Profile, load
from ._program import run

# Grid, block, and bytes of dynamic shared memory.
Shape = tuple[tuple[int, ...], tuple[int, ...], int]
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
    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared_bytes: int
    arguments: list[str]

    @property
    def launch_text(self) -> str:
        return (
            f"{self.kernel}<<<{_dim3_text(self.grid)}, {_dim3_text(self.block)}, "
            f"{self.shared_bytes}>>>({', '.join(self.arguments)})"
        )


def _dim3_text(numbers: tuple[int, ...]) -> str:
    return f"dim3({','.join(map(str, numbers))})"


# ---- Triton ----


def triton_code(bound: _triton.Bound, grid: Grid | None, arch: Arch, given: Arguments) -> Code:
    programs = grid_of(grid, bound.values)
    built = _triton.build(bound, programs, cc_of(arch), given)
    path = given.folder / "kernel.cubin"
    path.write_bytes(built.cubin)
    blocks = (programs[0] * built.blocks_per_program, *programs[1:])
    return Code(path, built.name, blocks, (built.threads,), built.shared_bytes, built.arguments)


def cc_of(arch: Arch) -> int:
    """90 of "9.0"."""
    return int(arch.cc.replace(".", ""))


# ---- Numba ----


def _numba_value(value: Any, name: str) -> Any:
    """A Tensor for an array, a tuple of them for a tuple, else the number."""
    if isinstance(value, tuple):
        return tuple(_numba_value(one, f"{name}_{i}") for i, one in enumerate(value))
    tensor = tensor_of(value, name)
    if tensor is not None and tensor.element != tensor.data.dtype.name:
        raise SmemprobeError(f"argument {name}: Numba has no type for {tensor.element}")
    if tensor is None and (np.ndim(value) > 0 or np.asarray(value).dtype.kind not in "biufc"):
        raise SmemprobeError(f"argument {name}: {type(value).__name__} is neither array nor number")
    return value if tensor is None else tensor


def _numba_values(function: Any, arguments: Sequence[Any]) -> list[Any]:
    """The arguments, arrays as Tensor."""
    names = inspect.getfullargspec(function).args
    if len(names) != len(arguments):
        raise SmemprobeError(
            f"{len(arguments)} arguments, but the kernel takes {len(names)}: {', '.join(names)}"
        )
    return [_numba_value(value, name) for name, value in zip(names, arguments, strict=True)]


def _numba_plain(value: Any) -> Any:
    """A value that Numba's typeof takes."""
    if isinstance(value, tuple):
        return tuple(_numba_plain(one) for one in value)
    return value.data if isinstance(value, Tensor) else value


def _numba_flatten(value: Any, given: Arguments) -> list[str | Tensor]:
    """An array as Numba passes it: two internal pointers, size, item size, data, shape, strides."""
    if isinstance(value, tuple):
        return [word for one in value for word in _numba_flatten(one, given)]
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


@contextmanager
def _numba_without_gpu(cc: tuple[int, int]) -> Iterator[None]:
    """Lets Numba compile device functions, which it does for the current GPU, and gives them line numbers."""
    from numba.cuda import dispatcher

    compile_cuda = dispatcher.compile_cuda

    def with_lines(*args: Any, **named: Any) -> Any:
        return compile_cuda(*args, **{**named, "lineinfo": not named.get("debug")})

    device = SimpleNamespace(compute_capability=cc)
    with (
        mock.patch.object(dispatcher, "get_current_device", lambda: device),
        mock.patch.object(dispatcher, "compile_cuda", with_lines),
    ):
        yield


def _numba_compile(
    kernel: Any, arguments: Sequence[Any], shape: Shape, arch: Arch, given: Arguments
) -> Code:
    from numba import cuda, typeof

    function = getattr(kernel, "py_func", kernel)
    cc = cc_of(arch)
    values = _numba_values(function, arguments)
    types = tuple(typeof(_numba_plain(value)) for value in values)
    options = dict(getattr(kernel, "targetoptions", {}))
    target = cc // 10, cc % 10
    with _numba_without_gpu(target):
        text, result = cuda.compile(
            function,
            types,
            debug=False,
            lineinfo=True,
            device=False,
            fastmath=bool(options.get("fastmath", False)),
            cc=target,
            abi="numba",
            output="ptx",
        )
    if str(result) not in ("none", "void"):
        raise SmemprobeError(f"a kernel must not return a value, but this one returns {result}")
    if isinstance(text, bytes):
        text = text.decode()
    # With lineinfo, Numba marks the code as debug if it links its own functions, which disables optimization.
    text = text.replace(", debug\n", "\n", 1)
    foreign = re.findall(r"^\.extern \.func\s+(?:\([^)]*\)\s*)?(\w+)", text, re.MULTILINE)
    foreign = [name for name in foreign if name not in ("vprintf", "malloc", "free", "__assertfail")]
    if foreign:
        raise SmemprobeError(
            f"the kernel calls {', '.join(foreign)}, which Numba adds only when it links on a GPU "
            "(as for float16 arithmetic and this_grid().sync())"
        )
    name = text.split(".visible .entry", 1)[1].split("(", 1)[0].strip()
    if function.__name__.isidentifier():  # instead of Numba's, which has all types and takes lines
        text = re.sub(rf"\b{name}\b", function.__name__, text)
        name = function.__name__
    path = given.folder / "kernel.ptx"
    path.write_text(text)
    texts = given.texts([word for value in values for word in _numba_flatten(value, given)])
    return Code(path, name, *shape, texts)


# ---- The CuTe DSL ----


def _cute_code(kernel: Any, arguments: Sequence[Any], shape: Shape, given: Arguments) -> Code:
    code, name = _cute.cubin(kernel)
    path = given.folder / "kernel.cubin"
    path.write_bytes(code)
    return Code(path, name, *shape, _cute.texts(arguments, given))


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


def _file_of(kernel: str | os.PathLike[str], folder: Path) -> Path:
    """Returns the kernel's file; source text is written to one in `folder`."""
    if not (isinstance(kernel, str) and ("__global__" in kernel or "\n" in kernel)):
        return Path(kernel)
    path = folder / ("kernel.ptx" if ".entry" in kernel else "kernel.cu")
    path.write_text(kernel)
    return path


def _check_kernel(kernel: Any) -> None:
    """Raises an error for anything that is not a kernel, and says what to give instead."""
    kind = type(kernel).__name__
    if kind == "_LaunchConfiguration" or "__getitem__" in getattr(kernel, "__qualname__", ""):
        raise SmemprobeError("kernel[...] is a launch; give the kernel itself: emulate(kernel, grid, ...)")
    if kind in ("RawKernel", "RawModule") and hasattr(kernel, "code"):
        raise SmemprobeError(f"give the source of a {kind}: emulate(kernel.code, launch='name<<<grid, block>>>(...)')")
    if not _cute.is_cute(kernel) and not inspect.isfunction(getattr(kernel, "py_func", kernel)):
        raise SmemprobeError(f"{kernel!r} is neither a kernel of Triton, Numba or the CuTe DSL, nor a file")


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
        with CUTE_DSL_KEEP_CUBIN=1; a file (.cu, .ptx or .cubin); or the source text of a .cu or .ptx.
    grid, block: number of blocks and threads per block; one to three numbers. For Triton, grid may be a
        function of the arguments; block follows from num_warps, so arguments may stand in its place.
    arguments: numbers and arrays (NumPy, PyTorch on the CPU, JAX, anything with DLPack or the array
        interface), for Triton also by name. The kernel's results are written to the arrays, except
        read-only ones.
    constants: Triton's constexpr arguments by name; missing ones come from the first
        configuration of autotune (`sweep` runs all), heuristics and defaults. options: Triton's
        compiler options (num_warps, num_stages). shared_bytes: dynamic shared memory, for Numba and CuTe.
    arch: "sm_90", "A100", "hopper": the target of the compiler and of the cost rules.
    launch: for a file or source, "kernel<<<grid, block>>>(arguments)" as on the command line; by default the
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
            path = _file_of(kernel, Path(name))
            is_text = path.parent == Path(name)
            done = _emulate(
                Path(path.name) if is_text else path, [*words, *more], row, Path(name), cwd=name if is_text else None
            )
        else:
            if launch is not None:
                raise SmemprobeError("launch= is for files only; give grid, block and arguments")
            code, config = _compile(kernel, grid, block, arguments, constants, options, shared_bytes, row, given)
            # Run in the folder of the arrays, so that the command in reports names no temporary folder.
            text = code.launch_text.replace(f"{name}/", "")
            words = ["--launch", text, *more]
            # Only its compiler writes to shared memory of a Triton kernel; a note of that is no one's to act on.
            words += ["--no-notes"] if _triton.is_triton(kernel) and not _triton.is_gluon(kernel) else []
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
) -> tuple[Code, str | None]:
    """Code, and the chosen configuration, if the kernel has configurations."""
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
        try:
            return triton_code(bound, grid, arch, given), str(config) if tuned else None
        except RuntimeError as error:  # of Triton's passes, which write to standard error
            raise SmemprobeError(f"Triton cannot compile this kernel for {arch.name}: {error}") from error
    _check_kernel(kernel)
    if constants or options:
        raise SmemprobeError("constants= and options= are for Triton only")
    if isinstance(arguments, Mapping):
        raise SmemprobeError("arguments by name are for Triton only; give them in order")
    if callable(grid):
        raise SmemprobeError("a grid that is a function is for Triton only")
    if block is None:
        raise SmemprobeError("block= is required: the threads per block")
    shape = grid_of(grid, {}), dim3(block, "block"), shared_bytes
    if _cute.is_cute(kernel):
        return _cute_code(kernel, arguments, shape, given), None
    return _numba_compile(kernel, arguments, shape, arch, given), None


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
