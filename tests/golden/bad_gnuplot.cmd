exec 2>&1
# No gnuplot on the path: nothing is written.
PATH=${PATH%%:*} smemprobe plot stride -o stride.png
echo "exit status $?"
echo *
