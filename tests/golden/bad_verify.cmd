smemprobe verify --count many; smemprobe verify file.txt; smemprobe verify --op nonsense; smemprobe verify --time -1
smemprobe verify --seed 1 -o /nowhere/x.txt --width 3 2>&1 | grep -c smemprobe
