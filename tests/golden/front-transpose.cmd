smemprobe 'st tile[threadIdx.y + j][threadIdx.x]' 'ld tile[threadIdx.x][threadIdx.y + j]' \
    --shared 'float tile[32][32]' --block 32x8 --for j=0:32:8 --arch sm_90
