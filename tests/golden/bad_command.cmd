smemprobe prdict --stride 33
