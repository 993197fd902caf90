smemprobe 'ld tile[threadIdx.x' --shared 'float tile[32]'; echo $?
smemprobe 'ld tile[threadIdx.x + 1]' --shared 'float tile[32]'; echo $?
smemprobe 'ld tile[threadIdx.x / j]' --shared 'float tile[32]' --for j=-1:1; echo $?
smemprobe 'ld tile[1 << threadIdx.x * 2]' --shared 'float tile[32]'; echo $?
smemprobe 'ld *(float4 *)&tile[threadIdx.x]' --shared 'float tile[64]'; echo $?
smemprobe 'ld tile[threadIdx.x]' --shared 'flaot tile[32]'; echo $?
smemprobe 'ld tile[threadIdx.x]' --shared 'float tile[32]' --block 32x64; echo $?
smemprobe 'ld tile[threadIdx.x]' --shared 'float tile[N]' --define N; echo $?
smemprobe 'ldmatrix.x4 &tile[0]' --shared 'half tile[64]' --arch sm_70; echo $?
smemprobe 'blah blah'; echo $?
smemprobe 'if (threadIdx.x < 16) __syncthreads();'; echo $?
smemprobe '__syncthreads'; echo $?
smemprobe '__syncthreads()'; echo $?
smemprobe ' '; echo $?
smemprobe predict nothing.smp; echo $?
echo 'ld a[laneid]' >layout.txt
smemprobe predict layout.txt; echo $?
smemprobe fix layout.txt; echo $?
printf 'shared int a[4]\n\nld a[laneid]\n' >small.smp
smemprobe predict small.smp; echo $?
smemprobe predict small.smp 'ld a[0]'; echo $?
head -c 100000 /dev/zero | tr '\0' '(' >deep.smp
smemprobe predict deep.smp 2>&1 | cut -c1-90
printf 'shared int a[\0 4]\n' >nul.smp
smemprobe predict nul.smp; echo $?
