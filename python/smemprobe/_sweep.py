# SPDX-License-Identifier: MIT
"""Emulates all configurations of a Triton kernel without a GPU, and ranks them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _triton
from ._arrays import Arguments
from ._emulate import Grid, triton_code
from ._judge import Candidate, Judgement, judge_lines, limits
from ._library import Arch, SmemprobeError, find_arch


class Sweep(Judgement):
    """Configurations, best first; the `name` of each is the configuration as text."""

    def __init__(self, candidates: Iterable[Candidate], configs: Mapping[str, _triton.Config]) -> None:
        super().__init__(candidates)
        self.configs = dict(configs)

    @property
    def best_config(self) -> _triton.Config | None:
        """Constants and options of the best one; None if none is correct."""
        return self.configs[self.best.name] if self.best else None


def _failed(name: str, why: str) -> Candidate:
    """The verdict on a configuration that Triton does not compile."""
    fields: dict[str, Any] = dict.fromkeys(Candidate.__dataclass_fields__)
    fields.update(name=name, verdict="not compiled", why=why, compiled=False, data={"findings": []})
    return Candidate(**fields)


def sweep(
    kernel: Any,
    grid: Grid,
    arguments: Sequence[Any] | Mapping[str, Any] = (),
    *,
    configs: Iterable[Any] | None = None,
    constants: Mapping[str, Any] | None = None,
    arch: str | Arch = "sm_90",
    tolerance: float | None = None,
    races: bool = False,
    seconds: float = 60,
    memory_mib: int = 4096,
    jobs: int | None = None,
) -> Sweep:
    """Runs one launch in every configuration on the CPU, and ranks them by cost.

    kernel, grid, arguments, constants, arch: as for `emulate`; grid is usually a function of the
        arguments, `lambda meta: (triton.cdiv(n, meta["BLOCK"]),)`. The arrays are not changed.
    configs: triton.Config objects, or mappings of constexprs and options ({"BLOCK": 64, "num_warps": 4});
        default: those of @triton.autotune.
    Each result must equal that of the first configuration that compiles, within tolerance (default: by
    type). races, seconds, memory_mib, jobs: as for `judge`.
    """
    if not _triton.is_triton(kernel):
        raise SmemprobeError(f"{kernel!r} is not a Triton kernel")
    row = find_arch(arch)
    tried = [_triton.config_of(one) for one in configs] if configs is not None else _triton.configs_of(kernel)
    if not tried:
        raise SmemprobeError("configs= is required, as the kernel has no @triton.autotune")
    named = {str(one): one for one in tried}
    words = limits(row, races, seconds, memory_mib, jobs)
    words += [] if tolerance is None else ["--tolerance", repr(float(tolerance))]
    with tempfile.TemporaryDirectory(prefix="smemprobe-") as name:
        lines: list[dict[str, Any]] = []
        failed: list[Candidate] = []
        for i, (text, config) in enumerate(named.items()):
            folder = Path(name) / str(i)
            folder.mkdir()
            try:
                lines.append(_line_of(kernel, grid, arguments, constants, config, row, text, folder))
            except SmemprobeError:
                raise
            except Exception as error:  # Triton's compiler raises many types
                failed.append(_failed(text, str(error).strip().splitlines()[-1] if str(error) else repr(error)))
        if lines:
            done = list(judge_lines([{**lines[0], "reference": True}, *lines], words, name))
        else:
            done = []
        return Sweep([*done, *failed], named)


def _line_of(
    kernel: Any,
    grid: Grid,
    arguments: Sequence[Any] | Mapping[str, Any],
    constants: Mapping[str, Any] | None,
    config: _triton.Config,
    arch: Arch,
    name: str,
    folder: Path,
) -> dict[str, Any]:
    """Compiles a configuration and returns its line of the program's input."""
    bound = _triton.bind(kernel, arguments, constants or {}, config)
    code = triton_code(bound, grid, arch, Arguments(folder, keeps=False))
    return {"file": str(code.path), "name": name, "launch": code.launch_text}
