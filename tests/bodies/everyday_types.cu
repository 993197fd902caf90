// SPDX-License-Identifier: MIT
// Types of everyday C++: what is promoted, converted, deduced. A kernel a part, over the arrays
// that bodies.c declares: run holds each access of each thread against what a compiler makes of the
// same text.

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

/// promotions
__global__ void k() {
    unsigned char a = 200, b = 100;
    s[a + b & 1023] = 1;
    unsigned char c = a + b;
    s[c] = 2;
    s[(a << 4) & 1023] = 3;
    s[~a & 1023] = 4;
    s[-a & 1023] = 5;
    signed char d = (signed char)a;
    s[d & 1023] = 6;
    s[(d >> 1) & 1023] = 7;
    unsigned short us = 65535;
    s[(us * 2) & 1023] = 8;
    s[(us + 1) / 64 & 1023] = 9;
    char e = laneid * 9;
    s[e + 128] = 10;
}

/// unsigned wrap
__global__ void k() {
    unsigned u = laneid;
    u -= 5;
    s[u / 3 & 1023] = 1;
    s[(u >> 28) + 3] = 2;
    s[u % 7] = 3;
    int i = u;
    s[(i / 2) & 1023] = 4;
    s[u > 10 ? 5 : 6] = 5;
    s[i > 10u ? 7 : 8] = 6;
    s[(laneid - 1 < 0) + 10] = 7;
    s[((int)laneid - 1 < 0) + 12] = 8;
    unsigned long long w = laneid - 3;
    s[(w >> 3) & 1023] = 9;
    long long x = (int)laneid - 3;
    s[(x >> 1) & 1023] = 10;
    s[(x / 2) + 8] = 11;
    s[(unsigned)x / 2 & 1023] = 12;
    size_t n = threadIdx.x * 7ull;
    s[n % 33] = 13;
}

/// shifts
__global__ void k() {
    int i = laneid;
    s[1 << (i & 7)] = 1;
    s[(-1 >> i) + 1] = 2;
    s[(-64 >> 2) & 1023] = 3;
    unsigned u = -64;
    s[(u >> 22)] = 4;
    unsigned char c = 0x81;
    s[(c << 1) & 1023] = 5;
    c <<= 1;
    s[c] = 6;
    c = 0x81;
    c >>= 1;
    s[c] = 7;
    signed char d = -100;
    d >>= 1;
    s[d & 1023] = 8;
    s[(1ull << 40 >> 35) + laneid] = 9;
    s[(1u << 31 >> 25)] = 10;
    long long w = 1ll << 33;
    s[w >> 30] = 11;
    short sh = 1 << 14;
    sh <<= 1;
    s[sh & 1023] = 12;
    s[(sh >> 10) & 1023] = 13;
}

/// bool arithmetic
__global__ void k() {
    bool a = laneid & 4, b = laneid > 7;
    s[a + b] = 1;
    s[a * 3 + b * 5] = 2;
    s[(a ^ b) + 10] = 3;
    s[(a == b) + 12] = 4;
    bool c = 256;
    s[c] = 5;
    c = (laneid & 1) + 1;
    s[c + 4] = 6;
    c += 5;
    s[c + 6] = 7;
    c -= 1;
    s[c + 8] = 8;
    c |= 4;
    s[c + 10] = 9;
    s[!c + 12] = 10;
    s[!!laneid + 14] = 11;
    int n = laneid == 3;
    s[n + 16] = 12;
    s[-a & 31] = 13;
    s[~a & 31] = 14;
    s[(a << 3) + b] = 15;
}

/// ternaries of mixed types
__global__ void k() {
    int i = -1;
    unsigned u = 4;
    s[((laneid > 3 ? i : u) > 0) + 1] = 1;
    s[((laneid > 3 ? i : 0u) / 2) & 1023] = 2;
    s[((laneid > 3 ? i : 0ll) / 2) & 1023] = 3;
    s[((laneid > 3 ? (char)-3 : 7u) / 2) & 1023] = 4;
    s[(laneid < 5 ? laneid < 2 ? 10 : 20 : 30)] = 5;
    auto x = laneid > 3 ? (unsigned char)250 : (unsigned char)3;
    x += 10;
    s[x] = 6;
    auto y = laneid > 3 ? (unsigned char)250 : (short)3;
    y += 10;
    s[y] = 7;
    int z = laneid & 1 ? s[3] = 4, 5 : 6;
    s[z] = 8;
    laneid & 2 ? s[9] = 1 : s[10] = 2;
}

/// compound assignment on narrow types
__global__ void k() {
    unsigned char c = 250;
    c += laneid;
    s[c] = 1;
    c *= 3;
    s[c] = 2;
    c -= 255;
    s[c] = 3;
    c /= 2;
    s[c] = 4;
    c ^= 0x1ff;
    s[c] = 5;
    c %= 7;
    s[c] = 6;
    short h1 = 32767;
    h1 += 1;
    s[h1 & 1023] = 7;
    h1 -= laneid;
    s[h1 & 1023] = 8;
    int i = 5;
    i *= 2.0f > 1 ? 3 : 4;
    unsigned u = 7;
    u /= -2;
    s[u] = 10;
    i = -7;
    i /= 2u;
    s[i & 1023] = 11;
    i = -7;
    i %= 4;
    s[i + 8] = 12;
    i = -7;
    i >>= 1;
    s[i + 8] = 13;
    long long w = -7;
    w %= 4u;
    s[w + 8] = 14;
    i = 3;
    i += (i = 4) + 1;
    s[i] = 15;
}

/// increments
__global__ void k() {
    unsigned char c = 254;
    s[c++] = 1;
    s[c++] = 2;
    s[c++] = 3;
    s[++c] = 4;
    s[c--] = 5;
    s[c--] = 6;
    s[--c] = 7;
    int i = 3;
    int j = i++ + i++;
    s[i + j] = 8;
    s[i++ * 2 + 1] = i;
    s[i] = i++;
    i = i++ + 1;
    s[i] = 9;
    short q = 32767;
    q++;
    s[q & 1023] = 10;
    unsigned u = 0;
    u--;
    s[u & 1023] = 11;
    s[u-- & 1023] = 12;
}

/// casts and conversions
__global__ void k() {
    int i = (int)laneid - 16;
    s[(unsigned char)i] = 1;
    s[(unsigned short)i & 1023] = 1;
    s[(bool)i] = 1;
    s[(short)(i * 5000) & 1023] = 1;
    s[(long long)(unsigned)i >> 22 & 1023] = 1;
    s[(unsigned)(long long)i & 1023] = 1;
    s[static_cast<int8_t>(laneid * 9) + 128] = 1;
    s[int(laneid) / 3] = 1;
    s[unsigned(i) % 11] = 1;
    s[uint8_t(i)] = 1;
    s[(size_t)(laneid * 4) / sizeof(float)] = 1;
    int64_t w = i;
    s[(uint32_t)(w >> 1) & 1023] = 1;
    s[(w >> 1) & 1023] = 1;
    s[(int)(char)200 + 128] = 1;
    s[(signed char)0x80 + 128] = 1;
    s[(unsigned char)-1 >> 1] = 1;
    s['a' - 'A' + laneid] = 1;
}

/// signed and unsigned comparison
__global__ void k() {
    int i = -1;
    unsigned u = laneid;
    s[(i < u) + 0] = 1;
    s[(i < (int)u) + 2] = 1;
    unsigned char c = 255;
    signed char d = -1;
    s[(c == d) + 4] = 1;
    s[((unsigned char)d == c) + 6] = 1;
    s[(c > i) + 8] = 1;
    unsigned short h1 = 65535;
    s[(h1 == i) + 10] = 1;
    s[(-1 < 1u) + 12] = 1;
    s[(-1ll < 1u) + 14] = 1;
    s[(i < sizeof(int)) + 16] = 1;
    long long w = -1;
    s[(w < u) + 18] = 1;
    unsigned long long x = 5;
    s[(w < x) + 20] = 1;
    s[(3 > 2 > 1) + 22] = 1;
    s[(laneid == 3 == 0) + 24] = 1;
    s[(laneid & 3 == 1) + 26] = 1;
    s[min(i, 3) + 30] = 1;
    s[max(u, 3u) + 32] = 1;
}

/// literals
__global__ void k() {
    s[0x1F + laneid] = 1;
    s[0b1011] = 1;
    s[017] = 1;
    s[1'0'0] = 1;
    s[(0xffffffff > 0) + 1] = 1;
    s[(4294967295 > 0) + 3] = 1;
    s[(0xffffffff + 1 == 0) + 5] = 1;
    s[(4294967295 + 1 == 0) + 7] = 1;
    s[(2147483647 + 1u) >> 25] = 1;
    s[sizeof(0x80000000) + sizeof(2147483648) * 2] = 1;
    s[sizeof(1u) + sizeof(1ul) + sizeof(1ll)] = 1;
    s['0' + 1] = 1;
}

/// precedence
__global__ void k() {
    int a = laneid, b = 3, c = 5;
    s[a + b * c & 1023] = 1;
    s[(a & b) == 1 ? 1 : 2] = 1;
    s[a & b == 3] = 1;
    s[a << 1 + 1 & 1023] = 1;
    s[a ^ b | c & 7] = 1;
    s[a > b && b < c || a == 2] = 1;
    s[!a == 0] = 1;
    s[-b + c] = 1;
    s[a - b - c & 1023] = 1;
    s[100 / 5 / 2] = 1;
    s[100 % 7 * 2] = 1;
    s[a ? b ? 1 : 2 : c ? 3 : 4] = 1;
    s[~a & 31] = 1;
    s[b - -c] = 1;
    s[b - - -1 + 5] = 1;
    b = c = a;
    s[b] = 1;
    b += c -= 3;
    s[b & 1023] = 1;
    int d = a++ + ++b;
    s[d & 1023] = 1;
    s[sizeof(int) * 2 + 1] = 1;
    s[(a, b) & 1023] = 1;
    s[a<b == b> a] = 1;
}
