# SPDX-License-Identifier: MIT
"""Compiles Triton kernels as a launch would, without a GPU: configurations, heuristics, defaults."""

from __future__ import annotations

import difflib
import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from . import _descriptors
from ._arrays import Arguments, Tensor, TensorMap, tensor_of
from ._library import SmemprobeError

_KINDS = (("float", "fp", (16, 32, 64)), ("int", "i", (8, 16, 32, 64)), ("uint", "u", (8, 16, 32, 64)))
# Triton's names of element types: float32 is fp32.
_TYPES = {
    "bool": "i1",
    "bfloat16": "bf16",
    "float8_e4m3fn": "fp8e4nv",
    "float8_e5m2": "fp8e5",
} | {f"{name}{bits}": f"{short}{bits}" for name, short, sizes in _KINDS for bits in sizes}
_NUMBERS = {"u1": "u1", "i32": "i4", "i64": "i8", "u64": "u8", "fp32": "f4"}
# Members of a configuration that are compiler options.
_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg", "ir_override")


@dataclass(frozen=True)
class Config:
    """A way to compile a kernel: constexpr arguments and compiler options."""

    constants: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        words = [f"{name}={value}" for name, value in (*self.constants.items(), *self.options.items())]
        return ", ".join(words) or "as it is"


def is_triton(kernel: Any) -> bool:
    return hasattr(kernel, "arg_names") and hasattr(kernel, "fn")


def is_gluon(kernel: Any) -> bool:
    return "gluon" in type(plain(kernel)).__module__


def plain(kernel: Any) -> Any:
    """The @triton.jit function below @triton.autotune and @triton.heuristics."""
    while hasattr(kernel.fn, "arg_names"):
        kernel = kernel.fn
    return kernel


def configs_of(kernel: Any) -> list[Config]:
    """The configurations of @triton.autotune; empty without it."""
    while is_triton(kernel):
        if hasattr(kernel, "configs"):
            return [config_of(one) for one in kernel.configs]
        kernel = kernel.fn
    return []


def config_of(given: Any) -> Config:
    """Makes a Config from a triton.Config, or from a mapping of constexprs and compiler options."""
    if isinstance(given, Config):
        return given
    if hasattr(given, "all_kwargs"):
        given = {name: value for name, value in given.all_kwargs().items() if value is not None}
        # Defaults that every triton.Config has are not shown.
        if given.get("num_ctas") == 1:
            del given["num_ctas"]
    if not isinstance(given, Mapping):
        raise SmemprobeError(f"configs: {given!r} is neither a triton.Config nor a mapping")
    return Config(
        {name: value for name, value in given.items() if name not in _OPTIONS},
        {name: value for name, value in given.items() if name in _OPTIONS},
    )


def _heuristics_of(kernel: Any) -> list[Mapping[str, Callable[[Mapping[str, Any]], Any]]]:
    found = []
    while is_triton(kernel):
        values = getattr(kernel, "values", None)
        if isinstance(values, Mapping):
            found.append(values)
        kernel = kernel.fn
    return found


def meant(name: str, known: Iterable[str]) -> str:
    """"; did you mean 'BLOCK'?", or ""."""
    names = list(known)
    lower = {one.lower(): one for one in names}
    close = difflib.get_close_matches(name.lower(), lower, 1, 0.6)
    return f"; did you mean '{lower[close[0]]}'?" if close else ""


# ---- Arguments ----


@dataclass(frozen=True)
class Bound:
    """A launch of one configuration, with every argument by name."""

    kernel: Any
    values: dict[str, Any]  # in the kernel's order
    constants: frozenset[str]
    options: Mapping[str, Any]


def _default(kernel: Any, name: str) -> Any:
    default = kernel.params[kernel.arg_names.index(name)].default
    return getattr(default, "value", default)


def _check_names(kernel: Any, constants: Mapping[str, Any], constexprs: Sequence[str]) -> None:
    for name in constants:
        if name not in kernel.arg_names:
            raise SmemprobeError(
                f"constants: the kernel has no argument '{name}'{meant(name, kernel.arg_names)}; "
                f"its constexprs: {', '.join(constexprs) or 'none'}"
            )


def _check_options(options: Mapping[str, Any]) -> None:
    from triton.backends.nvidia.compiler import CUDAOptions

    known = list(CUDAOptions.__dataclass_fields__)
    for name in options:
        if name not in known:
            raise SmemprobeError(f"options: Triton's compiler has no '{name}'{meant(name, known)}")


def _take_positional(kernel: Any, arguments: Sequence[Any], fixed: Mapping[str, Any]) -> dict[str, Any]:
    """Names positional arguments; parameters that are fixed elsewhere are skipped."""
    names = [name for name in kernel.arg_names if name not in fixed]
    optional = [name for name in names if _default(kernel, name) is not inspect.Parameter.empty]
    needed = [name for name in names if name not in optional]
    if len(arguments) > len(names) or len(arguments) < len(needed):
        lacking = [
            param.name for param in kernel.params
            if param.is_constexpr and param.name in needed[len(arguments):]
        ]
        constexprs = f" ({', '.join(lacking)}: by constants=)" if lacking else ""
        raise SmemprobeError(
            f"{len(arguments)} arguments, but the kernel takes {len(names)}: {', '.join(names)}{constexprs}"
        )
    return dict(zip(names, arguments, strict=False))


def bind(
    kernel: Any, arguments: Sequence[Any] | Mapping[str, Any], constants: Mapping[str, Any], config: Config
) -> Bound:
    """All arguments of a launch, found as Triton does: given ones, the configuration's, those of
    heuristics, defaults."""
    function = plain(kernel)
    constexprs = [param.name for param in function.params if param.is_constexpr]
    fixed = {**config.constants, **constants}
    _check_names(function, fixed, constexprs)
    _check_options(config.options)
    heuristics = _heuristics_of(kernel)
    computed = {name: None for one in heuristics for name in one if name not in fixed}
    if isinstance(arguments, Mapping):
        _check_names(function, arguments, constexprs)
        given = dict(arguments)
    else:
        given = _take_positional(function, arguments, {**fixed, **computed})
    values = {**given, **fixed}
    for one in heuristics:
        for name, compute in one.items():
            if name not in fixed:
                values[name] = compute(dict(values))
    for name in function.arg_names:
        if name not in values:
            values[name] = _default(function, name)
            if values[name] is inspect.Parameter.empty:
                how = "constants=" if name in constexprs else "arguments="
                raise SmemprobeError(f"argument {name} of the kernel is missing: give it by {how}")
    ordered = {name: values[name] for name in function.arg_names}
    return Bound(function, ordered, frozenset([*constexprs, *fixed, *computed]), dict(config.options))


def _element_type(descriptor: Any, name: str) -> str:
    tensor = tensor_of(descriptor.base, name)
    if tensor is None:
        raise SmemprobeError(f"argument {name}: {type(descriptor.base).__name__} is no array")
    return _type_of(descriptor, tensor, name).removeprefix("*")


def _type_of(value: Any, tensor: Tensor | None, name: str) -> str:
    if tensor is not None:
        known = _TYPES.get(tensor.element)
        if known is None:
            raise SmemprobeError(f"argument {name}: Triton has no type for {tensor.element}")
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


# ---- Lines ----


_LOC = re.compile(r"(\s*\.loc\s+\d+\s+)(\d+)")


def own_lines(ptx: str) -> str:
    """Restores the line numbers of inline assembly.

    Triton writes a load or a wait as several lines of assembly, and LLVM gives each the statement's line plus its
    position in the assembly. Here all of them get the statement's line.
    """
    out: list[str] = []
    position: int | None = None  # in the assembly; None outside
    is_first = False
    for line in ptx.splitlines(keepends=True):
        word = line.strip()
        loc = _LOC.match(line) if position is not None else None
        if word == "// begin inline asm":
            position, is_first = 0, True
        elif word == "// end inline asm":
            position = None
        elif loc and position is not None:
            if is_first:
                out.append(f"{loc[1]}{int(loc[2]) - position}{line[loc.end():]}")
            is_first = False
            continue
        elif position is not None:
            position += 1
        out.append(line)
    return "".join(out)


@contextmanager
def _lines_kept(file: str) -> Iterator[None]:
    """Keeps lines correct while Triton compiles a kernel of this file, if it allows hooks on its stages.

    Triton caches code by the kernel's text, so that a copy of the file, or another session of a notebook, would get
    the lines of the first file.
    """
    from triton import knobs

    runtime = getattr(knobs, "runtime", None)
    if getattr(runtime, "add_stages_inspection_hook", "none") is not None:
        yield
        return

    def hook(backend: Any = None, stages: Any = None, *_: Any) -> tuple[str, str] | None:
        if stages is None:
            key = f"smemprobe-lines-2 {file}"
            return key, key  # part of the cache key
        make = stages["ptx"]
        stages["ptx"] = lambda source, metadata: own_lines(make(source, metadata))
        return None

    knobs.runtime.add_stages_inspection_hook = hook
    try:
        yield
    finally:
        knobs.runtime.add_stages_inspection_hook = None


# ---- Compiled ----


@dataclass(frozen=True)
class Built:
    cubin: bytes
    name: str
    threads: int
    shared_bytes: int
    blocks_per_program: int
    arguments: list[str]


def _source_type(kernel: Any) -> Any:
    """The class of Triton's source for a kernel; Gluon has its own."""
    if is_gluon(kernel):
        from triton.experimental.gluon._runtime import GluonASTSource

        return GluonASTSource
    from triton.compiler import ASTSource

    return ASTSource


# Words of a launch: as text, as an array, or to be made once the code is known.
Word = str | Tensor | _descriptors.Descriptor


def _compile(source: Any, cc: int, bound: Bound) -> Any:
    import triton
    from triton.backends.compiler import GPUTarget

    with warnings.catch_warnings(), _lines_kept(bound.kernel.fn.__code__.co_filename):
        warnings.filterwarnings("ignore", module="triton.knobs")
        return triton.compile(source, target=GPUTarget("cuda", cc, 32), options=dict(bound.options))


def build(bound: Bound, grid: Sequence[int], cc: int, given: Arguments) -> Built:
    """Compiles as a launch would, specialized for integers that are 1 or multiples of 16, and for arrays that
    start at one."""
    signature: dict[str, str] = {}
    fixed: dict[str, Any] = {}
    attributes: dict[tuple[int, ...], Any] = {}
    words: list[Word] = []
    for i, (name, value) in enumerate(bound.values.items()):
        if name in bound.constants or value is None or (type(value) is int and value == 1):
            signature[name], fixed[name] = "constexpr", value
            continue
        if _descriptors.is_descriptor(value):
            descriptor = _descriptors.Descriptor(value, name, _element_type(value, name))
            signature[name] = descriptor.type
            words.append(descriptor)
            continue
        tensor = tensor_of(value, name)
        signature[name] = _type_of(value, tensor, name)
        words.append(tensor or given.number(value, _NUMBERS[signature[name]]))
        if (tensor.offset or 0) % 16 == 0 if tensor else type(value) is int and value % 16 == 0:
            attributes[(i,)] = [["tt.divisibility", 16]]
    built = _compile(_source_type(bound.kernel)(bound.kernel, signature, fixed, attributes), cc, bound)
    data = built.metadata
    out: list[str | Tensor | TensorMap] = []
    maps = iter(getattr(data, "tensordesc_meta", None) or ())
    for word in words:
        out += word.words(next(maps, None), given) if isinstance(word, _descriptors.Descriptor) else [word]
    # After its own arguments, every kernel takes two pointers to scratch memory.
    programs = prod(grid) * data.num_ctas
    for per_program in (data.global_scratch_size, data.profile_scratch_size):
        out.append(f"uint8_t[{programs * per_program}]" if per_program else "nullptr")
    return Built(
        built.asm["cubin"], data.name, 32 * data.num_warps, data.shared, data.num_ctas, given.texts(out)
    )
