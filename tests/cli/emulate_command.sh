#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The command emulate: tests/cli/emulate_command.sh PROGRAM. 77 without nvdisasm; without nvcc, steps that need it are
# skipped.
set -uo pipefail
program=$(realpath "$1")
data=$(cd "$(dirname "${BASH_SOURCE[0]}")/../data/sass" && pwd)
. "$data/../../support/tools.sh"
. "$data/../../support/expect.sh"

# emulates STATUS PATTERN WORD...: runs smemprobe emulate.
emulates() { expect "$1" "$2" emulate "${@:3}"; }

# nvdisasm's error message is passed on.
mkdir broken
printf '#!/bin/sh\nexit 1\n' >"broken/nvdisasm"
chmod +x "broken/nvdisasm"
(
    export PATH=$work/broken:$PATH SMEMPROBE_CACHE=off
    emulates 3 'nvdisasm failed' "$data/two.cubin" --launch 'reduce<<<1,32,128>>>(float[1], float[32], 32)'
    exit "$failed"
) || failed=1

needs_nvdisasm "$program"

transpose='transpose<<<dim3(4,4), dim3(32,8)>>>(float[16384], float[16384] = iota, 128, 128)'
emulates 0 'LDS +128 requests, 4,096 wavefronts, ideal 128' "$data/two.cubin" --launch "$transpose"
emulates 0 'tile, 4,096 bytes at offset 0' "$data/two.cubin" --launch "$transpose"
emulates 1 '' "$data/two.cubin" --launch "$transpose" --max-ways 2
emulates 1 'of out, which has 400' "$data/two.cubin" --launch "${transpose/float\[16384\],/unsigned int out[100],}"
emulates 3 'unknown type' "$data/two.cubin" --launch "${transpose/float\[16384\],/real out[100],}"
emulates 0 'sm_80' "$data/two.cubin" --launch "$transpose" --arch all --format json
emulates 0 '^transpose on sm_80 1 launch' "$data/two.cubin" --launch "$transpose" --arch all --lines all
emulates 0 ',"LDS",.*,1,,,sm_80,+$' "$data/two.cubin" --launch "$transpose" --arch all --format csv
# A finding is in the report and, for a pipe, on standard error; on one terminal it appears once.
behind="'$program' emulate '$data/../programs/findings.cubin' --launch 'behind<<<2, 64>>>(float[100], float[100])'"
bash -c "$behind" >report 2>said
[ "$(grep -c 'out of bounds' report) $(grep -c 'out of bounds' said)" = '1 1' ] || complain "findings: not in both streams of a pipe"
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    script -qec "$behind" /dev/null </dev/null >shown 2>&1
    [ "$(grep -c 'out of bounds' shown)" = 1 ] || complain "findings: not once on a terminal"
    script -qec "$behind 2>said" /dev/null </dev/null >shown 2>&1
    [ "$(grep -c 'out of bounds' shown) $(grep -c 'out of bounds' said)" = '1 1' ] || complain "findings: not in a file beside a terminal"
fi

for arch in sm_80 sm_90; do
    "$program" emulate "$data/two.cubin" --launch "$transpose" --arch $arch -o "$arch.smprof" >said 2>&1
done
"$program" report sm_90.smprof --against sm_80.smprof | grep -qE '^ +of +sm_80 -> +sm_90$' ||
    complain "report --against: not said that the architectures differ"
"$program" report sm_90.smprof --against sm_90.smprof | grep -q 'sm_90' &&
    complain "report --against: of one architecture"
emulates 0 '"requests": ?4' "$data/two.cubin" --format json \
    --launch 'reduce<float><<<1, 128, 512>>>(float[1], float[128] = iota, 128)'
# Loads of constants are named where the lanes' addresses differ (programs.cu), not where they are the same.
tables='int_programs<<<1, 32>>>(uint32_t[65536], uint32_t[1024] = iota)'
emulates 0 'not modelled: 4 requests' "$data/programs.cubin" --launch "$tables"
emulates 0 'int_programs' "$data/programs.cubin" --launch "${tables/ = iota/}"
lacks 'not modelled'
# BSYNC waits for lanes inside its region, but not for lanes that have left it (left_regions.cu).
emulates 0 '^k0 1 launch' "$data/left_regions.cubin" --compare "1=@$data/left_regions.bin" \
    --launch 'k0<<<2, 32>>>(uint32_t[512], uint32_t[1024] = iota)'
emulates 1 'barrier: threads wait for others of their warp that never arrive' "$data/left_regions.cubin" \
    --launch 'stuck<<<1, 32>>>(uint32_t[64], uint32_t[1024] = iota)'
# A kernel that declares clusters of two blocks needs no --cluster.
pairs='pairs<<<4, 32>>>(uint32_t[64], uint32_t[32])'
emulates 0 'LD\.E ' "$data/warps.90.O3.cubin" --launch "$pairs"
emulates 0 'LD\.E ' "$data/warps.90.O3.cubin" --launch "$pairs" --cluster 2
emulates 3 'a cluster of 4 blocks along one axis: the kernel has 2' "$data/warps.90.O3.cubin" --launch "$pairs" --cluster 4
emulates 3 'a grid of 3 blocks is not a multiple of its clusters of 2' "$data/warps.90.O3.cubin" --launch "${pairs/4,/3,}"
emulates 1 'out of bounds: 4 bytes at byte 800 of argument 2, which has 800' "$data/two.cubin" \
    --launch 'reduce<<<1, 256, 1024>>>(float[1], float[200], 256)'
emulates 1 'two.cu:25: out of bounds' "$data/two.cubin" \
    --launch 'reduce<<<1, 256, 1024>>>(float[1], float[200], 256)'
emulates 1 'out of bounds: 4 bytes at byte 796 of argument 2, which has 798' "$data/two.cubin" \
    --launch 'reduce<<<1, 256, 1024>>>(float[1], uchar[798], 256)'
emulates 1 "bytes at byte 512 of the block's shared memory, which has 512" "$data/two.cubin" \
    --launch 'reduce<<<1, 256, 512>>>(float[1], float[256], 256)'
emulates 1 'endless loop: still running after 10 warp instructions' "$data/two.cubin" --limit 10 \
    --launch "$transpose"
emulates 3 "did you mean 'transpose'" "$data/two.cubin" --launch 'transpos<<<1,1>>>()'
emulates 3 '1 argument, but transpose.* takes 4' "$data/two.cubin" --launch 'transpose<<<1,1>>>(1)'
emulates 3 'argument 1, .1.: the parameter is a pointer' "$data/two.cubin" --launch 'transpose<<<1, 1>>>(1, 2, 3, 4)'
emulates 3 'argument 1, .*: more memory than there is' "$data/two.cubin" \
    --launch 'transpose<<<1, 1>>>(float[300000000000], float[4], 1, 1)'
emulates 3 'argument 3, .2.5.: the parameter is an integer' "$data/two.cubin" \
    --launch 'transpose<<<1,1>>>(nullptr, nullptr, 2.5, 1)'
emulates 3 'unknown type' "$data/two.cubin" --launch 'reduce<<<1,1>>>(flot[1], float[1], 1)'
emulates 3 'the result does not fit 64 bits' "$data/two.cubin" \
    --launch 'reduce<<<1,1>>>(float[4294967296*4294967297], float[1], 1)'
emulates 3 'expected as in CUDA' "$data/two.cubin" --launch 'transpose(1,2)'
emulates 3 'at most 1024' "$data/two.cubin" --launch 'transpose<<<1,2000>>>(nullptr,nullptr,1,1)'
emulates 3 'compiled for at most 256' "$data/two.cubin" --launch 'reduce<<<1,512>>>(nullptr,nullptr,1)'
emulates 2 'needs a file'
emulates 0 'assumed: block 32x8, grid 32x128, parameter 3 = 1024, parameter 4 = 1024' "$data/two.cubin"
emulates 3 'neither CUDA' "$data/forms.txt" --launch 'k<<<1,1>>>()'

# CUDA's names of types.
while IFS='|' read -r type bytes; do
    emulates 0 '' "$data/two.cubin" --launch "reduce<<<1, 32, 128>>>($type[3] -> typed, float[32], 32)"
    [ "$(wc -c <typed)" -eq $((3 * bytes)) ] || complain "$type: $(wc -c <typed) bytes"
done <<'END'
uint|4
ulonglong|8
uchar4|4
std::uint32_t|4
ushort3|6
float3|12
double4|32
__half2|4
__nv_bfloat162|4
END

# Integers may be expressions anywhere; 32x8 is a shape. An error names its column.
shapes='transpose<<<(97+31)/32 x 4, 32x8, 1<<4>>>(float[0x80*128], float[16000 + 3*128] = iota, 1<<7, (256/2))'
emulates 0 'LDS +128 requests, 4,096 wavefronts, ideal 128' "$data/two.cubin" --launch "$shapes"
emulates 0 'LDS +128 requests, 4,096 wavefronts, ideal 128' "$data/two.cubin" --launch "${transpose/iota/iota -> saved}"
reckoned() { # COLUMN MESSAGE LAUNCH
    emulates 3 "$2" "$data/two.cubin" --launch "$3"
    [ "$(awk '/^ *\^$/ { print length($0) - 3; exit }' said)" = "$1" ] || complain "$3: not at column $1"
}
reckoned 35 'division by zero' 'transpose<<<4, 32x8>>>(float[4], 12/(3-3), 1, 1)'
reckoned 41 'a number is expected here; names have no value' 'transpose<<<4, 32x8>>>(float[4], float[4*n], 1, 1)'
reckoned 32 'an array needs at least one element' 'transpose<<<4, 32x8>>>(   float[4-4], float[4], 1, 1)'
reckoned 49 'the result does not fit 64 bits' 'transpose<<<4, 32x8>>>(float[4], nullptr, 1<<62*1<<63, 1)'
reckoned 12 'names have no value' 'transpose<<<n, 32x8>>>(float[4], 1, 1, 1)'
reckoned 15 'this number is negative' 'transpose<<<1, 2-3>>>(1, 1, 1, 1)'
reckoned 21 'a shape has three numbers' 'transpose<<<1, 2x2x2x2>>>(1, 1, 1, 1)'

# Errors in a launch are reported before anything is compiled or read.
while IFS='|' read -r launch what; do
    emulates 3 "$what" absent.cu --launch "$launch"
done <<'END'
k<<<1>>>()|',' and the block's shape
k<<<1, 2048>>>()|at most 1024
k<<<1, 64x32>>>()|a block of 2048 threads: at most 1024
k<<<1, 0>>>()|at least one thread
k<<<1x70000, 1>>>()|a grid of 70000 blocks along one axis
k<<<1, 32>>>(flot[4])|unknown type
k<<<1, 32>>>(float[4] = ones)|arrays are filled by
k<<<1, 32>>>(float[4] = zero iota)|arrays are filled by
k<<<1, 32>>>(float[4] = @no/such/file)|no/such/file: No such file
k<<<1, 32>>>(float[4], $3)|where argument N is an array
k<<<1, 32>>>(float[4], $2)|where argument N is an array
k<<<1, 32>>>(float[4]+256)|at most 255 bytes after a multiple of 256
k<<<1, 32>>>(hex:0)|two hexadecimal digits
k<<<1, 32>>>(1.5.2)|is expected
k<<<1, 32>>>(tensor(float[64], [8]))|expected tensor
END
# An array that starts off a sector, and an address in a later array: what the kernel writes is in that array.
turn='transpose<<<dim3(4,4), dim3(32,8)>>>'
for sectors in "4,096 float[16384], float[16384]+32 = iota" "4,608 float[16384]+4, float[16384] = iota" \
    "4,096 \$2+65536, float[32768] = iota -> turned"; do
    emulates 0 "^  ${sectors%% *} sectors" "${data%/sass}/programs/transpose.cubin" --launch "$turn(${sectors#* }, 128, 128)"
done
[ "$(od -An -v -tf4 -w8 -j65536 -N8 turned | tr -s ' ')" = ' 0 128' ] || complain "an address in a later array"
# Two megabytes past an array there is no other one.
emulates 1 'out of bounds: 4 bytes at byte .* of argument 1, which has 65536' \
    "${data%/sass}/programs/transpose.cubin" --launch "$turn(float[16384], float[16384], 128, 4096)"
emulates 2 'expected N=@FILE' absent.cu --launch 'k<<<1, 32>>>(float[4])' --compare 1=x
emulates 3 'no/such: No such file' absent.cu --launch 'k<<<1, 32>>>(float[4])' --compare 1=@no/such
emulates 3 'absent.cu' absent.cu --launch 'k<<<1, 32>>>(float[4] = iota, 1)'

# A single memory space can be shown.
emulates 0 'LDS +128 requests' "$data/two.cubin" --launch "$transpose" --memory shared
lacks 'LDG|STG'
emulates 0 '"STG.E",' "$data/two.cubin" --launch "$transpose" --memory global --format csv
lacks '"LDS"|"STS"'
emulates 0 '"LDS",' "$data/two.cubin" --launch "$transpose" --memory all --format csv
emulates 1 '' "$data/two.cubin" --launch "$transpose" --memory shared --max-ways 2
emulates 3 '' "$data/two.cubin" --launch "$transpose" --memory local --max-ways 2
emulates 2 'shared, global, local' "$data/two.cubin" --launch "$transpose" --memory nonsense

# Lanes of a copy that read nothing and write zeros are separate requests, as on the GPU; the cost of the others is
# known.
filled='filled<<<1,128>>>(uint32_t[1024], uint32_t[1024] = iota)'
emulates 0 '"LDGSTS.E.BYPASS.128",.*,copy,,0,3,,,,,,,0,' "$data/features.90.cubin" --format csv --launch "$filled"
emulates 0 '"LDGSTS.E.ZFILL",.*,copy,cp.async,4,4,4,4,0,1,16,16,1,' "$data/features.90.cubin" --format csv \
    --launch "$filled"
emulates 0 '"LDGSTS.E.ZFILL",.*,copy,,0,4,,,,,,,0,' "$data/features.90.cubin" --format csv --launch "$filled"
emulates 0 'not modelled: a copy that only writes zeros: no rule' "$data/features.90.cubin" --instructions --lines all \
    --launch "$filled"

# Calls of functions in other sections: by name, through a table in memory, through registers; and pointers to
# variables. The expected values of linked.cu are computed here.
emulates 1 'linked_called.cu:6 ' "$data/linked.cubin" --max-ways 1 \
    --launch "linked<<<1, 64>>>(float[64] -> linked, float[64] = iota, 1)"
wanted=$(awk 'BEGIN {
    for (i = 0; i < 64; i++) {
        shared = 32 * (i % 2)
        y = 2 * (i % 2 ? i - 1 : i + 1) + shared
        print y + ((i + 1) % 2 ? 3 * y : 2 * y + shared) + 7 + 10 * 7
    } }' | sort -n | tr '\n' ' ')
got=$(od -An -v -tf4 -w4 linked | tr -d ' ' | sort -n | tr '\n' ' ')
[ "$got" = "$wanted" ] || complain "functions in other sections: $got"
emulates 1 'linked.cu:33: .*a call of a function that has no code here' "$data/linked.cubin" \
    --launch 'called_nothing<<<1, 64>>>(float[64], float[64])'

# The driver's own functions, called by name: printf, assert, and a heap of 8 MiB that reuses freed memory.
heap() { emulates "$1" "$2" "$data/linked.cubin" --launch "heap<<<1, 32>>>(int[32] -> heap, $3)"; }
heap 0 '^279 of 10$' '10, 40, 1'
[ "$(od -An -v -td4 -w4 heap | awk '{ s += $1 } END { print s }')" = 4464 ] ||
    complain "heap: $(od -An -td4 heap)"
heap 1 'linked.cu:41: assertion: .*linked.cu:41: .n < 100. failed' '100, 400, 1'
heap 1 'linked.cu:52: freed memory: free of 0x[0-9a-f]*, which malloc did not return or which is already free' '1, 16, 2'
heap 0 '' '1, 262000, 1' # 32 times this are just below 8 MiB
od -An -v -td4 heap | grep -q -- '-1' && complain "heap: no room for what there is room for"
heap 0 '' '0, 270000, 1'
[ "$(od -An -v -td4 -w4 heap | grep -c -- '-1')" -eq 1 ] || complain "heap: room for more than 8 MiB"
heap 1 'linked.cu:47: out of bounds: 4 bytes at byte 28 of a block of malloc.., which has 16' '32, 16, 1'
heap 1 'linked.cu:47: out of bounds: 4 bytes at byte 12 of a block of malloc.., which has 15' '4, 15, 1'

# Predicates set from each byte of a register.
emulates 0 'R2P PR,x.Bx,x' "$data/bits.cubin" --launch "bits<<<1, 32>>>(unsigned[32] -> bits, unsigned[32] = iota)"
wanted='' got=$(od -An -v -tu4 -w4 bits | tr -d ' ' | tr '\n' ' ')
for ((lane = 0; lane < 32; lane++)); do
    ((bits = (lane * 0x01234567) & 0xffffffff, x = 0))
    for ((i = 0; i < 32; i++)); do ((x ^= bits >> i & 1 ? i : 0)); done
    wanted+="$x "
done
[ "$got" = "$wanted" ] || complain "bits: $got"

# A message names the instruction that is not understood, not the store that depends on it.
emulates 1 'HMMA.SP[.0-9A-Z]* is not emulated, and what is stored depends on it' "$data/bits.cubin" \
    --launch 'sparse<<<1, 32>>>(float[32], unsigned[256])'
has 'at 0x[0-9a-f]*: HMMA\.SP'

# A parameter of 32,752 bytes, and the parameter after it.
"$program" emulate "$data/bits.cubin" >said 2>&1 \
    --launch "large<<<1, 32>>>(hex:$(printf '03000000%.0s' {1..8188}), int[32] -> large)" ||
    complain "large parameters:"
[ "$(od -An -v -td4 -w4 large | awk '{ s += $1 } END { print s }')" = 24564 ] || complain "large parameters"

# A function called by name is reported separately, with its own offsets, as on a GPU.
"$program" emulate "$data/linked.cubin" --format csv --launch 'linked<<<1, 64>>>(float[64], float[64] = iota, 1)' >said 2>&1
grep -q '^"_Z5twicefPf",0,80,"LD.E",' said && grep -q '^"_Z6linkedPfPKfi",1,80,"LDG.E",' said ||
    complain "a called function is not apart"

# The evidence of results that no GPU of the generation has confirmed.
"$program" emulate "$data/forms.75.cubin" --launch 'int_more<<<1, 64>>>(unsigned[4096], unsigned[256] = iota)' >said 2>&1
tr -s ' \n' ' ' <said | grep -q 'not confirmed on a GPU of 7.5' || complain "no evidence for 7.5"
emulates 0 '"evidence": ?"instructions as an H200 computes them"' "$data/two.cubin" --launch "$transpose" --format json

# The evidence is printed for each generation with code here. 8.8, whose shared memory no document describes, follows
# another chip if asked to.
while read -r file chip kernel; do
    "$program" emulate "$data/$file.cubin" --launch "$kernel<<<1, 64>>>(unsigned[4096], unsigned[256] = iota)" >said 2>&1
    tr -s ' \n' ' ' <said | grep -q "not confirmed on a GPU of $chip" || complain "no evidence for $chip"
done <<'END'
forms.80 8.0 int_more
forms.86 8.6 int_more
forms.89 8.9 int_more
forms.100 10.0 int_more
forms.120 12.0 int_more
END
for file in programs.87:8.7 programs.103:10.3 programs.110:11.0 programs.121:12.1; do
    kernel=$(sed -n '/^[a-z]/{s/ .*//p;q;}' "$data/programs.txt")
    "$program" emulate "$data/${file%:*}.cubin" --launch "$kernel<<<1, 64>>>(unsigned[65536], unsigned[65536] = iota)" >said 2>&1
    tr -s ' \n' ' ' <said | grep -q "not confirmed on a GPU of ${file#*:}" || complain "no evidence for ${file#*:}"
done
{ head -c 49 "$data/programs.87.cubin" && printf '\x58' && tail -c +51 "$data/programs.87.cubin"; } >88.cubin
launch_ints="$kernel<<<1, 64>>>(unsigned[65536], unsigned[65536] = iota)"
emulates 0 'sm_88' 88.cubin --launch "$launch_ints"

# Unrecorded forms of instructions are named, if they are reached.
described() {
    { "$program" emulate "$1" --launch "$2" --format "${3:-text}" 2>/dev/null || true; } | tr -s ' \n' ' '
}
programs=$data/../programs
described "$programs/runtime.cubin" 'swap<<<1, 2>>>(int[4], int[8])' |
    grep -qF 'evidence 1 form of instruction known from documentation only, not confirmed on a GPU: ATOMG.E.CAS.64.STRONG.GPU P,x,[x],x,x 1 kernel' ||
    complain "swap: not its form"
described "$programs/runtime.cubin" 'hold<<<1, 1>>>(0)' json | grep -q '"described": \[ "CALL.ABS.NOINC x"' ||
    complain "hold: not the call of its assertion"
described "$programs/runtime.cubin" 'hold<<<1, 1>>>(1)' json | grep -qF '"described": [],' ||
    complain "hold: a call that is not reached"
described "$data/two.cubin" "$transpose" | grep -q evidence && complain "two: all its forms are recorded"

# PTX that calls a function of another file: ptxas's own words, not an option of nvcc.
cat >calls.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.extern .func elsewhere ();
.visible .entry k() { call.uni elsewhere, (); ret; }
END
[ -z "$(command -v ptxas)" ] || emulates 3 "ptxas: Unresolved extern function 'elsewhere'" calls.ptx --launch 'k<<<1, 1>>>()'

# Tensor maps over an array of their own or an earlier one: the box of 8 rows from row 8 and column 4, with zeros past the
# last column. Maps that the text of a launch cannot describe are refused.
place=04000000080000000000000000000000000000004000000040000000 # x 4, y 8, 64 words
boxes="load2<<<1, 128, 8192>>>(unsigned[256] -> box, tensor(float[128] = iota, [16][8], [8][8]), hex:$place)"
emulates 0 '' "$data/tensor.cubin" --launch "$boxes" --lines all
got=$(od -An -v -tf4 -w32 -N256 box | tr -s ' ' | head -n 2 | tr '\n' ';')
[ "$got" = ' 68 69 70 71 0 0 0 0; 76 77 78 79 0 0 0 0;' ] || complain "a box of a tensor: $got"
boxes="load2<<<1, 128, 8192>>>(unsigned x[256] = iota -> box, tensor(\$1+32, [10][8], [8][8], [16][1]), hex:$place)"
emulates 0 '' "$data/tensor.cubin" --launch "$boxes"
got=$(od -An -v -tu4 -w32 -N256 box | tr -s ' ' | head -n 2 | tr '\n' ';')
[ "$got" = ' 140 141 142 143 0 0 0 0; 156 157 158 159 0 0 0 0;' ] || complain "a box of a tensor with strides: $got"
while IFS='|' read -r map what; do
    emulates 3 "argument 2, .*: $what" "$data/tensor.cubin" \
        --launch "load2<<<1, 128, 8192>>>(float[128] = iota, $map, hex:$place)"
done <<'END'
5|the parameter is not a number.*tensor map
nullptr|it has 8 bytes, but the parameter has 128
tensor($1, [16][8])|expected tensor
tensor(, [16][8], [8][8])|expected tensor
tensor($2, [16][8], [8][8])|.*an earlier array
tensor($1+4, [15][8], [8][8])|the driver refuses such a tensor map
tensor($1+600, [1][8], [1][8])|the tensor is larger than its array
tensor($1, [16][8], [8][8], [8])|a tensor has one stride per dimension
tensor($1, [16][8], [8][8], [16][1])|the tensor is larger than its array
tensor($1, [16][9], [8][8])|the tensor is larger than its array
tensor($1, [16][6], [8][4])|the driver refuses such a tensor map
tensor($1, [16][8], [8][8], swizzle96)|a tensor's swizzle is
END
interleaved=0000000000000000a00b0000$(printf '0%.0s' {1..232})
emulates 1 'a tensor map with interleaved layout 1' "$data/tensor.cubin" \
    --launch "load3<<<1, 128, 8192>>>(unsigned[256], hex:$interleaved, hex:$place)"
emulates 1 'UTMALDG.3D.IM2COL is not emulated; another --arch' "$data/im2col.cubin" \
    --launch 'im2col<<<1, 1>>>(float[1], tensor(float[4096], [16][16][16], [4][4][4]))'
has 'UTMALDG.3D.IM2COL'
for kernel in 'tex2<<<1, 32>>>(float4[32], 0, float4[32])' 'read2_4_trap<<<1, 32>>>(unsigned[32], 0, float4[32])'; do
    emulates 5 "^smemprobe: ${kernel%%<*} uses a (texture|surface) \\(0x[0-9a-f]*: (TEX|SULD).*which --launch cannot make; .*profile --no-gpu" \
        "$data/texture.cubin" --launch "$kernel"
done

# Results are saved and read again.
emulates 0 '' "$data/two.cubin" \
    --launch "reduce<<<1, 256, 1024>>>(float[1] -> sum, float[256] = iota, 256)"
[ "$(od -An -tf4 sum | tr -d ' ')" = 32640 ] || complain "a sum is wrong"
emulates 0 '' "$data/two.cubin" \
    --launch "reduce<<<1, 32, 128>>>(float[1] -> again, float[1] = @sum, 1)"
cmp -s sum again || complain "a file is read wrongly"

# Results in NumPy's format, and compared with a file.
sum="reduce<<<1, 256, 1024>>>(float[1], float[256] = iota -> iota.npy, 256)"
emulates 0 '' "$data/two.cubin" --launch "$sum" --compare "1=@sum"
head -c 128 iota.npy | grep -aq "NUMPY.*'descr': '<f4'.*'shape': (256,)" ||
    complain "no file of NumPy's"
[ "$(wc -c <iota.npy)" -eq 1152 ] || complain "its head is not a multiple of 64 bytes"
again="reduce<<<1, 256, 1024>>>(float[1], float[256] = @iota.npy, 256)"
emulates 0 '' "$data/two.cubin" --launch "$again" --compare "1=@sum" --compare "2=@iota.npy"
printf '\x01' | dd of="iota.npy" bs=1 seek=168 conv=notrunc 2>dd # [10]: 10 -> 10.000001
emulates 1 'argument 2 differs in 1 of 256 elements; the first is \[10\]: 10, expected 10.00000095' \
    "$data/two.cubin" --launch "${sum/ -> *npy/}" --compare "2=@iota.npy"
emulates 0 '' "$data/two.cubin" --launch "${sum/ -> *npy/}" --compare "2=@iota.npy~1e-6"
emulates 3 'elements of another type' "$data/two.cubin" --compare "2=@iota.npy" \
    --launch 'reduce<<<1, 256, 1024>>>(float[1], int[256], 256)'
emulates 3 'has 4 bytes, but argument 2 has 1024' "$data/two.cubin" --launch "${sum/ -> *npy/}" --compare "2=@sum"
emulates 2 'not an array of the launch' "$data/two.cubin" --launch "${sum/ -> *npy/}" --compare "3=@sum"
emulates 2 'expected N=@FILE' "$data/two.cubin" --launch "${sum/ -> *npy/}" --compare "2=sum"
emulates 2 'relative tolerance' "$data/two.cubin" --launch "${sum/ -> *npy/}" --compare "2=@sum~x"

# Errors of the disassembler about such files are replaced by our own messages.
emulates 3 '^smemprobe: /bin/ls: it contains no machine code for GPUs' /bin/ls --launch 'k<<<1,1>>>()'
head -c 3000 "$data/two.cubin" >cut.cubin
emulates 3 '^smemprobe: cut\.cubin: not a sound cubin' cut.cubin --launch 'k<<<1,1>>>()'

# A launch is kept and run again.
emulates 0 '' "$data/two.cubin" --launch "$sum" --capture kept
emulates 0 'reduce<float> 1 launch' kept
printf '\x01' | dd of="kept/memory-0.after.raw" bs=1 conv=notrunc 2>dd
emulates 1 'memory differs from what was kept: .*\(memory-0\), byte 0:' kept
emulates 2 'kept: File exists' "$data/two.cubin" --launch "$sum" --capture kept
emulates 2 'so --launch, .* and --capture do not apply' kept --capture other

if "$program" emulate "$data/two.cu" --launch 'nobody<<<1,1>>>()' 2>&1 | grep -q 'no kernel'; then
    for arch in sm_80 sm_89; do
        emulates 0 'LDS +128 requests, 4,096 wavefronts, ideal 128' "$data/two.cu" --arch "$arch" \
            --launch "$transpose"
    done
fi
finish
