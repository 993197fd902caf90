# needs: stand-in
cd "$DATA/../../examples"
smemprobe fix --probe transpose-32x32.smp --record "$HOME/record" | tail -9
sed -n '/^# counter/,/^[a-z]/p' "$HOME/record" | cut -c 1-60
SMP_STANDIN=wrong=1 smemprobe fix --probe scan.smp | tail -6; echo "${PIPESTATUS[0]}"
SMP_STANDIN=no-driver smemprobe fix --probe --emit smp scan.smp; echo $?
