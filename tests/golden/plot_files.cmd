exec 2>&1
for ending in svg png pdf; do
    smemprobe plot stride -o stride.$ending && head -c 5 stride.$ending | tr -c '[:print:]' '?' && echo
done
smemprobe plot stride -o stride.svg
