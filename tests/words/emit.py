#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""analyzer/sass/word_forms.inc, from what learn left: emit 90 MODEL.pkl..."""

import collections, os, pickle, sys
import nvdisasm_words as nv
import learn
from learn import av, mask
from variables import FEATS, GUARD, SM, P
from nvdisasm_words import dis

ROOT = nv.ROOT
import __main__

__main__.Table, __main__.Form = learn.Table, learn.Form
BAD = set(int(x, 16) for x in open(ROOT + '/tests/words/opcodes_left_out.txt').read().split())
with open(ROOT + '/tests/words/unproved.txt') as file:
    BANS = set(eval(line) for line in file)
M = {}
for path in sys.argv[2:]:
    with open(path, 'rb') as file:
        M.update(pickle.load(file))
# bits of modifiers and control that no code was seen to have otherwise
HIGH = mask(range(72, 105))
FIXED = {}
with open(ROOT + '/tests/words/varying.txt') as file:
    for line in file:
        if line[0] != '#':
            c, ones, zeros = (int(x, 16) for x in line.split())
            fixed = HIGH & ~(ones & zeros)
            FIXED[c] = fixed >> 64, (ones & fixed) >> 64
# guards
G = {}
L = []
for c, m in M.items():
    w = m[5][0]
    L += [(c, g, (w & ~0xF000) | g << 12) for g in (0, 5, 8, 15, 7)]
dis(SM, [w for _, _, w in L])
pre = collections.defaultdict(dict)
for c, g, w in L:
    t = nv.CACHE[SM, w]
    m = GUARD.match(t) if t else None
    pre[c][g] = None if t is None else (m[0] if m else '')
for c, d in pre.items():
    if (d[0], d[5], d[8], d[15], d[7]) == ('@P0 ', '@P5 ', '@!P0 ', '@!PT ', ''):
        G[c] = 'P'
    elif (d[0], d[5], d[8], d[15], d[7]) == ('@UP0 ', '@UP5 ', '@!UP0 ', '@!UPT ', ''):
        G[c] = 'U'
    else:
        G[c] = '-'
        print(hex(c), d)


def ruletext(r):
    if r[0] == 'f':
        return '{f%s}' % r[1]
    k, lo, n, sg, sh = r
    if k in ('R', 'UR', 'P', 'UP', 'B', 'SB'):
        L = {'R': 'R', 'UR': 'U', 'P': 'P', 'UP': 'V', 'B': 'B', 'SB': 'S'}[k]
        if k in ('P', 'UP') and sg:
            L = L.lower()
        return '{%s%d:%d}' % (L, lo, n)
    return '{%s%d:%d:%d}' % (
        {('x', 0): 'x', ('x', 1): 's', ('rel', 0): 't', ('rel', 1): 't'}[k, sg],
        lo,
        n,
        sh,
    )


def fill(sk, rr):
    for r in rr:
        a = [sk.find(x) for x in ('{f}', '{x}', '{rel}', '{R}', '{UR}', '{P}', '{UP}', '{B}', '{SB}')]
        a = min(x for x in a if x >= 0)
        b = sk.index('}', a)
        sk = sk[:a] + '<' + ruletext(r)[1:-1] + '>' + sk[b + 1 :]
    return sk


def compact(k, vs):
    o = 0
    for i, v in enumerate(vs):
        o |= ((k >> v) & 1) << i
    return o


def reduce(vs, rows):
    """rows {key over sorted vs (full mask form)}: value; leaves out what is seen not to matter"""
    vs = sorted(vs)
    for v in sorted(vs, key=lambda v: (v < 128, not (v >= 141), not (132 <= v < 136), v)):
        m = {}
        ok = True
        both = 0
        for k, val in rows.items():
            k2 = k & ~(1 << v)
            if k2 in m:
                if m[k2] != val:
                    ok = False
                    break
                both += 1
            else:
                m[k2] = val
        if ok and (both * 2 == len(rows) or (both >= 2 and both * 12 >= len(rows))):
            rows = m
            vs = [x for x in vs if x != v]
    return vs, rows


texts = {}
tables = {}
tablist = []
forms = []
ops = []
parts = []


def tid(t):
    return texts.setdefault(t, len(texts))


def table(vs, rows, red=True):
    if red:
        vs, rows = reduce(vs, rows)
    k = (tuple(vs), tuple(sorted((compact(a, vs), b) for a, b in rows.items())))
    if k not in tables:
        tables[k] = len(tables)
        tablist.append(k)
    return tables[k]


for c in sorted(M):
    SV, D, fb, st, fs, words, seen = M[c]
    if st is None or c in BAD:
        continue
    sigs = {}
    for k, (sig, w) in st.map.items():
        f = fs.get(sig)
        if f is None or not f.ok or len(f.tabs) != len(sig):
            continue
        if sig in sigs or (c, sig) in BANS:
            continue
        pl = []
        ok = True
        for i, t in enumerate(f.tabs):
            vs = set(t.vs)
            rows = {}
            sp = [f.splits[i, sk] for sk in {v for v, _ in t.map.values()} if (i, sk) in f.splits]
            if sp:
                # every word seen, with the variable that decides
                vs |= {x[0] for x in sp}
                m = mask(vs)
                for x in list(words) + list(seen):
                    p = P(x) if (SM, x) in nv.CACHE else None
                    # texts are not kept: take the table's
                    a = av(x)
                    if st.map.get(a & st.m, (None,))[0] != sig:
                        continue
                    v = t.map.get(a & t.m)
                    if v is None:
                        continue
                    sk = v[0]
                    if (c, sig, i, sk) in BANS or 'MERGE_C' in sk:
                        continue
                    if '{' in sk and not sk.startswith('{4'):
                        rr = (
                            f.splits[i, sk][1 + ((a >> f.splits[i, sk][0]) & 1)]
                            if (i, sk) in f.splits
                            else f.rules.get((i, sk))
                        )
                        if rr is None:
                            continue
                        sk = fill(sk, rr)
                    rows[a & m] = tid(sk)
            else:
                for k2, (sk, w2) in t.map.items():
                    if (c, sig, i, sk) in BANS or 'MERGE_C' in sk:
                        continue
                    if '{' in sk and (i, sk) in f.rules:
                        rr = f.rules[i, sk]
                        if rr is None:
                            continue
                        sk = fill(sk, rr)
                    rows[k2] = tid(sk)
            if not rows:
                ok = False
                break
            pl.append((sorted(vs), rows))
        if not ok:
            continue
        names = list(texts)
        fbits = fb.get(sig, ())
        fm = mask(fbits)
        fv = w & fm
        key = [table(v, r, n == 0 or any('<' in names[t] for t in r.values())) for n, (v, r) in enumerate(pl)]
        sigs[sig] = len(forms)
        forms.append((fm, fv, len(parts), len(key)))
        parts += key
    rows = {k: sigs[sig] for k, (sig, w) in st.map.items() if sig in sigs}
    if rows and c in FIXED:
        ops.append((c, G[c], table(st.vs, rows), *FIXED[c]))
nrows = sum(len(k[1]) for k in tables)
print(
    'texts',
    len(texts),
    sum(map(len, texts)),
    'tables',
    len(tables),
    'rows',
    nrows,
    'forms',
    len(forms),
    'ops',
    len(ops),
    'max vars',
    max(len(k[0]) for k in tables),
)
q = lambda s: '"' + s.replace('\\', '\\\\').replace('"', '\\"') + '"'
out = open(ROOT + '/analyzer/sass/word_forms.inc', 'w')


def block(name, typ, items, per=None):
    out.write(f'static const {typ} {name}[] = {{\n')
    line = '   '
    for x in items:
        if len(line) + len(x) + 2 > 118:
            out.write(line + '\n')
            line = '   '
        line += ' ' + x + ','
    out.write(line + '\n};\n')


out.write('/* What nvdisasm 13.2.86 prints of sm_90 words; written by tests/words/emit.py, not by hand. */\n')
block(
    'word_features',
    'word_feature',
    [f"{{{lo}, {n}, {'true' if k=='^' else 'false'}, 0x{x:x}}}" for k, lo, n, x in FEATS],
)
block('word_texts', 'char *const', [q(t) for t in texts])
vs = []
rw = []
tb = []
for v, r in tablist:
    tb.append(f'{{{len(vs)}, {len(v)}, {len(rw)}, {len(r)}}}')
    vs += [str(x) for x in v]
    rw += [f'{{0x{k:x}, {x}}}' for k, x in r]
block('word_variables', 'uint8_t', vs)
block('word_rows', 'word_row', rw)
block('word_tables', 'word_table', tb)
block('word_parts', 'uint16_t', map(str, parts))
h = lambda x: f'{{0x{x&(2**64-1):x}, 0x{x>>64:x}}}'
block('word_forms', 'word_form', [f'{{{h(m)}, {h(v)}, {a}, {n}}}' for m, v, a, n in forms])
block('word_opcodes', 'word_opcode', [f"{{0x{c:x}, '{g}', {t}, 0x{f:x}, 0x{v:x}}}" for c, g, t, f, v in ops])
out.close()
print(os.path.getsize(ROOT + '/analyzer/sass/word_forms.inc'))
