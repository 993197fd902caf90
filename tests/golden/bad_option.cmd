smemprobe --strde 33
