exec 2>&1
smemprobe plot no_such_kind
echo "exit status $?"
smemprobe plot stride -o stride.bmp
