# SPDX-License-Identifier: MIT
"""Which Python line launches a kernel: python_lines.py LIBRARY. The right line contains `launch N`."""
import ctypes
import functools
import subprocess
import sys

if len(sys.argv) == 2:
    command = [sys.executable, __file__, sys.argv[1], "inside"]
    said = subprocess.run(command, stdout=subprocess.PIPE, check=True, universal_newlines=True).stdout
    with open(__file__) as source:
        lines = [(line.split("# launch ")[-1].strip(), i) for i, line in enumerate(source, 1)]
    wanted = sorted("{} {}:{}".format(number, __file__, i) for number, i in lines if number.isdigit())
    assert sorted(set(said.splitlines())) == wanted, said
    sys.exit(0)

library = ctypes.CDLL(sys.argv[1])


def step():
    library.launch(1)  # launch 1
    return 1


def twice():
    return step() + step()


class Opened:
    def __enter__(self):
        library.launch(2)  # launch 2

    def __exit__(self, *why):
        pass


with Opened():
    twice()
functools.reduce(lambda a, b: library.launch(3), [1, 2])  # launch 3
library.launch(4)  # launch 4
library.launch_elsewhere(5)  # launch 5
