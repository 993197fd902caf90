exec 2>&1
smemprobe plot all -o gallery && ls gallery && cat gallery/README.md
smemprobe plot all -o gallery
echo "exit status $?"
smemprobe plot all --format svg -o vectors && ls vectors
echo x >file
smemprobe plot all -o file
echo "exit status $?"
smemprobe plot all
echo "exit status $?"
smemprobe plot all -o more --format csv
