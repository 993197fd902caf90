# needs: stand-in
smemprobe verify --count 30000 | sed 's/ in [0-9.]* s ([0-9,]* a second)/ in no time/; s/, 20..-..-..,/, DATE,/' | tail -4
echo "-- a counter that is wrong where 5 lanes or more are active"
SMP_STANDIN=wrong=1,wrong-lanes=5 smemprobe verify --op ld --width 4 --format json | sed 's/"seconds": .*/"seconds": .../'
echo "exit ${PIPESTATUS[0]}"
SMP_STANDIN=locked smemprobe verify --op ld --width 16 --count 640 --format csv
echo "exit $?"
SMP_STANDIN=locked smemprobe verify --witness counters
echo "exit $?"
smemprobe verify --witness clocks --count 999 --op st,ld.global --format csv
smemprobe verify --witness both
