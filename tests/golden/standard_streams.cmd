# "-" is the standard input, or after -o the standard output.
smemprobe predict - <"$DATA/../../examples/transpose-32x33.smp" | head -n 3
echo 'ld x[' | smemprobe predict -
smemprobe --stride 2 --format csv -o - | cut -d, -f2,5
smemprobe plot stride -o - | head -n 1
ls
# One that is closed is no file of the program's.
(smemprobe plot stride >&-) 2>errors
echo "exit status $?: $(cat errors)"
smemprobe plot stride --format csv -o closed.csv <&- >&- 2>&- && wc -l <closed.csv
smemprobe - <&- 2>&1 | head -n 1
