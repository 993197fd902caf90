exec 2>&1
# What fix makes of layouts of many kinds, and that check finds the result free.
try() {
    echo "-- $*"
    smemprobe fix "$@" >out.txt
    echo "exit status $?"
    smemprobe fix "$@" --emit smp >fixed.smp && smemprobe check --max-ways 1 fixed.smp | tail -n 1
}
column='ld t[threadIdx.x][threadIdx.y]'
try "$column" --shared 'float t[32][32]' --block 32x8
try "$column" --shared 'double t[32][32]' --block 32x8
try "$column" --shared 'char t[64][64]' --block 32x8
try "$column" --shared 'half t[64][64]' --block 32x8
try "$column" --shared 'float t[32][32]' --block 32x8 --arch 3.5
try "$column" --shared 'float t[24][20]' --block 24x8
for space in pad xor linear rotate pad+xor; do
    try "$column" 'st t[threadIdx.y][threadIdx.x]' --shared 'float t[32][32]' --block 32x8 --space $space
done
try 'ld *(float4 *)&t[threadIdx.x][0]' --shared 'float t[32][64]'
try 'ld *(float4 *)&t[threadIdx.x / 8][threadIdx.x % 8 * 4]' "$column" --shared 'float t[32][32]'
try 'ld t[threadIdx.z][threadIdx.x][threadIdx.y]' --shared 'float t[4][16][16]' --block 16x4x4
try 'ldmatrix.x4 &t[threadIdx.x % 16][threadIdx.x / 16 * 8]' --shared 'half t[16][64]'
try 'ldmatrix.x4.trans &t[k + threadIdx.x % 16][threadIdx.x / 16 * 8]' --shared 'half t[64][32]' --for k=0:64:16
try 'ld p[threadIdx.x * 4].y' --shared 'struct { float x, y; } p[256]'
try 'ld a[threadIdx.x * s]' --shared 'int a[1024]' --for 's=1:33:*2'
try 'ld a[threadIdx.x * 2]' 'st b[threadIdx.x * 4]' --shared 'int a[64]' --shared 'int b[128]'
try "$column" 'ld u[threadIdx.x][threadIdx.y]' --shared 'float t[32][32]' --shared 'float u[32][32]' --block 32x8
try "$column" 'ld u[threadIdx.x][threadIdx.y]' --shared 'float t[32][32]' --shared 'float u[32][32]' --block 32x8 --keep u
try 'atomicAdd(&t[threadIdx.x][0], 1)' --shared 'int t[32][32]'
try 'ld e[threadIdx.x * 32]' --shared 'extern float e[]'
try 'ld t[threadIdx.x][0]' 'ld t[0][threadIdx.x]' 'ld t[threadIdx.x][threadIdx.x]' --shared 'float t[32][32]'
try 'ld t[threadIdx.x][0]' --shared 'float t[32][32]' --max-bytes 4096
try 'ld t[threadIdx.x][0]' --shared 'float t[256][32]' --block 32 --arch 7.0,8.0,9.0
try 'ld t[5]' --shared 'float t[32]'
try 't[threadIdx.x][threadIdx.y] = g[threadIdx.x];' --shared 'float t[32][32]' --global 'float g[64]' --block 32x4
try 'ld.cluster(1) t[threadIdx.x][0]' --shared 'float t[32][32]'
try 'if (threadIdx.x % 2 == 0) ld t[threadIdx.x][threadIdx.y]' --shared 'float t[32][32]' --block 32x8
try 'ld t[threadIdx.x][0]' --shared 'half t[32][64] : Swizzle<1,3,3>'
try 'cp.async &t[threadIdx.x][0], &g[threadIdx.x], 8' --shared 'float t[32][32]' --global 'float2 g[64]'
smemprobe fix "$column" --shared 'float t[32][32]' --block 32x8 --emit cuda
smemprobe fix "$column" --shared 'half t[64][64]' --block 32x8 --emit cute
smemprobe fix 'ld t[threadIdx.x][0]' --shared 'float t[32][64]' --format csv
smemprobe fix 'ld t[threadIdx.x][0]' 'ld u[threadIdx.x * 2]' --shared 'float t[32][64]' --shared 'int u[64]' --format json | head -n 12
