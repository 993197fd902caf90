smemprobe list plots
