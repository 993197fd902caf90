smemprobe list ops
