# needs: no cuda
smemprobe compare transpose
