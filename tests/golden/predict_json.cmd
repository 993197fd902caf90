smemprobe --stride 33 --width 8 --op ld --format json
