# Every example: what fix makes of it, and that check accepts the result.
for file in "$DATA"/../../examples/*.smp; do
    smemprobe fix "$file" -o fixed.smp --force
    status=$?
    echo "$(basename "$file") $status $(smemprobe check fixed.smp)"
done
