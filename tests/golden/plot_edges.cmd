exec 2>&1
# Nowhere to write to.
for format in text csv svg; do
    smemprobe plot archs --format $format >/dev/full
    echo "exit status $?"
done
few_files() (
    exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
    ulimit -n "$1" && smemprobe plot archs "${@:2}"
)
few_files 4 -o archs.png
few_files 5 -o archs.png
few_files 7 -o archs.png
few_files 4
smemprobe plot archs -o "$(printf 'a%.0s' {1..300}).png" 2>&1 | sed 's/a\{40,\}/a.../'
smemprobe plot all -o "$(printf 'a%.0s' {1..300})" 2>&1 | sed 's/a\{40,\}/a.../'
smemprobe plot all -o "$(printf '/a%.0s' {1..2100})" 2>&1 | sed 's/[/a]\{40,\}/a.../'
smemprobe plot all -o folder --stride 3
# A gnuplot that is killed, and a folder that is taken away while it draws.
mkdir bin
printf '#!/bin/sh\nkill -9 $$\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$PWD/bin:$PATH smemprobe plot archs --format svg
printf '#!/bin/sh\nrm -rf taken\necho drawn\n' >bin/gnuplot
PATH=$PWD/bin:$PATH smemprobe plot all -o taken
echo "exit status $?"
ls
