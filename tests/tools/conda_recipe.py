#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/tools/conda_recipe.py: the recipe of conda, as rattler-build reads and renders it; its version and what it asks for
are those of CMakeLists.txt. The first half is skipped (77) without py-rattler-build (pip install py-rattler-build)."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECIPE = (ROOT / "packaging/conda/recipe.yaml").read_text()
CMAKE = (ROOT / "CMakeLists.txt").read_text()


# Versions that both name: smemprobe, CMake, jansson, zstd.
SAID = [(r"  version: ([\d.]+)", r"project\(smemprobe VERSION ([\d.]+)"), (r"cmake >=([\d.]+)", r"cmake_minimum_required\(VERSION (\d+\.\d+)"),
        (r"jansson >=([\d.]+)", r"jansson>=([\d.]+)"), (r"zstd >=([\d.]+)", r"libzstd>=([\d.]+)")]


def main():
    for here, there in SAID:
        if len({*re.findall(here, RECIPE), *re.findall(there, CMAKE)}) != 1:
            sys.exit(f"{here}: the recipe says {re.findall(here, RECIPE)}, CMakeLists.txt {re.findall(there, CMAKE)}")
    try:
        from rattler_build import Stage0Recipe, VariantConfig
    except ImportError:
        print("the versions are right; no py-rattler-build here, which would read the rest")
        sys.exit(77)
    found = Stage0Recipe.from_yaml(RECIPE).render(VariantConfig())
    name = [one.recipe.package.name for one in found]
    if name != ["smemprobe"]:
        sys.exit(f"it renders {name}")
    print("rattler-build renders it")


main()
