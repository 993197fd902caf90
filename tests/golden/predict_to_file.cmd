exec 2>&1
smemprobe --stride 33 -o answer.csv && cat answer.csv
smemprobe --stride 32 -o answer.csv
echo "exit status $?"
smemprobe --stride 32 -o answer.csv --force && cat answer.csv
