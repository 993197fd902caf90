// SPDX-License-Identifier: MIT
// Accesses widened by a cast.
__global__ void scale(float *data, float factor, int n) {
    __shared__ float s[1024];
    const int t = threadIdx.x;
    float4 *wide = reinterpret_cast<float4 *>(s);
    wide[t] = reinterpret_cast<const float4 *>(data)[blockIdx.x * 256 + t];
    __syncthreads();
    for (int i = 0; i < 4; i++)
        data[blockIdx.x * 1024 + i * 256 + t] = factor * s[t * 4 + i];
}

void run(float *data, int n) {
    scale<<<n / 1024, 256>>>(data, 2.0f, n);
}
