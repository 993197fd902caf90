# needs: no cuda
# On CC 1.x the hardware may choose: a range.
smemprobe --stride 1 --width 2 --arch 1.0
