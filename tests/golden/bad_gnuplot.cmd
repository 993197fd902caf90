exec 2>&1
# No gnuplot on the path: nothing is written.
PATH=${PATH%%:*} smemprobe plot stride -o stride.png
echo "exit status $?"
# One that fails, and one that draws nothing.
mkdir bin
printf '#!/bin/sh\necho >&2 "line 1: out of ink"\nexit 1\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$PWD/bin:$PATH smemprobe plot stride -o stride.png
echo "exit status $?"
printf '#!/bin/sh\n' >bin/gnuplot
PATH=$PWD/bin:$PATH smemprobe plot stride -o stride.png
echo "exit status $?"
ls
