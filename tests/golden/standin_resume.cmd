# needs: stand-in
echo "-- the GPU fails after 1,199 launches; what was measured is kept"
SMP_STANDIN=cuLaunchKernel=1@1200 smemprobe probe --stride 0:1300 --op ld,st --record r.txt | tail -1
echo "exit ${PIPESTATUS[0]}"
ls
echo "-- another command does not take it"
smemprobe probe --stride 0:1300 --op ld --record r.txt
echo "exit $?"
echo "-- the same command goes on, and ends as if nothing had happened"
smemprobe probe --stride 0:1300 --op ld,st --record r.txt | tail -1
smemprobe probe --stride 0:1300 --op ld,st --record s.txt | tail -1
ls
grep -v '^# date' r.txt >r; grep -v '^# date' s.txt >s; cmp r s && echo equal
