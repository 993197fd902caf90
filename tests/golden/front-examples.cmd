cd "$DATA/../../examples"
smemprobe check *.smp
for file in *.smp; do
    smemprobe predict "$file" >"$HOME/report" || echo "$file: $?"
done
