# A kernel that stands in one line: its arrays are declared where its accesses are. A function in one line promises nothing.
printf '%s\n' '__global__ void turn(float *out, const float *in);' \
    '__global__ void turn(float *out, const float *in) { __shared__ float tile[32][32], one[4]; tile[threadIdx.y][threadIdx.x] = in[threadIdx.x]; __syncthreads(); out[threadIdx.x] = tile[threadIdx.x][threadIdx.y]; }' >one.cu
for space in xor pad rotate; do smemprobe fix one.cu --block 32x8 --space $space -o one.smp --force; echo "exit status $?"; sed -n '/__global__.*{/,$p' one.smp; done
smemprobe check one.smp
printf '%s\n' '__device__ void put(float *p, int i, float v) { p[i] = v; }' \
    '__global__ void turn(float *out, float *in) { __shared__ float s[64]; put(in, threadIdx.x, 1);' 'out[threadIdx.x] = s[2 * threadIdx.x]; }' >two.cu
smemprobe fix two.cu --block 32 -o two.smp; echo "exit status $?"; sed -n '/__device__/,$p' two.smp
# Behind a call of a function that has accesses, above or below, a promise would be about these.
printf '%s\n' '__device__ void above(float *p, int i, float v) {' 'p[i] = v;' '}' '__device__ void below(float *p, int i, float v);' \
    '__global__ void turn(float *out, float *in) { __shared__ float s[64];' 'above(s, threadIdx.x, in[threadIdx.x]);' \
    'below(s, threadIdx.x + 32, in[threadIdx.x]);' 'out[threadIdx.x] = s[2 * threadIdx.x];' '}' \
    '__device__ void below(float *p, int i, float v) {' 'p[i] = v;' '}' >calls.cu
smemprobe fix calls.cu --block 32 -o calls.smp; echo "exit status $?"; sed -n '/__device__/,$p' calls.smp; smemprobe check calls.smp
