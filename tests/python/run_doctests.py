# SPDX-License-Identifier: MIT
"""The examples of all docstrings."""

import doctest
import importlib
import pkgutil
import sys

import smemprobe

attempted = failed = 0
for module in pkgutil.iter_modules(smemprobe.__path__, "smemprobe."):
    if module.name.endswith("__main__"):
        continue
    result = doctest.testmod(importlib.import_module(module.name))
    attempted += result.attempted
    failed += result.failed
result = doctest.testmod(smemprobe)
attempted += result.attempted
failed += result.failed
print(f"{attempted} examples, {failed} failed")
sys.exit(failed > 0 or attempted < 20)
