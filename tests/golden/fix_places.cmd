exec 2>&1
# Several arrays that share the memory: placed ones, dynamic ones, limits, and what stays as it is.
head3() {
    echo "-- $*"
    smemprobe fix "$@" | sed -n '3,/^$/p'
}
a='float a[32][32]' b='float b[32][32]'
read_a='ld a[threadIdx.x][0]' read_b='ld b[threadIdx.x][0]'
head3 "$read_a" "$read_b" --shared "$a" --shared "$b" --space pad
head3 "$read_a" "$read_b" --shared "$a" --shared "$b" --space pad --max-bytes 8320
head3 "$read_a" "$read_b" --shared "$a" --shared "$b" --space pad --max-bytes 8200
head3 "$read_a" "$read_b" --shared "$a" --shared "$b" --space pad,xor --max-bytes 8192
head3 "$read_a" "$read_b" --shared "$a @ 0" --shared "$b @ 0"
head3 "$read_a" "$read_b" --shared "$a @ 0" --shared "$b @ 4096" --space pad
head3 "$read_a" "$read_b" --shared "$a @ 0" --shared "$b @ 8192" --space pad
head3 "$read_a" "$read_b" --shared "$a @ 16" --shared "$b"
head3 "$read_a" 'ld e[threadIdx.x * 32]' --shared "$a" --shared 'extern float e[]'
head3 "$read_a" 'ld e[threadIdx.x * 32]' --shared 'char odd[5]' --shared "$a" --shared 'extern float e[]' --space pad
head3 'ld *(float4 *)&a[threadIdx.x][0]' 'ld c[threadIdx.x]' --shared 'char c[5]' --shared 'float a[32][32]'
head3 "$read_a" 'ld d[threadIdx.x * 2]' --shared "$a" --shared 'double d[64]' --arch 1.3,3.5,9.0
head3 'ld.cluster(1) a[threadIdx.x][0]' --shared 'float a[32][33]'
head3 'ld.cluster(1) a[threadIdx.x][0]' 'st a[0][threadIdx.x]' --shared "$a"
head3 "$read_a" --shared "$a" --arch all
head3 "$read_a" --shared "$a" --arch sm_70,volta,9.0
head3 'ld *(float4 *)&a[threadIdx.x][0]' "$read_a" 'ld *(float2 *)&a[threadIdx.x][0]' --shared 'float a[32][64]' --space pad
head3 'ld a[threadIdx.x][threadIdx.y][0]' --shared 'float a[8][4][32]' --block 8x4
head3 'ld (&a[0][0])[threadIdx.x * 33]' 'ld a[threadIdx.x][0]' --shared "$a"
printf '%s\n' '#define N 32 // columns' 'shared float a[N][N] // the tile' '' '   # a remark' \
    'block 32x2' 'ld a[threadIdx.x][threadIdx.y] // by columns' 'expect ways <= 32' 'expect excess <= 62 # too many' \
    'st a[threadIdx.y][threadIdx.x]' >a.smp
smemprobe fix a.smp --emit smp
smemprobe fix a.smp -o a.cu && cat a.cu
smemprobe fix a.smp -o fixed.smp && smemprobe check fixed.smp
smemprobe fix a.smp -o nowhere/a.smp
printf 'shared alignas(16) float a[32][32]\nshared __align__(8) double d[16][16]\nld a[threadIdx.x][0]\nld d[threadIdx.x %% 16][0]\n' | tee b.smp
smemprobe fix b.smp --emit smp --space pad
smemprobe fix b.smp --emit cuda
smemprobe fix b.smp --emit cute --arch sm_80,sm_90
smemprobe fix "a far longer access than any name that fits one line of the report[threadIdx.x]" --shared "$a"
smemprobe fix "$read_a" --shared "$a" --space nonsense
smemprobe fix "$read_a" --shared "$a" --space pad,
smemprobe fix "$read_a" --shared "$a" --arch sm_12345,9.0
smemprobe fix "$read_a" --shared "$a" --probe --device x
smemprobe fix "$read_a" --shared "$a" --keep nothing
smemprobe fix a.smp b.smp
