smemprobe list kernels
