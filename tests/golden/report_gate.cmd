# The gate: rules by kernel and line, and what breaks them in every form that other programs read.
P=$DATA/../../probes/recorded/programs
cat >rules.gate <<'END'
# what may stay as it is
^transpose  transpose.cu:20-30   ways <= 2   # the store
"scan<int, 4>" *                 any
*           *                    excess <= 100
END
try() {
    smemprobe report --color never "$@"
    echo "status $?"
}
for format in github gcc junit; do
    try $P/transpose.smprof --gate rules.gate --format $format
done
try $P/transpose.smprof --gate rules.gate -o out.xml --max-ways 1; head -n 1 out.xml
try $P/transpose-padded.smprof --gate rules.gate --format gcc
# The first rule that fits decides; what none fits, --max-ways does.
printf '* other.cu ways <= 0\n* transpose.cu any\n* * ways <= 0\n' >first.gate
try $P/transpose.smprof --gate first.gate --format gcc --max-ways 1 | tail -n 1
printf '* transpose.cu:24 any\n' >one.gate
try $P/transpose.smprof --gate one.gate --format gcc --max-ways 0 --worst 0 | sed 's/ [0-9].*//'
# A rule of lines up to the one before fits nothing at it.
printf '* transpose.cu:20-23 any\n' >before.gate
try $P/transpose.smprof --gate before.gate --format gcc --max-ways 0 --worst 0 | sed 's/ [0-9].*//'
printf '^transpose$ * any\n* * ways <= 32 excess <= 2031616\n' >even.gate
try $P/transpose.smprof --gate even.gate --worst 0 --lines 0 --format gcc | tail -n 1
printf '* * ways <= 32 excess <= 2031615\n' >even.gate
try $P/transpose.smprof --gate even.gate --worst 0 --lines 0 --format gcc | tail -n 1
bad() {
    printf "$1" >bad.gate
    smemprobe report --gate bad.gate $P/transpose.smprof >out
    echo "status $? $(wc -c <out)"
}
bad '* *\n'
bad 'w+++++++++++++++ * any\n'
bad '* * ways\n'
bad '* * ways <= many\n'
bad '* * ways <= 2 ways <= 3\n'
bad '* * any ways <= 2\n'
bad '\n\n  * a.cu:0 any\n'
bad '* a.cu:9-3 any\n'
bad '* a.cu:9-x any\n'
bad '* :3 any\n'
bad '"quote * any\n'
bad '(( * any\n'
bad '* * ways <= 99999999999999999999\n'
bad '* * sectors <= 9\n'
bad 'a\000b * any\n'
try $P/transpose.smprof --gate none.gate
# A filter that leaves nothing lets no gate pass.
for words in '--kernel nothing' '--file no.cu' '--line 900 --kernel transpose'; do
    smemprobe report --max-ways 1 $words "$DATA/../../probes/recorded/programs/transpose.smprof"
    echo "exit status $?"
done
