# SPDX-License-Identifier: MIT
"""Arrays of a launch from NumPy, PyTorch, JAX, or anything with DLPack or the array interface.

The kernel sees them as views of arrays on a GPU: arguments that share memory share it there, and each starts
as far from a multiple of 256 bytes as on a GPU, where each allocation starts at such a multiple. What the kernel
writes is written back to the caller's memory.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ._library import SmemprobeError

NDArray = np.ndarray[Any, Any]
NumpyType = np.dtype[Any]

# Element types that NumPy lacks, by their names in PyTorch, JAX and ml_dtypes, and their bytes.
_NARROW = {
    "bfloat16": 2,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
    "float8_e4m3": 1,
    "float8_e4m3fnuz": 1,
    "float8_e5m2fnuz": 1,
}
# Names of types in a launch of the program; others are passed as bytes.
_LAUNCH_TYPES = {
    "float16": "half",
    "bfloat16": "bf16",
    "float32": "float",
    "float64": "double",
    **{f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
_BITS = {1: np.uint8, 2: np.uint16}
# Each allocation of a GPU starts at a multiple of it.
_ALIGNMENT = 256
# Allocators of the CPU return at least multiples of it.
_CPU_ALIGNMENT = 16


@dataclass(frozen=True)
class Tensor:
    """An array of a launch. data: its memory, or its bits if NumPy lacks the type. element: "float32",
    "bfloat16", "float8_e4m3fn" ... offset: bytes from the start of its allocation on a GPU, which is a
    multiple of 256; default: those from the start of the array that it is a view of, if NumPy knows it.
    name: for findings; default: the kernel's parameter.

    Arrays are converted automatically; use it to give bits a type: Tensor(uint16s, "bfloat16").
    """

    data: NDArray
    element: str
    offset: int | None = None
    name: str = field(default="", compare=False)

    @property
    def start(self) -> int:
        """Address of the first element."""
        return int(self.data.__array_interface__["data"][0])

    @property
    def end(self) -> int:
        """Address past the last element in memory."""
        steps = zip(self.data.shape, self.data.strides, strict=True)
        return self.start + sum(int((count - 1) * stride) for count, stride in steps) + self.data.itemsize

    @property
    def dtype(self) -> NumpyType:
        found: NumpyType = self.data.dtype
        return found

    def data_ptr(self) -> int:
        """As PyTorch's, for Triton's TensorDescriptor(Tensor(array, "float32"), ...)."""
        return self.start


@dataclass(frozen=True)
class TensorMap:
    """A tensor map over `base`. form: its shape, box, strides and swizzle as in a launch of the program."""

    base: Tensor
    form: str


def _offset_of(tensor: Tensor) -> int:
    """Bytes from the start of the array that `tensor` is a view of; for memory that is not NumPy's, modulo 16."""
    at: Any = tensor.data
    root = tensor.data
    while at is not None:
        root = at if isinstance(at, np.ndarray) else root
        at = getattr(at, "base", None)
    address = int(root.__array_interface__["data"][0])
    return tensor.start - address + (0 if root.flags.owndata else address % _CPU_ALIGNMENT)


def _of_torch(value: Any, where: str) -> Tensor:
    import torch

    if value.device.type != "cpu":
        raise SmemprobeError(f"{where} is on {value.device}; kernels run on the CPU here: .cpu() copies it")
    if value.layout != torch.strided:
        raise SmemprobeError(f"{where} is sparse; .to_dense() converts it")
    element = str(value.dtype).removeprefix("torch.")
    plain = value.detach()
    if element in _NARROW:
        plain = plain.view(torch.uint8 if _NARROW[element] == 1 else torch.int16)
    try:
        return Tensor(plain.numpy(), element, value.storage_offset() * value.element_size())
    except (RuntimeError, TypeError) as error:
        raise SmemprobeError(f"{where}: {error}") from None


def _of_numpy(value: NDArray, where: str) -> Tensor:
    if isinstance(value, np.ma.MaskedArray):
        raise SmemprobeError(f"{where} is masked, but a kernel would access all of it")
    name = value.dtype.name
    if name in _NARROW:
        return Tensor(value.view(_BITS[_NARROW[name]]), name)
    return Tensor(value, name)


def _of_foreign(value: Any, where: str) -> NDArray | None:
    if hasattr(value, "__cuda_array_interface__") and not hasattr(value, "__array_interface__"):
        raise SmemprobeError(f"{where} is on a GPU; kernels run on the CPU here: copy it to NumPy")
    # JAX shows bfloat16 by __array__, which DLPack of NumPy does not have.
    if hasattr(value, "__array_interface__") or hasattr(value, "__array__"):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        try:
            return np.from_dlpack(value)
        except Exception as error:  # any type, from the producer
            raise SmemprobeError(f"{where}: NumPy cannot take it by DLPack: {error}") from None
    return None


def tensor_of(value: Any, name: str) -> Tensor | None:
    """The array of an argument; None if it is not an array."""
    where = f"argument {name}"
    if isinstance(value, (bool, int, float, complex, np.generic)) or value is None:
        return None
    if isinstance(value, Tensor):
        found = value
    elif type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "data_ptr"):
        found = _of_torch(value, where)
    else:
        array = value if isinstance(value, np.ndarray) else _of_foreign(value, where)
        if array is None:
            return None
        found = _of_numpy(array, where)
    data = found.data
    if data.dtype.hasobject or not data.dtype.isnative:
        raise SmemprobeError(f"{where} holds {data.dtype}, which no kernel reads")
    if data.size == 0:
        raise SmemprobeError(f"{where} is empty")
    if any(stride < 0 or stride % data.itemsize for stride in data.strides):
        raise SmemprobeError(f"{where} has strides of {data.strides} bytes; np.ascontiguousarray packs it")
    offset = _offset_of(found) if found.offset is None else found.offset
    return replace(found, offset=offset, name=found.name or name)


@dataclass
class Memory:
    """The memory from the first to the last element of arguments that overlap, directly or through others."""

    tensors: list[Tensor]

    @property
    def first(self) -> Tensor:
        return min(self.tensors, key=lambda one: one.start)

    @property
    def end(self) -> int:
        return max(one.end for one in self.tensors)

    @property
    def bytes(self) -> NDArray:
        """The caller's memory, which can be written even if the arrays cannot."""
        start = self.first.start
        memory: Any = (ctypes.c_uint8 * (self.end - start)).from_address(start)
        return np.frombuffer(memory, np.uint8)

    @property
    def is_writeable(self) -> bool:
        return any(one.data.flags.writeable for one in self.tensors)


def memories_of(tensors: Sequence[Tensor]) -> list[Memory]:
    """Groups arrays by the memory that they share."""
    out: list[Memory] = []
    for one in sorted(tensors, key=lambda tensor: tensor.start):
        if out and one.start < out[-1].end:
            out[-1].tensors.append(one)
        else:
            out.append(Memory([one]))
    return out


class Arguments:
    """Formats the arguments of a launch; arrays become files in `folder`, which restore reads back.

    keeps: whether results are read back.
    """

    def __init__(self, folder: Path, *, keeps: bool = True) -> None:
        self.folder = folder
        self.keeps = keeps
        self.saved: list[tuple[Path, Memory]] = []

    def texts(self, arguments: Sequence[str | Tensor | TensorMap]) -> list[str]:
        """The arguments as the program reads them."""
        arrays = [one.base if isinstance(one, TensorMap) else one for one in arguments]
        out = [one if isinstance(one, str) else "" for one in arrays]
        tensors = [one for one in arrays if isinstance(one, Tensor)]
        for number, memory in enumerate(memories_of(tensors), 1):
            # The first array in memory holds it all; the others are addresses in it.
            owner = next(i for i, one in enumerate(arrays) if one is memory.first)
            for i, one in enumerate(arrays):
                if i == owner:
                    out[i] = self._array(memory, number)
                elif isinstance(one, Tensor) and any(one is each for each in memory.tensors):
                    out[i] = f"${owner + 1}+{one.start - memory.first.start}"
        return [
            f"tensor({text}, {one.form})" if isinstance(one, TensorMap) else text
            for text, one in zip(out, arguments, strict=True)
        ]

    def _array(self, memory: Memory, number: int) -> str:
        first, data = memory.first, memory.bytes
        kind = _LAUNCH_TYPES.get(first.element, "uint8_t")
        if data.nbytes % first.data.itemsize:
            kind = "uint8_t"
        count = data.nbytes if kind == "uint8_t" else data.nbytes // first.data.itemsize
        given = self.folder / f"in{number}"
        data.tofile(given)
        offset = (first.offset or 0) % _ALIGNMENT
        name = f" {first.name}" if first.name.isidentifier() and first.name.isascii() else ""
        text = f"{kind}{name}[{count}]{f'+{offset}' if offset else ''} = @{given}"
        if self.keeps and memory.is_writeable:
            taken = self.folder / f"out{number}"
            self.saved.append((taken, memory))
            text += f" -> {taken}"
        return text

    @staticmethod
    def number(value: Any, dtype: str) -> str:
        return "hex:" + np.array(value).astype(dtype).tobytes().hex()

    def restore(self) -> None:
        """Writes what the kernel wrote into the caller's memory."""
        for path, memory in self.saved:
            memory.bytes[...] = np.fromfile(path, np.uint8)
