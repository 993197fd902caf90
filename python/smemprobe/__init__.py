# SPDX-License-Identifier: MIT
"""Bank conflicts and access patterns of CUDA kernels, computed by libsmemprobe.

>>> import smemprobe
>>> smemprobe.predict([lane * 32 * 4 for lane in range(32)]).ways
32
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._findings import Finding, FindingError, FindingPlace
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
from ._marked import marked
from ._predict import Cell, Group, Lane, Prediction, Wavefront, predict
from ._profile import GateError, Profile, profile, read_profile
from ._program import program_path, run
from ._tiles import CuteLayout, PaddedShared, SwizzledShared, tile_layout

if TYPE_CHECKING:
    from ._emulate import Emulation as Emulation
    from ._emulate import emulate as emulate
    from ._many import ROW_DTYPE as ROW_DTYPE
    from ._many import Counts as Counts
    from ._many import predict_many as predict_many
    from ._traces import Trace as Trace
    from ._traces import TraceLoss as TraceLoss
    from ._traces import TraceRows as TraceRows
    from ._traces import TraceWriter as TraceWriter
    from ._traces import read_trace as read_trace

_LATER = {
    "_many": ("predict_many", "Counts", "ROW_DTYPE"),
    "_emulate": ("emulate", "Emulation"),
    "_traces": ("Trace", "TraceLoss", "TraceRows", "TraceWriter", "read_trace"),
}


def __getattr__(name: str) -> object:
    """What needs NumPy is loaded when it is first used."""
    from importlib import import_module

    for module, names in _LATER.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module 'smemprobe' has no attribute '{name}'")


__all__ = [
    "ALL_LANES",
    "LANES",
    "ROW_DTYPE",
    "Arch",
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
    "Lane",
    "LayoutCost",
    "PaddedShared",
    "Prediction",
    "Profile",
    "SmemprobeError",
    "SwizzledShared",
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
    "layout",
    "marked",
    "op_names",
    "predict",
    "predict_many",
    "profile",
    "program_path",
    "read_profile",
    "read_trace",
    "run",
    "tile_layout",
    "values",
]
