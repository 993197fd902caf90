/* SPDX-License-Identifier: MIT */
/* Changes to a kernel's text that reassign work to threads. */
#include <stdlib.h>
#include <string.h>

#include "damaged_text.h"
#include "grouped_bytes.h"
#include "suite.h"
#include "thread_edit.h"

typedef struct thread_case {
    uint32_t x, y;            /* of the block */
    const char *body, *after; /* NULL: nothing is changed */
} thread_case;

#define I "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
#define SCALED "  int i = (threadIdx.x + blockIdx.x * blockDim.x) * P;\n"
#define UNSCALED "  int i = threadIdx.x + blockIdx.x * blockDim.x;\n"
#define T "  const int threads = gridDim.x * blockDim.x;\n"
#define LOOP "  for (int k = 0; k < P; ++k)\n"

/* clang-format off */
static const thread_case rows[] = {
    {16, 16, "  p[threadIdx.y + n * threadIdx . x] = 1;\n", "  p[threadIdx.x + n * threadIdx.y] = 1;\n"},
    {32, 4, "\tp[threadIdx.x * n + threadIdx.y] = 1;\n",
     "\tconst unsigned turned = threadIdx.y * blockDim.x + threadIdx.x;\n"
     "\tp[(turned / blockDim.y) * n + (turned % blockDim.y)] = 1;\n"},
    {16, 16, "  p[threadIdx.x] = mythreadIdx.y + threadIdx.yes;\n", NULL},
    {32, 1, "  p[threadIdx.x * n + threadIdx.y] = 1;\n", NULL},
    {32, 4, "  int turned = 3;\n  p[threadIdx.x * n + threadIdx.y] = turned;\n", NULL},
    {32, 1, I LOOP "    p[i * P + k] = q[k + 1] + q[P * i + k];\n",
     I T LOOP "    p[i + k * threads] = q[k + 1] + q[i + k * threads];\n"},
    {32, 1, SCALED LOOP "    if (i + k < n) p[i + k] = q[i + k + 1];\n",
     UNSCALED T LOOP "    if (i + k * threads < n) p[i + k * threads] = q[i + k * threads + 1];\n"},
    {32, 1, I "  p[2 * i] = q[i * 2];\n  p[2 * i + 1] = q[i * 2 + 1];\n",
     I T "  p[i] = q[i];\n  p[i + 1 * threads] = q[i + 1 * threads];\n"},
    {32, 1, I "  if (2 * i + 1 < n)\n    p[2 * i] = p[2 * i + 1];\n", NULL}, /* for all of a chunk at once */
    {32, 1, I LOOP "    sum += q[i * P + k];\n  p[i] = sum;\n", NULL},
    {32, 1, SCALED "  for (int k = 1; k < P; k++)\n    p[i + k] = q[i + k];\n", NULL},
    {32, 1, I LOOP "    p[i * P + k] = q[i * Q + k];\n", NULL},
    {32, 1, I LOOP "    p[i * P + k * 2] = q[i * P + k];\n", NULL},
    {32, 1, I LOOP "    p[3 - i * P + k] = q[i * P + k];\n", NULL},
    {32, 1, I "  int threads = 3;\n" LOOP "    p[i * P + k] = q[i * P + k];\n", NULL},
    {32, 1, "  int i = threadIdx.x;\n" LOOP "    p[i * P + k] = q[i * P + k];\n", NULL},
};
/* clang-format on */

START_TEST(threads_change_places) {
    const thread_case *row = &rows[_i];
    thread_change list[THREAD_CHANGES_MAX];
    char source[1024], wanted[1024];
    host_kernel kernel;
    size_t length;
    (void)snprintf(source, sizeof source, "__global__ void k(float *p) {\n%s}\n", row->body);
    char *blank = host_text_make(source, strlen(source));
    ck_assert(host_kernel_find(blank, (host_span){"k", 1}, &kernel));
    const unsigned count =
        thread_changes_find(blank, &kernel, (uint32_t[3]){row->x, row->y, 1}, 0, list);
    ck_assert_msg(count == !!row->after, "row %d: %u changes", _i, count);
    if (row->after) {
        char *text = text_edits_apply(&list[0].edits, source, strlen(source), &length);
        (void)snprintf(wanted, sizeof wanted, "__global__ void k(float *p) {\n%s}\n", row->after);
        ck_assert_str_eq(text, wanted);
        free(text);
    }
    thread_changes_clear(list, count);
    free(blank);
}
END_TEST

/* ---- Vectors ---- */

typedef struct wide_case {
    const char *parameters, *body, *host, *after; /* NULL: nothing is changed */
} wide_case;

#define IN "const float *in, float *out"
#define READS "  a = in[2 * i];\n  b = in[i * 2 + 1];\n"
#define HOST "int main() { float *p; cudaMalloc((void **)&p, 9); k<<<1, 32>>>(p, p); }\n"
#define VECTOR "  const float2 in2 = reinterpret_cast<const float2 *>(in)[i];\n"

/* clang-format off */
static const wide_case wides[] = {
    {IN, READS, HOST, VECTOR "  a = in2.x;\n  b = in2.y;\n"},
    {IN, "  out[i] = in[2 * i] + in[2 * i + 1];\n", HOST, VECTOR "  out[i] = in2.x + in2.y;\n"},
    {"float *out, const float *__restrict__ in", "  out[2] = in[2 * i];\n  out[3] = in[2 * i + 1];\n", HOST,
     VECTOR "  out[2] = in2.x;\n  out[3] = in2.y;\n"},
    {IN, "  out[2] = in[2 * i];\n  out[3] = in[2 * i + 1];\n", HOST, NULL},                 /* out may be in + 1 */
    {IN, READS, "void f(float *p) { k<<<1, 32>>>(p, p); }\n", NULL},                          /* whose p? */
    {IN, READS, "int main() { float *p; cudaMalloc(&p, 9); k<<<1, 32>>>(p + 1, p); }\n", NULL},
    {IN, READS, "int main() { float *p; cudaMalloc(&p, 9); p += 1; k<<<1, 32>>>(p, p); }\n", NULL},
    {IN, READS "  c = in[3];\n", HOST, NULL},
    {IN, "  a = in[2 * i];\n", HOST, NULL},                                                   /* half of it */
    {IN, "  a = in[2 * i];\n  i = 3;\n  b = in[2 * i + 1];\n", HOST, NULL},
    {IN, "  a = in[2 * i];\n  if (i < n)\n    b = in[2 * i + 1];\n", HOST, NULL},
    {IN, "  a = in[2 * i] + (i < n ? in[2 * i + 1] : 0);\n", HOST, NULL},
    {"float *in, float *out", READS, HOST, NULL},                                             /* it may be written */
    {"const float3 *in, float *out", READS, HOST, NULL},
};
/* clang-format on */

START_TEST(elements_become_a_vector) {
    const wide_case *row = &wides[_i];
    static const char form[] = "__global__ void k(%s) {\n%s}\n%s";
    char source[1024], wanted[1024];
    host_kernel kernel;
    thread_change change;
    size_t length;
    (void)snprintf(source, sizeof source, form, row->parameters, row->body, row->host);
    char *blank = host_text_make(source, strlen(source));
    ck_assert(host_kernel_find(blank, (host_span){"k", 1}, &kernel));
    const bool is_found = wide_change_find(blank, &kernel, &change);
    ck_assert_msg(is_found == !!row->after, "row %d: %d", _i, is_found);
    if (row->after) {
        char *text = text_edits_apply(&change.edits, source, strlen(source), &length);
        (void)snprintf(wanted, sizeof wanted, form, row->parameters, row->after, row->host);
        ck_assert_str_eq(text, wanted);
        free(text);
    }
    thread_changes_clear(&change, 1);
    free(blank);
}
END_TEST

/* ---- Structs in groups ---- */

typedef struct group_case {
    const char *body, *host;                  /* of the kernel, and behind it */
    const char *why;                          /* NULL: it is written */
    const char *single, *new_body, *new_host; /* then */
} group_case;

#define ALL "int main() { S *d; cudaMalloc(&d, 64 * sizeof(S)); k<<<1, 32>>>(d); }\n"
#define NEW "int main() { S *d; cudaMalloc(&d, 64 / 32 * sizeof(S)); k<<<1, 32>>>(d); }\n"
#define LOST "by a pointer that is not followed"

/* clang-format off */
static const group_case groups[] = {
    {"p[i].a = p[i + 1].b[k];", ALL, NULL, "", "p[i / 32].a[i % 32] = p[(i + 1) / 32].b[k][(i + 1) % 32];", NEW},
    {"S one = p[i];", ALL, NULL, "struct S_single { float a; int b[2]; };\n\n",
     "S_single one = {p[i / 32].a[i % 32], p[i / 32].b[0][i % 32], p[i / 32].b[1][i % 32]};", NEW},
    {"p[i] = {1, {2, 3}};", ALL, NULL, "struct S_single { float a; int b[2]; };\n\n",
     "{\n    const S_single whole = {1, {2, 3}};\n"
     "    p[i / 32].a[i % 32] = whole.a;\n    p[i / 32].b[0][i % 32] = whole.b[0];\n    p[i / 32].b[1][i % 32] = whole.b[1];\n}", NEW},
    {"", "void f(int n) { S *h = new S[n + 1], *g = (S *)malloc(sizeof(S) * n); h[0].a = 1; delete[] h; free(g); }\n" ALL, NULL, "", "",
     "void f(int n) { S *h = new S[(n + 1 + 31) / 32], *g = (S *)malloc(sizeof(S) * ((n + 31) / 32)); h[0 / 32].a[0 % 32] = 1; "
     "delete[] h; free(g); }\n" NEW},
    {"", "void f(const S *h) {}\nvoid g(size_t n) { std::vector<S> h(n); f(h.data()); static S t[96]; f(t); }\n" ALL, NULL, "", "",
     "void f(const S *h) {}\nvoid g(size_t n) { std::vector<S> h((n + 31) / 32); f(h.data()); static S t[96 / 32]; f(t); }\n" NEW},
    {"", "int main() { int n = 64; S *d; cudaMalloc(&d, 2 * n * sizeof(S)); k<<<1, 32>>>(d); }\n", NULL, "", "",
     "int main() { int n = 64; S *d; cudaMalloc(&d, (2 * n + 31) / 32 * sizeof(S)); k<<<1, 32>>>(d); }\n"},
    {"", "int main() { int n = 2; S *d, h[64]; cudaMalloc(&d, n * sizeof(*d)); cudaMemcpy(d, h, sizeof *d * n, 1); memset(h, 0, 64 * sizeof(h[0])); }\n",
     "in a declaration that is not understood", NULL, NULL, NULL},
    {"", "int main() { int n = 2; S *d, *h; cudaMalloc(&d, n * sizeof(*d)); cudaMemcpy(d, h, sizeof *d * n, 64 * sizeof(h[0])); }\n", NULL, "", "",
     "int main() { int n = 2; S *d, *h; cudaMalloc(&d, (n + 31) / 32 * sizeof(*d)); cudaMemcpy(d, h, sizeof *d * ((n + 31) / 32), 64 / 32 * sizeof(h[0])); }\n"},
    {"", "void f(S *h) { S *g = h; void *v = h; }\n" ALL, LOST, NULL, NULL, NULL},
    {"p++;", ALL, LOST, NULL, NULL, NULL},
    {"p[p[i].b[0]].a = 1;", ALL, "with an element as an index", NULL, NULL, NULL},
    {"p[i++].a = 1;", ALL, "with an index that cannot be written twice", NULL, NULL, NULL},
    {"f(&p[i]);", ALL, "as a whole", NULL, NULL, NULL},
    {"(p + 1)->a = 1;", ALL, LOST, NULL, NULL, NULL},
    {"*p = 1;", ALL, LOST, NULL, NULL, NULL},
    {"", "void f(S *h) { fread(h, 4, 4, 0); }\n" ALL, LOST, NULL, NULL, NULL},
    {"", "void f(S *h) { qsort(h, 4, sizeof(S), 0); }\n" ALL, "in sizeof, but for a count times its size", NULL, NULL, NULL},
    {"", "void f(int n) { S *h = (S *)malloc(n + 1 * sizeof(S)); }\n" ALL, "in sizeof, but for a count times its size", NULL, NULL, NULL},
    {"", "void f() { std::set<S> g; }\n" ALL, "in a template", NULL, NULL, NULL},
    {"", "void f() { std::vector<S> h; }\n" ALL, "in a vector without its size", NULL, NULL, NULL},
    {"", "void f() { S h[4], g[4]; }\n" ALL, "in a declaration that is not understood", NULL, NULL, NULL},
};
/* clang-format on */

START_TEST(structs_lie_in_groups) {
    const group_case *row = &groups[_i];
    static const char form[] = "%sstruct S { float a%s; int b[2]%s; };\n"
                               "__global__ void k(S *p) { %s }\n%s";
    char source[1024], wanted[1024];
    host_kernel kernel;
    thread_change change;
    size_t length;
    (void)snprintf(source, sizeof source, form, "", "", "", row->body, row->host);
    char *blank = host_text_make(source, strlen(source));
    ck_assert(host_kernel_find(blank, (host_span){"k", 1}, &kernel));
    ck_assert(!group_change_find(blank, &kernel, 16, &change)); /* it has 12 bytes */
    ck_assert(group_change_find(blank, &kernel, 12, &change));
    ck_assert_str_eq(change.grouped, "4,4,4");
    ck_assert_msg(row->why ? !!strstr(change.why, row->why) : change.why[0] == '\0', "row %d: %s",
                  _i, change.why);
    if (!row->why) {
        char *text = text_edits_apply(&change.edits, source, strlen(source), &length);
        (void)snprintf(wanted, sizeof wanted, form, row->single, "[32]", "[32]", row->new_body,
                       row->new_host);
        ck_assert_str_eq(text, wanted);
        free(text);
    }
    thread_changes_clear(&change, 1);
    free(blank);
}
END_TEST

/* Two groups of structs of a byte and two are what the structs are one behind the other. */
START_TEST(groups_are_ordered) {
    enum { COUNT = 2 * GROUPED_STRUCTS, BYTES = 3 * COUNT };
    uint8_t grouped[BYTES], ordered[BYTES], wanted[BYTES];
    for (size_t i = 0; i < COUNT; i++) {
        uint8_t *group = grouped + i / 32 * 96;
        group[i % 32] = wanted[3 * i] = (uint8_t)i;
        group[32 + i % 32 * 2] = wanted[3 * i + 1] = (uint8_t)(i + 100);
        group[33 + i % 32 * 2] = wanted[3 * i + 2] = (uint8_t)(i * 5);
    }
    ck_assert(grouped_bytes_order("1,2", grouped, ordered, BYTES));
    ck_assert_mem_eq(ordered, wanted, BYTES);
    ck_assert(!grouped_bytes_order("1,2", grouped, ordered, BYTES - 3));
    ck_assert(!grouped_bytes_order("", grouped, ordered, BYTES));
    ck_assert(grouped_bytes_is_part("1,2", BYTES - 3) && !grouped_bytes_is_part("1,2", BYTES) &&
              !grouped_bytes_is_part("1,2", BYTES - 1));
    ck_assert_uint_eq(grouped_bytes_before("1,2;189;500", BYTES), 189);
    ck_assert_uint_eq(grouped_bytes_before("1,2;96;193", BYTES), BYTES); /* a group fewer, more */
}
END_TEST

/* A struct without a main, with functions, or with bytes between members stays. */
START_TEST(a_named_struct_has_groups) {
    static const char text[] = "typedef struct { int a; } S;\n"
                               "__global__ void k(S *p) { S one = p[i]; }\n" ALL;
    static const char wanted[] =
        "struct S_single { int a; };\n\ntypedef struct { int a[32]; } S;\n"
        "__global__ void k(S *p) { S_single one = {p[i / 32].a[i % 32]}; }\n" NEW;
    host_kernel kernel;
    thread_change change;
    size_t length;
    ck_assert(host_kernel_find(text, (host_span){"k", 1}, &kernel));
    ck_assert(group_change_find(text, &kernel, 4, &change));
    char *after = text_edits_apply(&change.edits, text, sizeof text - 1, &length);
    ck_assert_str_eq(after, wanted);
    free(after);
    thread_changes_clear(&change, 1);
}
END_TEST

START_TEST(other_structs_stay) {
    static const char *const texts[] = {
        "struct S { int a, b, c; };\n__global__ void k(S *p) { p[i].a; }\n",
        "struct S { int a, b, c; S(); };\n__global__ void k(S *p) { p[i].a; }\n" ALL,
        "struct S { char a; int b; int c; };\n__global__ void k(S *p) { p[i].a; }\n" ALL,
        "struct S { int a, *b; };\n__global__ void k(S *p) { p[i].a; }\n" ALL};
    host_kernel kernel;
    thread_change change;
    ck_assert(host_kernel_find(texts[_i], (host_span){"k", 1}, &kernel));
    ck_assert(!group_change_find(texts[_i], &kernel, 12, &change));
    thread_changes_clear(&change, 1);
}
END_TEST

/* A damaged text gets an answer, and no two edits overlap. */
START_TEST(damaged_structs_have_an_answer) {
    smp_random random = {7};
    for (unsigned i = 0; i < 5000; i++) {
        const group_case *row = &groups[i % (sizeof groups / sizeof *groups)];
        char source[1024], text[1024];
        host_kernel kernel;
        thread_change change;
        size_t length;
        (void)snprintf(source, sizeof source,
                       "struct S { float a; int b[2]; };\n__global__ void k(S *p) { %s }\n%s",
                       row->body, row->host);
        damaged_text(&random, source, text, sizeof text);
        char *blank = host_text_make(text, strlen(text));
        if (host_kernel_find(blank, (host_span){"k", 1}, &kernel) &&
            group_change_find(blank, &kernel, 12, &change)) {
            const bool is_written = change.why[0] == '\0';
            if (is_written)
                free(text_edits_apply(&change.edits, text, strlen(text), &length));
            for (size_t k = 0; k < change.edits.count && is_written; k++) {
                const text_edit *one = &change.edits.items[k];
                ck_assert_uint_le(one->at + one->length,
                                  k + 1 < change.edits.count ? one[1].at : strlen(text));
            }
            thread_changes_clear(&change, 1);
        }
        free(blank);
    }
}
END_TEST

int main(void) {
    return SUITE("thread_edit", TEST_EACH(threads_change_places, COUNT_OF(rows)),
                 TEST_EACH(elements_become_a_vector, COUNT_OF(wides)),
                 TEST_EACH(structs_lie_in_groups, COUNT_OF(groups)), TEST(groups_are_ordered),
                 TEST(a_named_struct_has_groups), TEST_EACH(other_structs_stay, 4),
                 TEST(damaged_structs_have_an_answer));
}
