exec 2>&1
smemprobe --stride 1 -o no/such/folder/answer.json
echo "exit status $?"
ls
