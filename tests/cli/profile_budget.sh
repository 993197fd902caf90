#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# profile with launches that are not observed: the report about what was seen, using a program that only claims to launch,
# and kept launches of which some blocks are run on the CPU: tests/cli/profile_budget.sh PROGRAM INSTRUMENT_APP LIBRARY
# HOSTS. 77 after the part that needs no nvdisasm.
set -uo pipefail
program=$(realpath "$1") app=$(realpath "$2") library=$(realpath "$3") hosts=$(realpath "$4")
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/support/tools.sh"
. "$here/cli/expect_profile.sh"
export SMP_SYSTEM_ROOT=$here/standin/root SMEMPROBE_INSTRUMENT=$library

# One of 200 equal launches is observed: its sums, and 200 times as much.
profiles 0 '^  1 of 200 launches seen$' -- "$app" skipped=199
grep -qE '^  launches seen +32 +128 +124 ' err && grep -qE '^  total, scaled +32 +25,600 +24,800 ' err ||
    complain "sums as seen and scaled"
grep -qx '  1.00 ms in kernels; 1 line is worth at most 16.3 us of it (2 %)' err ||
    complain "what it is worth"
profiles 0 '' -o run.json -- "$app" skipped=199
grep -q '"blocks": 8,' run.json && grep -q '"blocks_skipped": 1592,' run.json || complain "blocks in JSON"
profiles 0 '' -o run.smprof -- "$app" skipped=199
"$program" report run.smprof >err 2>&1
has '^  total, scaled +32 +25,600 +24,800 ' err
SMP_APP_KINDS=1 profiles 0 "" -o kinds.smprof -- "$app" skipped=199
"$program" report kinds.smprof >err 2>&1
has '^  total, scaled +32 +12,800 +12,400 ' err
"$program" report kinds.smprof --format json >kinds.json && grep -q '"wavefronts": 12800.0' kinds.json ||
    complain "sums by kind in JSON"
profiles 0 '1 kernel; 128 wavefronts' --exact -- "$app" skipped=199
lacks 'launches seen' err
profiles 0 '0 of 3 launches seen; 1 kernel not at all' -- "$app" launches=0 skipped=3
grep -qx 'smemprobe: 1 kernel was not observed within --overhead 1.2; --exact observes all' err ||
    complain "what was not seen is not said"
profiles 0 '0 of 1 launches seen; 1 kernel not at all' -- "$app" launches=0 skipped=1 untimed
lacks 'no kernel was observed' err
profiles 0 '^smemprobe: the program took [0-9.e-]+ s, 0.12 s of that for observation; this report took [0-9.e-]+ s, ' -- "$app" spent=123
profiles 0 '' --exact -- "$app" spent=123
lacks 'the program took' err
for bad in 1 0.5 x 1.2x nan ''; do
    profiles 2 '^smemprobe: --overhead .*: expected a number above 1' --overhead "$bad" -- "$app"
done
for option in --exact --time --verify '--launches 1'; do
    profiles 2 'not go with --exact, --launches' --overhead 2 $option -- "$app"
done
profiles 2 'overhead needs a GPU' --overhead 2 --no-gpu -- "$app"

# A kept launch that was not observed: sixteen of its 2,048 blocks run here, all with equal requests.
needs_nvdisasm "$program" || exit $((failed ? 1 : 77))
"$program" profile --no-gpu --capture kept -o all.json -- "$hosts/host_transpose_13" \
    "$here/data/programs/transpose.fatbin" small >out 2>err || complain "no launch could be kept"
"$program" emulate kept -o all.csv >out 2>err || complain "the kept launch does not run"
blocks=$(python3 -c 'import json; k = json.load(open("all.json"))["kernels"][0]; g = k["grid"]; print(g[0] * g[1] * g[2])')
unseen=("$app" launches=0 skipped=1 cubin="$here/data/programs/transpose.cubin" kept=kept)
profiles 0 'incomplete: 16 of 128 blocks of one launch, run on the CPU; they differ' -- "${unseen[@]}"
tr -s ' \n' ' ' <err | grep -q 'differ by up to 0 %, and scaled figures may be off by 0 %' || complain "the spread of blocks"
profiles 0 '' -o seen.json -- "${unseen[@]}"
python3 - "$blocks" <<'END' || complain "sums of blocks on the CPU"
import json, sys
blocks = int(sys.argv[1])
of = lambda name: json.load(open(name))["kernels"]
(seen,), (whole,) = of("seen.json"), of("all.json")
assert seen["launches"] == 0 and seen["launches_skipped"] == 1, seen["launches"]
assert seen["blocks"] == min(16, blocks), seen["blocks"]
for a, b in zip(seen["instructions"], whole["instructions"]):
    for field in "requests", "wavefronts", "sectors":
        if b[field]:
            assert a[field] * blocks == b[field] * seen["blocks"], (a["opcode"], field, a[field], b[field])
    assert a["ways"] == b["ways"]
END
# The same without the contents of its arrays, on which nothing depends; a launch kept by the user has them all.
python3 - <<'END'
import glob, json
(path,) = glob.glob("kept/*/launch.json")
launch = json.load(open(path))
for array in launch["arrays"]:
    array.update(before=None, after=None, unread=True)
json.dump(launch, open(path, "w"))
END
profiles 0 '' -o unread.json -- "${unseen[@]}"
grep -q 'MiB of memory were not read, and nothing depends on it' unread.json || complain "what was not read is not said"
same() { sed '1,/"kernels"/d; /not_seen/d' "$1"; }
cmp <(same seen.json) <(same unread.json) || complain "other figures without the memory"
"$program" emulate kept >out 2>err && complain "a launch without its memory is run as if it were whole"
has 'memory-0 was not kept' err

# Each kind of launch is scaled by its own sample; what was not sampled has no stated error.
python3 - <<'END'
import glob, json, shutil
(path,) = glob.glob("kept/*/launch.json")
for kind in 2, 1:
    json.dump(json.load(open(path)) | {"kind": kind}, open(path, "w"))
    if kind == 2:
        shutil.copytree("kept", "both")
shutil.copytree(glob.glob("kept/*")[0], "both/first")
END
unseen+=(kinds=128,384)
profiles 0 '' -o one.json -- "${unseen[@]}"
grep -q 'off by 0 %; .*; 75 % of its blocks ran in other grids or with other arguments' one.json || complain "what was not sampled"
profiles 0 '' -o both.json -- "${unseen[@]/kept=kept/kept=both}"
grep -q 'other arguments' both.json && complain "both kinds were sampled"
python3 - <<'END' || complain "weights of samples"
import json
for name, blocks in ("one.json", 128), ("both.json", 512):
    (kernel,) = json.load(open(name))["kernels"]
    sums = sum(one["wavefronts"] or 0 for one in kernel["instructions"])
    scaled = kernel["scaled"]
    assert scaled["blocks"] == blocks and scaled["wavefronts"] * kernel["blocks"] == sums * blocks, (name, scaled, sums)
END
finish
