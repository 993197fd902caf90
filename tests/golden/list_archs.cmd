smemprobe list archs
