// SPDX-License-Identifier: MIT
// Statements and functions of everyday C++. A kernel a part, over the arrays that bodies.c
// declares: run holds each access of each thread against what a compiler makes of the same text.

/// enumerations
enum plain { A0, A1 = 7, A2 };
enum {
    W0 = 1,
    W1 = -3,
};
__global__ void k() {
    plain a = A2;
    s[a + A1 * laneid & 1023] = 1;
    s[(W0 - 2) / 2 & 1023] = 2;
    s[(A0 - 2) / 2 + W1 & 1023] = 3;
    s[static_cast<plain>(laneid & 1)] = 8;
}

/// comma
__global__ void k() {
    int i = (1, 2, 3);
    s[i] = 1;
    int a = 1, b = 2;
    a = 5, b = 6;
    s[a + b] = 2;
    for (int x = 0, y = 8; x < 3; x++, y--)
        s[x * y] = 3;
    s[(a++, a)] = 4;
    if (a = 3, a > 2)
        s[a] = 6;
    while (a--, a > 0)
        s[a] = 7;
    int c = 0, d = 0;
    for (; c < (laneid & 3); c++)
        ;
    s[c] = 8;
    for (; d < 3; d += 1 + (laneid & 1))
        if (laneid == 5)
            break;
    s[d] = 9;
}

/// shadowing
const int outer = 4;
__device__ int uses(int x) {
    return outer + x;
}
__global__ void k() {
    int outer = 9;
    s[uses(outer)] = 1;
    {
        int outer = 12;
        s[outer] = 2;
        {
            unsigned char outer = 300;
            s[outer] = 3;
        }
    }
    for (int outer = 20; outer < 22; outer++) {
        s[outer] = 4;
    }
    s[outer] = 8;
    int warpid = 3;
    s[warpid] = 9;
}

/// macros
#define IDX(x, y) ((y)*32 + (x))
#define BAD_SUM(a, b) a + b
#define MAX_(a, b) ((a) > (b) ? (a) : (b))
#define STR(x) #x
#define TILE_ 8
#define LOOP(i, n) for (int i = 0; i < (n); i++)
#define SET(i)          \
    do {                \
        s[i] = 1;       \
        s[(i) + 1] = 2; \
    } while (0)
#define NOTHING
__global__ void k() {
    s[IDX(laneid, 3) & 1023] = 1;
    s[BAD_SUM(1, 2) * 3] = 2;
    s[MAX_(laneid, 7)] = 3;
    int var = 3;
    s[var] = 4;
    LOOP(i, TILE_ / 4) {
        s[i] = 5;
    }
    if (laneid > 3)
        SET(10);
    else
        SET(20);
    NOTHING
#if TILE_ == 8 && defined(IDX)
    s[30] = 1;
#else
    s[31] = 1;
#endif
#undef TILE_
#define TILE_ 16
    s[TILE_] = 1;
}

/// templates with defaults
template <int A = 2, typename T = unsigned char> __device__ T mul(int x) {
    return x * A;
}
template <typename T, int N = sizeof(T) * 2> __device__ int size2() {
    return N;
}
template <typename T> __device__ T add(T a, T b = 3) {
    return a + b;
}
template <typename A, typename B> __device__ auto sum(A a, B b) {
    return a + b;
}
template <typename T, typename U = T> __device__ U conv(T x) {
    return (U)x;
}
template <bool fwd> __device__ int dir(int x) {
    if (fwd)
        return x + 1;
    else
        return x - 1;
}
template <int N> __device__ int fact() {
    if constexpr (N <= 1)
        return 1;
    else
        return N * fact<N - 1>();
}
__global__ void k() {
    s[mul(laneid * 20)] = 1;
    s[mul<3>(laneid * 20)] = 1;
    s[mul<3, int>(laneid * 20) & 1023] = 1;
    s[size2<double>() + size2<char, 3>()] = 1;
    s[add(laneid)] = 1;
    s[add<unsigned char>(250, laneid)] = 1;
    s[sum((unsigned char)250, 10)] = 1;
    s[sum(-1, 5u) & 1023] = 1;
    s[conv<unsigned, unsigned char>(laneid + 250)] = 1;
    s[dir<true>(laneid) + dir<false>(3)] = 1;
    s[fact<4>()] = 1;
}

/// if constexpr
template <int N> __device__ int fact() {
    if constexpr (N <= 1)
        return 1;
    else
        return N * fact<N - 1>();
}
template <class T> __device__ int kind_of(T x) {
    if constexpr (sizeof(T) == 1) {
        for (int i = 0; i < 2; i++)
            if (i)
                return 5;
    } else if constexpr (sizeof(T) == 8)
        return 6;
    return 7;
}
__global__ void k() {
    s[fact<4>()] = 1;
    s[kind_of((char)1) + 10 * kind_of(1.0) + 100 * kind_of(1)] = 1;
    if constexpr (sizeof(int) == 8)
        s[5] = 1;
    s[6] = 1;
}

/// loops
__global__ void k() {
    for (int i = threadIdx.x; i < 70; i += blockDim.x)
        s[i] = 1;
    for (unsigned i = 10; i-- > 5;)
        s[i] = 2;
    for (int i = 5; i >= 0; --i) {
        if (i == 3)
            continue;
        s[i] = 3;
        if (i == laneid)
            break;
    }
    int i = 0;
    for (;;) {
        if (i > 3)
            break;
        s[i++] = 4;
    }
    while (true) {
        if (++i > 9)
            break;
        s[i] = 5;
    }
    do {
        s[i] = 6;
        i -= 3;
    } while (i > 0);
    for (int a = 1, b = 100; a < b; a *= 2, b /= 2)
        s[a + b] = 7;
    for (int o = 16; o > 0; o >>= 1)
        s[o + laneid] = 8;
    for (size_t q = 3; q != 0; q--)
        s[q] = 9;
    for (char c = 'a'; c <= 'd'; c++)
        s[c] = 10;
    for (int a = 0; a < 3; a++)
        for (int b = a; b < 3; b++)
            if ((a + b) & 1)
                s[a * 3 + b] = 11;
            else
                s[20 + a] = 12;
    unsigned n = laneid;
    while (n) {
        s[n & 1023] = 13;
        n &= n - 1;
    }
    for (unsigned char u = 250; u > 5; u++)
        s[u] = 14;
}

/// nested conditions
__global__ void k() {
    if (laneid < 16)
        if (laneid & 1)
            s[1] = 1;
        else
            s[2] = 2;
    else if (laneid == 20)
        s[3] = 3;
    else {
        s[4] = 4;
        if (laneid > 25) {
            s[5] = 5;
        } else
            s[6] = 6;
    }
    if (!(laneid & 3) && laneid > 4 || laneid == 1)
        s[7] = 7;
    laneid < 3 && (s[8] = 8, true);
    laneid < 3 || (s[9] = 9);
    bool ok = laneid > 2 && laneid < 30;
    if (ok)
        if (!ok)
            s[10] = 1;
        else
            s[11] = 1;
    if (ok && s[12])
        ;
    int x = ok ? laneid : -1;
    if (x < 0)
        return;
    s[x] = 1;
    if (laneid == 5) {
        s[13] = 1;
        return;
    }
    s[14] = 1;
}

/// small functions
__device__ __forceinline__ int lane_() {
    return threadIdx.x & 31;
}
__device__ inline unsigned bit(unsigned x, int n) {
    return x >> n & 1;
}
__device__ int clampi(int x, int lo, int hi) {
    return x < lo ? lo : x > hi ? hi : x;
}
__device__ void store(int *q, int i, int v) {
    if (i < 40)
        q[i] = v;
}
__device__ bool inside(int x, int y) {
    return x >= 0 && x < 32 && y >= 0 && y < 2;
}
__device__ unsigned char low(int x) {
    return x;
}
__device__ short both(int a, int b) {
    return a << 8 | b;
}
__device__ size_t offset_of(int r, int c, size_t ld) {
    return r * ld + c;
}
__global__ void k() {
    s[lane_()] = 1;
    s[bit(laneid, 2)] = 1;
    s[clampi(laneid * 3 - 10, 0, 40)] = 1;
    store(s, laneid * 2, 3);
    if (inside(threadIdx.x - 1, threadIdx.y - 1))
        s[5] = 1;
    s[low(laneid * 100)] = 1;
    s[both(laneid, 3) & 1023] = 1;
    s[offset_of(threadIdx.y, threadIdx.x, 33)] = 1;
    s[low(300) + low(-1)] = 1;
}
