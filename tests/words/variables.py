#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Variables that a text may depend on (bits, fields with a special value), and texts in pieces."""

import random, re, sys
from nvdisasm_words import CACHE

ARCH = sys.argv[1] if len(sys.argv) > 1 else '90'
SM = 'SM' + ARCH
random.seed(5)
WMAX = int(ARCH) >= 100
UW = 8 if WMAX else 6


# ---- variables: 0..127 bits; 128.. features
def fld(w, lo, n):
    if lo == 200:
        return ((w >> 16) & 255) | ((w >> 34) & ((1 << 48) - 1)) << 8
    if lo == 201:
        return ((w >> 64) & 7) | ((w >> 72) & 31) << 3
    return (w >> lo) & ((1 << n) - 1)


FEATS = []
for lo in (16, 24, 32, 64):
    FEATS.append(('=', lo, 8, 255))
for lo in (16, 24, 32, 64):
    FEATS.append(('=', lo, UW, (1 << UW) - 1))
for lo in (81, 84, 87, 77, 68):
    FEATS.append(('=', lo, 3, 7))
FEATS.append(('=', 40, 24, 0))
FEATS.append(('=', 32, 32, 0))
FEATS.append(('=', 32, 32, 1))
FEATS.append(('^', 32, 32, 0))
FEATS.append(('=', 38, 16, 0))
FEATS.append(('=', 40, 14, 0))
FEATS.append(('=', 54, 5, 0))
FEATS.append(('=', 34, 48, 0))
FEATS.append(('=', 72, 8, 0))
FEATS.append(('=', 16, 8, 0))
FEATS.append(('=', 32, 24, 0))
FEATS.append(('=', 40, 16, 0))
NV = 128 + len(FEATS)


def pow2(x):
    return x != 0 and x & (x - 1) == 0 and x not in (1 << 16, 1 << 31)


def var(w, v):
    if v < 128:
        return (w >> v) & 1
    k, lo, n, x = FEATS[v - 128]
    return int(fld(w, lo, n) == x) if k == '=' else int(pow2(fld(w, lo, n)))


def feats(w):
    return tuple(var(w, v) for v in range(128, NV))


def setf(w, lo, n, x):
    return (w & ~(((1 << n) - 1) << lo)) | (x << lo)


GEN = {8: 0x2A, 6: 0x15, 3: 2, 24: 0x1230, 32: 0x12345678, 16: 0x128, 14: 0x4A, 5: 3, 48: (0x1230 << 4)}


def setvar(w, v, x):
    if var(w, v) == x:
        return w
    if v < 128:
        return w ^ (1 << v)
    k, lo, n, s = FEATS[v - 128]
    if k == '^':
        return setf(w, lo, n, 0x40 if x else GEN[n])
    return setf(w, lo, n, s if x else GEN.get(n, s ^ 5))


OVER = [
    [f for f in range(128, NV) if FEATS[f - 128][1] <= b < FEATS[f - 128][1] + FEATS[f - 128][2]]
    for b in range(128)
]
# ---- text
SLOT = re.compile(
    r'rel:-?\d+|-?0x[0-9a-f]+|(?<![A-Za-z0-9_.])U?R(?:\d+|Z)(?![A-Za-z0-9_])|(?<![A-Za-z0-9_.])U?P(?:\d|T)(?![A-Za-z0-9_])|(?<![A-Za-z0-9_.])S?B\d+(?![A-Za-z0-9_])'
)
FLOAT = re.compile(r'^[-+]?(?:\d+(?:\.\d+)?(?:e[-+]\d+)?|INF ?|[QS]NAN ?)$')
GUARD = re.compile(r'^@(!?)(U?P)([0-6T]) ')


def slotval(t):
    if t.startswith('rel:'):
        return ('rel', int(t[4:]))
    if 'x' in t:
        return ('x', int(t, 16))
    m = re.match(r'[A-Z]+?(?=\d|Z$|T$)', t)
    k = m[0]
    r = t[len(k) :]
    return (k, None if r in 'ZT' else int(r))


def seg(op):
    if FLOAT.match(op):
        return '{f}', [('f', op)]
    vals = []

    def f(m):
        v = slotval(m[0])
        vals.append(v)
        return '{' + v[0] + '}'

    return SLOT.sub(f, op), vals


def kind(sk):
    s = sk.lstrip('-|~!+')
    if s.startswith('{'):
        return s[1 : s.index('}')]
    if s.startswith('c['):
        return 'c'
    if s.startswith('cx['):
        return 'cx'
    if s.startswith('['):
        return 'm'
    if s.startswith('desc'):
        return 'd'
    if s.startswith('SR'):
        return 'S'
    m = re.match(r'[A-Za-z_]*', s)
    return m[0] if len(m[0]) < 8 and not m[0].startswith('SR') else 's'


class Parsed:
    __slots__ = ('guard', 'segs', 'vals', 'sig')


def parse(text):
    p = Parsed()
    m = GUARD.match(text)
    p.guard = m[0] if m else ''
    body = text[len(p.guard) :]
    o, _, rest = body.partition(' ')
    segs = [o]
    vals = [[]]
    for op in (rest.split(', ') if rest else []):
        s, v = seg(op)
        segs.append(s)
        vals.append(v)
    p.segs = segs
    p.vals = vals
    # trailing "R4 -0x10" style stays in one operand
    p.sig = (o.split('.')[0] if False else '',) + tuple(kind(s) for s in segs[1:])
    return p


PC = {}


def P(w):
    p = PC.get(w, 0)
    if p == 0:
        t = CACHE.get((SM, w))
        p = PC[w] = parse(t) if t is not None else None
    return p


BITS = [b for b in range(16, 105)] + [122, 123, 124]


def flips(w):
    out = [(b, w ^ (1 << b)) for b in BITS]
    for v in range(128, NV):
        for x in (0, 1):
            y = setvar(w, v, x)
            if y != w:
                out.append((v, y))
    return out


def attrib(w, v, y):
    """variables to which the change from w to y belongs"""
    if v >= 128:
        return [f for f in range(128, NV) if var(w, f) != var(y, f)]
    c = [f for f in OVER[v] if var(w, f) != var(y, f)]
    return c or [v]
