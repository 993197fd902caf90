// SPDX-License-Identifier: MIT
// A template whose instances the host code names.
template <typename T, unsigned BLOCK> __global__ void reduce(const T *in, T *out, unsigned n) {
    __shared__ T s[BLOCK];
    unsigned t = threadIdx.x, i = blockIdx.x * (BLOCK * 2) + t;
    s[t] = (i < n ? in[i] : T(0)) + (i + BLOCK < n ? in[i + BLOCK] : T(0));
    __syncthreads();
    for (unsigned k = 1; k < BLOCK; k *= 2) {
        if (2 * k * t < BLOCK)
            s[2 * k * t] += s[2 * k * t + k];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

template <typename T> void launch(const T *in, T *out, unsigned n) {
    constexpr unsigned block = 256;
    reduce<T, block><<<(n + 2 * block - 1) / (2 * block), block>>>(in, out, n);
}

template void launch<float>(const float *, float *, unsigned);
template void launch<double>(const double *, double *, unsigned);
