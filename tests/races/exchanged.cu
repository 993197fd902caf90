// SPDX-License-Identifier: MIT
// The compiler loads what another thread stores, by line 10, before it stores what line 8 says.

__global__ void exchanged_tree(int *to, const int *from) {
    __shared__ int s[256];
    const unsigned t = threadIdx.x;

    s[t] = from[t]; // fill
    for (int d = 128; d > 0; d >>= 1)
        s[t] += t < d ? s[t + d] : 0; // sum
    to[t] = s[t];
}

void launch_exchanged(int *to, const int *from) {
    exchanged_tree<<<1, 256>>>(to, from); // fill sum, sum sum (before line 10 would)
}
