#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Breaks the solver of `fix`, the language of layouts, what is claimed (sentences, the gate,
files after signals), the edges of races, or what a repair has to prove, one place at a time, and
asks the tests whether they notice.

Works on a copy of the tree. Each mutation stands in mutations_solver.txt, mutations_language.txt,
mutations_claims.txt, mutations_races.txt or mutations_proof.txt as
    name ;; file ;; old text ;; new text          (\\n: a new line)
is built, and runs the test_fix_* suites, tests/bodies, the suite that a claim's fifth field names,
tests/races/check, or the suites of repair/, until one fails ("killed").

  tests/tools/mutate_program.py [--language|--claims|--races|--proof]            all; the last line counts
  tests/tools/mutate_program.py [--language|--claims|--races|--proof] WORD...    those whose name has one of the words
Exits with 1 if one survives, does not compile, or fits nowhere.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORDS = [word for word in sys.argv[1:] if not word.startswith("--")]
KIND = next((word[2:] for word in sys.argv[1:] if word.startswith("--")), "solver")
LIST = ROOT / "tests" / "tools" / f"mutations_{KIND}.txt"
SUITES = {
    "language": ["bodies"],
    "solver": ["test_fix_texts", "test_fix_known", "test_fix_code", "test_fix_random"],
    "claims": ["test_sentences", "test_fix_sentences", "test_remarks", "test_front_layout",
               "test_model_map", "gate_random", "gate_signals"],
    "races": ["check"],
    "proof": ["test_repair_judge", "test_proof_left"],
}[KIND]
# What is built: the stand-in needs its libraries.
TARGETS = {"claims": [*SUITES, "all"], "races": ["smemprobe"]}.get(KIND, SUITES)
TIMEOUT_SECONDS = 300


def read_list():
    lines = (line.strip() for line in LIST.read_text().splitlines())
    return [[part.strip().replace("\\n", "\n") for part in line.split(" ;; ")]
            for line in lines if line and line[0] != "#"]


def copy_tree(folder):
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in files.stdout.decode().split("\0"):
        if name and (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def build(folder):
    return subprocess.run(["ninja", "-C", str(folder / "build"), *TARGETS],
                          capture_output=True).returncode == 0


def configure(folder):
    subprocess.run(["cmake", "-G", "Ninja", "-S", str(folder), "-B", str(folder / "build"),
                    "-DSMP_CUDA=OFF", "-DCMAKE_BUILD_TYPE=Release", "-DSMP_TESTS=ON"],
                   check=True, stdout=subprocess.DEVNULL)
    if not build(folder):
        sys.exit("mutate_solver: the tree does not build")


def command_of(folder, suite):
    smemprobe = str(folder / "build" / "smemprobe")
    if suite in ("check", "check_80"):
        check = [str(folder / "tests" / "races" / "check"), smemprobe]
        return check + ["warp_", "--arch", "sm_80"] * (suite == "check_80")
    program = str(next(path for path in (folder / "build").rglob(suite) if path.is_file()))
    if suite == "bodies":
        kernels = sorted(str(path) for path in (folder / "tests" / "bodies").glob("*.cu"))
        runs = " && ".join(f"tests/bodies/run {program} {what}" for what in [*kernels, "1 300"])
        return ["sh", "-c", f"cd {folder} && {runs}"]
    standin = [str(folder / "build" / "tests" / "standin" / "smemprobe")]
    return [program, *([smemprobe] if suite.startswith("gate_") else []),
            *(standin if suite == "gate_signals" else [])]


def first_failure(folder, suites):
    path = f"{ROOT}/.disassemblers/bin:{os.environ['PATH']}"
    environment = dict(os.environ, CK_VERBOSITY="silent", SMP_FIX_SENTENCES="1500", PATH=path)
    for suite in suites:
        try:
            run = subprocess.run(command_of(folder, suite), env=environment, cwd=folder / "tests",
                                 capture_output=True, timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            return suite + " (endless)"
        if run.returncode != 0:
            return suite
    return None


def judge(folder, file, old, new, suites):
    path = folder / file
    text = path.read_text()
    if text.count(old) != 1:
        return "FITS NOWHERE"
    path.write_text(text.replace(old, new))
    built = build(folder)
    verdict = first_failure(folder, suites) if built else None
    path.write_text(text)
    return f"killed by {verdict}" if verdict else "SURVIVED" if built else "DOES NOT COMPILE"


def main():
    bad = 0
    chosen = [row for row in read_list() if not WORDS or any(word in row[0] for word in WORDS)]
    needed = sorted({row[4] for row in chosen if len(row) > 4}) or SUITES
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        copy_tree(folder)
        configure(folder)
        failed = first_failure(folder, needed)
        if failed:
            sys.exit(f"mutate_solver: {failed} fails as it is")
        for name, file, old, new, *suite in chosen:
            verdict = judge(folder, file, old, new, suite or SUITES)
            bad += not verdict.startswith("killed")
            print(f"{name}: {verdict}", flush=True)
    print(f"{len(chosen) - bad} of {len(chosen)} killed")
    sys.exit(bad > 0)


main()
