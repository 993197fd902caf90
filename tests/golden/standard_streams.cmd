# "-" is the standard input, or after -o the standard output.
smemprobe predict - <"$DATA/../../examples/transpose-32x33.smp" | head -n 3
echo 'ld x[' | smemprobe predict -
smemprobe --stride 2 --format csv -o - | cut -d, -f4,7
smemprobe plot stride -o - | head -n 1
ls
