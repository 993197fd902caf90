exec 2>&1
smemprobe --stride 1 --lanes 0x00000000
echo "exit status $?"
smemprobe --stride 1 --lanes 33
echo "exit status $?"
smemprobe --stride 1 --lanes 4-2
