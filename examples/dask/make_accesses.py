# SPDX-License-Identifier: MIT
"""Random accesses as Parquet: python make_accesses.py FOLDER FILES ROWS [SEED], ROWS in each of FILES."""

import sys
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet

SPACE = 48 * 1024
GROUP_ROWS = 1 << 16


def table(rows: int, rng: np.random.Generator) -> pyarrow.Table:
    """Loads and stores of 4, 8 and 16 bytes: a third strides, the rest random."""
    width = rng.choice(np.array([4, 8, 16], np.uint8), rows)
    offsets = rng.integers(0, SPACE // 16, (rows, 32)) * 16
    strided = rng.random(rows) < 1 / 3
    offsets[strided] = (rng.integers(0, 65, (strided.sum(), 1)) * np.arange(32)) * width[strided, None]
    return pyarrow.table(
        {
            "op": pyarrow.array(rng.choice(["ld.shared", "st.shared"], rows)).dictionary_encode(),
            "width": width,
            "mask": rng.integers(1, 1 << 32, rows, dtype=np.uint32),
            "offsets": pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(offsets.ravel()), 32),
        }
    )


def main() -> None:
    folder, files, rows = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    rng = np.random.default_rng(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(files):
        group = min(GROUP_ROWS, -(-rows // 8))
        pyarrow.parquet.write_table(table(rows, rng), folder / f"{i:04}.parquet", row_group_size=group)


if __name__ == "__main__":
    main()
