#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fifty variants of a matrix product, for bench_judge: what a tuner would try, good and bad.

    tests/bench/judge_variants.py FOLDER    writes plain.cu, v00.cu ... v49.cu and variants.csv (name, columns and rows of a
                                            block's tile, threads)
"""
import csv
import os
import pathlib
import random
import sys

COUNT = 50
PLAIN = (pathlib.Path(__file__).resolve().parent.parent / "judge" / "plain.cu").read_text()
# BM x BN: tile of a block; BK: its depth; TM x TN: of a thread. TURNED: A lies by columns in shared memory; APART: a thread's
# rows and columns are not neighbours.
VARIANT = """{defines}
#define THREADS (BM / TM * (BN / TN))
#define OWN(t, i, count, each) (APART ? (t) + (i) * ((count) / (each)) : (t) * (each) + (i))

__global__ void __launch_bounds__(THREADS) product(const float *a, const float *b, float *c, int n) {{
    __shared__ float as[TURNED ? BK : BM][(TURNED ? BM : BK) + PAD], bs[BK][BN + PAD];
    const int t = threadIdx.x, x = t % (BN / TN), y = t / (BN / TN);
    const float *from_a = a + blockIdx.y * BM * n, *from_b = b + blockIdx.x * BN;
    float sum[TM][TN] = {{}};
    for (int at = 0; at < n; at += BK) {{
        for (int i = t; i < BM * BK; i += THREADS)
            (TURNED ? as[i % BK][i / BK] : as[i / BK][i % BK]) = from_a[i / BK * n + at + i % BK];
        for (int i = t; i < BK * BN; i += THREADS)
            bs[i / BN][i % BN] = from_b[(at + i / BN) * n + i % BN];
        __syncthreads();
#pragma unroll {unroll}
        for (int k = 0; k < BK; k++) {{
            float left[TM], right[TN];
#pragma unroll
            for (int i = 0; i < TM; i++)
                left[i] = TURNED ? as[k][OWN(y, i, BM, TM)] : as[OWN(y, i, BM, TM)][k];
#pragma unroll
            for (int j = 0; j < TN; j++)
                right[j] = bs[k][OWN(x, j, BN, TN)];
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    sum[i][j] += left[i] * right[j];
        }}
        __syncthreads();
    }}
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++)
            c[(blockIdx.y * BM + OWN(y, i, BM, TM)) * n + blockIdx.x * BN + OWN(x, j, BN, TN)] = sum[i][j];
}}

void launch(const float *a, const float *b, float *c, int n) {{
    product<<<dim3(n / BN, n / BM), THREADS>>>(a, b, c, n);
}}
"""


def choose(source):
    """A variant that fits a chip: 64 to 1,024 threads, 48 KB of shared memory."""
    while True:
        v = {"BM": source.choice([16, 32, 64, 128]), "BN": source.choice([16, 32, 64, 128]), "BK": source.choice([8, 16, 32]),
             "TM": source.choice([1, 2, 4, 8]), "TN": source.choice([1, 2, 4, 8]), "PAD": source.choice([0, 0, 1]),
             "TURNED": source.choice([0, 1]), "APART": source.choice([0, 1]), "UNROLL": source.choice([1, 4, 8])}
        threads = v["BM"] // v["TM"] * (v["BN"] // v["TN"])
        if 64 <= threads <= 1024 and 4 * (v["BK"] + v["PAD"]) * (v["BM"] + v["BN"] + 2) <= 48 << 10:
            return v, threads


def main():
    folder = sys.argv[1]
    source, seen, rows = random.Random(1), set(), []
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "plain.cu"), "w") as file:
        file.write(PLAIN)
    while len(rows) < COUNT:
        variant, threads = choose(source)
        key = tuple(variant.values())
        if key in seen:
            continue
        seen.add(key)
        name = f"v{len(rows):02}"
        rows.append([name, variant["BN"], variant["BM"], threads])
        with open(os.path.join(folder, name + ".cu"), "w") as file:
            file.write(VARIANT.format(defines="\n".join(f"#define {key} {value}" for key, value in variant.items() if key != "UNROLL"),
                                      unroll=variant["UNROLL"]))
    with open(os.path.join(folder, "variants.csv"), "w", newline="") as file:
        csv.writer(file).writerows(rows)


if __name__ == "__main__":
    main()
