// SPDX-License-Identifier: MIT
// A race between the two branches. The compiler joins their loads behind both, and moves the first
// half of a barrier that stands there in front of the joined load: right in that machine code, and
// wrong as it is written.
__global__ void exchange(const int *in, int *out) {
    __shared__ int s[8][32];
    const int w = threadIdx.x / 32, l = threadIdx.x % 32;
    s[w][l] = in[threadIdx.x];
    int v = 0;
    if (l < 16) {
        s[w][l] += 100;
        __syncwarp(0xffff);
        v = s[w][l ^ 1];
    } else
        v = s[w][l - 16];
    out[threadIdx.x] = v;
}

void launch(const int *in, int *out) {
    exchange<<<1, 256>>>(in, out);
}
