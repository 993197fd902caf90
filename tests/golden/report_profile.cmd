# Profiles of an H200: shown, filtered, compared, judged, for programs.
programs=$DATA/../../probes/recorded/programs
smemprobe report "$programs/transpose.smprof"
smemprobe report --kernel 'columns<0>' --worst 1 --lines 2 "$programs/sgemm.smprof"
smemprobe report --worst 0 --instructions --line 24 --lines all "$programs/transpose.smprof"
smemprobe report "$programs/transpose-padded.smprof" --against "$programs/transpose.smprof"
smemprobe report --worst 0 --lines 0 --max-ways 2 "$programs/transpose.smprof"; echo "exit status $?"
smemprobe report --worst 0 --lines 0 --max-ways 2 "$programs/transpose-padded.smprof"; echo "exit status $?"
smemprobe report --format csv "$programs/transpose-padded.smprof"
smemprobe report --format json --line 24 "$programs/transpose-padded.smprof" | head -n 60
smemprobe report "$programs/transpose-padded.smprof" --against "$programs/transpose.smprof" --format md
smemprobe report "$programs/transpose-padded.smprof" --against "$programs/transpose.smprof" -o against.json && grep -c '"before"' against.json
smemprobe report "$programs/transpose-padded.smprof" --against "$programs/transpose.smprof" --format csv
