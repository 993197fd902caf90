smemprobe plot agreement
