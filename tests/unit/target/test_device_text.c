/* SPDX-License-Identifier: MIT */
/* Removing host code from a source; lines keep their numbers. */
#include <stdlib.h>
#include <string.h>

#include "device_text.h"
#include "suite.h"

typedef struct text_row {
    const char *text, *left; /* blanks and ends of lines aside */
} text_row;

/* clang-format off */
static const text_row rows[] = {
    {"#include <torch/extension.h>\n#include <cmath>\n#include \"gone.h\"\n#include \"here.h\"\n", "#include<cmath>#include\"here.h\""},
    {"__global__ void k(float *p) { p[0] = 1; }\nvoid f(torch::Tensor t) { k<<<1, 1>>>(t.data_ptr<float>()); }\n", "__global__voidk(float*p){p[0]=1;}"},
    {"template <int N> __device__ int f() { return N; } template <class T> void g(T t) { }", "template<intN>__device__intf(){returnN;}"},
    {"namespace a { int host() { return 1; } __device__ int f() { return 2; } }", "namespacea{__device__intf(){return2;}}"},
    {"extern \"C\" { __global__ void k() { } int main() { } }", "extern\"C\"{__global__voidk(){}}"},
    {"struct S { int n; }; struct T { torch::Tensor t; }; S f() { return {}; }", "structS{intn;};"},
    {"#define INLINE __device__ inline\nINLINE int f() { return 1; }\nINLINED int g() { return 1; }", "#defineINLINE__device__inlineINLINEintf(){return1;}"},
    {"BIND(f32, torch::kFloat32)\nBIND(f16, x)\n__global__ void k() { }\nPYBIND11_MODULE(a, m) { m.def(\"f\"); }", "__global__voidk(){}"},
    {"const int table[] = {1, 2}; constexpr int f(int a) { return a; } using T = float; typedef at::Half H; int n = 3;", "constinttable[]={1,2};constexprintf(inta){returna;}usingT=float;intn=3;"},
    {"__global__ void k() { // }\n const char *s = \"}\"; } int f() { }", "__global__voidk(){//}constchar*s=\"}\";}"},
    {"#define F(a) \\\r\n  int a;\r\nint f() { return 1; }\r\n__device__ F(n);\r\n", "#defineF(a)\\inta;__device__F(n);"},
    {"int f(bool a = false) { return a; } __device__ int g(int a = 3) { return a; }", "__device__intg(inta=3){returna;}"},
    {"int f() {", ""},
};
/* clang-format on */

static void drop_blanks(char *text) {
    char *to = text;
    for (const char *at = text; *at; at++)
        if (!strchr(" \r\n", *at))
            *to++ = *at;
    *to = '\0';
}

static unsigned lines_of(const char *text) {
    unsigned count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

START_TEST(left) {
    const text_row *row = &rows[_i];
    char *text = device_text_make(row->text, strlen(row->text), "other.h:gone.h");
    ck_assert_uint_eq(strlen(text), strlen(row->text));
    ck_assert_uint_eq(lines_of(text), lines_of(row->text));
    drop_blanks(text);
    ck_assert_str_eq(text, row->left);
    free(text);
}
END_TEST

int main(void) {
    return SUITE("device_text", TEST_EACH(left, COUNT_OF(rows)));
}
