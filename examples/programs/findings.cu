// SPDX-License-Identifier: MIT
// One kernel for each thing that `emulate` and `profile --no-gpu` find, and a launch that shows it:
//   smemprobe emulate examples/programs/findings.cu --launch 'LAUNCH'
// Exit status 1; docs/guide/races.md has what is said.

// behind<<<2, 64>>>(float[100], float[100])
__global__ void behind(float *to, const float *from) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x; // up to 127
    to[i] = from[i];
}

// odd<<<1, 32>>>(char[132], float[32])
__global__ void odd(const char *from, float *to) {
    to[threadIdx.x] = *reinterpret_cast<const float *>(from + 2 + 4 * threadIdx.x);
}

// unwritten<<<1, 64>>>(float[64])
__global__ void unwritten(float *to) {
    __shared__ float tile[64];
    if (threadIdx.x < 32)
        tile[threadIdx.x] = 1;
    __syncthreads();
    to[threadIdx.x] = tile[63 - threadIdx.x];
}

// some_wait<<<1, 64>>>(int[64])
__global__ void some_wait(int *to) {
    asm volatile("bar.sync 1, 96;" ::: "memory"); // 96 threads of 64
    to[threadIdx.x] = 1;
}

// endless<<<1, 32>>>(int[1])
__global__ void endless(volatile int *flag) {
    while (*flag == 0)
        continue;
}

// first_wins<<<64, 32>>>(int[1])
__global__ void first_wins(int *owner) {
    if (*owner == 0)
        *owner = blockIdx.x + 1;
}

// after_free<<<1, 32>>>(int[32])
__global__ void after_free(int *to) {
    int *own = static_cast<int *>(malloc(2 * sizeof(int)));
    own[0] = threadIdx.x;
    free(own);
    to[threadIdx.x] = own[0];
}

// beyond<<<1, 32>>>(int[32], 3)
__global__ void beyond(int *to, int n) {
    int *own = static_cast<int *>(malloc(n * sizeof(int)));
    for (int i = 0; i <= n; i++)
        own[i] = i;
    to[threadIdx.x] = own[n - 1];
    free(own);
}

// stop<<<1, 64>>>(int[64])
__global__ void stop(int *to) {
    if (threadIdx.x == 40)
        __trap();
    to[threadIdx.x] = 1;
}

// claim<<<1, 64>>>(int[64])
__global__ void claim(const int *from) {
    assert(from[threadIdx.x] == 0 && threadIdx.x < 50);
}

// half_a_warp<<<1, 32>>>(int[32])
__global__ void half_a_warp(int *to) {
    __shared__ int tile[32];
    const unsigned row = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x / 8 * 4]);
    int got = 0;
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x < 16) // ldmatrix is of whole warps
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(got) : "r"(row));
    to[threadIdx.x] = got;
}

// unordered<<<1, 64>>>(int[64])
__global__ void unordered(int *to) {
    __shared__ int tile[64];
    tile[threadIdx.x] = to[threadIdx.x];
    to[threadIdx.x] = tile[63 - threadIdx.x]; // with --races
}
