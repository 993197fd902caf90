#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Takes out of the table what prove found wrong: unproved.txt grows by the pieces of texts that differ."""

import sys
import nvdisasm_words as nv
from variables import parse

PATH = nv.ROOT + '/tests/words/unproved.txt'
with open(PATH) as file:
    left_out = set(eval(line) for line in file)
for line in open(sys.argv[2]):
    word, x, y = line.rstrip('\n').split('\t')
    a, b, c = parse(x), parse(y), int(word, 16) & 0xFFF
    if a.sig != b.sig:
        left_out.add((c, a.sig))
        continue
    for i, (p, q) in enumerate(zip(a.segs, b.segs)):
        if p != q or a.vals[i] != b.vals[i]:
            left_out |= {(c, a.sig, i, p), (c, a.sig, i, p.replace('{x}', '{rel}'))}
with open(PATH, 'w') as file:
    for row in sorted(left_out, key=str):
        print(row, file=file)
