# needs: no cuda
smemprobe verify --count 1000
