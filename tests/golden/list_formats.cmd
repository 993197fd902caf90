smemprobe list formats
smemprobe list plots
