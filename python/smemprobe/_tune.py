# SPDX-License-Identifier: MIT
"""fix kernel.py: runs the script and tries other configurations of each Triton kernel that it launches.

The source of a Triton kernel has no layout; the choices are block sizes, warps and stages.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

from . import _triton
from ._emulate import emulate, grid_of
from ._judge import Candidate
from ._library import SmemprobeError
from ._sweep import Sweep, sweep

CONFIGS_MAX = 32
ROUNDS = 5
FASTER = 0.98  # share of the current time; slower than that is no improvement
_USUAL = {"num_warps": 4, "num_stages": 3}  # Triton's own


# ---- Configurations ----


def _steps(name: str, value: Any) -> list[Any]:
    """The values to try instead of a value."""
    if name == "num_stages":
        return [n for n in (1, 2, 3, 4) if n != value]
    if type(value) is not int or value < 1 or value & (value - 1) != 0 or (name != "num_warps" and value < 8):
        return []
    most = 16 if name == "num_warps" else 1 << 16
    return [n for n in (value // 2, value * 2) if 1 <= n <= most]


def neighbours(config: _triton.Config) -> list[_triton.Config]:
    """The configuration, then those that differ in one value, then in two, up to a limit."""
    values = {**config.constants, **_USUAL, **config.options}
    steps = {name: _steps(name, value) for name, value in values.items()}
    changes: list[dict[str, Any]] = [{name: to} for name, list_ in steps.items() for to in list_]
    for a, b in combinations([name for name in steps if name != "num_stages"], 2):
        changes += [{a: x, b: y} for x in steps[a] for y in steps[b]]
    out = [config]
    for change in changes[: CONFIGS_MAX - 1]:
        out.append(_triton.config_of({**config.constants, **config.options, **change}))
    return out


# ---- One launch ----


def _on_cpu(value: Any) -> Any:
    return value.cpu() if getattr(value, "is_cuda", False) else value


def _copy(value: Any) -> Any:
    return value.clone() if getattr(value, "is_cuda", False) else value


class Launch:
    """The parts of kernel[grid](...)."""

    def __init__(self, kernel: Any, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        function = _triton.plain(kernel)
        self.kernel, self.grid = kernel, grid
        self.values = dict(zip(function.arg_names, args, strict=False))
        self.values.update({name: value for name, value in kwargs.items() if name in function.arg_names})
        constexprs = {param.name for param in function.params if param.is_constexpr}
        self.constants = {name: self.values.pop(name) for name in constexprs & self.values.keys()}
        self.options = {name: value for name, value in kwargs.items() if name in _USUAL}
        code = function.fn.__code__
        self.place = f"{function.fn.__name__} ({Path(code.co_filename).name}:{code.co_firstlineno})"

    @property
    def is_on_gpu(self) -> bool:
        return any(getattr(value, "is_cuda", False) for value in self.values.values())

    @property
    def is_tuned(self) -> bool:
        return bool(_triton.configs_of(self.kernel))

    @property
    def fixed(self) -> dict[str, Any]:
        """Constants that no configuration changes."""
        return self.constants if self.is_tuned else {}

    def configs(self) -> list[_triton.Config]:
        """The configurations of @triton.autotune; without it, the launch's own and its neighbours."""
        if self.is_tuned:
            return _triton.configs_of(self.kernel)
        return neighbours(_triton.config_of({**self.constants, **self.options}))

    def run_on_cpu(self) -> None:
        emulate(self.kernel, self.grid, arguments=self.values, constants=self.constants, options=self.options)

    def try_all(self, arch: str, seconds: float) -> Sweep:
        arguments = {name: _on_cpu(value) for name, value in self.values.items()}
        return sweep(
            self.kernel, self.grid, arguments, configs=self.configs(), constants=self.fixed, arch=arch, seconds=seconds
        )

    def timed(self, configs: Mapping[str, _triton.Config]) -> dict[str, float]:
        """Microseconds on the GPU that holds the arguments: medians over rounds that run each once."""
        from triton.testing import do_bench

        function = _triton.plain(self.kernel)
        values = {name: _copy(value) for name, value in self.values.items()}
        bound = {name: _triton.bind(self.kernel, values, self.fixed, one) for name, one in configs.items()}

        def once(one: _triton.Bound) -> float:
            grid = grid_of(self.grid, one.values)
            run = lambda: function[grid](**one.values, **dict(one.options))  # noqa: E731
            return 1e3 * float(do_bench(run, warmup=5, rep=20, return_mode="median"))

        rounds = [{name: once(one) for name, one in bound.items()} for _ in range(ROUNDS)]
        return {name: median(each[name] for each in rounds) for name in bound}


# ---- A script ----


def _line(rank: int, one: Candidate, is_own: bool, time_us: float | None) -> str:
    time = f", {time_us:,.1f} us" if time_us is not None else ""
    return f"{'>' if is_own else ' '}{rank:3}  {one}{time}"


def _is_same(one: Candidate, own: Candidate, configs: Mapping[str, _triton.Config]) -> bool:
    """A change of only the stages, which has no effect on a kernel without a pipeline."""
    a, b = configs[one.name], configs[own.name]
    options = [{name: to for name, to in of.options.items() if name != "num_stages"} for of in (a, b)]
    figures = [(of.cost, of.instructions, of.registers, of.shared_bytes) for of in (one, own)]
    return one.ok and a.constants == b.constants and options[0] == options[1] and figures[0] == figures[1]


def report(launch: Launch, arch: str, seconds: float) -> str:
    done = launch.try_all(arch, seconds)
    own = done.named(str(launch.configs()[0]))
    ranked = [one for one in done if one is own or not _is_same(one, own, done.configs)]
    times = launch.timed({one.name: done.configs[one.name] for one in ranked if one.ok}) if launch.is_on_gpu else {}
    if times:
        ranked.sort(key=lambda one: times.get(one.name, float("inf")))
    by = "time on the GPU" if times else "cost, which is no time"
    mark = "the first of @triton.autotune" if launch.is_tuned else "the launch's own"
    head = f"{launch.place}: {len(ranked)} configurations for {arch}, by {by}; > is {mark}"
    lines = [_line(i, one, one is own, times.get(one.name)) for i, one in enumerate(ranked, 1)]
    return "\n".join([head, *lines, _best(ranked[0], own, times)])


def _best(first: Candidate, own: Candidate, times: Mapping[str, float]) -> str:
    if not first.ok:
        return "no configuration gives correct results"
    is_own = first is own or (own.name in times and times[first.name] > FASTER * times[own.name])
    return f"best: the current one, {own.name}" if is_own else f"best: {first.name}"


@contextmanager
def _every_launch(take: Any) -> Iterator[None]:
    """Calls take(kernel, grid, args, kwargs, run) instead of each launch in a script."""
    from triton.runtime.autotuner import Autotuner, Heuristics
    from triton.runtime.jit import JITFunction

    kinds: list[Any] = [JITFunction, Autotuner, Heuristics]
    runs = {kind: kind.run for kind in kinds}
    inside: list[bool] = []

    def replace(kind: Any) -> Any:
        def run(self: Any, *args: Any, grid: Any = None, warmup: bool = False, **kwargs: Any) -> Any:
            def original() -> Any:
                return runs[kind](self, *args, grid=grid, warmup=warmup, **kwargs)

            if inside or warmup:
                return original()
            inside.append(True)
            try:
                return take(self, grid, args, kwargs, original)
            finally:
                inside.pop()

        return run

    for kind in kinds:
        kind.run = replace(kind)
    try:
        yield
    finally:
        for kind in kinds:
            kind.run = runs[kind]


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("smemprobe fix", description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--arch", default="sm_90", help="architecture to compile for and to judge by")
    parser.add_argument("--time", type=float, default=60, metavar="SECONDS", help="time limit of one configuration")
    parser.add_argument("script", metavar="FILE.py")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of the script")
    return parser.parse_args(words)


def main(words: Sequence[str]) -> int:
    options = _options(words)
    seen: set[str] = set()

    def take(kernel: Any, grid: Any, args: Sequence[Any], kwargs: Mapping[str, Any], run: Any) -> Any:
        launch = Launch(kernel, grid, args, kwargs)
        if launch.place not in seen:
            seen.add(launch.place)
            print(report(launch, options.arch, options.time), flush=True)
        return run() if launch.is_on_gpu else launch.run_on_cpu()

    sys.argv = [options.script, *options.arguments]
    sys.path.insert(0, str(Path(options.script).resolve().parent))
    try:
        with _every_launch(take):
            runpy.run_path(options.script, run_name="__main__")
    except SmemprobeError as error:
        print(f"smemprobe: {error}", file=sys.stderr)
        return 3
    except ImportError as error:
        print(f"smemprobe: fix {options.script}: {error}", file=sys.stderr)
        return 3
    if not seen:
        print(f"smemprobe: {options.script} launched no Triton kernel", file=sys.stderr)
    return 0 if seen else 3
