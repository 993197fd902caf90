# Where standard output or the temporary files have no room, no command seems to have worked.
cp "$DATA/../../examples/transpose-32x32.smp" tile.smp
cp "$DATA/../data/ncu-transposes-4096.csv" counters.csv
cp "$DATA/accesses.txt" "$DATA/../../probes/recorded/programs/sgemm.smprof" .
try() {
    echo "-- $*"
    smemprobe "$@" 2>&1 >/dev/full | tail -n 1
    echo "exit status ${PIPESTATUS[0]}"
}
try --version
try --help
try fix -h
for format in text json csv; do
    try --stride 3 --format $format
    try probe --stride 3 --format $format
    try fix tile.smp --format $format
    try compare scan --format $format
    try list ops --format $format
    try explain-counters counters.csv --format $format
done
for format in csv jsonl; do
    try batch accesses.txt --format $format
done
for format in text json junit; do
    try check tile.smp --format $format
done
try doctor --format json
try plot stride --format csv
try generate man
try report --format html sgemm.smprof
echo "-- a limit on files"
(
    trap '' XFSZ
    ulimit -f 1
    # A build that counts its branches writes files, too, which are not to lose what is in them.
    GCOV_PREFIX=$PWD smemprobe plot stride --format csv
    echo "exit status $?"
) 2>&1 | grep -v "^libgcov" | tail -n 2
