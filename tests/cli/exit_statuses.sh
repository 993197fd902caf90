#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The same mistake gives the same exit status in every command: 2 for a mistake on the command line, 3 for wrong content
# (also inside an argument) and for files that cannot be read or written.
#   tests/cli/exit_statuses.sh PROGRAM
# --help, the man page and docs/reference list the same statuses in the same words.
# A row has a status, the input that a command needs (any, lanes or source), and the mistake. A mistake in an option is
# tried with every command whose help lists that option.
set -euo pipefail
program=$(realpath "${1:?usage: tests/cli/exit_statuses.sh PROGRAM}")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C TERM=dumb CUDA_VISIBLE_DEVICES=

mkdir folder
printf 'taken\n' >taken.txt
lanes='0 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 104 108 112 116 120 124'
printf 'ld.shared 4 ffffffff %s\n' "$lanes" >good.txt
printf 'ld.shared 4 ffffffff 1%s\n' "$lanes" >misaligned.txt
printf 'ld.shared 4 ffffffff 1 2\n' >short.txt
printf 'shared float t[32]\nblock 32\nld t[threadIdx.x]\nexpect ways <= 1\n' >good.smp
printf 'shared float t[32]\nblock 32\nld t[threadIdx.x + 1]\nexpect ways <= 1\n' >outside.smp
printf 'shared float t[32\nblock 32\nld t[threadIdx.x]\n' >syntax.smp
printf 'arch sm_1\nshared float t[32]\nblock 32\nld t[threadIdx.x]\nexpect ways <= 1\n' >arch.smp
printf 'shared float t[32]\nblock 0\nld t[threadIdx.x]\nexpect ways <= 1\n' >block.smp
printf '"ID","Kernel Name"\n"0","k"\n' >good.csv
printf 'nothing\n' >words.csv
cp "$root/probes/recorded/programs/transpose.smprof" good.smprof
cp "$root/tests/data/sass/two.cubin" good.cubin
launch='transpose<<<dim3(1,1), dim3(32,8)>>>(float[1024], float[1024], 32, 32)'

# STATUS BASE MISTAKE...
mistakes=(
    "2 any --no-such-option"
    "2 any --no-such-option=1"
    "2 any --arch sm_1" "2 any --arch"
    "2 any --format xml" "2 any --color blue" "2 any -o taken.txt"
    "3 any -o no/such/folder" "3 any -o folder"
    "2 any --bank-mode 3" "2 any --bank-mode x"
    "2 lanes --stride x" "2 lanes --stride -1" "2 lanes --stride 99999999999"
    "2 lanes --width 3" "2 lanes --width x" "2 lanes --offset x"
    "2 lanes --lanes 0" "2 lanes --lanes 33" "2 lanes --lanes x" "2 lanes --op nonsense"
    "3 lanes --offset 1" "3 lanes --stride 4000000"
    "3 lanes --access ld.shared_4" "3 lanes --access nonsense" "3 lanes --access @misaligned.txt"
    "3 lanes --access @short.txt"
    "2 any --witness nobody" "2 any --device x" "2 any --devices x" "2 any --theme pink"
    "2 any --time 99999999999999" "2 any --size x" "2 any --type x" "2 any --cluster x" "2 any --variants nonsense"
    "2 any --count x" "2 any --time x" "2 any --seed x" "2 any --max-ways x" "2 any --max-excess x"
    "2 any --space x" "2 any --emit x" "2 any --max-bytes x" "2 any --max-bytes 0x"
    "3 any --recorded no-such-file" "3 any --recorded words.csv"
    "3 source --shared float_u[" "3 source --shared nonsense" "3 source --global nonsense"
    "3 source --block 0" "3 source --block 32," "3 source --block x" "3 source --block 2048"
    "3 source --grid 0" "3 source --grid x" "3 source --define 5" "3 source --define N=x"
    "3 source --for j" "3 source --for j=x"
    "2 source --keep nonsense"
    "2 any --memory nonsense" "2 any --launches x" "2 any --children nonsense"
    "2 any --limit x" "2 any --limit 0" "2 any --worst x" "2 any --lines x" "2 any --line x"
    "2 any --line 5:2" "2 any --kernel ("
    "3 any --gate no-such-file" "3 any --gate folder" "3 any --gate words.csv"
    "3 any --against no-such-file" "3 any --against words.csv"
)
# STATUS, then a wrong file that a command reads.
accesses=(
    "3 ld t[threadIdx.x" "3 ld u[threadIdx.x]" "3 ld t[threadIdx.x + 1]" "3 nonsense t[0]"
    "3 no-such-file.smp" "3 syntax.smp" "3 outside.smp" "3 arch.smp" "3 block.smp"
)
files=("3 no-such-file.smp" "3 syntax.smp" "3 outside.smp" "3 arch.smp" "3 block.smp" "3 folder")

commands=(predict batch check fix probe verify compare plot list explain-counters doctor generate
    profile emulate report annotate)

# Without nvdisasm, emulate stops there.
without=''
"$program" emulate good.cubin --launch "$launch" >out 2>&1 || true
if grep -q 'nvdisasm not found' out; then
    without=emulate
    echo "emulate is not tried: nvdisasm is not here"
fi

# Correct input for a command.
base() {
    last=()
    case "$1 $2" in
    predict\ source | fix\ * | probe\ source) words=("ld t[threadIdx.x]" --shared "float t[32]") ;;
    plot\ source) words=(bankmap "ld t[threadIdx.x]" --shared "float t[32]" -o new.txt) ;;
    plot\ lanes) words=(archs -o new.txt) ;;
    plot\ *) words=(stride -o new.txt) ;;
    batch\ *) words=(good.txt) ;;
    check\ *) words=(good.smp) ;;
    verify\ *) words=(--count 1) ;;
    compare\ *) words=(transpose) ;;
    list\ *) words=(archs) ;;
    explain-counters\ *) words=(good.csv) ;;
    generate\ *) words=(man) ;;
    profile\ *) words=() last=(-- true) ;;
    emulate\ *) words=(good.cubin --launch "$launch") ;;
    report\ * | annotate\ *) words=(good.smprof) ;;
    *) words=() ;;
    esac
}

tried=0 wrong=0
expect() { # STATUS COMMAND WORDS...
    local status=0 wanted=$1
    shift
    rm -f new.txt
    "$program" "$@" </dev/null >out 2>err || status=$?
    tried=$((tried + 1))
    if [ "$status" != "$wanted" ]; then
        wrong=$((wrong + 1))
        echo "smemprobe $*: exit status $status, expected $wanted: $(head -c 160 err | head -n 1)"
    elif [ ! -s err ] && [ ! -s out ]; then
        wrong=$((wrong + 1))
        echo "smemprobe $*: no message"
    fi
}

for command in "${commands[@]}"; do
    [ "$command" != "$without" ] || continue
    help=$("$program" "$command" -h)
    for row in "${mistakes[@]}"; do
        read -r status kind option value <<<"$row"
        long=$option
        [ "$option" = -o ] && long=--output
        [ "$command $option" != 'profile --time' ] || continue # there it takes no value
        case $option in --no-such-option*) ;; *)
            grep -qE -- "(^|[ ,])$long( |\$)" <<<"$help" || continue ;;
        esac
        case $value in @*) value=$(cat "${value#@}") ;; esac
        value=${value//_/ }
        case $row in *sm_1) value=sm_1 ;; esac
        base "$command" "$kind"
        if [ "$option" = -o ] && [ "$command" = plot ]; then words=("${words[0]}"); fi
        if [ -n "$value" ]; then
            expect "$status" "$command" ${words[@]+"${words[@]}"} "$option" "$value" ${last[@]+"${last[@]}"}
        else
            expect "$status" "$command" ${words[@]+"${words[@]}"} "$option" ${last[@]+"${last[@]}"}
        fi
    done
done
for command in predict fix probe plot; do
    for row in "${accesses[@]}"; do
        words=("${row#* }")
        case ${words[0]} in *.smp) ;; *) words+=(--shared "float t[32]") ;; esac
        if [ "$command" = plot ]; then words=(bankmap -o new.txt "${words[@]}"); fi
        expect "${row%% *}" "$command" "${words[@]}"
    done
done
for row in "${files[@]}"; do
    expect "${row%% *}" check "${row#* }"
done
for file in no-such-file folder misaligned.txt short.txt; do
    expect 3 batch "$file"
done
for file in no-such-file folder words.csv; do
    expect 3 explain-counters "$file"
done
for file in no-such-file folder words.csv good.cubin; do
    expect 3 report "$file"
    expect 3 annotate "$file"
done
for file in no-such-file words.csv; do
    [ -n "$without" ] || expect 3 emulate "$file" --launch "$launch"
done
for wrong_launch in 'transpose' 'nonsense<<<1, 1>>>()' 'transpose<<<1, 1>>>(1)' 'transpose<<<1, 2000>>>(1, 1, 1, 1)'; do
    [ -n "$without" ] || expect 3 emulate good.cubin --launch "$wrong_launch"
done
for name in profile emulate report annotate; do
    expect 2 "$name"
done
for name in compare plot list generate; do
    expect 2 "$name" nonsense
    expect 2 "$name"
done
expect 2 nonsense

# The table of statuses is the same in all three places.
"$program" --help | sed -n '/^exit status:/,$p' | sed 1d | sed -nE 's/^ {2,4}([0-9]+) /\1 /p; s/^ {6}([^ ])/\1/p' |
    sed -E ':a;N;$!ba;s/\n([^0-9])/ \1/g' >help.txt
"$program" generate man | sed -n '/^\.SH EXIT STATUS/,/^\.SH ENV/p' | grep -v '^\.' | sed -E 's/\\f[BR]//g' |
    paste -d' ' - - >man.txt
sed -nE 's/^\| ([0-9]+) \| (.*) \|$/\1 \2/p' "$root/docs/reference/exit-statuses.md" >document.txt
for place in man document; do
    if [ ! -s $place.txt ] || ! diff help.txt $place.txt; then
        wrong=$((wrong + 1))
        echo "--help and $place list other exit statuses"
    fi
done
for status in $(sed -nE 's/^ +X\(SMP_[A-Z_]+, ([0-9]+), .*/\1/p' "$root/model/smp_status.h" | sort -u); do
    if ! grep -q "^$status " help.txt; then
        wrong=$((wrong + 1))
        echo "exit status $status is in no list"
    fi
done
echo "$tried mistakes, $wrong with another exit status"
[ "$wrong" -eq 0 ]
