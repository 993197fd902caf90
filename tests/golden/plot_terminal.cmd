smemprobe plot stride
