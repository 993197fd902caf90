smemprobe --stride 33 --width 3
