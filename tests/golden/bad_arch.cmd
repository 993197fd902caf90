smemprobe --stride 1 --arch sm_91
