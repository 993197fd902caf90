exec 2>&1
# What `compare` adds depends on the families and on what is recorded of them.
plain() { sed '/by variant, whole launch/,$d' gallery/README.md; ls "$1" | grep -v compare-; ls "$1" | grep -c compare-transpose; }
smemprobe plot all -o gallery && plain gallery
smemprobe plot all -o gallery
echo "exit status $?"
smemprobe plot all --format svg -o vectors && ls vectors | grep -v compare-
echo x >file
smemprobe plot all -o file
echo "exit status $?"
smemprobe plot all
echo "exit status $?"
smemprobe plot all -o more --format csv
