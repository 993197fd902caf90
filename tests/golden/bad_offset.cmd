exec 2>&1
# Unaligned, and beyond the block's shared memory.
smemprobe --stride 1 --offset 2
echo "exit status $?"
smemprobe --stride 4096 --width 4
echo "exit status $?"
# On all architectures: where none takes it, that is the answer.
smemprobe --stride 1 --offset 2 --arch all
echo "exit status $?"
smemprobe --stride 4096 --arch all --format json
echo "exit status $?"
smemprobe --stride 200 --arch all
