smemprobe batch - --format csv --arch sm_20 <"$DATA/accesses.txt"
