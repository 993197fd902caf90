exec 2>&1
access="ld.shared 4 ffffffff $(seq -s ' ' 0 4 124)"
printf '%s\n\n# nothing\n   \n%s # behind\n\t%s\r\n' "$access" "$access" "$access" >good.txt
smemprobe batch good.txt
smemprobe batch good.txt --format jsonl
smemprobe batch good.txt -o good.jsonl && cat good.jsonl
smemprobe batch good.txt -o good.csv && cat good.csv
printf '%s' "$access" | smemprobe batch
printf '%s\n' "$access" | smemprobe batch - --arch 1.0
printf '%s\nld.shared\nld.shared 4 0000000f 0 4 8 12\n' "$access" | smemprobe batch -
echo "exit status $?"
head -c 70000 /dev/zero | tr '\0' 'x' | smemprobe batch - | cut -c 1-100
# Lines of 64 KiB are read, longer ones are not, wherever the blocks of 1 MiB end that files are read in.
wide() { printf "%-$1s\n" "${2-}"; }
for length in 65536 65537 1048576 3000000; do
    { wide $length "$access"; wide $length "$access"; echo "$access"; wide $length; } >wide.txt
    smemprobe batch wide.txt
done
{ wide 1150000; wide 4000000; echo "$access"; wide 1048577; echo "$access"; } >wide.txt
smemprobe batch wide.txt
for i in $(seq 3000); do echo "$access"; done | smemprobe batch - | tail -n 1
{ for i in $(seq 2000); do echo "$access"; done; echo bad; } | smemprobe batch - --format jsonl | tail -n 2
smemprobe batch . | cut -c 1-60
echo "exit status ${PIPESTATUS[0]}"
printf 'red.shared 8 00000001 0%s\nst.global 4 00000001 64%s\nld.global 4 00000001 99999999999%s\n' "$(printf ' -%.0s' $(seq 31))" \
    "$(printf ' -%.0s' $(seq 31))" "$(printf ' -%.0s' $(seq 31))" | smemprobe batch -
printf 'red.shared 8 00000001 0%s\nst.global 4 00000001 64%s\n' "$(printf ' -%.0s' $(seq 31))" "$(printf ' -%.0s' $(seq 31))" |
    smemprobe batch - --format jsonl
smemprobe batch good.txt -o good.json; echo $?
