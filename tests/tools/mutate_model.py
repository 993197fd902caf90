#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Breaks the model, one rule at a time, and asks the tests whether they notice.

Works on a copy of model/: each mutation changes one place, is built, and runs the suites of
the model until one fails ("killed"). Named mutations stand in mutations.txt and break one rule or one
constant each; the others change one operator, number, truth value or evidence letter of the code,
every one that there is. A survivor is a hole in the tests, or is explained in mutations.txt.

  tests/tools/mutate_model.py                 all; writes tests/tools/mutations_found.txt
  tests/tools/mutate_model.py --named         the named ones only, and their part of that page
  tests/tools/mutate_model.py --sample N      N of the others as well, evenly spread (for continuous integration)
  tests/tools/mutate_model.py --file bank.c   only this file, and its part of that page; may come several times
  tests/tools/mutate_model.py --known FILE    take what FILE says is killed for granted, and add to it; for another
                               run after the tests grew
Exits with 1 if there is a survivor without an explanation or a named mutation that fits nowhere.
"""
import argparse
import collections
import concurrent.futures
import datetime
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
MODEL = ROOT / "model"
LIST = TESTS / "tools" / "mutations.txt"
CC = os.environ.get("CC", "cc")
CASES = os.environ.get("SMP_TEST_CASES", "40000")
CASES_SANITIZED = "3000"
TIMEOUT_SECONDS = 8  # the minimum, and a multiple of the time without a mutation
TIMES_SLOWER = 5
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
# Quick suites first.
SUPPORT = ["agreement", "combinations", "crowd", "offset_text", "reference", "reference_broadcast", "reference_bypass",
           "reference_global", "reference_units", "setting", "suite"]
SUITES = ["model_rules", "model_global", "model_errors", "model_tables", "model_names", "model_columns", "recorded_units",
          "model_lanes", "model_many", "model_map", "model_units", "model_random", "model_properties"]

SWAPS = {
    "==": "!=", "!=": "==", "<": "<=", ">": ">=", "<=": "<", ">=": ">", "&&": "||", "||": "&&",
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
    "^": "|", "+=": "-=", "-=": "+=", "&=": "|=", "|=": "&=", "!": "", "~": "",
    "true": "false", "false": "true",
}
TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<skip>^\#\s*(?:include|if|ifdef|ifndef|elif|else|endif|undef)[^\n]*)
    |(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<number>\b(?:0x[0-9a-fA-F]+|\d+)[uUlL]*\b)
    |(?P<name>\b[A-Za-z_]\w*\b)|(?P<operator><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^<>!~=])
    |(?P<other>\S)""", re.S | re.M | re.X)

Mutation = collections.namedtuple("Mutation", "name file position old new")


def line_at(text, position):
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    return text[start:end if end >= 0 else len(text)].strip()


def mutated(text, mutation):
    after = mutation.position + len(mutation.old)
    return text[:mutation.position] + mutation.new + text[after:]


def shown(text, mutation):
    """The changed line, as it reads after the change."""
    return line_at(mutated(text, mutation), mutation.position)


def one_more(number):
    digits = re.match(r"0x[0-9a-fA-F]+|\d+", number).group()
    suffix = number[len(digits):]
    return (hex(int(digits, 16) + 1) if digits.startswith("0x") else str(int(digits) + 1)) + suffix


def is_binary(previous):
    return previous is not None and (previous[0] in ("name", "number") or previous[1] in ")]")


def changes_of(kind, token, previous):
    """The mutations of one token."""
    if kind == "number":
        return [one_more(token)]
    if kind == "name":
        return [SWAPS[token]] if token in SWAPS else []
    if kind == "operator" and token in SWAPS:
        if token in "*&-+" and not is_binary(previous):
            return []
        return [SWAPS[token]]
    return []


def evidence_changes(token):
    """Each run of one letter in an evidence string, raised or lowered."""
    letters = token[1:-1]
    if not re.fullmatch(r"[-MDPA?]{11}", letters):
        return
    for run in re.finditer(r"(.)\1*", letters):
        other = "A" if run.group(1) != "A" else "D"
        changed = letters[:run.start()] + other + letters[run.start() + 1:]
        yield '"' + changed + '"'


def systematic(file, text):
    previous = None
    for match in TOKEN.finditer(text):
        kind, token = match.lastgroup, match.group()
        if kind in ("comment", "skip"):
            continue
        news = evidence_changes(token) if kind == "string" else changes_of(kind, token, previous)
        for new in news:
            mutation = Mutation(None, file, match.start(), token, new)
            yield mutation._replace(name=f"{file}: {shown(text, mutation)}")
        previous = (kind, token)


def read_list():
    """Named mutations and explanations of mutations.txt."""
    named, explained, section = [], [], None
    for line in LIST.read_text().splitlines():
        if line.startswith("["):
            section = line
        if not line or line[0] in "#[":
            continue
        parts = [part.strip() for part in line.split(" ;; ")]
        if section == "[named]":
            named.append(parts)
        elif section == "[explained]":
            explained.append((parts[0], re.compile(parts[1]), parts[2]))
    return named, explained


def reason_of(explained, mutation):
    """Why no test can notice it, or None."""
    line = mutation.name.partition(": ")[2]
    for file, pattern, reason in explained:
        if file in ("*", mutation.file) and pattern.fullmatch(line):
            return reason
    return None


def find_named(named, texts):
    found, missing = [], []
    for name, file, old, new in named:
        position = texts.get(file, "").find(old)
        if position < 0:
            missing.append(f"{name} ({file}: {old})")
        else:
            found.append(Mutation(name, file, position, old, new))
    return found, missing


class Bench:
    """A folder with the objects of the model, built once with and once without vector code, and
    the suites, which take the model as a shared library. `flags` may add sanitizers."""

    def __init__(self, folder, flags, cases):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.flags = flags
        self.cases = cases
        self.sources = sorted(path.name for path in MODEL.glob("*.c"))
        check = subprocess.run(["pkg-config", "--cflags", "--libs", "check"], check=True,
                               capture_output=True, text=True).stdout
        self.check = shlex.split(check)
        self.seconds = dict.fromkeys(SUITES, 600)
        self.killers = {}  # the suite that last killed a mutant of each file, which is tried first
        for simd in ("1", "0"):
            (self.folder / simd).mkdir()
            for source in self.sources:
                self.compile(MODEL / source, simd, self.folder / simd / (source + ".o"), MODEL)
            self.link(simd, self.folder / simd, {})
        self.build_suites()

    def compile(self, source, simd, target, include):
        subprocess.run([CC, "-std=gnu11", "-O1", "-fPIC", "-w", *self.flags, f"-DSMP_SIMD={simd}",
                        f"-I{include}", f"-I{MODEL}", "-c", str(source), "-o", str(target)],
                       check=True, capture_output=True, timeout=120)

    def link(self, simd, target, replaced):
        objects = [str(replaced.get(source, self.folder / simd / (source + ".o")))
                   for source in self.sources]
        subprocess.run([CC, "-shared", *self.flags, *objects, "-o",
                        str(target / "libsmp_mutant.so")], check=True, capture_output=True)

    def build_suites(self):
        support = [str(TESTS / "support" / f"{name}.c") for name in SUPPORT]
        rows = re.findall(r'\.nvcc = "(\w+)"', (MODEL / "arch.c").read_text())
        rows = f'-DSMP_ROW_ARCHITECTURES="{" ".join(rows)}"'
        recorded = f'-DSMP_RECORDED_FOLDER="{ROOT}/probes/recorded"'
        folders = [rows, recorded] + [f"-I{path}" for path in sorted((ROOT / "analyzer").glob("**"))]
        folders += [f"-I{ROOT}/{name}" for name in ("kernels", "probes", "tests/support")]
        support += [str(next(ROOT.glob(f"analyzer/*/{name}.c"))) for name in ("random_access", "shrink")]
        for suite in SUITES:
            subprocess.run([CC, "-std=gnu11", "-O2", "-w", *self.flags, f"-I{MODEL}",
                            *folders, str(next(TESTS.glob(f"unit/*/test_{suite}.c"))), *support, "-o",
                            str(self.folder / suite), f"-L{self.folder}/1", "-lsmp_mutant",
                            *self.check], check=True)

    def verdict(self, text, mutation):
        """The suite that kills it, "not built", or None for a survivor."""
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            place = pathlib.Path(name)
            (place / mutation.file).write_text(mutated(text, mutation))
            for simd in ("1", "0") if self.differs(mutation.file) else ("1",):
                try:
                    self.build_mutant(place, simd, mutation.file)
                except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
                    return "not built"
                if self.is_same(place, simd):
                    continue
                first = self.killers.get(mutation.file)
                killer = self.run_suites(place, sorted(SUITES, key=lambda suite: suite != first))
                if killer:
                    self.killers[mutation.file] = killer.split()[0]
                    return killer
        return None

    def differs(self, file):
        """True if the preprocessed file differs without vector code."""
        objects = [self.folder / simd / (file + ".o") for simd in ("1", "0")]
        return not objects[0].exists() or objects[0].read_bytes() != objects[1].read_bytes()

    def build_mutant(self, place, simd, file):
        replaced = {}
        # A header is part of all objects, a source of one; headers find each other at their side.
        changed = self.sources if file.endswith(".h") else [file]
        for header in MODEL.glob("*.h"):
            if changed is self.sources and header.name != file:
                shutil.copy(header, place / header.name)
        for source in changed:
            path = place / source if source == file else place / ("copy_of_" + source)
            if source != file:
                shutil.copy(MODEL / source, path)
            replaced[source] = place / (source + ".o")
            self.compile(path, simd, replaced[source], place)
        self.link(simd, place, replaced)

    def is_same(self, place, simd):
        """True if the compiler made the same code: nothing to find."""
        return ((place / "libsmp_mutant.so").read_bytes() ==
                (self.folder / simd / "libsmp_mutant.so").read_bytes())

    def passes_itself(self):
        """True if nothing fails without a mutation; also sets the time limit."""
        for suite in SUITES:
            start = time.monotonic()
            if self.run_suites(self.folder / "1", [suite]) or self.run_suites(self.folder / "0", [suite]):
                return False
            self.seconds[suite] = max(TIMEOUT_SECONDS, TIMES_SLOWER * (time.monotonic() - start))
        return True

    def run_suites(self, place, suites=tuple(SUITES)):
        environment = dict(os.environ, LD_LIBRARY_PATH=str(place), CK_FORK="no",
                           CK_VERBOSITY="silent", SMP_TEST_CASES=self.cases)
        for suite in suites:
            try:
                run = subprocess.run([str(self.folder / suite)], env=environment, cwd=place,
                                     capture_output=True, timeout=self.seconds[suite])
            except subprocess.TimeoutExpired:
                return suite + " (endless)"
            if run.returncode != 0:
                return suite
        return None


def choose(arguments, texts):
    named, explained = read_list()
    chosen, missing = find_named(named, texts)
    others = [one for file, text in texts.items() for one in systematic(file, text)]
    if arguments.named:
        others = []
    if arguments.sample is not None:
        step = max(1, len(others) // max(1, arguments.sample))
        others = others[::step][:arguments.sample]
    if arguments.file:
        chosen = [one for one in chosen if one.file in arguments.file]
        others = [one for one in others if one.file in arguments.file]
    return chosen, others, missing, explained


class Known:
    """Verdicts of earlier runs, by the mutant's full text; survivors are tried again."""

    def __init__(self, path):
        self.path = path
        lines = path.read_text().splitlines() if path and path.exists() else []
        self.verdicts = dict(line.split(" ", 1) for line in lines)

    @staticmethod
    def key(text):
        return hashlib.sha256(text.encode()).hexdigest()

    def get(self, text):
        return self.verdicts.get(self.key(text))

    def add(self, text, verdict):
        if not self.path or not verdict:
            return
        with self.path.open("a") as file:
            file.write(f"{self.key(text)} {verdict}\n")


def run_all(benches, texts, mutations, explained, known, jobs):
    def judge(one):
        """Survivors are tried again with sanitizers, which detect reads out of bounds."""
        text = mutated(texts[one.file], one)
        verdict = known.get(text)
        if verdict:
            return verdict
        for bench in benches:
            verdict = verdict or bench.verdict(texts[one.file], one)
        known.add(text, verdict)
        if not verdict and not reason_of(explained, one):
            print(f"survived: {one.name}", file=sys.stderr)
        return verdict

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(zip(mutations, pool.map(judge, mutations)))


def tally(results, explained):
    counts = collections.Counter()
    for mutation, verdict in results:
        if verdict is None:
            counts["explained" if reason_of(explained, mutation) else "survived"] += 1
        else:
            counts["not built" if verdict == "not built" else "killed"] += 1
    return counts


NAMED = "named rules and constants"


def title_of(file):
    return f"every operator and number of `{file}`"


def rows_kept(old, groups, files):
    """Rows of an earlier report about existing files that this run does not cover."""
    kept = {}
    for line in old:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and cells[0] not in groups and (
                cells[0] == NAMED or cells[0] in map(title_of, files)):
            kept[cells[0]] = line
    return kept


def section_kept(old, heading, groups, files):
    """The entries of a section about files that this run does not cover."""
    lines = old[old.index(heading) + 1:] if heading in old else []
    names = [file for file in files if title_of(file) not in groups]
    for line in lines:
        if line.startswith("## "):
            return
        if any(line.startswith(f"- `{name}: ") for name in names):
            yield line


def report(named, others, explained, old, files):
    """This run's report, completed from the earlier report `old` for what it did not cover."""
    lines = ["# What the tests notice", "",
             "Written by `tests/tools/mutate_model.py`: each mutation breaks one place of `model/`; a suite that",
             f"fails has killed it ({CASES} random accesses each). Mutations that do not compile are "
             "left out.", "",
             "| mutations | killed | explained | survived | run on |",
             "|---|---:|---:|---:|---|"]
    groups = {NAMED: named} if named else {}
    for one in others:
        groups.setdefault(title_of(one[0].file), []).append(one)
    rows = rows_kept(old, groups, files)
    for title, results in groups.items():
        counts = tally(results, explained)
        rows[title] = (f"| {title} | {counts['killed']} | {counts['explained']} "
                       f"| {counts['survived']} | {datetime.date.today().isoformat()} |")
    lines += [rows[title] for title in [NAMED, *map(title_of, files)] if title in rows]
    missing = [f"`{file}`" for file in files if title_of(file) not in rows]
    if missing:
        lines += ["", f"Not run yet: {', '.join(missing)}."]
    survivors = [one[0] for one in named + others if one[1] is None]
    unexplained = [f"- `{one.name}`" for one in survivors if not reason_of(explained, one)]
    unexplained += section_kept(old, "## Survivors", groups, files)
    lines += ["", "## Survivors", "", *(sorted(unexplained) or ["None."]), "",
              "Changes that no access can tell from the original are explained in `mutations.txt`."]
    heading = "## Named rules and the suite that notices"
    if named:
        lines += ["", heading, "", "| rule | suite |", "|---|---|"]
        lines += [f"| {one.name} | {verdict or 'none'} |" for one, verdict in named]
    elif heading in old:
        lines += ["", *old[old.index(heading):]]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--named", action="store_true", help="named mutations only")
    parser.add_argument("--sample", type=int, metavar="N", help="only N of the systematic ones")
    parser.add_argument("--file", action="append", help="only mutations of this file of model/; may come several times")
    parser.add_argument("--known", type=pathlib.Path, metavar="FILE", help="earlier verdicts")
    parser.add_argument("--jobs", type=int, default=2, help="builds at a time (2)")
    arguments = parser.parse_args()
    known = Known(arguments.known)
    headers = [path for path in sorted(MODEL.glob("*.h")) if not path.name.startswith("smp_")]
    files = sorted(MODEL.glob("*.c")) + headers
    texts = {path.name: path.read_text() for path in files}
    chosen, others, missing, explained = choose(arguments, texts)
    with tempfile.TemporaryDirectory(prefix="mutate_") as folder:
        folder = pathlib.Path(folder)
        benches = [Bench(folder / "plain", [], CASES),
                   Bench(folder / "sanitized", SANITIZERS, CASES_SANITIZED)]
        for bench in benches:
            if not bench.passes_itself():
                sys.exit("mutate: the tests fail without any mutation")
        named_results = run_all(benches, texts, chosen, explained, known, arguments.jobs)
        other_results = run_all(benches, texts, others, explained, known, arguments.jobs)
    counts = tally(named_results + other_results, explained)
    print(", ".join(f"{counts[name]} {name}"
                    for name in ("killed", "explained", "survived", "not built")))
    for name in missing:
        print(f"fits nowhere: {name}", file=sys.stderr)
    if arguments.sample is None:
        page = TESTS / "tools" / "mutations_found.txt"
        page.write_text(report([] if arguments.file else named_results, other_results, explained,
                               page.read_text().splitlines(), list(texts)))
    sys.exit(1 if counts["survived"] or missing else 0)


if __name__ == "__main__":
    main()
