smemprobe 'ld tile[threadIdx.x][3]' --shared 'float tile[32][33]' --arch sm_90 --explain
