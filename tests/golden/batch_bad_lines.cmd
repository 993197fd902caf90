cd "$DATA" && smemprobe batch --format csv bad_accesses.txt
