# Text to a trace and back: the same rows; whole, damaged, cut, of a newer version.
awk 'BEGIN { for (i = 0; i < 5000; i++) { line = "ld.shared 4 ffffffff"; for (l = 0; l < 32; l++) line = line " " i % 7 * 4 + l * (i % 33) * 4; print line } }' >lines
smemprobe batch lines -o lines.smptrace
smemprobe batch lines >want.csv
smemprobe batch lines.smptrace | cmp - want.csv && echo the same rows
smemprobe batch - <lines.smptrace --format jsonl | tail -n 1
smemprobe batch lines --format trace | cmp - lines.smptrace && echo the same trace
smemprobe batch lines.smptrace -o again.smptrace && cmp again.smptrace lines.smptrace && echo again the same
smemprobe batch lines -o lines.smptrace
size=$(stat -c %s lines.smptrace)
printf '\377\377\377\377' | dd of=lines.smptrace bs=1 seek=60 conv=notrunc status=none
smemprobe batch lines.smptrace | wc -l
smemprobe batch again.smptrace | wc -l
head -c $((size - 24)) again.smptrace >cut.smptrace
smemprobe batch cut.smptrace | wc -l
printf '\2' | dd of=again.smptrace bs=1 seek=16 conv=notrunc status=none
smemprobe batch again.smptrace
printf 'P is no operation\n' | smemprobe batch -
smemprobe batch lines --format trace >/dev/full
(trap '' XFSZ && ulimit -f 1 && smemprobe batch lines -o full.smptrace)
ls | grep full
: >empty.smptrace
smemprobe batch empty.smptrace
