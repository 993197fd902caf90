smemprobe batch no_such_file.txt
