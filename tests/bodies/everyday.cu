// SPDX-License-Identifier: MIT
// Kernels of everyday C++, one a part, over the arrays that bodies.c declares: run holds each
// access of each thread against what a compiler makes of the same text.

/// a type deduced from an unsigned char
template <class T> __device__ int deduced(T x) {
    T y = x * 2;
    return y;
}
__global__ void k() {
    unsigned char c = 200 + laneid;
    s[deduced(c) & 1023] = 1;
    s[deduced((short)(laneid * 4000)) & 1023] = 2;
    s[deduced((unsigned char)(laneid + 120)) & 1023] = 3;
    s[deduced(laneid < 3) & 1023] = 4;
    s[deduced(!laneid) + deduced(laneid && 1) * 4 & 1023] = 5;
    s[deduced('d') & 1023] = 6;
    s[deduced(true) & 1023] = 7;
    s[deduced(c++) & 1023] = 8;
    s[deduced(c += 7) & 1023] = 9;
    s[deduced((0, c)) & 1023] = 10;
    s[deduced(laneid & 1 ? c : (unsigned char)130) & 1023] = 11;
    s[deduced(laneid & 1 ? c : 130) & 1023] = 12;
    s[deduced(+c) & 1023] = 13;
    s[deduced(c * 1) & 1023] = 14;
    s[deduced(B[laneid]) & 1023] = 15;
    s[deduced(H[laneid]) & 1023] = 16;
    s[deduced(R[laneid] - 300) / 2 & 1023] = 17;
    s[deduced(laneid & 1 ? (char)100 : (signed char)100) & 1023] = 18;
}

/// auto takes the type that C++ gives
__global__ void k() {
    unsigned char c = 250;
    auto a = c;
    a += laneid;
    s[a] = 1;
    const auto b = (short)(laneid << 11);
    auto d = b;
    d *= 3;
    s[d & 1023] = 2;
    auto e = laneid > 2;
    e += 3;
    s[e] = 3;
    auto f = 'a';
    f *= 3;
    s[f & 1023] = 4;
    auto g{c}, h(c);
    g += 10, h -= 251;
    s[g + 2 * h] = 5;
    auto u = R[laneid];
    u -= 1000;
    s[u / 2 & 1023] = 6;
    auto n = N[laneid & 31];
    n <<= 40;
    s[n >> 38 & 1023] = 7;
    auto v = B[laneid];
    v <<= 1;
    s[v] = 8;
}

/// auto parameters and results
__device__ auto narrowed(int x) {
    return (unsigned char)(x * 9);
}
__device__ auto negated(int x) {
    return x < 20;
}
__device__ auto halved(auto x) {
    auto y = x;
    y += 200;
    return y;
}
__global__ void k() {
    auto a = narrowed(laneid);
    a += 100;
    s[a] = 1;
    auto b = negated(laneid);
    b += 4;
    s[b] = 2;
    unsigned char c = laneid * 3;
    s[halved(c)] = 3;
    s[halved(narrowed(laneid)) + 1] = 4;
    s[halved((short)32700 + (short)laneid) & 1023] = 5;
    s[halved((short)(32700 + laneid)) & 1023] = 6;
}

/// sizeof of values
template <class T> __device__ int bytes(T x) {
    return sizeof(T) + sizeof x + sizeof(x + x);
}
__global__ void k() {
    unsigned char c = 1;
    s[sizeof((char)c) + 32 * sizeof(c + c)] = 1;
    s[sizeof(c) + 32 * sizeof(c < 2)] = 2;
    s[sizeof('a') + 32 * sizeof(true)] = 3;
    s[sizeof(c = 3) + 32 * sizeof(c++)] = 4;
    s[sizeof((short)1 << 1) + 32 * sizeof(-c)] = 5;
    s[sizeof(1.0f) + 32 * sizeof(2.0)] = 6;
    s[sizeof(1.0f * 2) + 32 * sizeof(2.0f * 1.0)] = 7;
    s[sizeof(t[0][0] + 1) + 32 * sizeof(d[0] + t[0][0])] = 8;
    s[bytes(c) + 32 * bytes(1.5)] = 9;
    s[bytes(2.5f) + 32 * bytes(h[0])] = 10;
    s[bytes(t[1][2] * 2) + 32 * bytes(true)] = 11;
    s[sizeof(c ? c : c) + 32 * sizeof(c ? c : 1)] = 12;
    s[sizeof(1ull) + 32 * sizeof(1l)] = 13;
    s[sizeof(v[0].x) + 32 * sizeof(p[0].z)] = 14;
}

/// a template's values have their own type
template <unsigned n> __device__ int below(int x) {
    return (n - 5) / 2 + x & 1023;
}
template <unsigned char n = 300 - 256> __device__ int wrapped() {
    return n * 20;
}
template <bool b, int n = 3> __device__ int chosen() {
    return b ? n : b + 7;
}
template <class T, T n> __device__ int typed() {
    return (n - 5) / 2 & 1023;
}
__global__ void k() {
    s[below<3>(laneid)] = 1;
    s[wrapped()] = 2;
    s[chosen<true>() + chosen<false>() * 8] = 3;
    s[typed<unsigned, 3>()] = 4;
    s[typed<int, 3>()] = 5;
}

/// enumerations
enum plain { A0, A1 = 7, A2 };
enum wide { W0 = 1, W1 = 0xf0000000 };
enum tiny : unsigned char { T0 = 255, T1 = 3 };
enum class scoped : short { S0 = 4, S1 };
template <class T> __device__ int size_of(T x) {
    return sizeof x;
}
__global__ void k() {
    plain a = A2;
    tiny u = T0;
    s[a + A1 * laneid & 1023] = 1;
    s[(W0 - 2) / 2 & 1023] = 2;
    s[(A0 - 2) / 2 & 1023] = 3;
    s[T0 + 1 & 1023] = 4;
    s[u + T1] = 5;
    s[(int)scoped::S1 * 3 + sizeof(scoped)] = 6;
    s[size_of(T1) + 8 * size_of(A1)] = 7;
    s[static_cast<plain>(laneid & 1)] = 8;
}
