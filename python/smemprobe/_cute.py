# SPDX-License-Identifier: MIT
"""Kernels of the CuTe DSL, which compiles without a GPU: the machine code that it kept, and its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arrays import Arguments, Tensor, tensor_of
from ._library import SmemprobeError

_KEEP = "CUTE_DSL_KEEP_CUBIN=1 in the environment before cutlass is imported"


def is_cute(kernel: Any) -> bool:
    """True for a result of cute.compile, and for functions of @cute.jit or @cute.kernel."""
    module = type(kernel).__module__
    return module.startswith("cutlass.") or "cutlass" in str(getattr(kernel, "_dsl_cls", ""))


def cubin(kernel: Any) -> tuple[bytes, str]:
    """The machine code of a compiled function, and the name of its kernel."""
    if not hasattr(kernel, "artifacts"):
        raise SmemprobeError(
            "compile a function of the CuTe DSL first: cute.compile(function, arguments...), with "
            "cutlass.cute.runtime.make_fake_compact_tensor instead of arrays, and " + _KEEP
        )
    code = kernel.artifacts.CUBIN if kernel.artifacts else None
    if not code:
        raise SmemprobeError(f"the CuTe DSL kept no machine code: {_KEEP}")
    names = list(kernel.kernel_info or ())
    if len(names) != 1:
        raise SmemprobeError(f"it has the kernels {', '.join(names) or '(none)'}; exactly one can be launched")
    return bytes(code), str(names[0])


def texts(arguments: Sequence[Any], given: Arguments) -> list[str]:
    """Arguments of the launch: tensors of fixed shape are pointers to their elements."""
    out: list[str | Tensor] = []
    for i, value in enumerate(arguments):
        tensor = tensor_of(value, f"{i}")
        if tensor is not None:
            if not tensor.data.flags.forc:
                raise SmemprobeError(f"argument {i} is not contiguous, but its layout is compiled in: copy it")
            out.append(tensor)
        elif isinstance(value, (bool, int, float, np.generic)):
            short = "i4" if isinstance(value, int) else "f4"
            out.append(given.number(value, value.dtype.str if isinstance(value, np.generic) else short))
        else:
            raise SmemprobeError(f"argument {i}: {type(value).__name__} is neither array nor number")
    return given.texts(out)
