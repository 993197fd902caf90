# needs: terminal
# The source of a profile with figures in the margin: on paper, for a pull request, through a pager.
programs=$DATA/../../probes/recorded/programs
cd "$DATA/../.."
smemprobe annotate "$programs/transpose.smprof" --line 15:26
smemprobe annotate "$programs/sgemm.smprof" programs/sgemm.cu --worst 0 --line 36 --color always | sed 's/\x1b/^[/g'
smemprobe annotate "$programs/transpose.smprof" --format md
smemprobe report "$programs/sgemm.smprof" --worst 2 --format md
smemprobe annotate "$programs/transpose.smprof" other.cu; echo "exit status $?"
smemprobe annotate; echo "exit status $?"
cd "$HOME"
smemprobe annotate "$programs/transpose.smprof" --worst 0
export TERM=xterm LC_ALL=C.UTF-8 NO_COLOR=1 programs
SMEMPROBE_PAGER='echo "$LESS"; head -n 1' script -qec 'smemprobe annotate "$programs/transpose.smprof"' /dev/null </dev/null | tr -d '\r'
PAGER=cat script -qec 'smemprobe annotate "$programs/transpose.smprof" --line 24' /dev/null </dev/null | tr -d '\r'
SMEMPROBE_PAGER=/nowhere/pager script -qec 'smemprobe annotate "$programs/transpose.smprof" 2>&1; echo "exit status $?"' /dev/null </dev/null | tr -d '\r' | tail -n 2
