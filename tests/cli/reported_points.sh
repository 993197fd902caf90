#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Problems reported by people who tried the program for the first time. Each has a row, which runs the built program or
# names the tests that cover it.
#   tests/cli/reported_points.sh PROGRAM [POINT...]
# A row that runs it: the point | the exit status | an extended regular expression for the output | the command. In the
# output, ~ is the end of a line and ` an escape character; "!" before the expression: it must not match.
# A row that names tests: the point | see | test files, each with a text about the point that it contains.
set -uo pipefail
program=$(realpath "${1:?usage: tests/cli/reported_points.sh PROGRAM [POINT...]}")
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
export LC_ALL=C.UTF-8 TERM=dumb CUDA_VISIBLE_DEVICES= PATH="$work/bin:$PATH" TREE=$root
unset COLUMNS NO_COLOR CLICOLOR_FORCE
mkdir bin ä && ln -s "$program" bin/smemprobe

lanes='0 4 8 12 16 20 24 28 32 36 40 44 48 52 56 60 64 68 72 76 80 84 88 92 96 100 104 108 112 116 120 124'
printf 'shared float t[1024]\nld t[threadIdx.x * 2]\nexpect ways <= 1 on sm_80\n' >elsewhere.smp
printf 'shared float t[1024]\nld t[threadIdx.x]\n' >nothing.smp
printf 'shared float t[64][64]\nblock 32x32\nfor k=0:64\nld t[threadIdx.x][k]\nld t[k][threadIdx.x*2%%64]\nend\n' >wide.smp
printf 'shared float t[1024]\nconst unsigned n = 256 / 8; for (int o = 0; o < 128; o += n) ld t[o]\nconstexpr int N = 4;\nld t[N]\n' >constants.cu
printf 'struct P { float x, y, z, w; };\nshared P s[256]\nglobal P g[4096]\nblock 256\ns[threadIdx.x].x = g[threadIdx.x].x;\n' >structs.smp
printf 'shared float t[64]\ngrid 4\nblockIdx 5\nld t[threadIdx.x]\n' >outside.smp
printf 'shared float As[64]\nfloat v = __ldg(&As[threadIdx.x]);\n' >ldg.cu
printf 'shared float As[64]\nfor (int i = 0; i < 4; i++) {\nAs[i] = 1;\n' >open.cu
printf 'shared float t[64]\n#if 0\nld t[2*threadIdx.x]\n#else\nld t[threadIdx.x]\n#endif\n' >branches.cu
printf 'NVR\0\1\2' >x.ncu-rep
printf 'ld 4 00000001 %s\nld.shared 4 0xffffffff %s\n' "$lanes" "$lanes" >accesses.txt
head -c 3000 /bin/sh >binary.txt
printf 'shared float t[64][64]\nld t[0][threadIdx.x]\nld t[threadIdx.x%%32][0]\n' >worst.smp
printf 'shared int hist[64]\natomicAdd(&hist[threadIdx.x %% 2 * 32], 1);\n' >atomic.cu
printf '\xef\xbb\xbfshared int hist[64]\nld hist[threadIdx.x]\n' >mark.cu
printf 'shared float T[64]\nblock 32\n__global__ void k() { if (threadIdx.x < 8) { T[threadIdx.x] = 1; } }\n' >kernel.cu
printf 'shared float4 T[9][4]\nblock 64\nld T[threadIdx.x %% 9][0]\nld T[threadIdx.x / 4 %% 9][threadIdx.x %% 4]\n' >swizzled.smp
printf 'shared volatile unsigned char u[64][64]\nld u[threadIdx.x][0]\n' >bytes.smp
printf 'volatile __shared__ float v[32][32];\nld v[threadIdx.x][0]\n' >volatile.smp
printf 'shared float t[32][32]\nld t[threadIdx.x][0]\nld t[threadIdx.x][threadIdx.x]\n' >nested.smp
printf 'shared float t[33][32]\nld t[threadIdx.x][0]\nld t[0][threadIdx.x]\n' >padded.smp
printf 'shared float s[32][32]\nshared float t[32]\nt[laneid] = s[laneid][0];\nexpect ways <= 1\n' >both.smp
printf 'shared float t[32]\nld t[laneid]\nexpect ways <= 1\n' >ä/ü.smp
printf 'shared float a[5];\nextern __shared__ __align__(1024) float b[];\nld a[0]\nld b[laneid]\n' >dynamic.cu
cat >everyday.cu <<'CUDA'
#define N 32
__global__ void k(const float *in, float *out, int n) {
    __shared__ float As[8][32]; /* a tile */ __shared__ unsigned hist[256];
    float regM[8]; float x = 0.f; int i = 0;
    for (int j = threadIdx.x; j < n; j += blockDim.x) hist[j] = 0;
    if (threadIdx.x < 16) { As[0][threadIdx.x * 2] = in[threadIdx.x]; }
    else As[1][threadIdx.x] = 1.f;
    __syncthreads();
    while (i < 2) { regM[i] = As[i][threadIdx.x]; i++; }
    x += As[3][threadIdx.x]; x += As[4][threadIdx.x];
    atomicAdd_block(&hist[threadIdx.x * N % 256], 1u);
    out[threadIdx.x] = x + regM[0];
}
CUDA
printf 'arch sm_70, sm_90\nshared float t[32]\nld t[laneid]\nexpect ways <= 1\n' >two.smp
printf 'shared double t[64]\nld t[threadIdx.x]\n' >doubles.smp

rows() {
    cat <<'ROWS'
1 | see | gate/gate_signals.c: every command that writes, stopped by every signal
2 | see | golden/fix_time.cmd gate/gate_signals.c: --time, the best so far, an interrupt
3 | 1 | sm_80: ways is 2 | smemprobe check elsewhere.smp
3 | 3 | nothing to check: no 'expect' line | smemprobe check nothing.smp
4 | see | golden/plot_pty.cmd: skipped where there is no pseudo-terminal; script/test --no-terminals runs all without
5 | 0 | 32 -> 1 +65,536 -> 2,048 | smemprobe fix wide.smp
5 | 0 | !-> [0-9]+ -> | smemprobe fix wide.smp
6 | 0 | 4 wavefronts, ideal 4.*ld t\[N\] | smemprobe predict constants.cu
7 | 1 | g has the~ *same struct; give s a struct of its own.*an~* *array~* *for each member | smemprobe fix structs.smp
8 | 3 | is '99999999999999999999', not a count | tests_counters 99999999999999999999
8 | 3 | is '-5', not a count | tests_counters -5
8 | 3 | is '1.234,5', not a count | tests_counters 1.234,5
8 | see | golden/bad_counters.cmd
9 | 3 | blockIdx 5 | smemprobe predict outside.smp
9 | 3 | __ldg reads global memory, but this is in shared memory | smemprobe predict ldg.cu
9 | 3 | this '{' is not closed | smemprobe predict open.cu
10 | 0 | branches.cu:5: ld t\[threadIdx.x\] | smemprobe predict branches.cu
10 | 0 | !branches.cu:3 | smemprobe predict branches.cu
11 | 0 | one for archs .default 2.,~ *otherwise a set: 0:64 | smemprobe plot --help
11 | 0 | stride N +elements between lanes .default 2.~ | smemprobe plot archs --help
11 | 0 | stride N +elements between lanes: [0-9,:a-z ]* 0:64 .default. | smemprobe plot stride --help
11 | 0 | stride N +elements between lanes: [0-9,:a-z ]* 0:33 .default. | smemprobe help plot heatmap
11 | 0 | !for archs|else a set | smemprobe plot archs --help
11 | 0 | 1.0 - 1.3 Tesla,documented,wavefronts,4,4,1,2~ | smemprobe plot archs --format csv
11 | 0 | 1.0 - 1.3 Tesla,documented,wavefronts,32,32,1,16~ | smemprobe plot archs --format csv --stride 32
12 | 0 | \.SH NAME | smemprobe generate man predict
12 | see | consumer/check golden/generate_man.cmd: pages are written by the program itself and installed always
13 | 0 | "measured": .~[^}]*"recorded" | smemprobe predict 'ld t[threadIdx.x]' --shared 'float t[64]' --format json
14 | see | readme_examples: every command of README and docs runs as it stands there
14 | 0 | script/run and build/smemprobe | tests_words_of_readme
15 | 0 | ^7 charts~$ | tests_charts_without_gnuplot
15 | 0 | ^ld.shared by stride on sm_90 | PATH=$PWD/bin smemprobe plot stride
16 | 2 | --explain takes no value | smemprobe predict --explain=yes
16 | 2 | a stride ends at | smemprobe predict --op ld.global --stride 4000000000
16 | 2 | expected rows x columns | smemprobe compare transpose --size 4096x4096x4096
16 | 2 | one layout file at a time | smemprobe fix wide.smp two.smp
16 | 2 | a range must ascend: 0-31 | smemprobe predict --lanes 31-0
16 | 2 | --arch all already shows every bank mode | smemprobe predict --arch all --bank-mode 8
16 | 2 | 'ld s.31 - threadIdx.x.' | smemprobe predict --stride -33
16 | 3 | export it: ncu --import FILE | smemprobe explain-counters x.ncu-rep
16 | 3 | No space left on device | smemprobe predict >/dev/full
16 | 3 | too many indices for 't' | smemprobe predict 'ld t[1][2][3]' --shared 'float t[4][4]'
17 | see | exit_statuses: each mistake in every command
18 | 0 | !Everything works | smemprobe doctor
18 | 0 | - driver .*(Parts marked - are~? *missing|gaps?, not needed) | smemprobe doctor
18 | see | golden/doctor.cmd golden/standin_doctor.cmd
19 | 0 | 1,ld.shared,4,1,.*~2,ld.shared,4,32 | smemprobe batch accesses.txt
19 | 3 | ^<?binary.txt>?:1:[^~]*~[^~]*~?[^~]*$ | smemprobe batch binary.txt
20 | 0 | ~1,0,256,0,2,1,1,1 | smemprobe plot bankmap worst.smp --format csv
20 | 0 | 96,127,49660,31,387,1,31,1 | smemprobe plot bankmap 'ld a[127-threadIdx.x][127]' --shared 'float a[128][128]' --format csv
21 | 2 | one table at a time, but 'ops' was also given | smemprobe list archs ops
21 | 77 | nothing can be measured here | smemprobe compare transpose --record x.txt
22 | 0 | 32-way.*nvcc compiles atomicAdd[(]p, 1[)] with an unused | smemprobe predict atomic.cu
23 | 0 | conflict-free | smemprobe predict mark.cu
23 | 3 | !` | smemprobe predict "$(printf 'no\033[31m.smp')"
23 | 0 | n.x1b.31m.xff.smp:2: ld t | cp worst.smp n$'\033'[31m$'\xff'.smp; smemprobe predict n$'\033'[31m$'\xff'.smp
23 | 3 | smemprobe: c.x1b.31m.smprof: ends early | head -c 1500 "$TREE/probes/recorded/programs/sgemm.smprof" >c$'\033'[31m.smprof; smemprobe report c$'\033'[31m.smprof
24 | 0 | T.threadIdx.x. | smemprobe predict kernel.cu
24 | 0 | ^st.shared,32,8~ld.global,16,~st.shared,16,1~st.shared,16,1~ld.shared,32,2~ld.shared,32,1~ld.shared,32,1~red.shared,32,32~st.global,32,~$ | smemprobe predict everyday.cu --define n=256 --format csv | sed 1d | cut -d, -f2,4,5
24 | see | pasted/check test_front_everyday.c bodies/run
25 | 0 | The language of accesses | smemprobe help language
25 | 0 | ^.TH .*language.*What may stand|[.]SH .*[.]TP | smemprobe generate man language
25 | 0 | smemprobe help language | smemprobe -h
25 | see | consumer/check: the page of the language is installed
25 | 0 | reference/language.md | cat "$TREE/docs/guide/one-access.md"
26 | 0 | data +[0-9.]+ wavefronts per request on average, standard deviation | smemprobe predict 'ld t[data[threadIdx.x]]' --shared 'float t[256]' --global 'int *data' --data data=random:0:255
26 | see | golden/data.cmd test_data.c: files, random and zipf, mean and spread
27 | 1 | 25 %[)]. Better: an array | tests_folded smemprobe fix structs.smp
27 | 0 | 128 sectors, ideal 32, excess 96 | smemprobe predict 'ld p[threadIdx.x].x' --global 'float4 p[4096]' --block 256
27 | see | golden/fix_global.cmd test_fix_global.c: ideal, verdict, repair
28 | 0 | one access of 16 bytes instead of 4 of 4 | tests_folded smemprobe fix wide.smp
29 | 0 | sm_89 | smemprobe predict --arch 'RTX 4090'
29 | 0 | sm_86 | smemprobe predict --arch 3090
29 | 0 | sm_61 | smemprobe predict --arch 'GTX 1080'
29 | 0 | sm_80 | smemprobe predict --arch A100
29 | 0 | sm_90 | smemprobe predict --arch sm_90a
29 | 0 | sm_100 | smemprobe predict --arch sm_100a
29 | 0 | sm_80 | smemprobe predict --arch compute_80
30 | 0 | usage: smemprobe predict | smemprobe help predict
30 | 0 | ^smemprobe [0-9.]+~$ | smemprobe version
30 | 0 | ^smemprobe [0-9.]+~$ | smemprobe -V
30 | 0 | ^(smemprobe[^~]*)~~usage.*check .*fix | smemprobe -h
30 | 0 | `\[[0-9;]*m | CLICOLOR_FORCE=1 smemprobe predict --stride 2
30 | 0 | "banks": 16 | smemprobe list archs --format json
30 | 0 | ~"sm_30","Kepler",32,"4 8",32,48, | smemprobe list archs --format csv
30 | 2 | version takes no argument, but 'x' was given | smemprobe version x
30 | 2 | one command at a time; unexpected 'x' | smemprobe help predict x
30 | 0 | ~\| | smemprobe predict --format md
30 | 0 | Kepler | smemprobe predict doubles.smp --arch all
30 | see | completions terminal_widths golden/csv_columns.cmd golden/help_words.cmd golden/standin_compare.cmd: values completed, widths, columns of CSV, interrupts
31 | 0 | by lanes 0-7[.] | smemprobe predict --access "ld.shared 4 000000ff 0 128 256 384 512 640 768 896 - - - - - - - - - - - - - - - - - - - - - - - -"
31 | 0 | "offsets": .~ +0, 4, 8, 12, | smemprobe predict 'ld t[threadIdx.x]' --shared 'float t[64]' --format json
31 | 1 | `\[1;31mways is 2`\[0m | smemprobe check elsewhere.smp --color always
31 | see | golden/standin_compare.cmd golden/predict_color.cmd: heads of compare, colours end with their line
32 | 0 | !Gnuplot | smemprobe plot stride --format svg | grep '<title>'
32 | 0 | 1.0 - 1.3 Tesla.* 128 | smemprobe plot heatmap
32 | 0 | ~global [^~]* 1,557[.]3 | smemprobe plot compare histogram --variants global
32 | 0 | ~cpu [^~]*[0-9] on the host|~cpu [^~]*[(]host[)] | smemprobe plot compare reduce
32 | 0 | for the time, cuBLAS | smemprobe plot compare gemm-tile
32 | 0 | 16-way conflict, 16 wavefronts~ | smemprobe plot bankmap 'ld a[threadIdx.x][0]' --shared 'half a[32][32]'
32 | see | golden/plot_all.cmd golden/plot_gallery.cmd golden/plot_svg.cmd: looked at, too; CONTRIBUTING says how
A1 | 1 | __shared__ float4 T\[40\] | smemprobe fix swizzled.smp
A1 | 0 | ^declared [0-9]+, touched at most that~$ | tests_bounds
A1 | see | test_fix_code.c: printed code is compiled and run, with bounds
A2 | 0 | __shared__ volatile unsigned char u\[64\]\[64\] | smemprobe fix bytes.smp
A2 | 0 | volatile __shared__ float v\[32\]\[32\] | smemprobe fix volatile.smp
A2 | 0 | ^8 types~$ | tests_types_stay
A3 | 0 | Shape<Int<33>,Int<32>>.*Stride<Int<32>,Int<1>> | smemprobe fix padded.smp
A3 | 0 | make_composed_layout.Swizzle | smemprobe fix nested.smp
A3 | 0 | !composition\(Swizzle<[0-9,]+>\{\}, *~? *composition|[^a-zA-Z0-9]_[0-9]+ | smemprobe fix nested.smp
A3 | see | test_fix_cute.c: compiled against CUTLASS's headers where script/bootstrap fetched them
B | 0 | ,32,1~"offsets":.124,124, | tests_lanes 'shared float t[256]' 'for (unsigned j=0;j<1;j++) ld t[(j-1)/2 % 32]'
B | 3 | no thread of the block takes part | tests_lanes 'shared float t[256]' 'for (int j=0; j>10; j++) ld t[j]'
B | 3 | no thread of the block takes part | tests_lanes 'shared float t[256]' 'for (int j=32; j<0; j-=8) ld t[j]'
B | 0 | "offsets":.48,48, | tests_lanes 'shared float t[256]' '#define W 4 + 4' 'ld t[W * 2]'
B | 0 | "offsets":.124,124, | tests_lanes 'shared float t[256]' '#define W 32 - 1' 'ld t[64 - W]'
B | 0 | ^st.shared,32,1~st.shared,32,1~"offsets":.4,4,.*~"offsets":.8,8, | tests_lanes 'shared float t[256]' 'int a = 1, b = 2; t[a] = 0; t[b] = 0;'
B | 0 | ^st.shared,4,1~st.shared,28,1~ | tests_lanes 'shared float t[256]' 'if (laneid < 4) t[0] = 1; else t[1] = 2;'
B | 0 | ^atom.shared,32,32~"offsets":.28,156, | tests_lanes 'shared int h[64]' 'int old = atomicAdd(&h[laneid % 2 * 32 + 7], 1);'
B | 0 | ^atom.shared,32,32~st.shared,32,1~ | tests_lanes 'shared int h[64]' 'h[laneid] = atomicAdd(&h[laneid % 2 * 32 + 7], 1);'
B | 0 | ^st.shared,32,1~"offsets":[^~]*~$ | tests_lanes 'shared float t[256]' 'unsigned a = __cvta_generic_to_shared(&t[laneid]); t[0] = sizeof(t[0]);'
B | 0 | ^ld.shared,32,4~"offsets":.0,16,32, | tests_lanes 'shared float t[256]' 'float4 v; v = *(reinterpret_cast<float4*>(t) + laneid);'
B | 0 | ^ld.shared,32,1~"offsets":.0,4,8, | tests_lanes 'shared float t[256]' 'float v = (&t[0])[laneid];'
B | 0 | ^ld.shared,32,1~"offsets":.0,4,8, | tests_lanes 'shared float t[256]' 'float v = *(&t[0]+laneid);'
B | 0 | ^ld.global,32,~"offsets":.0,16,32, | tests_lanes 'global float g[256]' 'float4 v = __ldg((float4*)g + laneid);'
B | 0 | ^ld.global,32,~"offsets":.0,4,8, | tests_lanes 'global float g[256]' 'float v = __ldg(&g[0]+laneid);'
B | 0 | ^ld.shared,16,16~ | tests_lanes 'shared float t[1024]' 'float v = laneid<16 ? t[laneid*32] : 0.f;'
B | 0 | ^ld.shared,8,8~ | tests_lanes 'shared float t[1024]' 'bool q = laneid<8 && t[laneid*32];'
B | see | test_front_everyday.c test_front_cuda.c bodies/run: rows, and random bodies
C | see | test_front_everyday.c test_front_cuda.c bodies/everyday_types.cu bodies/everyday_control.cu bodies/everyday_places.cu
D1 | 0 | bank 7 is asked for 3 different words, by lanes 5-7 | smemprobe predict --access 'ld.shared 4 000000ff 0 0 0 0 0 28 156 284 - - - - - - - - - - - - - - - - - - - - - - - -'
D2 | 0 | 28 bytes are wasted, 88 % | smemprobe predict --access 'ld.global 4 ffffffff 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0'
D3 | 0 | 32~ *lanes fall on 16 banks | smemprobe predict --stride 2 --arch sm_35
D4 | 0 | whose 4 words | smemprobe predict --width 16 --stride 0
D5 | 0 | 24 different words, no two | smemprobe predict --width 1 --stride 3
D | see | test_sentences.c test_fix_sentences.c test_remarks.c: each sentence is read back, on random accesses
E1 | 1 | ways is 32.*s.laneid..0. | smemprobe check both.smp
E2 | 0 | name="ä/ü.smp" | smemprobe check ä/ü.smp --format junit
E3 | 3 | out of bounds | smemprobe predict 'ld t[threadIdx.x + 1]' --shared 'float t[32]'
E4 | 0 | "shared_bytes": 1024 | smemprobe predict dynamic.cu --format json
E5 | 0 | 1 file, 1 access, 2 expectations | smemprobe check two.smp
E6 | 0 | 2-way bank conflict | smemprobe predict --width 16 --arch sm_20
E7 | 0 | ~    [.]{3}as.threadIdx.x..k. [*] bs.k..th[.]{3}~ | COLUMNS=40 smemprobe report $TREE/probes/recorded/programs/sgemm.smprof --source-root $TREE
E7 | 0 | ~  advice     same as for [0-9]+[.] above~ | smemprobe report $TREE/probes/recorded/programs/numba-matmul.smprof
E7 | 0 | tiled32 +32 17,301,504 | smemprobe compare transpose
ROWS
}

# README's text before its first command in the build folder.
tests_words_of_readme() {
    grep -q 'A clone builds .build/smemprobe.' <(tr '\n' ' ' <"$TREE/README.md" | sed 's/  */ /g; s/\. /.\n/g') &&
        echo 'script/run and build/smemprobe'
}
# Operation, lanes, wavefronts and offsets of each access in lines of CUDA.
tests_lanes() {
    printf '%s\n' "$@" >lanes.cu
    smemprobe predict lanes.cu --format csv >lanes.csv || { local got=$?; return "$got"; }
    sed 1d lanes.csv | cut -d, -f2,4,5
    smemprobe predict lanes.cu --format json | tr -d '\n ' | sed 's/"offsets"/\n&/g' | grep -oE '^"offsets":[[][^]]*'
}
# An invalid counter.
tests_counters() {
    printf '"ID","Kernel Name","memory_l1_wavefronts_shared","memory_l1_wavefronts_shared_ideal"\n"0","k","%s","1"\n' "$1" >counters.csv
    smemprobe explain-counters counters.csv
}
# Each kind of chart in a terminal, with only the program in PATH.
tests_charts_without_gnuplot() {
    local kind drawn=0
    for kind in stride heatmap archs bankmap agreement cluster 'compare transpose'; do
        [ "$(PATH=$work/bin smemprobe plot $kind | wc -l)" -gt 5 ] && drawn=$((drawn + 1))
    done
    echo "$drawn charts"
}
# The size of a printed declaration, and the bytes that the layout's accesses reach.
tests_bounds() {
    smemprobe fix 'ld U[laneid / 4 % 7][threadIdx.x % 16]' 'ld U[laneid % 7][0]' --shared 'float U[7][16]' -o bounded.smp --force >/dev/null
    local declared touched
    declared=$(sed -nE 's/^shared float U[[]([0-9]+)[]][[]([0-9]+)[]].*/\1*\2*4/p; s/^shared float U[[]([0-9]+)[]]( .*|$)/\1*4/p' bounded.smp)
    touched=$(smemprobe predict bounded.smp --format json | tr -d '\n ' | grep -oE '"offsets":[[][^]]*' | tr -c '0-9\n' '\n' | sort -n | tail -n 1)
    [ $((touched + 4)) -le $(($declared)) ] && echo "declared $(($declared)), touched at most that"
}
# Printed code keeps the given type.
tests_types_stay() {
    local type kept=0
    for type in 'unsigned char' unsigned size_t __nv_fp8_e5m2 'volatile int' half 'unsigned short' double; do
        if smemprobe fix 'ld u[threadIdx.x][0]' --shared "$type u[32][32]" --emit cuda | grep -qF "__shared__ $type u["; then
            kept=$((kept + 1))
        else
            echo "$type does not stay"
        fi
    done
    echo "$kept types"
}
tests_folded() { "$@" | tr '\n' ' ' | sed 's/  */ /g'; return "${PIPESTATUS[0]}"; }

missing=0 wrong=0 tried=0 seen=
while IFS='|' read -r point status rest; do
    point=${point// /} status=${status// /}
    [ $# -eq 0 ] || [[ " $* " == *" $point "* ]] || continue
    seen+=" $point "
    if [ "$status" = see ]; then
        for name in ${rest%%:*}; do
            compgen -G "$root/tests/*/$name*" >/dev/null || compgen -G "$root/tests/unit/*/$name" >/dev/null || [ -e "$root/tests/$name" ] || [ -e "$root/$name" ] || {
                echo "$point: no test $name"
                wrong=$((wrong + 1))
            }
        done
        continue
    fi
    wanted=$(sed 's/ | .*//; s/^ //' <<<"$rest") command=${rest#*"$wanted | "}
    got=0
    eval "$command" >out 2>&1 </dev/null || got=$?
    tried=$((tried + 1))
    text=$(tr '\n\0\033' '~?`' <out)
    fits=yes
    if [ "${wanted:0:1}" = '!' ]; then
        grep -qE -- "${wanted:1}" <<<"$text" && fits=no
    else
        grep -qE -- "$wanted" <<<"$text" || fits=no
    fi
    if [ "$fits" = no ] || [ "$got" != "$status" ]; then
        wrong=$((wrong + 1))
        echo "$point: $command: exit status $got (expected $status), expected $wanted in"
        head -c 1200 out
    fi
done < <(rows)
for point in {1..32} A1 A2 A3 B C D1 D2 D3 D4 D5 D E1 E2 E3 E4 E5 E6; do
    [ $# -gt 0 ] || [[ $seen == *" $point "* ]] || {
        echo "point $point has no row"
        missing=$((missing + 1))
    }
done
echo "$tried rows tried, $wrong wrong, $missing points without one"
[ $((wrong + missing)) -eq 0 ]
