smemprobe --help
