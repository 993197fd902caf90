// SPDX-License-Identifier: MIT
// What a call sets of its caller, and what types have: as everyday_control.cu.

/// what a function sets of its caller
__device__ int bump(int &i) {
    i += 3;
    return i;
}
__global__ void k() {
    int i = laneid;
    s[i] += bump(i);
    h[i & 63] |= bump(i) & 3;
    s[i++] += i += bump(i) & 1;
}

/// values of templates have their types
template <unsigned N, unsigned char C = 300 - 45> __device__ int below(int x) {
    auto c = C;
    c += 1;
    return (x - N < 0 ? 1 : 2) + (int)sizeof(c) * 8 + c;
}
__global__ void k() {
    s[below<5>(laneid & 3)] = 1;
}
