exec 2>&1
# Where an answer can't go, and what is left there then: nothing.
full() {
    smemprobe "$@" >/dev/full
    echo "exit status $?: $1"
}
full --stride 1
full --stride 1 --arch all --format json
full list archs
full check "$DATA/../../examples/scan.smp"
full explain-counters "$DATA/../data/ncu-details.csv"
full doctor
full generate bash
full compare transpose --size 64x64 --format csv
printf 'ld.shared 4 00000001 0%s\n' "$(printf ' -%.0s' $(seq 31))" >line.txt
full batch line.txt
smemprobe --stride 1 -o answer.unknown
smemprobe --stride 1 -o answer.json && ls
smemprobe --stride 1 -o answer.json
smemprobe --stride 1 -o answer.json --force --format csv && head -n 1 answer.json
smemprobe --stride 1 -o folder.d/answer
smemprobe --stride 1 -o "$(printf 'x%.0s' $(seq 300)).csv" | cut -c 1-100
mkdir folder.csv
smemprobe --stride 1 -o folder.csv --force
mkfifo pipe.csv
smemprobe --stride 1 -o pipe.csv --force
smemprobe plot archs -o pipe.csv --force
[ -p pipe.csv ] && rm pipe.csv && echo 'still a pipe'
smemprobe --stride 1 -o answer.txt && head -n 1 answer.txt
smemprobe --stride 1 -o plain && head -n 1 plain
ls
