exec 2>&1
# Accesses whose cost is not known, and conflicts that no layout can change: neither is passed over
# in silence, and neither stands in the way of the others.
try() {
    echo "-- $*"
    smemprobe fix "$@" | sed '/^  CUDA C/,/^$/d; /^  CuTe/,/^$/d; /^  layouts of/,$d'
    echo "exit status ${PIPESTATUS[0]}"
    smemprobe fix "$@" --emit smp >fixed.smp && smemprobe check fixed.smp
}
floats='atomicAdd(&t[threadIdx.x][0], 1.0f)'
try "$floats" --shared 'float t[32][32]'
try "$floats" 'ld t[threadIdx.x][1]' --shared 'float t[32][32]'
try "$floats" 'st t[threadIdx.x][0]' --shared 'float t[32][32]' --space linear
try 'atomicAdd(&t[threadIdx.x][0], 1)' --shared 'int t[32][32]' --arch sm_35,sm_90
try 'ldmatrix.x4 &t[laneid % 16][laneid / 16 * 8]' --shared 'half t[16][64]' --block 35
copy='cp.async.ca &t[threadIdx.x][0], &A[threadIdx.x][0], 4'
try "$copy" --shared 'float t[32][32]' --global 'float A[32][32]'
try "$copy" 'ld t[threadIdx.x][0]' --shared 'float t[32][32]' --global 'float A[32][32]'
try 'cp.async.cg &t[threadIdx.x][0], &A[threadIdx.x][0], 16' --shared 'float t[32][32]' --global 'float A[32][32]'
echo "-- what no layout changes is not called free of conflicts; an open array grows no further than a block"
try 'ld v[threadIdx.x]' --shared 'float4 v[64]' --arch sm_20
try 'ld v[threadIdx.x * 2]' --shared 'float4 v[64]' --arch sm_20
printf 'extern __shared__ float a[][16]\nblock 256\nld a[threadIdx.x][0]\nld a[threadIdx.x][15]\n' >open.smp
try open.smp --arch sm_13 --space pad
try open.smp --arch sm_13
