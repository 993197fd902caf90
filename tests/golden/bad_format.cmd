smemprobe --stride 1 --format xml
