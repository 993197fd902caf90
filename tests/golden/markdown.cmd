# Markdown of every document that has it.
exec 2>&1
echo "-- one access"
smemprobe --stride 33 --arch sm_80 --format md
echo "-- on all architectures"
smemprobe --stride 2 --arch all --format md | sed -n '1,8p;$p'
echo "-- a layout"
smemprobe --shared 'float t[32][32]' --arch sm_80 'ld t[threadIdx.x][0]' 'st t[0][threadIdx.x | 1]' --format md
echo "-- kernels"
smemprobe compare transpose --variants tiled32,padded --arch sm_80 --format md
echo "-- a table"
smemprobe list ops --format md | head -n 4
smemprobe list kernels --format md | head -n 3
echo "-- by the file's ending"
smemprobe --stride 2 --arch sm_80 -o answer.md && head -n 1 answer.md
smemprobe doctor --format md
echo "exit status $?"
