/* SPDX-License-Identifier: MIT */
/*
 * Functions of the device that bodies call, and calls of them with what bodies_make.c makes;
 * atomics with and without a use of their result.
 */
#include <string.h>

#include "bodies.h"

const char bodies_functions[] =
    "namespace f { namespace g {\n"
    "__device__ int twist(int a, unsigned b);\n"
    "template <typename T, int N = 2> __device__ T scaled(T a) { return (a & 63) * N; }\n"
    "__device__ int deep(int a) { return twist(scaled<int, 3>(a), 4u) + scaled((int)threadIdx.x); "
    "}\n"
    "__device__ int twist(int a, unsigned b) {\n"
    "    if (a & 1) return a ^ 5;\n"
    "    for (int i = 0; i < 3; i++) { if (i == (int)(b & 3)) return i - a % 7; }\n"
    "    return (int)(b / 2 & 255);\n"
    "}\n"
    "template <class T> __device__ int doubled(T x) { T y = x; y += 100u; y <<= 1; return (int)(y "
    ">> 1); }\n"
    "template <class A, class B> __device__ auto mixed(A a, const B &b) { auto c = a; c ^= b; c "
    "<<= 1; "
    "return c; }\n"
    "__device__ auto narrowed(int a) { return (unsigned char)(a ^ a >> 8); }\n"
    "__device__ short signed_(int a) { return (short)a; }\n"
    "template <class T> __device__ int sized(T a) { return 26 + sizeof(T) + (a & 7); }\n"
    "template <unsigned char N, bool B = (N > 9)> __device__ auto given() { return B ? N : "
    "(short)-N; }\n"
    "} __device__ int &slot(int *p, int i) { int s = i & 63; return p[s]; }\n"
    "__device__ void bump(int &x, int by = 1) { x += by & 7; }\n"
    "__device__ const int *row(const int *p, int r) { return p + (r & 7) * 32; }\n"
    "__device__ int fill(int *p, int n) {\n"
    "    int c = 0;\n"
    "    for (int i = 0; i < (n & 3); i++) { p[i] = c; c += 2; }\n"
    "    return c;\n"
    "}\n"
    "template <int R, int C> __device__ float line(const float (&m)[R][C], int r) {\n"
    "    float sum = 0;\n"
    "    for (int i = 0; i < C; i += 11) { if ((r + i) & 1) continue; sum += m[r & (R - 1)][i]; }\n"
    "    return sum;\n"
    "}\n"
    "__device__ void put_own(int i) { s[512 + (i & 511)] = fill(s + 8, i); slot(s, i) += 1; }\n"
    "}\n";

/* Calls whose results and templates depend on types narrower than int. */
static void put_deduced(body *b, unsigned depth) {
    static const char *const names[] = {"f::g::doubled(", "f::g::mixed(",
                                        "f::g::doubled(f::g::mixed(", "f::g::sized("};
    static const char *const narrow[] = {
        "(unsigned char)(", "(short)(",       "(bool)(", "(signed char)(",   "!(", "(unsigned)(",
        "f::g::narrowed(",  "f::g::signed_(", "(char)(", "(unsigned short)("};
    const char *name = ONE_OF(names);
    put(b, "%s%s", name, ONE_OF(narrow));
    put_integer(b, depth - 1);
    put(b, ")");
    if (strstr(name, "mixed")) {
        put(b, ", %s", ONE_OF(narrow));
        put_integer(b, depth - 1);
        put(b, ")");
    }
    put(b, strstr(name, "doubled(f") ? "))" : ")");
}

void put_function(body *b, unsigned depth) {
    if (bodies_chance(3) == 0) {
        put_deduced(b, depth);
        return;
    }
    static const char *const calls[] = {
        "f::g::twist((int)(", "f::g::deep((int)(", "f::g::scaled(7u + (unsigned)(",
        "f::g::scaled<short>((int)(", "f::g::given<7>() + f::g::given<200>() + ((int)("};
    const char *call = ONE_OF(calls);
    put(b, "%s", call);
    put_integer(b, depth - 1);
    put(b, strstr(call, "twist") ? "), (unsigned)(" : "))");
    if (!strstr(call, "twist"))
        return;
    put_integer(b, depth - 1);
    put(b, "))");
}

void put_called(body *b, unsigned name) {
    static const char *const before[] = {
        "f::slot(s, (int)(",        "s[3] = f::row(s, (int)(", "h[f::fill(&s[40], (int)(",
        "d[1] = f::line(t, (int)(", "f::put_own((int)(",       "(laneid & 1) && f::fill(s, (int)("};
    static const char *const after[] = {")) = 2;\n", "))[laneid];\n", "))] = 1;\n",
                                        "));\n",     "));\n",         ")) > 2;\n"};
    uint32_t which = bodies_chance(7);
    if (which == 6) {
        put_wrapped(b, "{ int q = ", 32, ";\n");
        put(b, "f::bump(q); f::bump(q, 3); s[q] = %u; }\n", name);
        return;
    }
    put(b, "%s", before[which]);
    put_integer(b, 2);
    put(b, "%s", after[which]);
}

/* Results that are wanted, thrown away, or both; what is no reduction anyhow. */
void put_atomic(body *b) {
    static const char *const wanted[] = {
        "", "(void)", "d[laneid] = 2 * ", "(laneid & 1) && ", "c[3] = 1 + ", "(float)"};
    static const char *const calls[] = {"atomicAdd(&s[",   "atomicOr(&s[",
                                        "atomicMax(s + (", "atomicExch(&s[",
                                        "atomicCAS(&s[",   "atomicAdd((int *)&t[0]["};
    const char *call = ONE_OF(calls);
    put(b, "%s", ONE_OF(wanted));
    put_wrapped(b, call, strchr(call, '(') + 1 == strstr(call, "&s") ? 1024 : 30,
                strchr(call, '[') ? "]" : ")");
    put(b, strstr(call, "CAS") ? ", 1, laneid);\n" : ", 5);\n");
}
