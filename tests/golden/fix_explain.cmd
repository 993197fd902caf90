exec 2>&1
# Why a layout of each kind works, in words, and the same as JSON.
column='ld t[threadIdx.x][threadIdx.y]'
explain() {
    echo "-- $*"
    smemprobe fix "$@" --explain | sed -n '/^  why/,/^$/p'
    smemprobe fix "$@" --explain --format json | sed -n '/"notes"/,/^ \]/p'
}
for space in pad xor linear rotate pad+xor; do
    explain "$column" 'st t[threadIdx.y][threadIdx.x]' --shared 'float t[32][32]' --block 32x8 --space $space
    explain 'ld *(float4 *)&t[threadIdx.x][0]' --shared 'float t[32][64]' --space $space
done
explain "$column" --shared 'double t[32][32]' --block 32x8
explain "$column" --shared 'char t[64][64]' --block 32x8
explain "$column" --shared 'half t[64][64]' --block 32x8 --space pad
explain "$column" --shared 'float t[24][20]' --block 24x8
explain 'ld t[threadIdx.z][threadIdx.x][threadIdx.y]' --shared 'float t[4][16][16]' --block 16x4x4
explain 'ldmatrix.x4 &t[threadIdx.x % 16][threadIdx.x / 16 * 8]' --shared 'half t[16][64]'
explain 'ldmatrix.x4 &t[threadIdx.x % 16][threadIdx.x / 16 * 8]' --shared 'half t[16][64]' --space pad
explain 'ld p[threadIdx.x * 4].y' --shared 'struct { float x, y; } p[256]'
explain 'ld a[threadIdx.x * s]' --shared 'int a[1024]' --for 's=1:33:*2'
explain 'ld e[threadIdx.x * 32]' --shared 'extern float e[]'
explain "$column" 'ld u[threadIdx.x][threadIdx.y]' --shared 'float t[32][32]' --shared 'float u[32][32]' --block 32x8
explain "$column" --shared 'float t[32][32]' --block 32x8 --arch 3.5
explain "$column" --shared 'float t[32][32]' --block 32x8 --arch 1.3
explain "$column" --shared 'float t[32][32]' --block 32x8 --arch 1.0,3.5,9.0
explain 'ld.cluster(1) t[threadIdx.x][0]' --shared 'float t[32][32]'
explain 'atomicAdd(&t[threadIdx.x][0], 1)' --shared 'int t[32][32]'
explain 'ld t[threadIdx.x][0]' 'ld t[0][threadIdx.x]' 'ld t[threadIdx.x][threadIdx.x]' --shared 'float t[32][32]'
# The limit that is reached is the block's, not the one as requested.
smemprobe fix "$column" --shared 'float t[64][64]' --arch 1.3 --space pad --max-bytes 20000 --explain | sed -n '/obstacles/,/^$/p'
