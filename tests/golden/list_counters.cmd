smemprobe list counters
