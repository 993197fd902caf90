# SPDX-License-Identifier: MIT
"""Bank conflicts and access patterns of CUDA kernels, computed by libsmemprobe.

>>> import smemprobe
>>> smemprobe.predict([lane * 32 * 4 for lane in range(32)]).ways
32
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._findings import Finding, FindingError, FindingPlace
from ._judge import Candidate, Judgement, judge
from ._layout import Fix, Form, LayoutCost, fix, layout, values
from ._library import (
    ALL_LANES,
    LANES,
    Arch,
    SmemprobeError,
    arch_names,
    find_arch,
    op_names,
)
from ._library import version as __version__
from ._linear import Registers, TileAccess, registers_of, tile_access
from ._lines import Line
from ._marked import marked
from ._predict import Cell, Group, Lane, Prediction, Wavefront, predict
from ._profile import GateError, Profile, profile, read_profile
from ._program import program_path, run
from ._tiles import CuteLayout, PaddedShared, SharedLinear, SwizzledShared, tile_layout

if TYPE_CHECKING:
    from ._arrays import Tensor as Tensor
    from ._emulate import Emulation as Emulation
    from ._emulate import emulate as emulate
    from ._many import ROW_DTYPE as ROW_DTYPE
    from ._many import Counts as Counts
    from ._many import predict_many as predict_many
    from ._sweep import Sweep as Sweep
    from ._sweep import sweep as sweep
    from ._traces import Trace as Trace
    from ._traces import TraceLoss as TraceLoss
    from ._traces import TraceRows as TraceRows
    from ._traces import TraceWriter as TraceWriter
    from ._traces import read_trace as read_trace

_LATER = {
    "_many": ("predict_many", "Counts", "ROW_DTYPE"),
    "_arrays": ("Tensor",),
    "_emulate": ("emulate", "Emulation"),
    "_sweep": ("sweep", "Sweep"),
    "_traces": ("Trace", "TraceLoss", "TraceRows", "TraceWriter", "read_trace"),
}


def __getattr__(name: str) -> object:
    """Loads modules that need NumPy on first use."""
    from importlib import import_module

    for module, names in _LATER.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module 'smemprobe' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "ALL_LANES",
    "LANES",
    "ROW_DTYPE",
    "Arch",
    "Candidate",
    "Cell",
    "Counts",
    "CuteLayout",
    "Emulation",
    "Finding",
    "FindingError",
    "FindingPlace",
    "Fix",
    "Form",
    "GateError",
    "Group",
    "Judgement",
    "Lane",
    "LayoutCost",
    "Line",
    "PaddedShared",
    "Prediction",
    "Profile",
    "Registers",
    "SharedLinear",
    "SmemprobeError",
    "Sweep",
    "SwizzledShared",
    "Tensor",
    "TileAccess",
    "Trace",
    "TraceLoss",
    "TraceRows",
    "TraceWriter",
    "Wavefront",
    "__version__",
    "arch_names",
    "emulate",
    "find_arch",
    "fix",
    "judge",
    "layout",
    "marked",
    "op_names",
    "predict",
    "predict_many",
    "profile",
    "program_path",
    "read_profile",
    "read_trace",
    "registers_of",
    "run",
    "sweep",
    "tile_access",
    "tile_layout",
    "values",
]
