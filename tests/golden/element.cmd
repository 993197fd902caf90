# An element and nothing else is read.
smemprobe 'tile[threadIdx.x][0]' --shared 'float tile[32][32]'
smemprobe 'tile[threadIdx.x][zz]' --shared 'float tile[32][32]'
