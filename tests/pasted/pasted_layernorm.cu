// SPDX-License-Identifier: MIT
// clang-format off
// smemprobe: --block 128 --define hidden=1024 --define eps=0
// launch: layernorm<<<1, 128>>>(float[1024], float[1024] = iota, float[1024] = iota, float[1024] = iota, 1024, 0.00001)
// nvcc: 34 one store of 8 bytes with line 35
// nvcc: 40 41 what was stored before is still in a register
// Rows of `hidden` floats, four at a time; means and variances by a struct in shared memory.
struct Moments {
    float sum;
    float squares;
};

extern "C" __global__ void layernorm(float *__restrict__ out, const float *__restrict__ in, const float *__restrict__ gamma,
                          const float *__restrict__ beta, int hidden, float eps) {
    __shared__ Moments partial[32];
    const float4 *row = reinterpret_cast<const float4 *>(in + blockIdx.x * hidden);
    const float4 *g4 = reinterpret_cast<const float4 *>(gamma);
    const float4 *b4 = reinterpret_cast<const float4 *>(beta);
    float4 *o4 = reinterpret_cast<float4 *>(out + blockIdx.x * hidden);
    const int n4 = hidden / 4;

    Moments mine = {0.f, 0.f};
    for (int i = threadIdx.x; i < n4; i += blockDim.x) {
        float4 v = row[i];
        mine.sum += v.x + v.y + v.z + v.w;
        mine.squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
#pragma unroll
    for (int mask = 16; mask > 0; mask >>= 1) {
        mine.sum += __shfl_xor_sync(0xffffffffu, mine.sum, mask, 32);
        mine.squares += __shfl_xor_sync(0xffffffffu, mine.squares, mask, 32);
    }
    if ((threadIdx.x & 0x1f) == 0) {
        partial[threadIdx.x / 32].sum = mine.sum;
        partial[threadIdx.x / 32].squares = mine.squares;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++) {
            partial[0].sum += partial[w].sum;
            partial[0].squares += partial[w].squares;
        }
    }
    __syncthreads();
    const float mean = partial[0].sum / hidden;
    const float scale = rsqrtf(partial[0].squares / hidden - mean * mean + eps);
    for (int i = threadIdx.x; i < n4; i += blockDim.x) {
        float4 v = row[i], g = g4[i], b = b4[i];
        v.x = (v.x - mean) * scale * g.x + b.x;
        v.y = (v.y - mean) * scale * g.y + b.y;
        v.z = (v.z - mean) * scale * g.z + b.z;
        v.w = (v.w - mean) * scale * g.w + b.w;
        o4[i] = v;
    }
}
