# needs: no cuda
smemprobe probe --stride 32 --width 4
