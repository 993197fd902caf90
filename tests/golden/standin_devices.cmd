# needs: stand-in
export SMP_STANDIN=gpus=3
smemprobe probe --stride 0:1000 --op ld,st --devices all --record all.txt | tail -1
smemprobe probe --stride 0:1000 --op ld,st --record one.txt | tail -1
grep -v '^# [cd]' all.txt >all; grep -v '^# [cd]' one.txt >one; cmp all one && echo "as by one"
smemprobe probe --stride 7 --devices 2,0 --format csv
smemprobe probe --stride 7 --devices 0,4 | tail -1
smemprobe probe --stride 7 --devices some
smemprobe probe --stride 7 --devices 1,2,1
smemprobe probe --stride 7 --devices all --device 0
SMP_STANDIN=gpus=2,locked smemprobe probe --stride 7:8 --devices all
SMP_STANDIN=no-device smemprobe probe --stride 777 --devices all
echo "exit $?"
SMP_STANDIN=gpus=2,cuLaunchKernel=1@300 smemprobe probe --stride 0:1000 --devices all --record x.txt | tail -1
echo "exit ${PIPESTATUS[0]}"
ls x.*
echo "-- a process that is killed"
SMP_STANDIN=gpus=2,cuLaunchKernel=die@300 smemprobe probe --stride 0:1000 --devices all --record y.txt | tail -1
echo "exit ${PIPESTATUS[0]}"
SMP_STANDIN=gpus=2,cuInit=die smemprobe probe --stride 0:1000 --devices all | tail -1
echo "exit ${PIPESTATUS[0]}"
