exec 2>&1
# Unaligned, and beyond the block's shared memory.
smemprobe --stride 1 --offset 2
echo "exit status $?"
smemprobe --stride 4096 --width 4
