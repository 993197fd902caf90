# SPDX-License-Identifier: MIT
"""Handmade profile files: what no program would write, with any text anywhere."""
import json
import struct


def stored(data):
    """A zstd frame with uncompressed blocks."""
    out = struct.pack("<IBQ", 0xFD2FB528, 0xE0, len(data))
    pieces = [data[at:at + 100_000] for at in range(0, len(data), 100_000)] or [b""]
    for i, piece in enumerate(pieces):
        head = (i + 1 == len(pieces)) | len(piece) << 3
        out += struct.pack("<I", head)[:3] + piece
    return out


def write(path, runs, kernels, findings=(), version=None):
    blocks = [{"run": run} for run in runs] + [{"finding": one} for one in findings] + [{"kernel": one} for one in kernels]
    number = version if version is not None else 2 if findings else 1
    with open(path, "wb") as out:
        out.write(struct.pack("<II", 0x184D2A50, 8) + b"smprof\0" + bytes([number]))
        for block in [*blocks, {"end": {"blocks": len(blocks)}}]:
            line = json.dumps(block).encode() + b"\n"
            packed = stored(line)
            out.write(struct.pack("<IIII", 0x184D2A51, 8, len(packed), len(line)) + packed)


def run(**fields):
    return {"command": "./a.out", "source": "gpu", "device": "NVIDIA H200", "driver": "580", "date": None,
            "host": None, "process": 1, "memory": None, "ended": None, **fields}


def site(offset, file=None, line=0, stride=4, space="shared", opcode="LDS", operands="R1, [R2]", inlined=None,
         not_modelled=None, requests=8, base=0):
    offsets = [base + lane * stride for lane in range(32)]
    waves = 32 if stride >= 128 else max(1, stride // 4)
    sectors = len({at // 32 for at in offsets})
    shared = space == "shared"
    frames = inlined if inlined is not None else [{"file": file, "line": line}] if file is not None else []
    one = {"mask": 0xFFFFFFFF, "offsets": offsets}
    return {"offset": offset, "opcode": opcode, "file": file, "line": line, "inlined": frames, "space": space,
            "op": "ld.shared" if shared else "ld.global", "width_bytes": 4, "requests": requests,
            "wavefronts": waves * requests if shared else None, "ideal": requests if shared else None,
            "excess": (waves - 1) * requests if shared else None, "ways": waves if shared else None,
            "sectors": None if shared else sectors * requests, "ideal_sectors": None if shared else 4 * requests,
            "modelled": not_modelled is None, "worst": one, "not_modelled": not_modelled, "lanes": 32 * requests,
            "operands": operands, "worst_wavefronts": waves if shared else 0, "worst_ideal": 1 if shared else 0,
            "worst_sectors": 0 if shared else sectors, "worst_ideal_sectors": 0 if shared else 4,
            "distinct": [{**one, "count": requests, "wavefronts": waves, "ideal": 1, "sectors": 0,
                          "ideal_sectors": 0}] if shared else [], "requests_lost": 0}


def finding(**fields):
    """A race of two threads; `fields` replace its fields."""
    def place(line, offset, opcode, thread):
        return {"file": "/src/race.cu", "line": line, "instruction": {"offset": offset, "text": opcode},
                "block": [0, 0, 0], "thread": [thread, 0, 0]}
    return {"kind": "race", "severity": "error", "message": "both threads access byte 12 of tile", "kernel": "_Z1kv",
            **place(30, 0x90, "STS [R2], R3", 3), "address": 12, "array": "tile", "count": 4,
            "missing": "a barrier; __syncthreads() before line 42 would order them",
            "other": place(42, 0x120, "LDS R4, [R5]", 35), **fields}


def kernel(instructions, name="_Z1kv", demangled="k()", arrays=None, not_seen=None, callers=None):
    return {"name": name, "demangled": demangled, "arch": "sm_90", "code_hash": "00000000000000ff", "launches": 1,
            "launches_skipped": 0, "grid": [1, 1, 1], "block": [32, 1, 1], "shared_bytes": 4096,
            "not_seen": not_seen, "time_us": None, "callers": callers or [],
            "arrays": arrays if arrays is not None else [{"name": "tile", "type": "float", "offset": 0, "size_bytes": 4096}],
            "instructions": instructions}
