smemprobe 'ld tile[threadIdx.x][3]' 'ldmatrix.x4 &*(half *)tile' --shared 'float tile[32][32]' --arch all
smemprobe 'ld tile[threadIdx.x][3]' 'st tile[0][laneid]' --shared 'float tile[32][32]' --arch sm_90 --format csv
