#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which bits of the words of an opcode are seen to be one, and which zero, in real sm_90 code."""

import collections, glob, sys
import nvdisasm_words as nv

ones, zeros = collections.Counter(), collections.Counter()
for path in (p for f in sys.argv[1:] for p in glob.glob(f + '/**/*.cubin', recursive=True)):
    with open(path, 'rb') as file:
        arch, sections = nv.texts(file.read())
    for word in (w for _, text in sections if arch == 90 for w in nv.words(text)):
        ones[word & 0xFFF] |= word
        zeros[word & 0xFFF] |= ~word & ((1 << 128) - 1)
with open(nv.ROOT + '/tests/words/varying.txt', 'w') as file:
    print('# opcode, bits that were seen to be one, to be zero; written by vary.py', file=file)
    for opcode in sorted(ones):
        print(f'{opcode:03x} {ones[opcode]:032x} {zeros[opcode]:032x}', file=file)
