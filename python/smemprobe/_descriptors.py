# SPDX-License-Identifier: MIT
"""Tensor descriptors that Triton's host code makes (TensorDescriptor), as arguments of a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._arrays import Arguments, Tensor, TensorMap, tensor_of
from ._library import SmemprobeError

_SWIZZLES = ("", ", swizzle32", ", swizzle64", ", swizzle128")


def is_descriptor(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("base", "shape", "strides", "block_shape", "padding"))


def _sizes(numbers: Any) -> str:
    return "".join(f"[{int(one)}]" for one in numbers)


@dataclass(frozen=True)
class Descriptor:
    """value: Triton's or Gluon's TensorDescriptor. element: Triton's name of its element type."""

    value: Any
    name: str
    element: str

    @property
    def type(self) -> str:
        box = ",".join(map(str, self.value.block_shape))
        layout = getattr(self.value, "layout", None)  # Gluon's
        return f"tensordesc<{self.element}[{box}]{f',{layout!r}' if layout is not None else ''}>"

    def words(self, made: Mapping[str, Any] | None, given: Arguments) -> list[str | Tensor | TensorMap]:
        """The kernel's parameters. made: what the compiler says of the tensor map; None if the chip has none."""
        value, base = self.value, tensor_of(self.value.base, self.name)
        assert base is not None
        sizes = [given.number(one, "i4") for one in value.shape] + [given.number(one, "i8") for one in value.strides]
        if made is None:
            longs = [given.number(one, "i8") for one in (*value.shape, *value.strides)]
            flags = [given.number(one, "u1") for one in (value.padding == "nan", value.round_f32_to_tf32)]
            return [base, *longs, *flags, *sizes]
        if value.padding == "nan" or value.round_f32_to_tf32 or made["fp4_padded"] or made.get("is_im2col"):
            raise SmemprobeError(
                f"argument {self.name}: of tensor descriptors, im2col, fp4_padded, padding='nan' and "
                "round_f32_to_tf32 are not supported"
            )
        form = ", ".join(map(_sizes, (value.shape, made["block_size"], value.strides)))
        return [TensorMap(base, form + _SWIZZLES[made["swizzle"]]), *sizes]
