cd "$DATA" && smemprobe batch --format csv bad_accesses.txt
echo "exit status $?"
# As JSON each has a row in its place, also those behind the messages.
{ cat bad_accesses.txt; yes | head -n 20; } | smemprobe batch --format jsonl - 2>/dev/null | sed '3,13d; 16,35d'
exit "${PIPESTATUS[1]}"
