smemprobe -h
smemprobe help verify
smemprobe help verfy
smemprobe version
smemprobe -V
smemprobe predict -h | head -n 4
