#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What nvdisasm's text of a word depends on, found by asking it.

Words of real cubins; each of their bits flipped, each special value (RZ, zero, a power of two) set;
values at random. A part of the text (the opcode, an operand) is a table over the variables that
changed it; where a table is no function of these, the way from one word to the other, bit by bit,
says which is missing. Numbers in the text are fitted to fields. Rounds of random words then find
what is still wrong. emit writes the tables, prove holds the program against nvdisasm.
"""

import collections, glob, itertools, pickle, random, sys, time
import nvdisasm_words as nv
from nvdisasm_words import CACHE, dis
from fields import fit_slot, ftext
from variables import (
    ARCH,
    BITS,
    FEATS,
    NV,
    OVER,
    P,
    SM,
    attrib,
    feats,
    fld,
    flips,
    pow2,
    setvar,
    var,
)

CTRL = (0x1F << 105) | (0xFFF << 110) | (1 << 125)


def canon(w):
    u = (w >> 105) & 31
    if u < 16:
        w &= ~(7 << 122)
    w &= ~(((1 << 17) - 1) << 105) & ~(7 << 125)
    w = (w & ~0xF000) | 0x7000
    return w | (17 << 105) | (7 << 110) | (7 << 113)


class Op:
    def __init__(s, code, words):
        s.code = code
        s.words = words
        s.D = {}
        s.SV = set()
        s.fixed = None
        s.seen = set()
        s.log = []
        s.skip = set()

    def add(s, ws):
        for w in ws:
            if P(w) is not None:
                s.seen.add(w)


def effect(op, w, y, vs):
    a, b = P(w), P(y)
    if a is None or b is None:
        return
    if a.sig != b.sig:
        op.SV.update(vs)
        return
    D = op.D.setdefault(a.sig, {})
    for i, (x, z) in enumerate(zip(a.segs, b.segs)):
        if x != z:
            D.setdefault(i, set()).update(vs)


def pick_bases(op, n=8):
    g = collections.OrderedDict()
    for w in op.words:
        p = P(w)
        if p is None:
            continue
        g.setdefault((p.sig,), []).append(w)
    out = []
    for ws in g.values():
        random.shuffle(ws)
        seen = set()
        for w in ws:
            k = P(w).segs[0]
            if k in seen:
                continue
            seen.add(k)
            out.append(w)
            if len(seen) >= 3:
                break
        out += ws[:1]
    random.shuffle(out)
    return list(dict.fromkeys(out))[:n]


AVC = {}


def av(w):
    x = AVC.get(w)
    if x is None:
        x = w
        for i, (k, lo, n, sp) in enumerate(FEATS):
            f = (w >> lo) & ((1 << n) - 1)
            if (f == sp) if k == '=' else pow2(f):
                x |= 1 << (128 + i)
        AVC[w] = x
    return x


def mask(vs):
    m = 0
    for v in vs:
        m |= 1 << v
    return m


def assign(w, m):
    return av(w) & m


def enum_words(base, vs, cap):
    vs = sorted(vs)
    if len(vs) <= cap:
        for c in itertools.product((0, 1), repeat=len(vs)):
            w = base
            for v, x in zip(vs, c):
                w = setvar(w, v, x)
            yield w
    else:
        for a, b in itertools.combinations(vs, 2):
            yield setvar(base, a, 1 - var(base, a))
            yield setvar(setvar(base, a, 1 - var(base, a)), b, 1 - var(base, b))


def value_bits(op, sig):
    used = set()
    for vs in op.D.get(sig, {}).values():
        used |= {v for v in vs if v < 128}
    used |= {v for v in op.SV if v < 128}
    return [b for b in BITS if b not in used and b not in op.fixedbits.get(sig, ())]


def randomize(w, vb, p=1.0):
    m = 0
    for b in vb:
        m |= 1 << b
    return (w & ~m) | (random.getrandbits(128) & m)


WANT = set()
PENDING = object()


def cons_walk(op, a, b, get, m):
    """variables where `same` breaks on the way from a to b (both with equal tables)"""
    cur = a
    path = []
    for i in range(16, 128):
        if ((a ^ b) >> i) & 1:
            cur ^= 1 << i
            path.append((i, cur))
    need = [y for _, y in path if (SM, y) not in nv.CACHE]
    if need:
        WANT.update(need)
        return PENDING
    best = None
    seen = {}
    v0 = get(a)
    seen[assign(a, m)] = [(-1, a, v0)]
    for n, (i, y) in enumerate(path):
        if P(y) is None:
            continue
        v = get(y)
        if v is None:
            continue
        l = seen.setdefault(assign(y, m), [])
        for k, x, o in reversed(l):
            if o != v:
                if best is None or n - k < best[0]:
                    best = (n - k, x, y)
                break
        l.append((n, y, v))
    if best is None:
        return None
    _, x, y = best
    vs = [f for f in range(128, NV) if var(x, f) != var(y, f)]
    bits = [j for j in range(16, 128) if ((x ^ y) >> j) & 1 and not any(f in vs for f in OVER[j])]
    return vs + bits if vs or bits else None


class Table:
    """assignment of vs -> (value, exemplar)"""

    def __init__(t, vs):
        t.vs = sorted(vs)
        t.m = mask(vs)
        t.map = {}


def build(op, get, words, vs, what, maxadd=14):
    """table of get(word) over vs, which grows where that is not a function"""
    vs = set(vs)
    vals = [(w, av(w), v) for w in words for v in (get(w),) if v is not None]
    for turn in range(maxadd + 1):
        t = Table(vs)
        bad = []
        m = t.m
        for w, a, v in vals:
            k = a & m
            o = t.map.get(k)
            if o is None:
                t.map[k] = (v, w)
            elif o[0] != v:
                bad.append((o[1], w))
                if len(bad) >= 3:
                    break
        if not bad:
            return t
        grown = False
        pending = False
        for a, b in bad:
            more = cons_walk(op, a, b, get, m)
            if more is PENDING:
                pending = True
            elif more and set(more) - vs:
                vs |= set(more)
                grown = True
        if not grown:
            if pending:
                op.pending = True
                return PENDING
            op.log.append(
                f'{what}: no function, {nv.CACHE[SM,bad[0][0]]} | {nv.CACHE[SM,bad[0][1]]} {bad[0][0]:032x} {bad[0][1]:032x}'
            )
            return None
    op.log.append(f'{what}: too many variables {sorted(vs)}')
    return None


def minimize(t):
    """leave out variables that do not matter for what is known"""
    for v in sorted(t.vs, key=lambda v: (v < 128, v)):
        vs = [x for x in t.vs if x != v]
        m = {}
        ok = True
        i = t.vs.index(v)
        for k, (val, w) in t.map.items():
            k2 = (k & ((1 << i) - 1)) | ((k >> (i + 1)) << i)
            o = m.get(k2)
            if o is None:
                m[k2] = (val, w)
            elif o[0] != val:
                ok = False
                break
        if ok:
            # both values must have been seen together somewhere
            t.vs = vs
            t.map = m
    return t


class Form:
    pass


def p1(op):
    op.add(op.words)
    op.bases = pick_bases(op) if op.seen else []
    op.fl = {w: flips(w) for w in op.bases}
    return [y for w in op.bases for _, y in op.fl[w]]


def p2(op):
    op.fixedbits = {}
    ok = collections.defaultdict(set)
    allb = collections.defaultdict(set)
    for w in op.bases:
        s = P(w).sig
        for v, y in op.fl[w]:
            if v < 128:
                allb[s].add(v)
                if P(y) is not None:
                    ok[s].add(v)
            effect(op, w, y, attrib(w, v, y))
        op.add(y for _, y in op.fl[w])
    del op.fl
    for s in allb:
        op.fixedbits[s] = allb[s] - ok[s]
    bysk = {}
    for w in op.seen:
        p = P(w)
        for i, sk in enumerate(p.segs):
            if i and '{' in sk:
                bysk.setdefault((p.sig, i, sk), w)
    new = []
    for (s, i, sk), w in bysk.items():
        vb = value_bits(op, s)
        new += [randomize(w, vb) for _ in range(3)]
    if len(new) > 400:
        new = random.sample(new, 400)
    for w in op.bases:
        new += [randomize(w, value_bits(op, P(w).sig)) for _ in range(6)]
    return new


def fit(op):
    op.pending = False
    op.log = []
    words = sorted(op.seen, key=lambda w: (w not in op.wordset))
    t = build(op, lambda w: P(w) and P(w).sig, words, op.SV, 'signature')
    if t is PENDING:
        t = None
    op.sigtab = t
    op.forms = {}
    if t:
        op.SV = set(t.vs)
    by = collections.defaultdict(list)
    for w in words:
        by[P(w).sig].append(w)
    for s, ws in by.items():
        f = Form()
        f.tabs = []
        f.rules = {}
        f.ok = True
        f.n = len(ws)
        D = op.D.setdefault(s, {})
        for i in range(len(s)):
            t = build(
                op,
                lambda w, i=i: (P(w).segs[i] if P(w) is not None and P(w).sig == s else None),
                ws,
                D.get(i, ()),
                f'{s} segment {i}',
            )
            if t is None or t is PENDING:
                f.ok = False
                continue
            D[i] = set(t.vs)
            f.tabs.append(t)
        if f.ok:
            op.forms[s] = f
    if op.pending:
        return
    for s, f in op.forms.items():
        rnd = by[s][:]
        random.shuffle(rnd)
        rnd.sort(key=lambda w: w not in op.hard)
        smp = collections.defaultdict(list)
        for w in rnd:
            for i, sk in enumerate(P(w).segs):
                if '{' in sk and (len(smp[i, sk]) < 24):
                    smp[i, sk].append(w)
        f.splits = {}
        for (i, sk), l in smp.items():
            full = [w for w in rnd if P(w).segs[i] == sk][:300]

            def fitall(l, log):
                rr = []
                for j in range(len(P(l[0]).vals[i])):
                    r = fit_slot(P(l[0]).vals[i][j][0], [(P(w).vals[i][j][1], w) for w in l])
                    if r is None:
                        if log:
                            op.log.append(
                                f'{s} {i} {sk} slot {j}: no rule {len(l)} e.g. {[nv.CACHE[SM,w] for w in l[:3]]}'
                            )
                        return None
                    rr.append(r)
                return rr

            rr = fitall(l, False)
            if rr is None:
                for v in sorted(set(op.SV) | set(f.tabs[0].vs), key=lambda v: (v < 128, v)):
                    a = [w for w in full if var(w, v) == 0][:24]
                    b = [w for w in full if var(w, v) == 1][:24]
                    if len(a) < 3 or len(b) < 3:
                        continue
                    ra = fitall(a, False)
                    rb = ra and fitall(b, False)
                    if ra and rb:
                        f.splits[i, sk] = (v, ra, rb)
                        break
                else:
                    fitall(l, True)
            f.rules[i, sk] = rr


def show(r, w):
    if r[0] == 'f':
        return ftext(r[1], w)
    kind, lo, n, sg, sh = r
    x = fld(w, lo, n)
    if sg and kind in ('P', 'UP'):
        x ^= (1 << n) - 1
    if kind in ('R', 'UR', 'P', 'UP'):
        return kind + (('Z' if 'R' in kind else 'T') if x == (1 << n) - 1 else str(x))
    if kind in ('B', 'SB'):
        return kind + str(x)
    if sg and x >> (n - 1):
        x -= 1 << n
    x <<= sh
    if kind == 'rel':
        return 'rel:%d' % x
    return ('-0x%x' % -x) if x < 0 else '0x%x' % x


def predict(op, w):
    if not op.sigtab:
        return None
    o = op.sigtab.map.get(assign(w, op.sigtab.m))
    if o is None:
        return None
    f = op.forms.get(o[0])
    if f is None or not f.ok:
        return None
    out = []
    ref = o[1]
    for b in op.fixedbits.get(o[0], ()):
        if (w ^ ref) >> b & 1:
            return None
    for i, t in enumerate(f.tabs):
        v = t.map.get(assign(w, t.m))
        if v is None:
            return None
        sk = v[0]
        if '{' in sk:
            rr = f.rules.get((i, sk))
            sp = f.splits.get((i, sk))
            if sp:
                rr = sp[1 + var(w, sp[0])]
            if rr is None:
                return None
            k = 0
            for r in rr:
                a = sk.index('{', k)
                b = sk.index('}', a)
                x = show(r, w)
                sk = sk[:a] + x + sk[b + 1 :]
                k = a + len(x)
        out.append(sk)
    return out[0] + (' ' + ', '.join(out[1:]) if len(out) > 1 else '')


def body(w):
    t = nv.CACHE[SM, w]
    return None if t is None else t[len(P(w).guard) :].strip()


def norm(x):
    return None if x is None else x.strip()


def cands(op, n):
    pool = list(op.words) + random.sample(sorted(op.seen), min(len(op.seen), n))
    ws = []
    for _ in range(n):
        w = random.choice(pool)
        s = P(w).sig
        x = w
        if random.random() < 0.8:
            x = randomize(x, value_bits(op, s))
        D = op.D.get(s, {})
        allv = sorted(set().union(*D.values(), op.SV)) if D else sorted(op.SV)
        for v in random.sample(allv, min(len(allv), random.randint(0, 3))):
            x = setvar(x, v, 1 - var(x, v))
        if random.random() < 0.15:
            x ^= 1 << random.choice(BITS)
        # pieces of another
        if random.random() < 0.4 and D:
            o = random.choice(pool)
            for v in D.get(random.choice(sorted(D)), ()):
                x = setvar(x, v, var(o, v))
        ws.append(canon(x))
    return ws


def compare(op, ws):
    st = collections.Counter()
    bad = []
    for w in ws:
        a = body(w)
        p = norm(predict(op, w))
        if a is None:
            st['illegal, refused' if p is None else 'illegal, accepted'] += 1
        elif p is None:
            st['unknown'] += 1
        elif a == p:
            st['right'] += 1
        else:
            st['wrong'] += 1
            bad.append((w, a, p))
    return st, bad


T0 = time.time()


def say(*a):
    print('%6.1f' % (time.time() - T0), *a, flush=True)


def fit_all(ops):
    todo = list(ops)
    for turn in range(25):
        WANT.clear()
        for op in todo:
            fit(op)
        todo = [op for op in todo if op.pending]
        if not WANT:
            break
        dis(SM, sorted(WANT))
        for op in todo:
            pass
    say('fitted in', turn, 'turns, pending', len(todo))


KEY = ((1 << 12) - 1) | (((1 << 33) - 1) << 72)


def sample(folders):
    """Words of all cubins of the architecture: three of each opcode, modifiers and special fields."""
    kept = {}
    for path in sorted(p for f in folders for p in glob.glob(f + '/**/*.cubin', recursive=True)):
        arch, sections = nv.texts(open(path, 'rb').read())
        if str(arch) != ARCH:
            continue
        for _, text in sections:
            for w in nv.words(text):
                same = kept.setdefault((w & KEY, feats(w)), [])
                if len(same) < 3:
                    same.append(w)
    return [w for same in kept.values() for w in same]


def main():
    if len(sys.argv) < 4:
        sys.exit('learn ARCH MODEL.pkl FOLDER...: what nvdisasm prints of the words of the folders\' cubins')
    ws = sample(sys.argv[3:])
    # Opcodes whose text depends on the address
    a = dis(SM, ws)
    CACHE.clear()
    b = dis(SM, ws[::-1])[::-1]
    nv.REL |= {w & 0xFFF for w, x, y in zip(ws, a, b) if x != y}
    CACHE.clear()
    by = collections.defaultdict(dict)
    for w in ws:
        by[w & 0xFFF][canon(w)] = 1
    ops = []
    for c in sorted(by):
        l = list(by[c])
        random.shuffle(l)
        op = Op(c, l[:500])
        op.wordset = set(op.words)
        op.hard = set()
        ops.append(op)
    dis(SM, [w for op in ops for w in op.words])
    say('words', nv.CNT)
    dis(SM, [y for op in ops for y in p1(op)])
    say('flips', nv.CNT)
    news = [(op, p2(op)) for op in ops if op.seen]
    ops = [op for op, _ in news]
    dis(SM, [y for _, n in news for y in n])
    say('values', nv.CNT)
    for op, n in news:
        op.add(n)
    fit_all(ops)
    for turn in range(6):
        tw = [(op, cands(op, 150)) for op in ops]
        dis(SM, [w for _, l in tw for w in l])
        total = collections.Counter()
        for op, l in tw:
            op.st, op.bad = compare(op, l)
            total += op.st
            op.add(l)
            op.hard |= {w for w, _, _ in op.bad}
        say('round', turn, dict(total))
        if turn < 5:
            fit_all(ops)
    with open(sys.argv[2], 'wb') as file:
        pickle.dump(
            {o.code: (o.SV, o.D, o.fixedbits, o.sigtab, o.forms, o.words, sorted(o.seen)) for o in ops}, file
        )


if __name__ == '__main__':
    main()
