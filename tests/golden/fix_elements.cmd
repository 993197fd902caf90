exec 2>&1
# Elements that grow, and arrays that CuTe's layouts declare: what the code and the file say.
try() {
    echo "-- $*"
    smemprobe fix "$@" --emit cuda
    smemprobe fix "$@" --emit smp | tee fixed.smp
    smemprobe check fixed.smp
}
try 'ld t[threadIdx.x].x' --shared 'struct { float x, y, z, w; } t[64] : Swizzle<2,0,3>'
try 'ld t[threadIdx.x % 8][threadIdx.x / 8].y' --shared 'struct { float x, y, z, w; } t[8][8] : Swizzle<1,0,3>'
printf 'struct P { float x, y, z, w; };\nshared P t : (8,8):(1,8)\nld t(threadIdx.x / 8, threadIdx.x %% 8).x\n' >named.smp
try named.smp
try 'ldmatrix.x4 &t(laneid % 16, laneid / 16 * 8)' --shared 'half t : (16,64):(64,1)' --space pad
try 'ldmatrix.x4 &t(laneid % 16, laneid / 16 * 8)' 'st t[laneid][laneid]' --shared 'half t : (32,64):(64,1)' --space pad
