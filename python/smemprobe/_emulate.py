# SPDX-License-Identifier: MIT
"""Kernels of Triton and Numba on the CPU: compiled here, run by the program's emulator.

No GPU is needed: Triton and Numba compile for one, and `smemprobe emulate` runs the machine code with
NumPy arrays.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ._library import SmemprobeError, find_arch
from ._profile import Profile, load
from ._program import run

_KINDS = (("float", "fp", (16, 32, 64)), ("int", "i", (8, 16, 32, 64)), ("uint", "u", (8, 16, 32, 64)))
# Triton's names of NumPy's types: float32 is fp32.
_TRITON_TYPES = {"bool": "i1"} | {
    f"{name}{bits}": f"{short}{bits}" for name, short, sizes in _KINDS for bits in sizes
}


@dataclass(frozen=True, repr=False)
class Emulation(Profile):
    """What a launch costs, instruction by instruction, and what was found in it."""


@dataclass(frozen=True)
class _Code:
    path: Path
    kernel: str
    block: tuple[int, ...]
    shared_bytes: int
    arguments: list[str]


class _Arguments:
    """Arguments of a launch as text; arrays are files in `folder`, read back by restore."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.saved: list[tuple[Path, np.ndarray[Any, Any]]] = []
        self.count = 0

    def array(self, value: np.ndarray[Any, Any]) -> str:
        if not (value.flags.c_contiguous or value.flags.f_contiguous):
            raise SmemprobeError("an array of the launch has gaps; np.ascontiguousarray packs it")
        if isinstance(value, np.ma.MaskedArray):
            raise SmemprobeError("an array of the launch is masked; a kernel sees all of it")
        if value.dtype.hasobject or not value.dtype.isnative:
            raise SmemprobeError(f"an array of the launch holds {value.dtype}")
        if value.size == 0:
            raise SmemprobeError("an array of the launch is empty")
        self.count += 1
        given = self.folder / f"in{self.count}"
        packed = value.T if value.flags.f_contiguous and not value.flags.c_contiguous else value
        packed.tofile(given)
        text = f"uint8_t[{value.nbytes}] = @{given}"
        if value.flags.writeable:
            taken = self.folder / f"out{self.count}"
            self.saved.append((taken, value))
            text += f" -> {taken}"
        return text

    @staticmethod
    def number(value: Any, dtype: str) -> str:
        return "hex:" + np.array(value).astype(dtype).tobytes().hex()

    def restore(self) -> None:
        for path, array in self.saved:
            data = np.fromfile(path, array.dtype)
            if array.flags.c_contiguous:
                array[...] = data.reshape(array.shape)
            else:
                array[...] = data.reshape(array.shape[::-1]).T


# ---- Triton ----


def _triton_type(value: Any, name: str) -> str:
    if isinstance(value, np.ndarray):
        known = _TRITON_TYPES.get(value.dtype.name)
        if known is None:
            raise SmemprobeError(f"argument {name}: Triton has no type for {value.dtype}")
        return "*" + known
    if isinstance(value, (bool, np.bool_)):
        return "u1"
    if isinstance(value, (int, np.integer)):
        if -(2**31) <= value < 2**31:
            return "i32"
        return "i64" if value < 2**63 else "u64"
    if isinstance(value, (float, np.floating)):
        return "fp32"
    raise SmemprobeError(f"argument {name}: {type(value).__name__} is neither array nor number")


_TRITON_NUMBERS = {"u1": "u1", "i32": "i4", "i64": "i8", "u64": "u8", "fp32": "f4"}


def _triton_compile(
    kernel: Any,
    arguments: Sequence[Any],
    constants: Mapping[str, Any],
    options: Mapping[str, Any],
    arch: str,
    given: _Arguments,
) -> _Code:
    """Compiles as a launch would: numbers that are 1 become constants, multiples of 16 are known."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    names = [name for name in kernel.arg_names if name not in constants]
    if len(names) != len(arguments):
        raise SmemprobeError(
            f"{len(arguments)} arguments, but the kernel takes {len(names)}: {', '.join(names)}"
        )
    values = dict(zip(names, arguments, strict=True))
    signature: dict[str, str] = {}
    fixed: dict[str, Any] = dict(constants)
    attributes: dict[tuple[int, ...], Any] = {}
    texts: list[str] = []
    for i, name in enumerate(kernel.arg_names):
        if name in constants:
            signature[name] = "constexpr"
            continue
        value = values[name]
        if value is None or (type(value) is int and value == 1):
            signature[name], fixed[name] = "constexpr", value
            continue
        signature[name] = _triton_type(value, name)
        if isinstance(value, np.ndarray):
            texts.append(given.array(value))
        else:
            texts.append(given.number(value, _TRITON_NUMBERS[signature[name]]))
        if isinstance(value, np.ndarray) or (type(value) is int and value % 16 == 0):
            attributes[(i,)] = [["tt.divisibility", 16]]
    source = ASTSource(kernel, signature, fixed, attributes)
    cc = int(arch.removeprefix("sm_").rstrip("af"))
    built = triton.compile(source, target=GPUTarget("cuda", cc, 32), options=dict(options))
    data = built.metadata
    if data.global_scratch_size or data.num_ctas != 1:
        raise SmemprobeError("kernels with scratch memory or clusters are not launched from here")
    path = given.folder / "kernel.cubin"
    path.write_bytes(built.asm["cubin"])
    # Behind its own, every kernel takes two pointers to scratch memory.
    return _Code(
        path, data.name, (32 * data.num_warps,), data.shared, [*texts, "nullptr", "nullptr"]
    )


# ---- Numba ----


def _numba_flatten(value: Any, given: _Arguments) -> list[str]:
    """An array as Numba passes it: two pointers of its own, size, item size, data, shape, strides."""
    if isinstance(value, np.ndarray):
        words = [value.size, value.itemsize]
        return [
            "nullptr",
            "nullptr",
            *(given.number(word, "i8") for word in words),
            given.array(value),
            *(given.number(word, "i8") for word in (*value.shape, *value.strides)),
        ]
    dtype = np.asarray(value).dtype
    if dtype.kind not in "biufc":
        raise SmemprobeError(f"{type(value).__name__} is neither array nor number")
    return [given.number(value, dtype.str)]


def _numba_compile(
    kernel: Any, arguments: Sequence[Any], block: tuple[int, ...], arch: str, given: _Arguments
) -> _Code:
    from numba import cuda, typeof

    function = getattr(kernel, "py_func", kernel)
    cc = int(arch.removeprefix("sm_").rstrip("af"))
    types = tuple(typeof(value) for value in arguments)
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
        raise SmemprobeError(f"a kernel returns nothing, this one {result}")
    if isinstance(text, bytes):
        text = text.decode()
    # Lines alone make it debug code, not optimised, where Numba compiles functions of its own along.
    text = text.replace(", debug\n", "\n", 1)
    path = given.folder / "kernel.ptx"
    path.write_text(text)
    name = text.split(".visible .entry", 1)[1].split("(", 1)[0].strip()
    texts = [word for value in arguments for word in _numba_flatten(value, given)]
    return _Code(path, name, block, 0, texts)


# ---- Both ----


def _dim3(value: int | Sequence[int], what: str) -> tuple[int, ...]:
    numbers = (value,) if isinstance(value, (int, np.integer)) else tuple(value)
    if not 1 <= len(numbers) <= 3 or any(number < 1 for number in numbers):
        raise SmemprobeError(f"{what}={value}: one to three numbers from 1 on")
    return tuple(int(number) for number in numbers)


def _is_triton(kernel: Any) -> bool:
    return hasattr(kernel, "arg_names") and hasattr(kernel, "fn")


def emulate(
    kernel: Any,
    grid: int | Sequence[int],
    block: int | Sequence[int] | None = None,
    arguments: Sequence[Any] = (),
    *,
    constants: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    shared_bytes: int = 0,
    arch: str = "sm_90",
    capture: str | os.PathLike[str] | None = None,
    raise_on_finding: bool = False,
) -> Emulation:
    """Runs one launch of a kernel on the CPU and says what its accesses cost.

    kernel: a function of @triton.jit or @numba.cuda.jit (or a plain function that Numba compiles).
    grid, block: blocks of the grid, threads of a block; one to three numbers. Triton's block
        follows from num_warps.
    arguments: NumPy arrays and numbers. The kernel writes into the arrays, but not into one that is
        not writeable.
    constants: Triton's constexpr arguments by name. options: of Triton's compiler (num_warps,
        num_stages). shared_bytes: dynamic shared memory, for Numba.
    arch: "sm_80" to "sm_90": compiled for it, judged by its rules.
    capture: a new folder that keeps the launch, for `smemprobe emulate FOLDER`.
    raise_on_finding: raise FindingError where the kernel has a fault; the arrays hold what it wrote
        until then. Without it, `findings` and `ok` of the result tell.

    ptxas (for Numba) and nvdisasm of the CUDA toolkit are needed, no GPU.
    """
    find_arch(arch)
    threads = None if block is None else _dim3(block, "block")
    with tempfile.TemporaryDirectory(prefix="smemprobe-") as name:
        given = _Arguments(Path(name))
        if _is_triton(kernel):
            if threads is not None or shared_bytes:
                raise SmemprobeError("Triton's block and shared memory follow from its options")
            code = _triton_compile(
                kernel, arguments, constants or {}, options or {}, arch, given
            )
        elif callable(getattr(kernel, "py_func", kernel)):
            if constants or options:
                raise SmemprobeError("constants and options are Triton's")
            if threads is None:
                raise SmemprobeError("block= is needed, the threads of a block")
            code = _numba_compile(kernel, arguments, threads, arch, given)
        else:
            raise SmemprobeError(f"{kernel!r} is no kernel of Triton or Numba")
        done = _launch(code, _dim3(grid, "grid"), shared_bytes, arch, capture)
        given.restore()
        if raise_on_finding:
            done.check()
        return done


def _launch(
    code: _Code,
    grid: tuple[int, ...],
    shared_bytes: int,
    arch: str,
    capture: str | os.PathLike[str] | None,
) -> Emulation:
    def dim3(numbers: tuple[int, ...]) -> str:
        return f"dim3({','.join(map(str, numbers))})"

    shared = code.shared_bytes or shared_bytes
    launch = (
        f"{code.kernel}<<<{dim3(grid)}, {dim3(code.block)}, {shared}>>>"
        f"({', '.join(code.arguments)})"
    )
    profile = code.path.with_name("launch.smprof")
    keep = [] if capture is None else ["--capture", os.fspath(capture)]
    ran = run(
        ["emulate", code.path, "--launch", launch, "--arch", arch, "-o", os.fspath(profile), *keep]
    )
    if ran.returncode not in (0, 1) or not profile.exists():
        raise SmemprobeError(ran.stderr.strip() or f"emulate ended with {ran.returncode}")
    data, text, smprof = load(profile)
    messages = [line for line in ran.stderr.splitlines() if os.fspath(profile) not in line]
    return Emulation(data, text, "\n".join(messages), smprof)
