#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What foreign input and ended runs must not do, one function per point: tests/cli/limits.sh PROGRAM [POINT...]
# A point passes if it prints nothing, otherwise it prints what is wrong; "skipped: ..." names what is missing here.
set -uo pipefail
program=$(realpath "${1:?PROGRAM}")
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8 TERM=dumb TMPDIR=$work/tmp
mkdir "$work/tmp"

# wait_until COMMAND...: waits up to five seconds for the command to succeed.
wait_until() {
    for _ in $(seq 100); do
        "$@" && return 0
        sleep 0.05
    done
    return 1
}
# Prints the processes whose command line is exactly these words.
runs() { pgrep -fx -- "$*" >/dev/null; }
no_longer_runs() { ! runs "$@"; }
# end_all WORD NUMBER...: ends the processes that a point has started and that still run.
end_all() {
    local word=$1 number
    shift
    for number; do
        pgrep -fx -- "$word $number" | xargs -r kill -KILL
    done
}
ended() { ! grep -qs '^State:.[^Z]' "/proc/$1/status"; }
# Limits the memory of the following commands, in kilobytes; sanitizers need more address space.
room() { [ -n "${SMP_SANITIZED-}" ] || ulimit -v "$1"; }
holds() { grep -qE -- "$1" "$2" || echo "no line like '$1' in: $(head -c 600 "$2")"; }

# ---- Started programs end with smemprobe ----

# ends_with_us SIGNAL_TO OPTION...: the profiled program, a child that it leaves behind and one in a session of its own
# end when profile ("us") or its whole group ("group") is killed.
ends_with_us() {
    local target=$1 unique=$((RANDOM + 40000)) pid
    shift
    # shellcheck disable=SC2016
    setsid "$program" profile "$@" -- sh -c \
        'sleep '$unique'.1 & (setsid sleep '$unique'.2 &) ; sleep '$unique'.3; true' >/dev/null 2>&1 &
    pid=$!
    for i in 1 2 3; do
        wait_until runs sleep "$unique.$i" || echo "sleep $i was not started"
    done
    if [ "$target" = us ]; then
        kill -KILL "$pid"
    else
        kill -KILL "-$pid"
    fi
    wait "$pid" 2>/dev/null
    for i in 1 2 3; do
        wait_until no_longer_runs sleep "$unique.$i" || echo "sleep $i still runs after SIGKILL to $target"
    done
    end_all sleep "$unique".1 "$unique".2 "$unique".3
}
point_profile_killed_no_gpu() { ends_with_us us --no-gpu; }
point_profile_group_killed_no_gpu() { ends_with_us group --no-gpu; }
point_profile_killed_gpu() {
    SMP_SYSTEM_ROOT=$root/tests/standin/root SMEMPROBE_INSTRUMENT=$program ends_with_us us
}
point_profile_group_killed_gpu() {
    SMP_SYSTEM_ROOT=$root/tests/standin/root SMEMPROBE_INSTRUMENT=$program ends_with_us group
}

# A signal to our process alone, as from a service manager, ends the program; a terminal sends its own to all.
passes_on() {
    local signal=$1 unique=$((RANDOM + 40000)) pid
    env --default-signal=INT --default-signal=QUIT "$program" profile --no-gpu -- sleep "$unique" >/dev/null 2>&1 &
    pid=$!
    wait_until runs sleep "$unique" || echo "sleep was not started"
    kill "-$signal" "$pid"
    wait_until no_longer_runs sleep "$unique" || echo "the program still runs after SIG$signal"
    wait "$pid" 2>/dev/null
    end_all sleep "$unique"
}
point_profile_int() { passes_on INT; }
point_profile_quit() { passes_on QUIT; }
point_profile_term() { passes_on TERM; }

no_compiler() { ! pgrep -f "^/bin/sh $PWD/bin/nvcc" >/dev/null; }

# tool_ends SIGNAL: a slow compiler with a child of its own and an output file.
tool_ends() {
    local signal=$1 unique=$((RANDOM + 40000)) pid
    mkdir -p bin
    printf '#!/bin/sh\nsleep %s.1 &\nsleep %s.2\n' "$unique" "$unique" >bin/nvcc
    chmod +x bin/nvcc
    echo '__global__ void k() {}' >k.cu
    # Background processes of a shell ignore SIGINT.
    PATH=$PWD/bin:$PATH env --default-signal=INT "$program" emulate k.cu --launch 'k<<<1,1>>>()' >out 2>&1 &
    pid=$!
    wait_until runs sleep "$unique.2" || echo "the compiler was not started: $(cat out)"
    kill "-$signal" "$pid"
    wait_until ended "$pid" || kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    # After SIGKILL nobody can end what the compiler started; it soon ends by itself.
    [ "$signal" = KILL ] || wait_until no_longer_runs sleep "$unique.2" || echo "the compiler's last child still runs after SIG$signal"
    wait_until no_compiler || echo "the compiler still runs after SIG$signal"
    [ "$signal" = KILL ] || ! runs sleep "$unique.1" || echo "the compiler's child still runs after SIG$signal"
    [ "$signal" = KILL ] || [ -z "$(ls "$TMPDIR")" ] || echo "left: $(ls "$TMPDIR")"
    end_all sleep "$unique".1 "$unique".2
}
point_compiler_ends_int() { tool_ends INT; }
point_compiler_ends_term() { tool_ends TERM; }
point_compiler_ends_hup() { tool_ends HUP; }
point_compiler_ends_kill() { tool_ends KILL; }

point_chart_ends() {
    local unique=$((RANDOM + 40000)) pid
    mkdir bin
    printf '#!/bin/sh\nsleep %s\n' "$unique" >bin/gnuplot
    chmod +x bin/gnuplot
    PATH=$PWD/bin:$PATH "$program" plot bankmap -o chart.svg >out 2>&1 &
    pid=$!
    wait_until runs sleep "$unique" || echo "gnuplot was not started: $(cat out)"
    kill -TERM "$pid"
    wait "$pid" 2>/dev/null
    wait_until no_longer_runs sleep "$unique" || echo "gnuplot still runs"
    end_all sleep "$unique"
    [ -z "$(ls chart* .chart* 2>/dev/null)" ] || echo "left: $(ls -a)"
}

# ---- Foreign profiles ----

# sources PATTERN OPTION...: the sources that `report` shows for a foreign profile, as text and as a page.
sources() {
    local pattern=$1 format
    shift
    for format in text html; do
        "$program" report "$root/probes/recorded/programs/transpose.smprof" --format "$format" "$@" >shown 2>&1
        holds "$pattern" shown
    done
}
point_foreign_profile_sources() {
    local file
    file=$("$program" report "$root/probes/recorded/programs/transpose.smprof" --format json |
        sed -n 's/.*"file": "\/.*\/\(.*\/.*\/.*\)".*/\1/p' | head -n 1)
    mkdir -p outside/deep "here/$(dirname "$file")"
    for _ in $(seq 400); do echo "secret words"; done >"outside/deep/${file##*/}"
    cp "outside/deep/${file##*/}" "outside/${file##*/}"
    cd here || return
    # A link inside the folder that points out of it.
    ln -s "$work/foreign_profile_sources/outside/${file##*/}" "$file"
    sources 'source-root'
    grep -l 'secret words' shown
    "$program" annotate "$root/probes/recorded/programs/transpose.smprof" >shown 2>&1
    holds 'source-root' shown
    grep -l 'secret words' shown
    sources 'secret words' --source-root ../outside
    rm "$file"
    sources 'secret words' --source-root ../outside/deep
    # A service follows paths below its root.
    "$program" report "$root/probes/recorded/programs/transpose.smprof" --source-root ../outside/deep --format gitlab >shown 2>&1
    holds "\"path\": \"${file##*/}\"" shown
    cp "../outside/${file##*/}" "$file"
    sources 'secret words'
    "$program" report "$root/probes/recorded/programs/transpose.smprof" --source-root nothing >shown 2>&1
    holds 'source-root nothing: No such' shown
    "$program" report "$root/probes/recorded/programs/transpose.smprof" --source-root "$file" >shown 2>&1
    holds "source-root $file: not a folder" shown
}

# A profile of a few kilobytes with a block of millions of values.
point_profile_bomb() {
    "$program" report "$root/tests/data/bomb.smprof" >shown 2>&1 &
    wait_until ended $! || echo "took more than five seconds"
    kill -KILL $! 2>/dev/null
    (room 1000000 && "$program" report "$root/tests/data/bomb.smprof" >shown 2>&1)
    holds 'block' shown
}

# Conversely, no profile of our own is taken for a bomb. Instructions that differ only in their offset compress best.
point_large_profile_is_no_bomb() {
    python3 - "$root/tests/web" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import profile_file
sites = [profile_file.site(16 * i, stride=128) for i in range(20000)]
profile_file.write(__import__("pathlib").Path("plain.smprof"), [profile_file.run()], [profile_file.kernel(sites)])
PYTHON
    "$program" report plain.smprof -o packed.smprof >shown 2>&1
    [ "$(stat -c %s packed.smprof)" -lt 200000 ] || echo "packed.smprof is not packed"
    "$program" report packed.smprof >shown 2>&1
    grep damaged shown
    holds '^  1 kernel; 5,120,000 wavefronts' shown
}

# kept_refused WORDS: emulate of the folder `kept` ends in time with this reason.
kept_refused() {
    (room 4000000 && exec timeout 5 "$program" emulate kept >shown 2>&1)
    local status=$?
    [ "$status" -eq 3 ] || echo "exit status $status: $(head -c 200 shown)"
    holds "$1" shown
}
point_kept_folder_files() {
    local file
    mkdir kept
    cp "$root/tests/fuzz/corpus/kept/small" kept/launch.json
    head -c 64 /dev/zero >kept/memory-0.raw
    for file in memory-0.raw launch.json; do
        cp "kept/$file" good
        ln -sf /dev/zero "kept/$file"
        kept_refused "$file: is a symbolic link"
        rm "kept/$file" && mkfifo "kept/$file"
        kept_refused "$file: is not a regular file"
        rm "kept/$file" && mkdir "kept/$file"
        kept_refused "$file: is not a regular file"
        rmdir "kept/$file"
        truncate -s 100G "kept/$file"
        kept_refused "$file: has 107374182400 bytes, more than the allowed"
        cp good "kept/$file"
    done
}

# ---- Output files ----

mode() { stat -c %a "$1"; }
point_forced_file_keeps_mode() {
    local mode
    for mode in 600 640 444 755; do
        echo old >out.json
        chmod "$mode" out.json
        "$program" --stride 33 -o out.json --force >/dev/null 2>&1
        [ "$(mode out.json)" = "$mode" ] || echo "$mode became $(mode out.json)"
        grep -q wavefronts out.json || echo "$mode: not written"
    done
    (umask 027 && "$program" --stride 33 -o new.json)
    [ "$(mode new.json)" = 640 ] || echo "a new file has $(mode new.json)"
}
# A file whose group the writer is not in: the writer's group gets no more rights than everybody.
point_forced_file_of_another_group() {
    [ "$(id -u)" = 0 ] || { echo "skipped: not root" && return; }
    local other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    mkdir there && chmod 755 "$work" && chmod 777 there
    "${other[@]}" "$program" --version >said 2>&1 || { echo "skipped: $(cat said)" && return; }
    echo old >there/out.json
    chmod 664 there/out.json
    "${other[@]}" "$program" --stride 33 -o there/out.json --force >said 2>&1
    grep -q wavefronts there/out.json || echo "not written: $(cat said)"
    [ "$(stat -c %a:%g there/out.json)" = 644:65534 ] || stat -c %a:%g there/out.json
}

# If `out` says that the program has none.
lacks_disassembler() { grep -q 'nvdisasm not found' out && echo "skipped: $(cat out)"; }

point_kept_memory_is_private() {
    "$program" emulate "$root/tests/data/sass/two.cubin" --capture kept \
        --launch 'transpose<<<1,dim3(32,8)>>>(float[1024], float[1024], 32, 32)' >out 2>&1
    lacks_disassembler && return
    [ -d kept ] || echo "nothing was kept: $(cat out)"
    find kept -type d ! -perm 700
    find kept -type f ! -perm 600
}

# ---- Cells of CSV ----

point_csv_cells() {
    local name
    for name in '=1+1' '+1' '-1' '@SUM(1)' $'\t=1' $'\r=1' $'\e[2J' $'two\nlines' $'\xc2\x9b2J'; do
        printf '"ID","Kernel Name","Grid Size","Block Size","Metric Name","Metric Unit","Metric Value"\n' >in.csv
        printf '"0","%s","(1, 1, 1)","(32, 1, 1)","l1tex__data_pipe_lsu_wavefronts_mem_shared.sum","","64"\n' \
            "$name" >>in.csv
        "$program" explain-counters in.csv --format csv >out.csv
        [ "$(wc -l <out.csv)" -eq 2 ] || echo "$name: $(wc -l <out.csv) lines"
        ! tail -n 1 out.csv | grep -qE '(^|,)"?[=+@-]' || echo "$name: $(cat out.csv)"
        ! LC_ALL=C grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' out.csv || echo "a control character of $(printf %q "$name") stays"
    done
}

# ---- Kernels ----

# launched WORDS...: emulates a kernel of limits.cubin; its output is in `out`, messages in `err`.
limits_cubin=$root/tests/data/sass/limits.cubin
launched() { timeout 20 "$program" emulate "$limits_cubin" --launch "$@" >report 2>out; }

point_printf_is_capped() {
    launched 'many<<<4000,32>>>()'
    lacks_disassembler && return
    [ "$(wc -c <out)" -lt 1100000 ] || echo "$(wc -c <out) bytes"
    [ "$(head -c 1048576 out | grep -c '^line [0-9]* of [0-9]*$')" -gt 50000 ] || echo "less than CUDA's buffer was printed"
    holds '[0-9]* printf calls are cut or missing: a launch prints at most 1 MiB' out
}
point_printf_widths_are_clamped() {
    (room 4000000 && launched 'wide<<<1,1>>>(5, 3.0)')
    lacks_disassembler && return
    local float seven expected
    printf -v float '%.1024f' 3
    printf -v seven '%1024d' 7
    expected="[    7][$float][$seven][ab    ][+0012][0xff][ 3.00]"
    [ "$(head -n 1 out)" = "$expected" ] || echo "not as printf has it: $(head -c 3000 out)"
}
point_printf_steers_no_terminal() {
    launched 'escapes<<<1,1>>>()'
    lacks_disassembler && return
    [ "$(head -n 1 out)" = $'a\e[2Jb\rc\a\tend' ] || echo "a file must have the bytes as they are: $(cat -v out)"
    command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1 || return 0
    script -qec "'$program' emulate '$limits_cubin' --launch 'escapes<<<1,1>>>()'" /dev/null </dev/null >shown 2>&1
    grep -qF 'a\x1b[2Jb\x0dc\x07' shown || echo "on a terminal: $(head -n 1 shown | cat -v)"
}
point_grid_ends_by_budget() {
    launched 'huge<<<2147483647,32>>>(int[1])' --budget 1
    local status=$?
    lacks_disassembler && return
    [ "$status" -eq 0 ] || echo "exit status $status"
    holds 'stopped after 1 s \(--budget\): [0-9]+ of 2147483647 blocks' out
    holds 'sectors' report
}
# Ctrl-C while a kernel runs: the report covers what ran, and says so.
point_grid_ends_by_interrupt() {
    local seconds pid status
    for seconds in 1 2 4 8 16; do
        # Background processes of a shell ignore SIGINT.
        env --default-signal=INT "$program" emulate "$limits_cubin" --launch 'huge<<<2147483647,32>>>(int[1])' >report 2>out &
        pid=$!
        sleep "$seconds"
        kill -INT "$pid" 2>/dev/null
        wait_until ended "$pid" || kill -KILL "$pid"
        wait "$pid"
        status=$?
        lacks_disassembler && return
        [ "$status" -eq 130 ] || echo "exit status $status"
        grep -q '^smemprobe: interrupted before a kernel ran$' out || break
    done
    holds '^smemprobe: interrupted: [0-9]+ of 2147483647 blocks' out
    holds '^smemprobe: interrupted; the report covers what ran$' out
    holds '^  incomplete: interrupted$' report
    holds 'sectors' report
}
point_grid_ends_by_limit() {
    launched 'huge<<<2147483647,32>>>(int[1])' --limit 1000:100000
    local status=$?
    lacks_disassembler && return
    [ "$status" -eq 1 ] || echo "exit status $status"
    holds 'more than 100000 warp instructions of the launch \(--limit N:M\), in [0-9]+ of its 2147483647 blocks' out
    holds 'sectors' report
    "$program" emulate --help | tr -s '\n ' ' ' >help
    holds '\-\-budget [^-]*default 600' help
    holds 'N\[:M\]: limit on warp instructions of a block [^-]*, and of all' help
}

# ---- Paths ----

# The arguments of nvcc, one per line.
recording_nvcc() {
    mkdir -p bin
    printf '#!/bin/sh\nprintf "%%s\\n" "$@" >%s/words\nexit 1\n' "$PWD" >bin/nvcc
    chmod +x bin/nvcc
}
point_path_is_no_flag() {
    recording_nvcc
    echo '__global__ void k() {}' >--run.cu
    PATH=$PWD/bin:$PATH "$program" emulate --launch 'k<<<1,1>>>()' -- --run.cu >out 2>&1
    [ ! -e words ] || grep -qx -- '--run.cu' words && echo "given to nvcc as an option: $(cat out)"
    # As the Python package passes it: after the options.
    PATH=$PWD/bin:$PATH "$program" emulate -run.cu --launch 'k<<<1,1>>>()' >out 2>&1
    [ ! -e words ] || ! grep -qx -- '-run.cu' words || echo "given to nvcc as an option"
}
# nvcc passes file names to a shell; ours is quoted in an #include.
point_path_is_no_command() {
    local name status
    recording_nvcc
    # shellcheck disable=SC2016
    for name in 'a$(touch hacked).cu' 'b`touch hacked`.cu' 'c";touch hacked;".cu' $'d"\n#include "secret.cu' 'e\.cu'; do
        echo 'template <class T> __global__ void k(T *p) { *p = 1; }' >"$name"
        PATH=$PWD/bin:$PATH "$program" emulate "$name" --launch 'k<float><<<1,1>>>(float[1])' >out 2>&1
        status=$?
        [ "$status" -eq 2 ] || echo "$name: exit status $status"
        holds 'to a shell as a command: rename it' out
        [ ! -e words ] || echo "$name was given to nvcc"
    done
}

# ---- Downloads ----

# Every package has a fixed version and hashes, and nothing else is installed.
point_wheels_are_pinned() {
    local list
    for list in "$root"/script/wheels/*.txt; do
        awk -v list="${list##*/}" '
            function judge() { if (name != "" && hashes == 0) print list ": " name " has no hash" }
            /^[^ #]/ { judge(); name = $1; hashes = 0; if (name !~ /^[A-Za-z0-9._-]+==[0-9][^*]*$/) print list ": " $0 " is no one version" }
            /--hash=sha256:/ { hashes++ }
            END { judge(); if (name == "") print list " is empty" }' "$list"
    done
    for list in "$root"/script/wheels/*.in; do
        [ -e "${list%.in}.txt" ] || echo "${list##*/}: has no ${list##*/}.txt"
        sed -n 's/^\([A-Za-z][A-Za-z0-9._-]*\).*/\1/p' "$list" | while read -r name; do
            grep -qi "^$name==" "${list%.in}.txt" || echo "${list##*/}: $name is not in its .txt"
        done
    done
    # A path, or a wheel of our own, needs no hash.
    # shellcheck disable=SC2016
    grep -nE 'pip (install|wheel)' "$root"/script/* "$root"/tests/python/check* 2>/dev/null |
        grep -vE 'require-hashes|--no-deps|"\$wheel"|no-build-isolation|^[^:]*:[0-9]*: *#|--platform' | grep -v 'pip install pip-tools'
}
point_bill_of_materials() {
    pkg-config --exists jansson libzstd || { echo "skipped: no pkg-config" && return; }
    "$root/script/sbom" >sbom.json || return
    python3 - "$root" <<'PYTHON'
import json, pathlib, re, sys
bill = json.load(open("sbom.json"))
parts = {(part["name"], part["version"]): part for part in bill["components"]}
assert bill["bomFormat"] == "CycloneDX" and {"jansson", "libzstd"} <= {name for name, _ in parts}
for path in pathlib.Path(sys.argv[1], "script/wheels").glob("*.txt"):
    for name, version in re.findall(r"^([\w.-]+)==(\S+)", path.read_text(), re.M):
        if not parts.get((name, version), {}).get("hashes"):
            print(f"{name} {version} of {path.name} is not in it, or has no hash")
PYTHON
    mkdir -p sysroot/usr/lib/here/pkgconfig
    for name in jansson libzstd; do
        printf 'Name: %s\nDescription: x\nVersion: 0.0.7\n' $name >sysroot/usr/lib/here/pkgconfig/$name.pc
    done
    "$root/script/sbom" sysroot | grep -c '"version": "0.0.7"' | grep -vx 2 # releases link a sysroot's
}

# ---- ELF files with wrong sizes ----

# The table of section names is empty in the file and claims to lie far past its end.
point_program_without_names() {
    python3 - <<'PYTHON'
import struct

head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 62, 1, 0, 0, 64, 0, 64, 56, 0, 64, 1, 0)
names = struct.pack("<IIQQQQIIQQ", 0, 8, 0, 0, 1 << 44, 1 << 40, 0, 0, 1, 0)  # 8: SHT_NOBITS
open("program", "wb").write(head + names)
PYTHON
    chmod +x program
    timeout 20 "$program" profile --no-gpu -- ./program >out 2>&1
    local status=$?
    [ $status -lt 128 ] || echo "status $status: $(cat out)"
}

# ---- All of them ----

[ $# -gt 0 ] || mapfile -t points < <(declare -F | sed -n 's/^declare -f point_//p')
failed=0 count=0 skipped=0
for name in "${@:-${points[@]}}"; do
    folder=$work/$name
    mkdir -p "$folder"
    rm -rf "${TMPDIR:?}"/*
    wrong=$(cd "$folder" && "point_$name" 2>&1)
    count=$((count + 1))
    case $wrong in
    '') ;;
    skipped:*)
        skipped=$((skipped + 1))
        echo "$name: $wrong"
        ;;
    *)
        failed=$((failed + 1))
        printf '%s:\n%s\n' "$name" "$wrong"
        ;;
    esac
done
echo "$count points, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
