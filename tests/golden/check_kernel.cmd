# One kernel of a file that has several.
printf '%s\n' '__global__ void columns(float *x) { __shared__ float s[32][32]; x[0] = s[threadIdx.x][0]; }' \
    '__global__ void padded(float *x) { __shared__ float s[32][33]; x[0] = s[threadIdx.x][0]; }' >two.smp
printf '%s\n' 'shared float t[32]' 'ld t[threadIdx.x]' >plain.smp
for options in '' '--kernel columns' '--kernel padded' '--kernel other' '--kernel ('; do
    smemprobe check --max-ways 1 $options two.smp
    echo "exit status $?"
done
smemprobe check --max-ways 1 --kernel padded two.smp plain.smp
# Where no text has a kernel, the name is a slip.
smemprobe check --max-ways 1 --kernel padded plain.smp; echo "exit status $?"
smemprobe predict --kernel padded plain.smp; echo "exit status $?"
smemprobe fix --kernel padded --shared 'float t[32]' 'ld t[threadIdx.x]'; echo "exit status $?"
# A file of two kernels is repaired by name, too.
sed 's/[{;] /&\n/g' two.smp >lines.cu
for options in '--kernel columns' '--kernel padded' '--kernel other'; do
    smemprobe fix --block 32 $options lines.cu
    echo "exit status $?"
done
# A promise and a block between a kernel and a function of the device are read, not passed over with the function.
printf '%s\n' '__device__ int f(int a) { return a; }' 'block 32' '__device__ int g(int a) { return a; }' \
    '__global__ void k(float *x) { __shared__ float s[32][32]; x[0] = s[f(threadIdx.x)][0]; }' \
    'expect ways <= 1' 'expect ways <= 2' '__device__ int h(int a) { return a; }' >between.smp
smemprobe check between.smp; echo "exit status $?"
# A .cu file is judged by its kernels: the same in a folder and by its name, with a compiler and without.
mkdir k
for width in 32 33; do
    printf '%s\n' "__global__ void by$width(float *x) {" "    __shared__ float s[32][$width];" \
        '    s[threadIdx.x][threadIdx.y] = x[threadIdx.x];' '    __syncthreads();' '    x[0] = s[threadIdx.y][threadIdx.x];' '}' \
        "void launch$width(float *x) { by$width<<<1, dim3(32, 32)>>>(x); }"
done >k/two.cu
for options in '--max-ways 1' '--max-ways 1 --kernel by32' '--max-excess 0 --kernel by33' '--max-ways 1 --kernel by3' ''; do
    for where in k k/two.cu; do
        smemprobe check --format github $options $where 2>>said
        echo "exit status $?"
    done
done
# Launches and flags belong to one file.
for options in '--block 32x32 k' '--define n=3 plain.smp' '--launch k<<<1,1>>>() k/two.cu k/two.cu' 'k -- -DN' 'plain.smp -- two.smp' \
    '--kernel k --launch k<<<1,1>>>() k/two.cu' '--launch k<<<1,1>>>(float[1]->x.raw) k/two.cu' '--launch k<<<1,1>>>(flo[1]) k/two.cu'; do
    smemprobe check --max-ways 1 $options
    echo "exit status $?"
done
# A kernel without shared memory breaks no bound; where there are no others, nothing was judged.
mkdir plain && echo '__global__ void zero(float *x) { x[threadIdx.x] = 0; }' >plain/zero.cu
for where in 'k plain' plain plain/zero.cu; do
    smemprobe check --format github --max-ways 32 $where 2>>said
    echo "exit status $?"
done
grep -vE 'assumed|judged from the source' said
