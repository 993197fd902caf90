# Files of profiles: merged, damaged, cut off, none.
programs=$DATA/../../probes/recorded/programs
smemprobe report "$programs/transpose.smprof" "$programs/transpose-padded.smprof" -o both.smprof
smemprobe report "$programs/transpose-padded.smprof" "$programs/transpose.smprof" -o same.smprof
cmp both.smprof same.smprof && echo "in any order the same"
head -c 1500 "$programs/transpose.smprof" >cut.smprof
smemprobe report cut.smprof >shown; echo "exit status $?"; head -n 3 shown
smemprobe report --max-ways 2 "$programs/transpose-padded.smprof" cut.smprof >shown; echo "exit status $?"
smemprobe report "$programs/transpose-padded.smprof" --against cut.smprof >shown; echo "exit status $?"
smemprobe annotate cut.smprof >shown; echo "exit status $?"
smemprobe report --format smprof -o again.smprof cut.smprof; echo "exit status $?"
smemprobe report again.smprof >shown; echo "exit status $?"
printf 'no profile' >none.smprof
smemprobe report none.smprof
smemprobe report nosuch.smprof
smemprobe report
smemprobe report --line 5:2 cut.smprof
smemprobe report --kernel '(' cut.smprof
smemprobe report --kernel 'w+++++++++++++++' cut.smprof
smemprobe report --kernel '(a{16}){512}' cut.smprof
smemprobe report --kernel '(t)\1' cut.smprof
smemprobe profile
smemprobe profile --memory many -- ls
smemprobe profile --verify --line 3 -- ls
