#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which field of a word a number of its text is."""

import collections, itertools, struct
from variables import UW, fld

RULES = collections.Counter()


def rule_ok(r, v, w):
    kind, lo, n, sg, sh = r
    x = fld(w, lo, n)
    if kind in ('R', 'UR', 'P', 'UP'):
        if sg:
            x ^= (1 << n) - 1
        return x == ((1 << n) - 1) if v is None else (x == v and x != (1 << n) - 1)
    if sg and x >> (n - 1):
        x -= 1 << n
    return (x << sh) == v


def f32(x):
    return struct.unpack('<f', struct.pack('<I', x))[0]


def f64h(x):
    return struct.unpack('<d', struct.pack('<Q', x << 32))[0]


def f16(x):
    return struct.unpack('<e', struct.pack('<H', x))[0]


def bf16(x):
    return f32(x << 16)


FK = {
    'f32': (32, 32, f32, 8, 23),
    'f64': (32, 32, f64h, 11, 20),
    'h32': (32, 16, f16, 5, 10),
    'h48': (48, 16, f16, 5, 10),
    'b32': (32, 16, bf16, 8, 7),
    'b48': (48, 16, bf16, 8, 7),
}


def ftext(k, w):
    lo, n, fn, eb, mb = FK[k]
    x = fld(w, lo, n)
    s = x >> (n - 1)
    e = (x >> mb) & ((1 << eb) - 1)
    m = x & ((1 << mb) - 1)
    if e == (1 << eb) - 1:
        if m:
            return ('-' if s else '+') + ('QNAN' if m >> (mb - 1) else 'SNAN') + ' '
        return ('-' if s else '+') + 'INF '
    v = fn(x)
    if x == 1 << (n - 1):
        return '-0.0 '
    return ('%.20e' if abs(v) >= 1e9 else '%.20g') % v


def fit_slot(kind, samples):
    """samples: [(value,word)]"""
    if kind == 'f':
        for k in FK:
            if all(ftext(k, w).strip() == v.strip() for v, w in samples):
                return ('f', k)
        return None
    for r, _ in RULES.most_common():
        if r[0] == kind and all(rule_ok(r, v, w) for v, w in samples):
            RULES[r] += 1
            return r
    if kind in ('R', 'UR', 'P', 'UP', 'B', 'SB'):
        cand = [
            (kind, lo, n, iv, 0)
            for iv in ((0, 1) if kind in ('P', 'UP') else (0,))
            for n in (
                {'R': (8,), 'UR': (UW, 6, 8, 7), 'P': (3,), 'UP': (3,), 'B': (4, 5, 6, 3), 'SB': (3, 4)}[kind]
            )
            for lo in range(12, 123)
        ]
    else:
        cand = itertools.chain(
            [(kind, 200, 56, 1, 2), (kind, 201, 8, 0, 0)],
            (
                (kind, lo, n, sg, sh)
                for sh in (0, 2, 4, 1, 3, 5)
                for n in (
                    32,
                    24,
                    16,
                    14,
                    8,
                    5,
                    6,
                    4,
                    3,
                    2,
                    1,
                    7,
                    9,
                    10,
                    11,
                    12,
                    13,
                    15,
                    17,
                    18,
                    19,
                    20,
                    21,
                    22,
                    23,
                    30,
                    48,
                    28,
                    26,
                )
                for lo in range(16, 106 - n)
                for sg in (0, 1)
            ),
        )
    for r in cand:
        if all(rule_ok(r, v, w) for v, w in samples):
            RULES[r] += 1
            return r
    return None
