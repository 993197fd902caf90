# One kernel of a file that has several.
printf '%s\n' '__global__ void columns(float *x) { __shared__ float s[32][32]; x[0] = s[threadIdx.x][0]; }' \
    '__global__ void padded(float *x) { __shared__ float s[32][33]; x[0] = s[threadIdx.x][0]; }' >two.cu
printf '%s\n' 'shared float t[32]' 'ld t[threadIdx.x]' >plain.smp
for options in '' '--kernel columns' '--kernel padded' '--kernel other' '--kernel ('; do
    smemprobe check --max-ways 1 $options two.cu
    echo "exit status $?"
done
smemprobe check --max-ways 1 --kernel padded two.cu plain.smp
# Where no text has a kernel, the name is a slip.
smemprobe check --max-ways 1 --kernel padded plain.smp; echo "exit status $?"
smemprobe predict --kernel padded plain.smp; echo "exit status $?"
smemprobe fix --kernel padded --shared 'float t[32]' 'ld t[threadIdx.x]'; echo "exit status $?"
# A file of two kernels is repaired by name, too.
sed 's/[{;] /&\n/g' two.cu >lines.cu
for options in '--kernel columns' '--kernel padded' '--kernel other'; do
    smemprobe fix --block 32 $options lines.cu
    echo "exit status $?"
done
