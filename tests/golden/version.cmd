smemprobe --version
