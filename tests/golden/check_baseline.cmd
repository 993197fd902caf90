# Old debts are known, new and worse ones fail, and the list of them only gets shorter.
cat >k.smp <<'SMP'
shared float s[32][32]
shared float t[64][64]
block 32
ld s[threadIdx.x][0]
ld t[threadIdx.x][0]
SMP
gate() { smemprobe check --max-ways 1 --baseline debts.txt "$@" 2>&1 || echo "exit status $?"; }
gate k.smp
gate --update-baseline k.smp
cat debts.txt
gate k.smp
gate --format github k.smp
gate --format json k.smp | head -n 16
echo "== a line more above"
sed -i '1i # nothing' k.smp
gate k.smp
echo "== a new one, which no update takes in"
echo 'ld s[threadIdx.x][1]' >>k.smp
gate k.smp
gate --update-baseline k.smp
cat debts.txt
echo "== one that is worse than known"
sed -i '$d' k.smp
sed -i '2s/32$/16/' debts.txt
gate k.smp
echo "== one that is paid"
sed -i 's/\[32\]\[32\]/[32][33]/' k.smp
gate k.smp
gate --update-baseline k.smp
cat debts.txt
gate k.smp
echo "== what is no baseline"
echo nonsense >no.txt
smemprobe check --max-ways 1 --baseline no.txt k.smp 2>&1
sed '$s/[0-9]*$/x/' debts.txt >no.txt
smemprobe check --max-ways 1 --baseline no.txt k.smp 2>&1
smemprobe check --max-ways 1 --update-baseline k.smp 2>&1
smemprobe check --max-ways 1 --baseline . k.smp 2>&1
echo "== the same words once more are another access"
gate k.smp
echo 'ld t[threadIdx.x][0]' >>k.smp
gate k.smp
echo "== of files that are not looked at nothing is said, and nothing taken out"
sed -i '$d' k.smp
cp k.smp other.smp
rm debts.txt
gate --update-baseline k.smp other.smp
gate other.smp
gate --update-baseline --arch sm_80 k.smp
cat debts.txt
rm other.smp
gate k.smp
gate --update-baseline k.smp
cat debts.txt
