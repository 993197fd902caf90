smemprobe --stride 32 --arch all
smemprobe --stride 3 --width 8 --arch all
