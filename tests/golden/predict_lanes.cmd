# The same lanes by count, by list and by mask.
smemprobe --stride 2 --lanes 16 --format csv
smemprobe --stride 2 --lanes 0-7,8-15 --format csv
smemprobe --stride 2 --lanes 0x0000ffff --format csv
