#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Breaks the program in one place at a time and asks the tests whether they notice.

Works on a copy of the tree. A list, mutations_LIST.txt, has a mutation a line:
    name ;; file ;; old text ;; new text [;; suite]          (\\n: a new line)
Each is built and run with the suite that its row names, or else with those of SUITES, until one fails ("killed").
A suite is a program of the build, or a script of tests/ with what follows the program: `races/check warp_`.

  tests/tools/mutate_program.py --LIST            all of one list: solver (of `fix`), language (of layouts), claims
                                                  (sentences, the gate, files after signals), races (their edges),
                                                  proof (of a repair), rooms (the others); the last line counts
  tests/tools/mutate_program.py --LIST WORD...    those whose name has one of the words
  tests/tools/mutate_program.py --fit             runs nothing; says which mutations of all lists fit nowhere
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
SUITES = {
    "language": ["bodies"],
    "solver": ["test_fix_texts", "test_fix_known", "test_fix_code", "test_fix_random"],
    "claims": [],
    "races": ["races/check"],
    "proof": ["test_repair_judge", "test_proof_left"],
    "rooms": [],
}
TIMEOUT_SECONDS = 300


def read_list(kind):
    lines = (line.strip() for line in (ROOT / "tests" / "tools" / f"mutations_{kind}.txt").read_text().splitlines())
    return [[part.strip().replace("\\n", "\n") for part in line.split(" ;; ")]
            for line in lines if line and line[0] != "#"]


def copy_tree(folder):
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in files.stdout.decode().split("\0"):
        if name and (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def fits(row):
    return (ROOT / row[1]).exists() and (ROOT / row[1]).read_text().count(row[2]) == 1


def report_fit():
    bad = [f"{kind}: {row[0]}: fits nowhere in {row[1]}" for kind in SUITES for row in read_list(kind) if not fits(row)]
    print("\n".join(bad) if bad else "all fit")
    sys.exit(bool(bad))


def targets_of(suite):
    """The targets to build for a suite. Scripts run the program; some load the libraries, too."""
    libraries = {"gate_random": ["all"], "gate_signals": ["all"],
                 "gate/unseen": ["smemprobe", "smp_shared", "smp_machine_shared"]}
    return libraries.get(suite, ["smemprobe" if "/" in suite else suite])


def build(folder, suites):
    targets = sorted({target for suite in suites for target in targets_of(suite)})
    return subprocess.run(["ninja", "-C", str(folder / "build"), *targets],
                          capture_output=True).returncode == 0


def configure(folder, suites):
    subprocess.run(["cmake", "-G", "Ninja", "-S", str(folder), "-B", str(folder / "build"),
                    "-DSMP_CUDA=OFF", "-DCMAKE_BUILD_TYPE=Release", "-DSMP_TESTS=ON"],
                   check=True, stdout=subprocess.DEVNULL)
    if not build(folder, suites):
        sys.exit("mutate_program: the tree does not build")


def command_of(folder, suite):
    smemprobe = str(folder / "build" / "smemprobe")
    if "/" in suite:
        script, *words = suite.split()
        return [str(folder / "tests" / script), smemprobe, *words]
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
    environment = dict(os.environ, CK_VERBOSITY="silent", CK_DEFAULT_TIMEOUT="300", SMP_FIX_SENTENCES="1500", PATH=path)
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
    built = build(folder, suites)
    verdict = first_failure(folder, suites) if built else None
    path.write_text(text)
    return f"killed by {verdict}" if verdict else "SURVIVED" if built else "DOES NOT COMPILE"


def main():
    bad = 0
    if KIND == "help":
        sys.exit(__doc__)
    if KIND == "fit":
        report_fit()
    chosen = [row for row in read_list(KIND) if not WORDS or any(word in row[0] for word in WORDS)]
    needed = sorted({suite for row in chosen for suite in row[4:] or SUITES[KIND]})
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        copy_tree(folder)
        configure(folder, needed)
        failed = first_failure(folder, needed)
        if failed:
            sys.exit(f"mutate_program: {failed} fails without a mutation")
        for name, file, old, new, *suite in chosen:
            verdict = judge(folder, file, old, new, suite or SUITES[KIND])
            bad += not verdict.startswith("killed")
            print(f"{name}: {verdict}", flush=True)
    print(f"{len(chosen) - bad} of {len(chosen)} killed")
    sys.exit(bad > 0)


main()
