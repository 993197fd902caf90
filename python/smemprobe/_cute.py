# SPDX-License-Identifier: MIT
"""Kernels of the CuTe DSL, which compiles without a GPU: the machine code that it keeps, and its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arrays import Arguments, tensor_of
from ._library import SmemprobeError

_KEEP = "CUTE_DSL_KEEP_CUBIN=1 in the environment before cutlass is imported"


def is_cute(kernel: Any) -> bool:
    """What cute.compile gives, or a function of @cute.jit or @cute.kernel, which it takes."""
    module = type(kernel).__module__
    return module.startswith("cutlass.") or "cutlass" in str(getattr(kernel, "_dsl_cls", ""))


def cubin(kernel: Any) -> tuple[bytes, str]:
    """The machine code of what was compiled, and the name of its kernel."""
    if not hasattr(kernel, "artifacts"):
        raise SmemprobeError(
            "a function of the CuTe DSL is compiled first: cute.compile(function, arguments...), with "
            "cutlass.cute.runtime.make_fake_compact_tensor in the place of arrays, and " + _KEEP
        )
    code = kernel.artifacts.CUBIN if kernel.artifacts else None
    if not code:
        raise SmemprobeError(f"the CuTe DSL kept no machine code: {_KEEP}")
    names = list(kernel.kernel_info or ())
    if len(names) != 1:
        raise SmemprobeError(f"kernels in it: {', '.join(names) or 'none'}; one is launched from here")
    return bytes(code), str(names[0])


def texts(arguments: Sequence[Any], given: Arguments) -> list[str]:
    """Arguments as a launch has them: tensors of fixed shape are pointers to their elements."""
    out = []
    for i, value in enumerate(arguments):
        tensor = tensor_of(value, f"{i}")
        if tensor is not None:
            out.append(given.array(tensor))
        elif isinstance(value, (bool, int, float, np.generic)):
            short = "i4" if isinstance(value, int) else "f4"
            out.append(given.number(value, value.dtype.str if isinstance(value, np.generic) else short))
        else:
            raise SmemprobeError(f"argument {i}: {type(value).__name__} is neither array nor number")
    return out
