#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/data/sass/words.90.txt, from the sm_90 cubins of tests/data: record PRINT_WORDS"""

import collections, glob, random
import nvdisasm_words as nv
from nvdisasm_words import texts, words
from prove import ours, theirs

random.seed(9)
own = collections.defaultdict(list)
for p in sorted(glob.glob(nv.ROOT + '/tests/data/*/*.cubin')):
    a, t = texts(open(p, 'rb').read())
    if a == 90:
        for _, x in t:
            for w in words(x):
                own[w & 0xFFF].append(w)
ws = []
for c, l in sorted(own.items()):
    l = sorted(set(l))
    ws += random.sample(l, min(len(l), 6))
    for _ in range(6):
        w = random.choice(l)
        o = random.choice(l)
        for lo, n in random.sample(
            ((16, 8), (24, 8), (32, 8), (64, 8), (32, 32), (12, 4), (72, 8), (81, 3), (87, 4)), 3
        ):
            m = ((1 << n) - 1) << lo
            w = (w & ~m) | (random.choice((o, random.getrandbits(128))) & m)
        ws.append(w)
ws = list(dict.fromkeys(ws))
a = ours(ws)
b, bad = theirs('SM90', ws)
out = open(nv.ROOT + '/tests/data/sass/words.90.txt', 'w')
out.write(
    '# Words of sm_90 (high and low half, offset) as nvdisasm 13.2.86 prints them; -: it refuses them. By tests/words/record.\n'
)
n = collections.Counter()
for i, (w, x, y) in enumerate(zip(ws, a, b)):
    if y is None and x == '-':
        t = '-'
    elif y is not None and x == y:
        t = y
    else:
        n['left out', x == '-' and y is not None] += 1
        continue
    n[t == '-'] += 1
    out.write('%016x %016x %x %s\n' % (w >> 64, w & (2**64 - 1), 16 * i, t))
print(n)
