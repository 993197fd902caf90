# needs: stand-in
smemprobe --stride 7 --lanes 5 | tail -n 4
smemprobe --op atom --stride 32 --offset 4 --format json | grep -A 9 '"measured"'
for state in locked no-device cc=86 cuptiProfilerHostConfigAddMetrics=999 cuLaunchKernel=1; do
    echo "== $state"
    SMP_STANDIN=$state smemprobe --op atom --stride 7 --offset 4 --arch sm_90 | tail -n 7
done
SMP_STANDIN=cc=86 smemprobe --op atom --stride 7 --offset 4 --lanes 3 | head -n 1
SMP_STANDIN=cc=99 smemprobe --stride 7 | head -n 1
SMP_STANDIN=locked smemprobe --op atom --stride 7 --offset 4 --format json | grep '"measured"'
SMP_STANDIN=wrong=2 smemprobe --op atom --stride 7 --offset 4 >out.txt
echo "exit status $?"
tail -n 3 out.txt
smemprobe --op cp.async --width 16 | tail -n 4
smemprobe --stride 1 --device 1 --op atom --offset 4 | tail -n 3
SMP_STANDIN=gpus=2 smemprobe --stride 1 --device 1 --op atom --offset 4 | tail -n 2
smemprobe 'ld a[threadIdx.x * 7]' --shared 'float a[256]' --block 7 | grep -A 2 measured
