exec 2>&1
smemprobe list
echo "exit status $?"
smemprobe list arch
