// SPDX-License-Identifier: MIT
// Pointers, references, members and indices of everyday C++. A kernel a part, over the arrays that
// bodies.c declares: run holds each access of each thread against what a compiler makes of the same
// text.

/// references
__device__ void swap_(int &a, int &b) {
    int t = a;
    a = b;
    b = t;
}
__device__ int &pick(int &a, int &b, bool c) {
    return c ? a : b;
}
__global__ void k() {
    int a = 1, b = 2;
    int &r = a;
    r = 5;
    s[a] = 1;
    r += b;
    s[a] = 2;
    swap_(a, b);
    s[a] = 3;
    s[b] = 4;
    const int &cr = b;
    b++;
    s[cr] = 5;
    int &e = s[laneid];
    e = 3;
    auto &m = p[laneid];
    m.x = 1;
    m.z[0] = 2;
    const auto &x = a;
    a = 17;
    s[x] = 6;
    unsigned char c = 255;
    unsigned char &rc = c;
    rc++;
    s[c] = 7;
}

/// struct members
struct inner {
    short a;
    char b;
};
struct outer_ {
    inner i[3];
    double d;
};
__global__ void k() {
    P q;
    q.x = 1;
    P *pp = &p[laneid];
    pp->y = 3;
    pp->z[1] = 2;
    (*pp).x = 1;
    pp++;
    pp->x = 1;
    outer_ *o = (outer_ *)s;
    o->i[1].b = 1;
    o[laneid].d = 2;
    o[2].i[2].a = 3;
    s[sizeof(outer_) + sizeof(inner)] = 1;
    s[sizeof(o->i) + sizeof o->d] = 1;
    s[sizeof(P) / sizeof(float)] = 1;
}

/// arrays of arrays
__global__ void k() {
    t[laneid][3] = 1;
    float *row = t[laneid];
    row[2] = 1;
    float(*rows)[33] = t + 1;
    rows[2][laneid] = 1;
    (*rows)[1] = 2;
    (*(rows + 1))[laneid] = 1;
    auto r = t[3];
    r[4] = 1;
    auto &r2 = t[5];
    r2[6] = 1;
    s[sizeof(t) / sizeof(t[0])] = 1;
    s[sizeof(t[0]) / sizeof t[0][0]] = 1;
    s[sizeof r2] = 2;
    s[sizeof r] = 2;
    float *e = &t[31][32];
    e[-1] = 2;
    *--e = 3;
    s[&t[2][0] - &t[0][0]] = 1;
}

/// pointers that are compared
__global__ void k() {
    for (int *q = s + laneid; q < s + 100; q += 32)
        *q = 1;
    int *begin = s, *end = s + 5;
    while (begin != end)
        *begin++ = 2;
    s[end - begin + 3] = 1;
    s[(&s[20] - begin) * 2] = 1;
    float *a = &t[1][0];
    s[a - &t[0][0]] = 1;
    s[(a > &t[0][2]) + (a <= t[1])] = 1;
}

/// pointers
__device__ float sum(const float *a, int n) {
    float r = 0;
    for (int i = 0; i < n; i++)
        r += a[i];
    return r;
}
__device__ int *next(int *q, int by = 1) {
    return q + by;
}
__global__ void k() {
    int *q = s, *r;
    r = q + laneid;
    *r = 1;
    r[1] = 2;
    *(r + 2) = 3;
    *++r = 4;
    *r++ = 5;
    r += 5;
    r[-1] = 6;
    *next(r) = 8;
    *next(next(q, 2), 3) = 9;
    q[0] = sum(&t[0][0] + 1, 3);
    float *f = (float *)s;
    f[3] = 1;
    char *b = (char *)s;
    b[5] = 1;
    *(short *)(b + 6) = 1;
    unsigned char *u = reinterpret_cast<unsigned char *>(&s[10]);
    u[3] = 1;
    float4 *w = reinterpret_cast<float4 *>(t);
    w[laneid].y = 1;
    (*w).z = 1;
    w->x = 1;
    const int *const cq = &s[4];
    s[1] = *cq;
    void *vp = s;
    ((int *)vp)[3] = 1;
    if (q)
        s[3] = 2;
    double *dd = &d[1];
    dd[laneid] = 1;
    P *pp = p + 1;
    pp[1].z[1] = 2;
    (pp + 1)->y = 2;
    int *z = pp->z;
    z[1] = 2;
}

/// initialisers
__global__ void k() {
    int a = 3, b(4), c{5}, d = {6};
    auto e = a, f = b;
    const auto g = c + 1u;
    unsigned char h1{7};
    int i{}, j = int(), m = {};
    s[a + b + c + d + e + f + g + h1 + i + j + m] = 1;
    int arr[3] = {1, 2, 3};
    float v4[2][2] = {{1, 2}, {3, 4}};
    float4 q = {1, 2, 3, 4};
    P x = {1, 2, {3, 4}};
    int u, w = 2;
    u = w;
    s[u] = 1;
    static const int st = 9;
    s[st] = 1;
    constexpr int ce = st + 1;
    s[ce] = 1;
    volatile int vol = 4;
    s[vol + 0] = 1;
    unsigned un = 3, *pu = (unsigned *)s;
    pu[un] = 2;
    long l = 3;
    long int li = 4;
    unsigned long ul = 5;
    short int si = 6;
    long unsigned lu = 7;
    int unsigned iu = 8;
    int long long ill = 9;
    s[l + li + ul + si + lu + iu + ill] = 1;
}

/// bit tricks
__global__ void k() {
    unsigned x = laneid;
    x ^= x >> 1;
    s[x] = 1;
    s[(laneid & -laneid)] = 1;
    s[laneid & (laneid - 1)] = 1;
    s[((laneid >> 2) ^ laneid) & 31] = 1;
    s[((laneid & 3) << 3 | laneid >> 2)] = 1;
    unsigned y = laneid * 2654435761u;
    s[y >> 27] = 1;
    y = (y << 5) | (y >> 27);
    s[y & 1023] = 1;
    s[(1u << laneid) >> 22] = 1;
    s[~0u >> 27] = 1;
    s[(~0u << 5) >> 27] = 1;
    unsigned long long m = 0x0123456789abcdefull;
    s[(m >> laneid) & 255] = 1;
    s[(unsigned)(m >> 32) & 255] = 1;
    s[(int)m & 255] = 1;
    s[(char)m & 255] = 1;
}

/// 3-D indices and strides
__global__ void k() {
    const int tid = threadIdx.z * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
    const int warp = tid / warpSize, lane = tid % warpSize;
    s[tid] = 1;
    s[warp * 32 + (lane ^ 1)] = 1;
    t[lane][warp] = 2;
    t[tid / 33][tid % 33] = 2;
    const int row = tid >> 3, col = (tid & 7) << 2;
    for (int i = 0; i < 8; i += 4)
        A[(row + i) * 32 + col] = t[col][row & 7];
    s[(blockIdx.x * blockDim.x + threadIdx.x) % 7] = 1;
    s[gridDim.x * blockDim.y] = 1;
}
