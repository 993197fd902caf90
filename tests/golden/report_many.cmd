# Several files: their sum, how they differ, the odd one out and where.
cp $DATA/../../probes/recorded/programs/*.smprof .
cp transpose.smprof 1.smprof; cp transpose.smprof 2.smprof; cp sgemm.smprof 3.smprof
some() { smemprobe report --worst 0 --lines 0 "$@" | sed -n '/kernel/,/^$/p'; }
some 1.smprof 2.smprof
some 1.smprof transpose-padded.smprof
some 1.smprof 2.smprof transpose-padded.smprof
some --kernel tiled 1.smprof 2.smprof 3.smprof
# A launcher's file, which has no kernels, is no rank.
smemprobe report --kernel absent 1.smprof -o none.smprof
some 1.smprof none.smprof transpose-padded.smprof
some 1.smprof 2.smprof transpose-padded.smprof none.smprof
some none.smprof 1.smprof
some none.smprof none.smprof
some 1.smprof 2.smprof - <3.smprof
some 1.smprof - - <3.smprof
some 1.smprof absent.smprof 2.smprof no.smprof
head -c 3000 3.smprof >cut.smprof
some cut.smprof 1.smprof
# More than the arguments of other commands.
smemprobe report --worst 0 --lines 0 $(for i in $(seq 1100); do echo 1.smprof; done) | grep files
