smemprobe --stride 1 --op load
