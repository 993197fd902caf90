# needs: stand-in
smemprobe probe 'ld tile[threadIdx.x][threadIdx.y + j]' 'st tile[threadIdx.y][threadIdx.x]' --shared 'float tile[32][32]' --block 32x2 --for j=0:4:2
smemprobe probe $DATA/../../examples/cluster-histogram.smp | tail -1
echo "exit ${PIPESTATUS[0]}"
smemprobe probe $DATA/../../examples/gemm-copy.smp
echo "exit $?"
smemprobe probe 'ld tile[threadIdx.x][oops]' --shared 'float tile[32][32]'
echo "exit $?"
SMP_STANDIN=wrong=1 smemprobe probe 'ld tile[threadIdx.x]' --shared 'float tile[32]' --format csv
echo "exit $?"
