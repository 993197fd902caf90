# SPDX-License-Identifier: MIT
"""python -m smemprobe ...: replaces this process with the package's program.

Three cases differ. `profile script.py` runs the script with this interpreter, `fix script.py` tries
other configurations of its Triton kernels, and `batch` also takes Parquet and Arrow files.
"""

from __future__ import annotations

import os
import sys

from ._program import environment, program_path

COLUMNAR = (".parquet", ".arrow", ".feather")


def _profiled(arguments: list[str]) -> list[str]:
    """Inserts this interpreter before a script: profile [OPTIONS] [--] script.py ..."""
    for i, word in enumerate(arguments):
        if word == "--":
            at = i + 1
            if at < len(arguments) and arguments[at].endswith(".py"):
                return [*arguments[:at], sys.executable, *arguments[at:]]
            return arguments
        if word.endswith(".py") and (i == 0 or arguments[i - 1] not in ("-o", "--output")):
            return [*arguments[:i], "--", sys.executable, *arguments[i:]]
    return arguments


def main() -> int:
    """Returns only if the program cannot be started."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["batch"] and any(word.endswith(COLUMNAR) for word in arguments):
        from ._tables import main as batch

        return batch(arguments[1:])
    if arguments[:1] == ["fix"] and any(word.endswith(".py") for word in arguments):
        from ._tune import main as tune

        return tune(arguments[1:])
    if arguments[:1] == ["profile"]:
        arguments = ["profile", *_profiled(arguments[1:])]
    try:
        program = program_path()
        os.execve(program, [program, *arguments], environment())
    except OSError as error:
        print(f"smemprobe: {error}", file=sys.stderr)
        return 5


if __name__ == "__main__":
    sys.exit(main())
