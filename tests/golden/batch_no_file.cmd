smemprobe batch no_such_file.txt
smemprobe batch accesses.parquet
