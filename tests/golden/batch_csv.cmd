smemprobe batch --format csv "$DATA/accesses.txt"
