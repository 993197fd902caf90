exec 2>&1
smemprobe --stride -1
echo "exit status $?"
smemprobe --stride 99999999999999999999
echo "exit status $?"
smemprobe --stride 4294967295 --width 16
echo "exit status $?"
smemprobe --stride many
