smemprobe --stride 3 --width 8 --arch all --format csv
