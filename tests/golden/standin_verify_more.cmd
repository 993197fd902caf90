# needs: stand-in
exec 2>&1
# Each kind of mismatch, output and end that verify knows.
plain() { sed -E 's/ in [0-9.]+ s \([0-9,]+ a second\)/ in no time/; s/, 20..-..-..,?/, DATE/; s/"seconds": .*/"seconds": .../; s/20[0-9]{2}-[0-9]{2}-[0-9]{2}/DATE/'; }
echo "-- all that is measured is wrong"
SMP_STANDIN=wrong=1 smemprobe verify --op ld.global --width 8 --count 64 --color always | plain
SMP_STANDIN=wrong=1 smemprobe verify --op atom --count 640 --format csv | plain
SMP_STANDIN=wrong=1,locked smemprobe verify --op ld --count 640 | plain
SMP_STANDIN=wrong=1,wrong-lanes=32 smemprobe verify --op st --width 16 --count 2000 --seed 9 | plain | tail -n 12
echo "-- no end, but a time"
smemprobe verify --count 0 --time 1 --op ld | plain | tail -n 1 | sed 's/^[0-9,]* random/N random/'
smemprobe verify --time 0 --op ld --width 4 | plain | tail -n 1
echo "-- into files"
smemprobe verify --op ld --width 4 --count 320 -o report.txt && plain <report.txt
smemprobe verify --op ld --width 4 --count 320 -o report.json && plain <report.json
smemprobe verify --op ld --width 4 --count 320 -o report.txt
smemprobe verify --op ld --width 4 --count 320 -o nowhere/report.txt
smemprobe verify --op ld --width 4 --count 320 -o report.csv --force && cat report.csv
echo "-- architectures"
smemprobe verify --arch sm_30 --count 640 --op ld --width 8 | plain
smemprobe verify --arch all --count 10
smemprobe verify --arch sm_89,sm_90 --count 10
smemprobe verify --arch nonsense --count 10
SMP_STANDIN=cc=86 smemprobe verify --op ld.cluster --count 10
SMP_STANDIN=cc=86 smemprobe verify --op ld,ldmatrix.x4 --count 640 | plain
SMP_STANDIN=cc=86,wrong=1 smemprobe verify --op ldmatrix.x4 --count 640 | plain
echo "-- errors in the middle"
SMP_STANDIN=device-error smemprobe verify --count 640 --op ld
SMP_STANDIN=cudaDeviceSynchronize=719@3 smemprobe verify --count 6400 --op ld
SMP_STANDIN=cudaMalloc=2 smemprobe verify --count 640 --op ld
SMP_STANDIN=dropped=1 smemprobe verify --count 640 --op ld | plain
SMP_STANDIN=no-device smemprobe verify --count 640 --op ld
smemprobe verify --device 3 --count 640 --op ld
smemprobe verify --witness clocks --count 320 --op cp.async --width 4,8 | plain
