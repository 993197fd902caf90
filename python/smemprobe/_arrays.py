# SPDX-License-Identifier: MIT
"""Arrays of a launch from NumPy, PyTorch, JAX, or anything with DLPack or the array interface.

The kernel's results are written back to the caller's memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ._library import SmemprobeError

NDArray = np.ndarray[Any, Any]

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


@dataclass(frozen=True)
class Tensor:
    """An array of a launch. data: its memory, or its bits if NumPy lacks the type. element: "float32",
    "bfloat16", "float8_e4m3fn" ...

    Arrays are converted automatically; use it to give bits a type: Tensor(uint16s, "bfloat16").
    """

    data: NDArray
    element: str


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
        return Tensor(plain.numpy(), element)
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
    return found


def _memory(array: NDArray) -> NDArray:
    """The elements from the first to the last one in memory, with those between them that a view leaves out."""
    last = sum((count - 1) * stride for count, stride in zip(array.shape, array.strides, strict=True))
    return as_strided(array, (last // array.itemsize + 1,), (array.itemsize,), writeable=False)


class Arguments:
    """Formats the arguments of a launch; arrays become files in `folder`, which restore reads back.

    keeps: whether results are read back.
    """

    def __init__(self, folder: Path, *, keeps: bool = True) -> None:
        self.folder = folder
        self.keeps = keeps
        self.saved: list[tuple[Path, NDArray]] = []
        self.count = 0

    def array(self, tensor: Tensor) -> str:
        value = tensor.data
        self.count += 1
        given = self.folder / f"in{self.count}"
        memory = _memory(value)
        memory.tofile(given)
        kind = _LAUNCH_TYPES.get(tensor.element, "uint8_t")
        count = memory.nbytes if kind == "uint8_t" else memory.size
        text = f"{kind}[{count}] = @{given}"
        if self.keeps and value.flags.writeable:
            taken = self.folder / f"out{self.count}"
            self.saved.append((taken, value))
            text += f" -> {taken}"
        return text

    @staticmethod
    def number(value: Any, dtype: str) -> str:
        return "hex:" + np.array(value).astype(dtype).tobytes().hex()

    def restore(self) -> None:
        for path, array in self.saved:
            data = np.fromfile(path, np.uint8).view(array.dtype)
            # Elements between those of a view may be another argument's.
            array[...] = as_strided(data, array.shape, array.strides)
