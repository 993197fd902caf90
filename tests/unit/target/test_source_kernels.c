/* SPDX-License-Identifier: MIT */
/* The kernels of a text and the template instances that it names. */
#include <stdlib.h>
#include <string.h>

#include "source_layout.h"
#include "suite.h"
#include "text_buffer.h"

typedef struct kernel_row {
    const char *text, *names; /* '|' between; '?' behind what was assumed, '!' specialized */
} kernel_row;

/* clang-format off */
static const kernel_row rows[] = {
    {"", ""},
    {"__global__ void k(float *p);", ""},
    {"__global__ void k(float *p) { } __global__ void q() { }", "k|q"},
    {"extern \"C\" __global__ void __launch_bounds__(256, 2) k(int (*p)[4]) { }", "k"},
    {"__global__ void __cluster_dims__(2, 1, 1) k() { }", "k"},
    {"#define KERNEL __global__ void\nKERNEL k(int n) { }", "k"},
    {"#if A\n__global__ void k(int n) { }\n#else\n__global__ void k(int n) { }\n#endif", "k"},
    {"template <int N> __global__ void k(int *p) { }", "k<32>?"},
    {"template <int N = 8, class T = double> __global__ void k(int *p) { }", "k<8, double>"},
    {"template <int N> __global__ void k(int *p) { } template __global__ void k<4>(int *); template __global__ void k<8>(int *);", "k<4>|k<8>"},
    {"template <int N> __global__ void k(int *p) { } void f() { const int n = 4; k<2 * n><<<1, 32>>>(0); k<8><<<1, 32>>>(0); }", "k<8>"},
    {"template <int N> __global__ void k(int *p) { } void f() { mask<4>(0); k<8><<<1, 32>>>(0); }", "k<8>"},
    {"template <int N> __global__ void k(int *p) { } void f(int m) { k<4><<<1, 32>>>(0); k<m><<<1, 32>>>(0); }", "k<4>|k<32>?"},
    {"template <class T> __global__ void k(T *p) { } template <class U> void f(U *p) { k<U><<<1, 32>>>(p); } template void f<double>(double *); void g() { f<int>(0); }",
     "k<double>|k<int>"},
    {"template <class T> __global__ void k(T *p) { } template <class U> void f(U *p) { k<U><<<1, 32>>>(p); }", "k<float>?"},
    {"struct P { int x; }; template <class T> __global__ void k(T *p) { } void f() { k<P><<<1, 1>>>(0); }", "k<P>"},
    {"template <int N> __global__ void k() { } template <> __global__ void k< 4 >() { } void f() { k<4><<<1, 1>>>(); k<8><<<1, 1>>>(); }", "k<4>!|k<8>"},
    {"template <int A, int B> __global__ void k() { } template <> __global__ void k<4,2>() { } void f() { k<4, 2><<<1, 1>>>(); }", "k<4, 2>!"},
    {"template <int BS> __global__ void __launch_bounds__(128) k(int *p) { p[blockIdx.x * BS + threadIdx.x] = 0; }", "k<128>?"},
    {"template <int BS> __global__ void __launch_bounds__(BS) k(int *p) { }", "k<256>?"},
    {"template <int BS> __global__ void k(int *p) { __shared__ int s[BS]; s[threadIdx.x] = *p; }", "k<256>?"},
    {"template <int BS> __global__ void k(int *p) { __shared__ int s[BS][BS]; s[threadIdx.y][threadIdx.x] = *p; }", "k<32>?"},
    {"template < __global__ void k<", ""},
    {"template <class T __global__ void k(T) { k<", "k"},
    {"__global__ void k(", ""},
};
/* clang-format on */

START_TEST(kernels) {
    char found[512];
    text_buffer out = TEXT_BUFFER(found);
    source_kernel *list = NULL;
    size_t count = 0;
    smp_error error;
    char *text = host_text_make(rows[_i].text, strlen(rows[_i].text));
    ck_assert_int_eq(source_kernels_find(text, &list, &count, &error), SMP_OK);
    found[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        bool is_assumed = false;
        for (unsigned k = 0; k < list[i].argument_count; k++)
            is_assumed |= list[i].is_assumed[k];
        text_join(&out, "|", "%s%s%s", list[i].name, is_assumed ? "?" : "",
                  list[i].is_special ? "!" : "");
    }
    ck_assert_msg(strcmp(found, rows[_i].names) == 0, "%s: %s, expected %s", rows[_i].text, found,
                  rows[_i].names);
    free(list);
    free(text);
}
END_TEST

/* Text, and the functions of its first kernel whose bodies are not there. */
static const struct {
    const char *text, *names;
} calls[] = {
    {"__global__ void k(float *p) { p[0] = lookup(3) + other (lookup(4)); }", "lookup(), other()"},
    {"float lookup(int i); __global__ void k(float *p) { p[0] = lookup(3); }", "lookup()"},
    {"float lookup(int i) { return i; } __global__ void k(float *p) { p[0] = lookup(3); }", ""},
    {"struct F { float operator()(int i) const { return i; } }; __global__ void k(F f) { f(1); "
     "F(); }",
     ""},
    {"#define AT(i) p[i]\n__global__ void k(float *p) { if (AT(0)) for (;;) AT(1) = sizeof(p); }",
     ""},
    {"__global__ void k(float *p) { p[0] = sqrtf(2) + __ldg(p) + h.f(1) + float(3) + fmax(1, 2); }",
     ""},
    {"__global__ void k(float *p) { p[0] = sqrtg(2) + std::max(1, 2) + atomicAdd(p, 1); }",
     "sqrtg()"},
    {"__global__ void k(float *p) { static_assert(true); auto b = this_thread_block(); }", ""},
};

START_TEST(calls_without_a_body_are_named) {
    source_kernel *list = NULL;
    size_t count = 0;
    smp_error error;
    char found[80], *text = host_text_make(calls[_i].text, strlen(calls[_i].text));
    ck_assert_int_eq(source_kernels_find(text, &list, &count, &error), SMP_OK);
    ck_assert_uint_eq(count, 1);
    source_calls_name(text, list, found, sizeof found);
    ck_assert_str_eq(found, calls[_i].names);
    free(list);
    free(text);
}
END_TEST

int main(void) {
    return SUITE("source_kernels", TEST_EACH(kernels, COUNT_OF(rows)),
                 TEST_EACH(calls_without_a_body_are_named, COUNT_OF(calls)));
}
