# What is said of words that make no sense, and the exit status; not what is answered.
exec 2>&1
try() {
    echo "-- $*" | cut -c 1-100
    smemprobe "$@" 2>&1 >/dev/null
    echo "exit status $?"
}
try --stride
try --stride 1 --strid 2
try --stride=3x
try --stri=1
try -x
try --a-very-long-option-that-nobody-would-ever-want-to-write-down-on-a-command-line
try --format=json=
try -o
try --op nonsense
try --op loud
try --width 0
try --width 3
try --width 32
try --op atom --width 2
try --op ldmatrix.x4 --width 8
try --op red --width 16
try --lanes 0x
try --lanes 0xfffffffff
try --lanes 0XF
try --lanes 1,2,
try --lanes 3-1
try --lanes 1-40
try --lanes "1;2"
try --lanes -1
try --lanes 99
try --bank-mode 8
try --bank-mode 4 --arch 3.5
try --bank-mode 6 --arch 3.5
try --bank-mode x --arch 3.5
try --device x
try --device 99999
try --witness nobody
try $(printf -- '--define A%s=1 ' $(seq 20)) 'ld a[0]' --shared 'int a[1]'
try check $(seq 1025)
try prdict
try zzzzzzz
try version
try --version
try predict -h
try probe --stride 1:2:0
try probe --stride 5:1
try probe --stride 1,2,x
try probe --stride 1:2:3:4
try probe --stride 0:99999999
try probe --width 3
try probe --width 4,
try probe --op ld,nonsense
try probe --op ld,
try probe --lanes 0
try probe --offset 3 --stride 1
try probe a b
try probe nothing.txt
try batch a b
try batch nothing.txt
try batch --format xml
try batch --arch all
try compare nonsense
try compare transpose --variants nonsense
try compare transpose --size 0x5
try compare transpose --size 5
try compare transpose --size -5x5
try compare transpose --type nonsense
try compare transpose reduce --variants padded
try list nonsense
try check
try check nothing.smp
try check --max-ways x nothing.smp
try generate
try doctor --device -1
try --arch sm_90a
try --arch compute_90
try --arch SM90
try --arch sm_80a
try --arch 'NVIDIA GeForce RTX 4090 Laptop GPU'
try --arch 'RTX 4091'
try --arch 'rtx 6000'
try --arch 'GT 730'
try --arch sm_91
try --arch hoper
try batch --arch sm_35,sm_90
try --shared 'float a[32]'
try --block 32x8
try --for j=0:4 --stride 2
try --stride 2 'ld a[threadIdx.x]' --shared 'float a[32]'
try --access '' 'ld a[threadIdx.x]' --shared 'float a[32]'
try fix --max-bytes 0 'ld a[threadIdx.x]' --shared 'float a[32]'
try fix --space '' 'ld a[threadIdx.x]' --shared 'float a[32]'
try fix --arch sm_90, 'ld a[threadIdx.x]' --shared 'float a[32]'
try fix --emit smp --format json 'ld a[threadIdx.x]' --shared 'float a[32]'
# What a newcomer may type: a folder for a file, a name of nothing, numbers beyond all sizes.
mkdir folder
: >empty.smp
for command in predict fix probe report annotate import batch explain-counters; do try $command folder; done
try predict nosuch
for word in nosuch.cu ./nosuch; do try $word --budget 20; done
try probe empty.smp
try 'ld t[0]' --shared 'float t[32]' --grid 99999999999x9
try fix 'ld t[0]' --shared 'float t[32]' --time 99999999999
try help plot nosuch
try races kernel.cu
try explain kernel.cu
try --stride 1 --json
try emulate k.cu --race
# What is for one launch, or for another command, changes nothing here: it is refused.
for option in '--compare 1=@x' '--capture kept' '--trace k.smptrace' '--cluster 2' --cooperative; do try emulate k.cu $option; done
try emulate k.cu --arch sm_60
try emulate k.cu -O2
echo 'int main() { }' >app.cu
for flags in -O3 '--races -DN=4'; do try app.cu $flags; done
try check a.smprof --max-ways 1
try check a.cubin --max-ways 1
try check k.cu --max-ways 1 --update-baseline
smemprobe >/dev/null
