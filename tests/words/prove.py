#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the program prints of words, against nvdisasm."""

import collections, glob, random, subprocess, sys, tempfile
from nvdisasm_words import ADDR, LINE, run, texts, words

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else ''


def ours(ws):
    with tempfile.TemporaryFile() as file:
        file.write(b''.join(w.to_bytes(16, 'little') for w in ws))
        file.seek(0)
        return subprocess.run([PROGRAM], stdin=file, capture_output=True, text=True).stdout.split('\n')[:-1]


def theirs(arch, ws):
    "texts, by place"
    out = [None] * len(ws)
    # illegal words are replaced by a NOP, so that addresses stay
    cur = list(ws)
    r = run(arch, cur)
    bad = {int(m, 16) // 16 for m in ADDR.findall(r.stderr)}
    if bad:
        for i in bad:
            cur[i] = 0x000FC00000000000_0000000000007918
        r = run(arch, cur)
    for l in r.stdout.splitlines():
        m = LINE.match(l)
        if m:
            t = m[2]
            c = t.find('(*"')
            t = t if c < 0 else t[:c]
            t = t.rstrip()
            t = t[:-1].rstrip() if t.endswith(';') else t
            i = int(m[1], 16) // 16
            if i not in bad:
                out[i] = t
    return out, bad


WRONG = []


def prove(arch, ws, label):
    st = collections.Counter()
    wrong = collections.Counter()
    ex = {}
    for s in range(0, len(ws), 50000):
        part = ws[s : s + 50000]
        a = ours(part)
        b, bad = theirs(arch, part)
        for w, x, y in zip(part, a, b):
            if x == '-':
                st['unknown'] += 1
            elif y is None:
                st['illegal accepted'] += 1
            elif 'INVALID' in y or '???' in y:
                st['invalid accepted'] += 1
            elif x == y:
                st['right'] += 1
            else:
                st['wrong'] += 1
                WRONG.append((w, x, y))
                wrong[w & 0xFFF] += 1
                ex.setdefault(w & 0xFFF, (x, y))
    print(label, arch, dict(st))
    for o, n in wrong.most_common(40):
        print('   %03x %d  ours %s | theirs %s' % (o, n, *ex[o]))
    return wrong


FIELDS = (
    (16, 8),
    (24, 8),
    (32, 8),
    (64, 8),
    (32, 32),
    (40, 24),
    (40, 14),
    (12, 4),
    (32, 16),
    (48, 16),
    (38, 16),
)


def drawn(by):
    """A word with pieces of others of its opcode, registers and numbers at random, bits flipped."""
    same = by[random.choice(sorted(by))]
    w = random.choice(same)
    for _ in range(random.randint(0, 3)):
        lo, n = random.choice((16, 24, 32, 64, 72, 81, 84, 87, 90, 40)), random.choice((1, 2, 3, 8, 16, 32))
        m = ((1 << n) - 1) << lo
        w = (w & ~m) | (random.choice(same) & m)
    for _ in range(random.randint(0, 3)):
        lo, n = random.choice(FIELDS)
        m = ((1 << n) - 1) << lo
        w = (w & ~m) | random.choice((0, m, m, *(random.getrandbits(128) & m for _ in range(3))))
    for _ in range(random.choice((0, 0, 1, 1, 2, 3))):
        w ^= 1 << random.choice([*range(72, 105), 122, 123, 124])
    return w


def main():
    if len(sys.argv) < 5:
        sys.exit(
            'prove PRINT_WORDS COUNT SEED FOLDER...: the program against nvdisasm, words of the '
            'folders\' sm_90 cubins and COUNT drawn from them; wrong ones are appended to wrong.txt'
        )
    random.seed(int(sys.argv[3]))
    real = set()
    for path in sorted(p for f in sys.argv[4:] for p in glob.glob(f + '/**/*.cubin', recursive=True)):
        arch, sections = texts(open(path, 'rb').read())
        if arch == 90:
            for _, text in sections:
                real.update(words(text))
    real = sorted(real)
    by = collections.defaultdict(list)
    for w in real:
        by[w & 0xFFF].append(w)
    wrong = prove('SM90', real, 'cubins') + prove(
        'SM90', [drawn(by) for _ in range(int(sys.argv[2]))], 'drawn'
    )
    with open('wrong.txt', 'a') as file:
        for w, x, y in WRONG:
            file.write(f'{w:032x}\t{x}\t{y}\n')
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
