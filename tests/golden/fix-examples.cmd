# Every example: what fix makes of it, and that check accepts the result; what is free is kept in
# examples/fixed.
cd "$DATA/../../examples"
for file in *.smp; do
    smemprobe fix "$file" -o "$HOME/$file" --force
    status=$?
    echo "$file $status $(smemprobe check "$HOME/$file")"
done
for file in fixed/*.smp; do
    cmp "$file" "$HOME/${file#fixed/}"
done
