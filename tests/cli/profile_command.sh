#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The command profile, with a program that only claims to run kernels: tests/cli/profile_command.sh PROGRAM
# INSTRUMENT_APP LIBRARY STANDIN_OF_THE_SANITIZER.
set -uo pipefail
program=$(realpath "$1")
app=$(realpath "$2")
library=$(realpath "$3")
sanitizer=$(realpath "$4")
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/cli/expect_profile.sh"
export SMP_SYSTEM_ROOT=$here/standin/root SMEMPROBE_INSTRUMENT=$library

# The program keeps its arguments, input, output and status; the report is on stderr.
profiles 0 '1 kernel; 128 wavefronts, 124 \(97 %\) of them excess' -- "$app" -x --help
[ "$(cat out)" = $'-x\n--help' ] || complain "the program's output: $(cat out)"
[ "$(echo input | "$program" profile -- "$app" 2>err)" = input ] || complain "the program's input"
profiles 7 '32-way' -- "$app" exit=7
profiles 143 'killed by signal 15 \(Terminated\)' -- "$app" kill=15
profiles 1 'error: 32-way, at most 2-way is allowed' --max-ways 2 -- "$app"
profiles 7 'at most 2-way' --max-ways 2 -- "$app" exit=7
profiles 0 'no kernel was observed' -- "$app" bare
profiles 0 'ended right after its last launches \(_exit, a signal\): 1 kernel launched there was not counted, such as last' \
    -- "$app" abrupt
profiles 3 '^smemprobe: nothing was judged: no kernel was seen$' --max-ways 2 -- "$app" bare
profiles 7 'nothing was judged: no kernel was seen' --max-ways 2 -- "$app" bare exit=7
profiles 3 'nothing was judged: none of the [0-9]* requests that were seen is modelled' --max-ways 2 -- "$app" cc=77
profiles 3 'nothing was judged: no kernel was seen' -o bare.xml -- "$app" bare
grep -q 'tests="1" failures="0" errors="1"' bare.xml || complain "bare.xml: $(cat bare.xml)"
profiles 3 'nothing was judged: no kernel was seen' --max-excess 0 -o 'bare-%p.json' -- "$app" bare
profiles 0 'process [0-9]*: it was late' -- "$app" 'note=it was late'
profiles 0 'not modelled: 4 requests' -- "$app" cc=77
profiles 0 'not modelled: an architecture without a row' --instructions -- "$app" cc=77

# --time runs once more without patches. 124 of 128 wavefronts on one multiprocessor of 1.98 GHz are excess.
profiles 0 '^  10 launches|^.*worth at most 0.81 us of the kernel.s 20.0 us' --time -- "$app" launches=10 ns=2000
profiles 0 '20.0 us without patches; shared memory.s data stage is busy in 3 %, conflicts cost at most 4 %' \
    --time -- "$app" launches=10 ns=2000
profiles 0 'data stage is busy in 100 %, conflicts cost at most' --time -- "$app" launches=100 ns=60
profiles 0 'worth at most 1.63 us of the kernel.s 60.0 us' --time -- "$app" children=1 launches=10 ns=3000
profiles 0 '1 kernel has no time' --time -- "$app"
# What gains next to nothing has no map and no advice unless all lines are asked for.
profiles 0 'map and advice: --lines all' --time -- "$app" launches=10 ns=2000000
lacks 'one lane.s word' err
profiles 0 'one lane.s word' --lines all --time -- "$app" launches=10 ns=2000000
profiles 0 '' --time -o time.csv -- "$app" ns=1000
grep -qE ',1.000,0.081,sm_90,+$' time.csv || complain "time.csv: $(cat time.csv)"

# fix says what a repair is worth by such a profile: all of the kernel's conflicts, some, or more than it has.
profiles 0 '' --time -o timed.smprof -- "$app" launches=10 ns=2000
profiles 0 '' -o untimed.smprof -- "$app"
worth() { expect "$1" "$2" fix 'ld tile[threadIdx.x][threadIdx.y]' --shared 'float tile[32][32]' "${@:3}"; }
worth 0 'saves at most 0.81[0-9]* us of the 20 us that ' --block 32x4 --profile timed.smprof
worth 0 'saves at most 0.20[0-9]* us of the 20 us that ' --block 32x1 --profile timed.smprof
worth 2 'a block of .* has 124 excess wavefronts, but these accesses 248' --block 32x8 --profile timed.smprof
worth 2 'no such kernel was timed' --block 32x4 --profile untimed.smprof
worth 2 'ran on sm_90; --arch sm_90' --block 32x4 --arch sm_80 --profile timed.smprof
worth 0 '"gain_us": 0.8' --block 32x4 --profile timed.smprof --format json
profiles 2 'must not have %p' --time -o 'run.%p.smprof' -- "$app"
profiles 2 'time needs a GPU' --time --no-gpu -- "$app"

# The Python line that launched the kernel, with its text and in the table.
printf 'import torch\n  x.cumsum(1)\n' >step.py
profiles 0 '^  called by  step.py:2$' -- "$app" script=step.py
has '^    x.cumsum\(1\)$' err
[ "$(grep -c 'called by  step.py:2' err)" -eq 2 ] || complain "not in both places"

# Child processes count, too, unless an option excludes them.
profiles 0 '1 kernel; 384 wavefronts' -- "$app" children=2
profiles 0 '1 kernel; 128 wavefronts' --children none -- "$app" children=2
profiles 0 '1 kernel; 384 wavefronts' --children all -- sh -c "$app; $app; $app"
profiles 0 'used no CUDA driver: there is no CUDA in it' --children none -- sh -c "$app; true"
profiles 2 '--kernel \(: not a regular expression' --kernel '(' -- "$app"
[ ! -s out ] || complain "the program ran although its options are wrong"
profiles 2 '--children some: expected all or none' --children some -- "$app"

# Another profiler has started this one.
export NV_NSIGHT_INJECTION_PORT_BASE=49152
profiles 5 'another profiler is attached \(Nsight Compute started this one\)' -- "$app"
[ ! -s out ] || complain "the program ran beside another profiler"
unset NV_NSIGHT_INJECTION_PORT_BASE
export NV_SANITIZER_INJECTION_PORT_BASE=49152
profiles 5 'another profiler is attached \(compute-sanitizer started this one\)' -- "$app"
unset NV_SANITIZER_INJECTION_PORT_BASE

# Requests of all processes in one trace: 4 of 32 wavefronts each.
profiles 0 '^smemprobe: 24 accesses in run.smptrace$' --trace run.smptrace -- "$app" children=2 launches=2
"$program" batch run.smptrace --arch sm_90 --format csv >out 2>err
[ "$(awk -F, 'NR > 1 { n++; sum += $6; wide += $3 } END { print n, sum, wide }' out)" = '24 768 96' ] ||
    complain "rows of the trace: $(head -n 3 out)"
profiles 0 '^smemprobe: 4 accesses in run.smptrace$' --trace run.smptrace --force --children none -- "$app" children=2
profiles 0 'run.smptrace: 3 accesses of process [0-9]* were not kept' --trace run.smptrace --force -- "$app" lose=3
profiles 0 'the program ended before its trace; after access 4 ' --trace run.smptrace --force -- "$app" cut
profiles 0 '0 accesses in run.smptrace; 4 are not in it: local memory' --trace run.smptrace --force -- "$app" cc=77
profiles 0 '0 accesses in run.smptrace' --trace run.smptrace --force --children none -- sh -c "$app; true"
profiles 2 'exists; --force' --trace run.smptrace -- "$app"
profiles 2 'so %p does not work' --trace 'run.%p.smptrace' -- "$app"

# File names.
export RANK=3 SLASH=a/b
unset ABSENT
profiles 0 '1 kernel in run-3%.smprof' -o 'run-%q{RANK}%%.smprof' -- "$app"
[ -s run-3%.smprof ] || complain "no run-3%.smprof"
profiles 0 "in $(uname -n).smprof" -o '%h.smprof' -- "$app"
mkdir each
profiles 0 '1 kernel in each/' -o 'each/%p-%q{RANK}.smprof' -- "$app" children=4 launches=2
[ "$(ls each | wc -l)" -eq 5 ] || complain "a file a process: $(ls each)"
for file in each/*-3.smprof; do
    "$program" report "$file" >out 2>err
    has '1 kernel; 256 wavefronts' out
done
"$program" report each/*.smprof >out 2>err
has '1 kernel; 1,280 wavefronts' out
profiles 0 '' -o 'each/%p.json' -- "$app"
[ "$(grep -l '"schema_version"' each/*.json | wc -l)" -eq 1 ] || complain "json of a process"
profiles 0 '1 kernel in one-[0-9]*.smprof' -o 'one-%p.smprof' -- "$app" again
[ "$(echo one-*)" = "$(ls one-*)" ] || complain "a process that becomes another program: $(ls one-*)"
"$program" report one-*.smprof >out 2>err
has '1 kernel; 256 wavefronts' out
profiles 0 'in %p.smprof' -o '%%p.smprof' -- "$app" children=1
profiles 1 'at most 2-way' --max-ways 2 -o 'each/gate-%p.smprof' -- "$app" children=1
profiles 2 'after % expected p' -o 'run.%x.txt' -- "$app"
profiles 2 'after % expected p' -o 'run%.txt' -- "$app"
profiles 2 'variable ABSENT is not set' -o '%q{ABSENT}.txt' -- "$app"
profiles 2 "variable SLASH holds a '/'" -o '%q{SLASH}.txt' -- "$app"
profiles 2 'expected %q\{VARIABLE\}' -o '%qRANK.txt' -- "$app"
profiles 2 'expected %q\{VARIABLE\}' -o '%q{RANK.txt' -- "$app"

profiles 2 'must not have %p' --verify -o '%p.smprof' -- "$app"
profiles 2 'exists; --force' -o run-3%%.smprof -- "$app"
[ ! -s out ] || complain "the program ran although its file is there"

# Offsets before lane 0 are kept, too.
profiles 0 '' -o before.smprof -- "$app" global
"$program" report --worst 1 before.smprof >out 2>err || complain "report of offsets before lane 0"
lacks 'damaged' err
has '128 sectors, 112' out

# One line for each thing that cannot be profiled; nothing is run.
profiles 3 'no-such-program: cannot be started: no such program in PATH' -- no-such-program
profiles 3 './nowhere: cannot be started: no such file' -- ./nowhere
echo 'echo hello' >script
profiles 3 './script: cannot be started: it is a folder, or not executable \(chmod' -- ./script
chmod +x script
printf '#!/no/such/interpreter\n' >orphan
chmod +x orphan
profiles 3 './orphan: cannot be started: the interpreter or loader' -- ./orphan
printf '\177ELF\1\1\1 and so on' >narrow # as if the kernel had none for it
chmod +x narrow
profiles 127 'narrow used no CUDA driver: it is a program of 32 bits' -- ./narrow
if echo 'int main(void) { return 0; }' | cc -x c -static -o fixed - 2>err; then
    profiles 0 'fixed used no CUDA driver: it is linked statically' -- ./fixed
fi
profiles 0 'true used no CUDA driver: there is no CUDA in it' -- true
profiles 3 'no/such/folder' -o no/such/folder/run.smprof -- "$app"
CUDA_INJECTION64_PATH=/opt/other.so profiles 5 'another profiler is attached \(CUDA_INJECTION64_PATH=/opt/other.so\)' -- "$app"
profiles 5 'nsys is a profiler itself' -- nsys profile "$app"
SMEMPROBE_INSTRUMENT=/nowhere profiles 77 'profile needs libsmemprobe_instrument.so' -- "$app"
SMP_SYSTEM_ROOT=/nowhere profiles 77 'no NVIDIA driver, so .*emulate' -- "$app"
[ ! -s out ] || complain "the program ran without a GPU"

# Without lines the machine instruction is shown, with lines the source text.
mkdir tools
printf '#!/bin/sh\nsed "/\/\/## File/d" %s\n' "$here/data/sass/two.sass" >tools/nvdisasm
chmod +x tools/nvdisasm
load="cubin=$here/data/sass/two.cubin at=720"
export SMEMPROBE_CACHE=off
PATH=$work/tools:$PATH profiles 0 '^    LDS R13, \[R11\]$' -- "$app" $load
has 'compile with nvcc -lineinfo' err
has 'array      tile, 4,096 bytes at offset 0' err
printf '#!/bin/sh\ncat %s\n' "$here/data/sass/two.sass" >tools/nvdisasm
PATH=$work/tools:$PATH profiles 0 '^1. two.cu:[0-9]* in transpose$' -- "$app" $load
lacks 'nvcc -lineinfo' err
# Spilled registers, which no patch sees, are named if local memory is observed.
printf '#!/bin/sh\nsed "s/LDG\\.E[A-Z.]* /LDL /" %s\n' "$here/data/sass/two.sass" >tools/nvdisasm
PATH=$work/tools:$PATH profiles 0 'not modelled: 5 instructions of local memory that no patch saw: spilled registers' \
    --memory all --instructions --lines all -- "$app" $load
PATH=$work/tools:$PATH profiles 0 '' --instructions --lines all -- "$app" $load
lacks 'no patch saw' err
# Loads of constants by lane, which the API has no patch for; not those at one address.
printf '#!/bin/sh\nsed "s/LDG\\.E[A-Z.]* \\(R[0-9]*\\),.*;/LDC \\1, c[0x3][%s] ;/" %s\n' 'R7+0x10' "$here/data/sass/two.sass" >tools/nvdisasm
PATH=$work/tools:$PATH profiles 0 'not counted: 5 instructions, such as LDC' --lines all -- "$app" $load
sed -i 's/R7+0x10/UR7+0x10/' tools/nvdisasm
PATH=$work/tools:$PATH profiles 0 '' --lines all -- "$app" $load
lacks 'such as LDC' err
printf '#!/bin/sh\necho broken >&2; exit 1\n' >tools/nvdisasm
PATH=$work/tools:$PATH profiles 0 'no machine instructions and source lines: nvdisasm: broken' -- "$app" $load

# --verify, with an ncu that only writes its log.
mkdir bin
cat >bin/ncu <<'END'
#!/bin/sh
while [ $# -gt 0 ]; do
    [ "$1" = --log-file ] && cp log "$2"
    shift
done
END
chmod +x bin/ncu
verify() {
    printf "$1" >log
    shift
    PATH=$work/bin:$PATH profiles "$@" --verify -- "$app"
    has '1 kernel; 128 wavefronts' err
}
verify '==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to\n' \
    4 'counters are locked for this user: .*the profile itself needed none of them'
verify '==ERROR== The application returned an error code (9).\n' 3 'ncu: The application returned an'
verify '' 3 '--verify|table|ncu'

# If a sum differs it is counted again; each count is another line of `log`.
cat >bin/ncu <<'END'
#!/bin/sh
echo "$*" >words
while [ $# -gt 0 ]; do
    [ "$1" = --log-file ] && { echo '"ID","Kernel Name","l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"'
        head -n 1 log; } >"$2"
    shift
done
sed -i 1d log
END
verify '"0","_Z9transposePfPKfii","128"\n' 0 '1 equal, '
has '\(another run of the program\)' err
verify '"0","_Z9transposePfPKfii","130"\n"0","_Z9transposePfPKfii","128"\n"0","_Z9transposePfPKfii","129"\n' 0 \
    'equal in 1 of 3 counts, up to 1.56 % above: passes lost in arbitration'
has '\(three other runs of the program' err
verify '"0","_Z9transposePfPKfii","12"\n"0","_Z9transposePfPKfii","12"\n"0","_Z9transposePfPKfii","14"\n' 1 'differs by -90.62 to -89.06 % in 3 counts'

# Which launches are counted: the first of each kernel, unless all are few or asked for.
one='"0","_Z9transposePfPKfii","128"\n'
verify_words() {
    local words=$1
    shift
    printf "$one" >log
    PATH=$work/bin:$PATH profiles 0 "$@"
    grep -qE -- "$words" words || complain "ncu's words: $(cat words)"
}
verify_words '--kernel-id :::1 ' 'the first launch of each in another run' --verify -- "$app" skipped=200
verify_words 'op_st.sum [^ ]*$' '\(another run of the program\)' --verify --exact -- "$app"
verify_words 'op_st.sum [^ ]* launches=1 skipped=199$' '\(another run of the program\)' --verify -- "$app" launches=1 skipped=199
[ "$(grep -c launches= out)" -eq 1 ] || complain "a run that only verifies shows its output"
verify_words '--kernel-id :::\[1-9\]\|1\[0-1\]\|12 ' 'the first 12 launches of each in another run' \
    --verify --launches 12 -- "$app" skipped=30

# diagnose PATTERN: doctor's rows for profile, nvdisasm and the cache.
diagnose() {
    "$program" doctor >out 2>err
    sed -n '/^  . profile  /,/^  . gnuplot/p; /^  . profile:/p' out >rows
    grep -qE -- "$1" rows || complain "doctor: no row like: $1 in $(cat rows)"
    [ -z "$(ls tmp)" ] || complain "doctor left $(ls tmp)"
}
export SMP_INSTRUMENT_SANITIZER=$sanitizer SMP_INSTRUMENT_PATCH=/dev/null
diagnose "\\+ profile     $library"
diagnose '\+ profile: live, even with locked counters'
SMP_INSTRUMENT_SANITIZER=/nowhere diagnose '! profile     libsanitizer-public.so was not found \(.*\)$'
SMP_INSTRUMENT_SANITIZER=/nowhere diagnose 'fix: the CUDA toolkit has it [(]CUDA_HOME[)], or pip install nvidia-cuda-sanitizer-api'
SMP_INSTRUMENT_SANITIZER=/nowhere diagnose '- profile: only --no-gpu'
SMP_INSTRUMENT_SANITIZER=$library diagnose '! profile     .*no sanitizer[A-Za-z]*$'
SMP_INSTRUMENT_SANITIZER=$library diagnose 'fix: .* is too old; that of CUDA'
SMP_INSTRUMENT_PATCH=/nowhere diagnose 'fix: it is built beside the library'
echo nothing >broken.so
SMEMPROBE_INSTRUMENT=$work/broken.so diagnose '! profile     .*broken.so cannot be loaded'
SMEMPROBE_INSTRUMENT=/nowhere diagnose '! profile     libsmemprobe_instrument.so is not built$'
SMEMPROBE_INSTRUMENT=/nowhere SMP_SYSTEM_ROOT=/nowhere diagnose '- profile     .*not needed without a GPU'
SMP_SYSTEM_ROOT=/nowhere diagnose '- profile     built; needs a GPU and its driver'
CUDA_INJECTION64_PATH=/opt/other.so diagnose 'fix: unset CUDA_INJECTION64_PATH'
SMEMPROBE_CACHE=off diagnose '- its cache   off'
SMEMPROBE_CACHE=$work/cache diagnose "\\+ its cache   $work/cache, 0 functions, 0.0 of 256 MiB"
SMEMPROBE_CACHE_MIB=many diagnose '! its cache   SMEMPROBE_CACHE_MIB=many: is not a number of MiB'
finish
