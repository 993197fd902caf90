# needs: stand-in
# Each call of CUDA and CUPTI fails once: what is said, the exit status, and what is left in the folder.
try() {
    echo "-- $*"
    SMP_STANDIN=$1 smemprobe "${@:2}" 2>&1
    echo "exit status $?"
}
for call in cuDriverGetVersion=1 cuDeviceGetCount=3 cuCtxGetCurrent=201 cudaSetDevice=101 cudaGetDeviceProperties=1 \
    cudaMalloc=2 cudaMemset=1 cuptiDeviceGetChipName=1 cuptiProfilerHostInitialize=8 cuptiProfilerHostConfigAddMetrics=17 \
    cuptiProfilerHostGetConfigImageSize=1 cuptiProfilerHostGetConfigImage=1 cuptiRangeProfilerEnable=27 \
    cuptiRangeProfilerGetCounterDataSize=1 cuptiRangeProfilerCounterDataImageInitialize=1 cuptiRangeProfilerSetConfig=2 \
    cuptiRangeProfilerStart=26 cuptiRangeProfilerPushRange=7@2 cuptiRangeProfilerPopRange=7@2 cuptiRangeProfilerStop=1 \
    cuptiRangeProfilerDecodeData=1 cuptiRangeProfilerGetCounterDataInfo=1 cuptiProfilerHostEvaluateToGpuValues=999 \
    cuptiRangeProfilerStart=999,cuptiGetResultString=1 cuLaunchKernel=1@2 cudaDeviceSynchronize=700; do
    try $call probe --stride 0:2 --witness counters
done
for call in cudaMalloc=2@1 cudaMalloc=2@2 cudaMalloc=2@3 cudaMalloc=2@4 cudaMemcpy=1 cudaMemcpy=1@2 cudaMemset=1@2 cuLaunchKernel=1@2 \
    cuLaunchKernel=1@20 cudaEventCreate=2 cudaEventCreate=2@3 cudaEventRecord=1 cudaEventRecord=1@9 cudaEventElapsedTime=1 \
    cudaDeviceSynchronize=719 cudaDeviceSynchronize=719@2 cudaMemcpyAsync=1 cuptiRangeProfilerStart=999 spoil=1; do
    try $call compare transpose --size 33x40 --variants padded | grep -E "^--|smemprobe:|^not|exit"
done
try passes=3 compare transpose --size 33x40 --variants padded --record out.txt --format csv | cut -d, -f1-18 | tail -n 2
grep -v '^# date' out.txt | cut -c 1-150
try works compare transpose --size 33x40 --variants padded --record out.txt
try works compare sumsq --size 5000 --format json | grep -c '"source": "live"'
try works compare reduce --size 5000 --type double --variants sequential,cpu --format csv | cut -d, -f 1-12
try works probe --stride 1 --op cp.async --width 16
try cc=70 probe --stride 1 --op ld.shared::cluster
try cc=99 probe --stride 1
try cc=99 compare transpose
try cc=99 verify --count 10
try gpus=3 probe --stride 0:9 --devices all --format csv | cut -d, -f 4-17
try gpus=3,cudaMalloc=2 probe --stride 0:9 --devices 0,2
try gpus=3 probe --stride 0:9 --devices 0,7
try gpus=3 probe --stride 0:9 --devices x
try wrong=1 probe --stride 0:2 --color always | cat -v
printf 'ld.shared 4 00000001 0%s\n# a line\nst.shared 8 00000003 0 8%s\n' "$(printf ' -%.0s' $(seq 31))" "$(printf ' -%.0s' $(seq 30))" >lines.txt
try works probe lines.txt
try works probe - <lines.txt
echo 'ld.shared 4 1' >bad.txt
try works probe bad.txt
: >empty.txt
try works probe empty.txt
try works probe .
try works probe lines.txt --stride 3
try works probe lines.txt --record lines.rec && grep -v '^# date' lines.rec
ls
