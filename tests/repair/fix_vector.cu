// SPDX-License-Identifier: MIT
// Four neighbouring elements a thread, of an array that every launch passes as cudaMalloc gave it.
__global__ void values(const float *in, float *out, int n) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (4 * i + 3 < n) {
        float a = in[4 * i];
        float b = in[4 * i + 1];
        float c = in[4 * i + 2];
        float d = in[4 * i + 3];
        out[i] = a * 2 + b * 3 + c * 4 + d * 5;
    }
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 4096 * 4);
    cudaMalloc(&out, 4096);
    cudaMemset(in, 1, 4096 * 4);
    values<<<8, 128>>>(in, out, 4096);
    return cudaDeviceSynchronize();
}
