smemprobe --stride 32 --arch all
