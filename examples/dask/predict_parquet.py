# SPDX-License-Identifier: MIT
"""What the accesses of many Parquet files cost, on a Dask cluster: sums over all of them.

    python predict_parquet.py accesses/*.parquet                         a local cluster, a worker a core
    python predict_parquet.py --scheduler tcp://head:8786 /shared/*.parquet
    python predict_parquet.py --workers 0 accesses/*.parquet             this process alone

A file is as `python -m smemprobe batch` reads it: a column `offsets`, fixed_size_list<int64, 32>, and `op`,
`width`, `mask`, `addresses` where they are not all alike. A task takes some of a file's row groups on one
core and returns a few numbers; what a lost worker had not returned, others do again. Any engine that maps a
function over Arrow batches does the same with `totals_of`.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Iterable
from typing import Any

import pyarrow.parquet

from smemprobe._tables import predict_batch

Totals = dict[str, int]
GROUPS_A_TASK = 4


def add(sums: Totals, more: Totals) -> Totals:
    """Both together: `ways` is the most, all else is a sum."""
    for name, value in more.items():
        sums[name] = max(sums.get(name, 0), value) if name == "ways" else sums.get(name, 0) + value
    return sums


def totals_of(path: str, groups: list[int], arch: str) -> Totals:
    """Sums over row groups of a file; a row that is no access counts as wrong."""
    sums: Totals = {}
    with pyarrow.parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(1 << 16, row_groups=groups, use_threads=False):
            add(sums, predict_batch(batch, arch=arch, threads=1, errors="mark").totals())
    return sums


def tasks_of(paths: Iterable[str]) -> list[tuple[str, list[int]]]:
    """Pieces of files, by row groups."""
    tasks = []
    for path in paths:
        groups = list(range(pyarrow.parquet.ParquetFile(path).num_row_groups))
        tasks += [(path, groups[i : i + GROUPS_A_TASK]) for i in range(0, len(groups), GROUPS_A_TASK)]
    return tasks


def lose_a_worker(client: Any) -> int:
    """Kills one worker of a local cluster, as a machine that goes away would; its process number."""
    pid = next(iter(client.run(os.getpid).values()))
    os.kill(pid, signal.SIGKILL)
    return pid


def run_on(client: Any, tasks: list[tuple[str, list[int]]], arch: str, loses: bool) -> Totals:
    """Sums over all tasks as they come; with `loses` a worker is killed after a quarter of them."""
    from distributed import as_completed

    paths, groups = zip(*tasks, strict=True)
    coming = as_completed(
        client.map(totals_of, paths, groups, arch=arch, retries=2, pure=False), with_results=True
    )
    sums: Totals = {}
    for i, (future, totals) in enumerate(coming):
        add(sums, totals)
        future.release()  # or the cluster would do it again if it lost it
        if loses and i == len(tasks) // 4:
            print(f"killed worker {lose_a_worker(client)} after {i + 1} of {len(tasks)} tasks", file=sys.stderr)
    return sums


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--scheduler", help="of a cluster that runs; default: a local one")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="of a local one; 0: none")
    parser.add_argument("--lose-a-worker", action="store_true", help="kill one in the middle")
    words = parser.parse_args()
    tasks = tasks_of(words.files)
    if words.workers == 0 and not words.scheduler:
        start = time.monotonic()
        sums: Totals = {}
        for path, groups in tasks:
            add(sums, totals_of(path, groups, words.arch))
        seconds = time.monotonic() - start
    else:
        from distributed import Client, LocalCluster

        local = None
        if not words.scheduler:
            local = LocalCluster(
                n_workers=words.workers, threads_per_worker=1, dashboard_address=None
            )
        with Client(local or words.scheduler) as client:
            client.wait_for_workers(words.workers if local else 1)
            start = time.monotonic()
            sums = run_on(client, tasks, words.arch, words.lose_a_worker)
            seconds = time.monotonic() - start
        if local:
            local.close()
    print(json.dumps(sums))
    print(f"{sums['accesses']:,} accesses in {seconds:.2f} s", file=sys.stderr)
    return 3 if sums["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
