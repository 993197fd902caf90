# SPDX-License-Identifier: MIT
"""Hostile texts, and a profile made of them."""
import random

import profile_file

PIECES = [
    "</script>", "<script>window.hit = 1</script>", "<!--", "-->", "<![CDATA[", "]]>", "<img src=x onerror='window.hit = 1'>",
    "<svg/onload=window.hit=1>", "javascript:window.hit=1", "\" onmouseover=\"window.hit=1", "' autofocus onfocus='window.hit=1",
    "\u2028", "\u2029", "\u202e", "\ufeff", "\u0000".replace("\u0000", "\\0"), "\\u003c", "\\", "\"", "'", "`${window.hit = 1}`", "&lt;b&gt;", "&amp;",
    "&#60;", "{{hit}}", "@DATA@", "@MORE@", "@TITLE@", "@PROGRAM@", "__proto__", "constructor", "%3Cscript%3E", "\t", "\n", "\r\n", "\x1b[31m",
    "</title><b>", "</style>", "</textarea>", "<base href=//x>", "<meta http-equiv=refresh content=0>", "<a href=x>", "<iframe src=x>", "漢字", "🙂",
    "é", "::error::x", "||", "$(hit)", "<", ">", "&",
]


def text(rng, most=5):
    return "".join(rng.choice(PIECES) for _ in range(rng.randint(1, most)))


def name(rng):
    """A name that a file can have."""
    bare = "".join(c for c in text(rng, 3).replace("/", "-") if c.isprintable() or c in "\u2028\u2029")
    return (bare or "x")[:40] + ".cu"


def profile(path, rng, folder):
    """Writes the profile `path` and its sources below `folder`; returns all texts in it."""
    lines = {}

    def say(most=5):
        return text(rng, most)

    files = []
    for i in range(2):
        file = folder / f"{i}{name(rng)}"
        lines[str(file)] = [text(rng).replace("\n", " ").replace("\r", " ") for _ in range(12)]
        file.write_bytes("\n".join(lines[str(file)]).encode())
        files.append(str(file))
    sites = [profile_file.site(16 * i, rng.choice([None, *files, say()]), rng.randint(1, 12), rng.choice([4, 8, 128]),
                               rng.choice(["shared", "global"]), say(), say(), not_modelled=rng.choice([None, None, say()]))
             for i in range(6)]
    sites[0] = profile_file.site(0, files[0], 3, 128, opcode=say(), operands=say(), inlined=[
        {"file": files[0], "line": 3}, {"file": files[1], "line": 5}, {"file": say(), "line": 7}])
    arrays = [{"name": say(), "type": say(), "offset": 0, "size_bytes": 4096}]
    callers = [{"file": files[1], "line": 2}, {"file": say(), "line": 9}]
    kernels = [profile_file.kernel(sites, say(), say(), arrays, say(), callers),
               profile_file.kernel(sites[:2], say(), None, arrays)]
    kernels[0]["nvtx"] = sorted({say(), say()})
    runs = [profile_file.run(command=say(), device=say(), driver=say(), date=say(), host=say(), memory=say(), ended=say())]
    findings = [profile_file.finding(severity="note", kernel=rng.choice([kernels[0]["name"], say()]), message=say(), array=say(), missing=say(),
                                     file=rng.choice([None, *files, say()]), line=i + 1, instruction={"offset": 16 * i, "text": say()})
                for i in range(3)]
    findings[0]["other"] = {**findings[0]["other"], "file": say(), "instruction": {"offset": 1, "text": say()}}
    for one in findings:
        one["line"] = one["line"] if one["file"] is not None else None
    profile_file.write(path, runs, kernels, findings)
    return texts_of([runs, kernels], {"\n".join(text) for text in lines.values()})


def texts_of(value, out):
    """Adds all strings in a JSON value, except field names, to the set `out`, and returns it."""
    if isinstance(value, str):
        out.add(value)
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        texts_of(one, out)
    return out


def seeds(count):
    return [random.Random(seed) for seed in range(count)]
