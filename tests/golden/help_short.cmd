smemprobe verify -h
smemprobe batch -h
