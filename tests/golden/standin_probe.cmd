# needs: stand-in
smemprobe probe --stride 0:3 --width 4,16 --op ld,st,atom 2>&1
smemprobe probe --stride 1 --op ld.global
smemprobe --stride 5 --format csv
SMP_STANDIN=passes=2 smemprobe probe --stride 1 --width 4,8 --op cp.async
SMP_STANDIN=wrong=1 smemprobe probe --stride 0:1
smemprobe probe --stride 0:1 --witness both --record r.txt && grep -v '^#' r.txt | sed 's/cycles=.*/cycles=.../' && grep command r.txt
