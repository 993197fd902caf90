/* SPDX-License-Identifier: MIT */
/*
 * test_thread_edit.c: which thread does what, changed in the text of a kernel.
 */
#include <stdlib.h>
#include <string.h>

#include "smp_accesses.h"
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
    ck_assert_msg(count == (row->after != NULL), "row %d: %u changes", _i, count);
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

int main(void) {
    Suite *suite = suite_create("thread_edit");
    TCase *tests = tcase_create("thread_edit");
    tcase_add_loop_test(tests, threads_change_places, 0, (int)(sizeof rows / sizeof *rows));
    suite_add_tcase(suite, tests);
    return suite_run(suite);
}
