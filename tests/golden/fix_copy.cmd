# A copy to shared memory is a call in CUDA C, whichever way the layout writes it.
smemprobe fix - --emit cuda <<'END'
arch sm_90
shared float tile[32][32]
global float g[64][64]
block 32
cp.async.ca &tile[threadIdx.x][2], &g[threadIdx.x][0], 4
if (threadIdx.x < 31) cp.async tile[threadIdx.x][3] , g[threadIdx.x][min(1, 2)]   # a copy
ld tile[threadIdx.x][threadIdx.y]
END
cat >matrices.smp <<'END'
arch sm_90
shared half tile[64][64]
global half g[64][64]
block 32
cp.async *(uint4 *)&tile[threadIdx.x][0], *(uint4 *)&g[threadIdx.x][0]
ldmatrix.x4 tile[threadIdx.x % 16][8 * (threadIdx.x / 16)]
END
smemprobe fix matrices.smp --emit cuda
smemprobe fix matrices.smp --emit smp | smemprobe check -
