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

/// what a function sets of its caller, and reads nothing for it
__device__ int set(int &i) {
    i = 5;
    return 3;
}
__global__ void k() {
    int i = 1;
    s[(set(i), 2)] = 1;
    s[i] = 2;
    i = 1;
    const int three = set(i);
    s[i + three] = 3;
    i = 1;
    if (set(i) == 3)
        s[i] = 4;
    i = 1;
    for (int k = 0; k < set(i); k++)
        s[i + k] = 5;
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
