exec 2>&1
# Wrong words that once had a misleading answer.
try() {
    echo "-- $*"
    smemprobe "$@"
    echo "exit status $?"
}
printf 'block 32\nshared float t[32][32]\nld t[threadIdx.x][0]\n' >a.smp
cp a.smp b.smp
printf '\357\273\277block 32\nshared float t[32]\nld t[threadIdx.x]\n' >mark.smp
lanes='0 4 8 12 - - - - - - - - - - - - - - - - - - - - - - - - - - - -'
printf '\357\273\277ld 4 f %s\nst 4 0x0000000F %s\natom 4 0000000f %s\nld 4 fffffffff 0\n' "$lanes" "$lanes" "$lanes" >short.txt
for ((i = 0; i < 30; i++)); do echo nonsense; done >wrong.txt
printf 'PK\0\1' >report.ncu-rep
try --explain=yes
try --stride -33
try --lanes 31-0
try --arch all --bank-mode 8
try --op ld.global --stride 4000000000
try compare transpose --size 4096x4096x4096
try fix a.smp b.smp
try fix a.smp 'ld t[0][0]'
try fix a.smp --device 0
try predict 'ld t[0][threadIdx.x][0]' --shared 'float t[32][32]'
try explain-counters report.ncu-rep
try list archs ops
try predict mark.smp --format csv
try batch short.txt
try batch wrong.txt
ls
