# needs: terminal
exec 2>&1
# In a terminal the chart is as wide as that.
script -qec 'stty cols 64 rows 20; smemprobe plot archs' /dev/null | tr -d '\r'
script -qec 'stty cols 40 rows 20; smemprobe plot archs; stty cols 200; smemprobe plot archs --color never' /dev/null | tr -d '\r' | wc -L
script -qec 'smemprobe plot archs --format png; smemprobe plot archs --format svg | head -c 5' /dev/null | tr -d '\r'
echo
# The gallery shows how far it is.
mkdir bin
printf '#!/bin/sh\nrm -rf taken\necho drawn\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$PWD/bin:$PATH script -qec 'smemprobe plot all -o taken' /dev/null | tr '\r' '\n' | tr -d '\033' |
    sed "s/ of [0-9]*/ of .../; s/, [0-9]* s left//"
