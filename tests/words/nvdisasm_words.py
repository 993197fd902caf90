# SPDX-License-Identifier: MIT
"""Words of cubins, and what nvdisasm prints of them."""

import os, re, shutil, struct, subprocess, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
D = shutil.which('nvdisasm') or ROOT + '/.disassemblers/bin/nvdisasm'
ADDR = re.compile(r'at address 0x([0-9a-f]+)')
LINE = re.compile(r'^\s*/\*([0-9a-f]+)\*/\s+(.*?)\s*;?\s*$')


def run(arch, words):
    fd, p = tempfile.mkstemp()
    os.write(fd, b''.join(w.to_bytes(16, 'little') for w in words))
    os.close(fd)
    r = subprocess.run([D, '-b', arch, p], capture_output=True, text=True)
    os.unlink(p)
    return r


CACHE = {}
CNT = [0, 0.0]


def dis(arch, words):
    """texts (None: illegal) of words; addr-normalised: 'rel' targets as @0x.. handled by caller"""
    need = [w for w in dict.fromkeys(words) if (arch, w) not in CACHE]
    for s in range(0, len(need), 60000):
        part = need[s : s + 60000]
        t = time.time()
        _dis(arch, part)
        CNT[0] += len(part)
        CNT[1] += time.time() - t
    return [CACHE[arch, w] for w in words]


REL = set()
TOK0 = re.compile(r'-?0x[0-9a-f]+')


def _norm(w, text, addr):
    if (w & 0xFFF) in REL and 'ABS' not in text:

        def f(m):
            return 'rel:%d' % (((int(m[0], 16) - addr - 16 + (1 << 63)) % (1 << 64)) - (1 << 63))

        # only the last hex token
        ms = list(TOK0.finditer(text))
        if ms:
            m = ms[-1]
            text = text[: m.start()] + f(m) + text[m.end() :]
    return text


def _dis(arch, part):
    todo = part
    while True:
        if not todo:
            return
        r = run(arch, todo)
        bad = {int(m, 16) // 16 for m in ADDR.findall(r.stderr)}
        if bad:
            for i in bad:
                CACHE[arch, todo[i]] = None
            todo = [w for i, w in enumerate(todo) if i not in bad]
            continue
        got = {}
        for l in r.stdout.splitlines():
            m = LINE.match(l)
            if m:
                got[int(m[1], 16)] = m[2]
        if len(got) < len(todo):
            print('MISSING', len(got), len(todo), r.stderr[:300], r.returncode)
        for i, w in enumerate(todo):
            t = got.get(i * 16)
            if t is not None:
                c = t.find('(*"')
                if c >= 0:
                    t = t[:c]
                t = t.rstrip()
                if t.endswith(';'):
                    t = t[:-1].rstrip(' ')
                if 'INVALID' in t or '???' in t:
                    t = None
                else:
                    t = _norm(w, t, i * 16)
            CACHE[arch, w] = t
        return


def texts(b):
    if b[:4] != b'\x7fELF':
        return None, []
    shoff = struct.unpack_from('<Q', b, 0x28)[0]
    flags = struct.unpack_from('<I', b, 0x30)[0]
    es, n, sx = struct.unpack_from('<HHH', b, 0x3A)
    S = [struct.unpack_from('<IIQQQQIIQQ', b, shoff + i * es) for i in range(n)]
    so = S[sx][4]
    out = []
    for s in S:
        nm = b[so + s[0] : b.index(0, so + s[0])].decode('latin1')
        if nm.startswith('.text.') and s[1] != 8:
            out.append((nm[6:], b[s[4] : s[4] + s[5]]))
    abi = b[8]
    arch = (flags >> 8) & 0xFF if abi >= 8 or (flags & 0xFF) == 0 else flags & 0xFF
    return arch, out


def words(t):
    return [int.from_bytes(t[i : i + 16], 'little') for i in range(0, len(t) - 15, 16)]
