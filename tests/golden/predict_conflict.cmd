smemprobe predict --stride 32 --width 4 --op st
