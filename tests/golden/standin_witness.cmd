# needs: stand-in
smemprobe probe --stride 0:4 --op ld,ld.global --witness both
echo "exit $?"
echo "-- locked: clocks take over, unless counters were demanded"
SMP_STANDIN=locked smemprobe probe --stride 0:4
echo "exit $?"
SMP_STANDIN=locked smemprobe probe --stride 0:4 --witness counters
echo "exit $?"
SMP_STANDIN=locked smemprobe probe --stride 0:4 --record x.txt
echo "exit $?"
smemprobe probe --stride 32 --witness clocks --record x.txt
echo "exit $?"
smemprobe --stride 32 --witness clocks | tail -3
smemprobe --stride 1 --witness both | tail -3
SMP_STANDIN=locked smemprobe --stride 7 --witness auto | tail -3
SMP_STANDIN=locked smemprobe --stride 7 --witness counters | tail -3
echo "exit ${PIPESTATUS[0]}"
smemprobe --op ld.global --witness clocks | tail -3
smemprobe --stride 32 --witness neither
echo "exit $?"
