# SPDX-License-Identifier: MIT
"""Compares predict_many with the C library alone, alternating, on the same rows of 32 int64 offsets.

bench_python.py BENCH_MANY [ROWS]: the best of five runs each, with one thread and with all cores.
Fails if predict_many has less than 90 % of the C library's speed, in CPU time.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import smemprobe

bench, rows = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000
random = np.random.default_rng(12345)
slow = False
memory = "/dev/shm"  # on a disk, both would measure the disk: they map the rows alternately
has_room = os.path.isdir(memory) and shutil.disk_usage(memory).free > 2 * rows * 256
with tempfile.TemporaryDirectory(dir=memory if has_room else None) as folder:
    path = Path(folder) / "rows"
    data = np.memmap(path, np.int64, "w+", shape=(rows, 32))
    for first in range(0, rows, 1 << 20):
        part = data[first : first + (1 << 20)]
        part[:] = random.integers(0, 12288, part.shape, np.int64) * 4
    data.flush()
    for threads in sorted({1, len(os.sched_getaffinity(0))}):
        best = {"C": 1e30, "Python": 1e30}
        cpu = dict(best)
        for _ in range(5):
            words = [bench, str(path), str(rows), str(threads)]
            seconds, used, total = subprocess.run(words, capture_output=True, check=True, text=True).stdout.split()
            best["C"], cpu["C"] = min(best["C"], float(seconds)), min(cpu["C"], float(used))
            start, start_cpu = time.perf_counter(), time.process_time()
            counts = smemprobe.predict_many(data, threads=threads)
            best["Python"] = min(best["Python"], time.perf_counter() - start)
            cpu["Python"] = min(cpu["Python"], time.process_time() - start_cpu)
            assert counts.array["wavefronts_max"].sum() == int(total)
        ratio, of_cpu = best["C"] / best["Python"], cpu["C"] / cpu["Python"]
        slow |= of_cpu < 0.9
        print(
            f"predict_many, {rows:,} rows, {threads} thread{'s' if threads > 1 else ''}: "
            f"{rows / best['Python'] / 1e6:.1f} million a second, C {rows / best['C'] / 1e6:.1f}: "
            f"{100 * ratio:.0f} %, by the CPU's time {100 * of_cpu:.0f} %"
        )
sys.exit(slow)
