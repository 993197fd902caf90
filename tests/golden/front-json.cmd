smemprobe 'if (laneid < 8) ld.global A[j][laneid]' --global 'float2 A[N][N]' --define N=1024 --block 64 --for j=0:4 --arch sm_90 --format json
