# needs: stand-in
smemprobe compare transpose --size 64,96 --type float,half --variants padded,swizzled --record whole.txt >/dev/null
echo "-- the GPU fails in the third case of four: two are shown, and kept"
SMP_STANDIN=cuLaunchKernel=700@650 smemprobe compare transpose --size 64,96 --type float,half --variants padded,swizzled --record r.txt --format csv | cut -d, -f1-4,12,22
echo "exit ${PIPESTATUS[0]}"
ls
echo "-- another command does not take it"
smemprobe compare transpose --size 64 --variants padded --record r.txt
echo "exit $?"
echo "-- the same command goes on, and ends as if nothing had happened"
smemprobe compare transpose --size 64,96 --type float,half --variants padded,swizzled --record r.txt >/dev/null
echo "exit $?"
ls
grep -v '^# date' r.txt >r; grep -v '^# date' whole.txt >whole; cmp r whole && echo equal
