/* SPDX-License-Identifier: MIT */
/* The places where a barrier, a fence or a wait may stand, the likeliest first. */
#include <stdlib.h>
#include <string.h>

#include "host_text.h"
#include "order_edit.h"
#include "smp_accesses.h"
#include "suite.h"

typedef struct order_case {
    const char *text;
    unsigned now, before; /* lines */
    const char *missing, *after;
    unsigned count; /* of changes */
} order_case;

#define SYNC(line) "a barrier; __syncthreads() before line " #line " would order them"
#define WAIT "a wait for the copy; its thread's cp.async.wait_group would order them"

/* clang-format off */
static const order_case rows[] = {
    {"k() {\n  a = 1;\n  b = a;\n}\n", 3, 2, SYNC(3), "k() {\n  a = 1;\n  __syncthreads();\n  b = a;\n}\n", 3},
    {"k() {\n  a = 1;\n  if (t < 3)\n    b = a;\n}\n", 4, 2, SYNC(4), "k() {\n  a = 1;\n  __syncthreads();\n  if (t < 3)\n    b = a;\n}\n", 3},
    {"k() {\n  a = 1;\n  if (t < 3) {\n    b = a;\n  }\n}\n", 4, 2, SYNC(4),
     "k() {\n  a = 1;\n  __syncthreads();\n  if (t < 3) {\n    b = a;\n  }\n}\n", 3},
    {"k() {\n  a = 1;\n#pragma unroll\n  for (i = 0; i < 3; i++)\n    b = a;\n}\n", 5, 2, SYNC(5),
     "k() {\n  a = 1;\n__syncthreads();\n#pragma unroll\n  for (i = 0; i < 3; i++)\n    b = a;\n}\n", 3},
    {"k() {\n  for (;;) {\n    a = b;\n  }\n}\n", 3, 3, SYNC(3), "k() {\n  for (;;) {\n    __syncthreads();\n    a = b;\n  }\n}\n", 4},
    {"k() {\n  a = 1;\n  b = 2;\n}\n", 3, 2, "a proxy fence; the writer's fence.proxy.async.shared::cta between line 2 and",
     "k() {\n  a = 1;\n  asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n  b = 2;\n}\n", 1},
    {"k() {\n  for (;;)\n    a = 1; // one\n  b = 2;\n}\n", 4, 3, "fence.proxy.async",
     "k() {\n  for (;;)\n    a = 1; // one\n  asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n  b = 2;\n}\n", 1},
    {"f() {\n  a = 1;\n}\nk() {\n  f();\n  b = a;\n}\n", 6, 2, "fence.proxy.async and a barrier before line 6 would order them",
     "f() {\n  a = 1;\n}\nk() {\n  f();\n  asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");\n  __syncthreads();\n  b = a;\n}\n", 4},
    {"k() {\n  asm(\"cp.async.wait_group 2;\");\n  b = a;\n}\n", 3, 0, WAIT, "k() {\n  asm(\"cp.async.wait_group 1;\");\n  b = a;\n}\n", 3},
    {"k() {\n  b = a;\n}\n", 2, 2, "a barrier of the cluster; cluster.sync() before the kernel ends",
     "k() {\n  b = a;\n  asm volatile(\"barrier.cluster.arrive;\\n\\tbarrier.cluster.wait;\" ::: \"memory\");\n}\n", 1},
    {"#define F(a) \\\n  g(a); \\\n  h(a)\nk() {\n  a = 1;\n  b = a;\n}\n", 6, 5, SYNC(6),
     "#define F(a) \\\n  g(a); \\\n  h(a)\nk() {\n  a = 1;\n  __syncthreads();\n  b = a;\n}\n", 3},
    {"k() {\n  for (;;) {\n    a = 1;\n    b = a;\n  }\n}\n", 4, 3, SYNC(3),
     "k() {\n  for (;;) {\n    __syncthreads();\n    a = 1;\n    b = a;\n  }\n}\n", 5},
    {"k() {\n  for (;;) {\n    for (i = t; i < 9; i += n) {\n      a = 1;\n    }\n    sync();\n    b = a;\n  }\n}\n", 4, 7, SYNC(4),
     "k() {\n  for (;;) {\n    __syncthreads();\n    for (i = t; i < 9; i += n) {\n      a = 1;\n    }\n    sync();\n    b = a;\n  }\n}\n", 6},
    {"k() {\n  for (;;) {\n    a = 1;\n    for (;;)\n      b = a;\n  }\n}\n", 5, 3,
     "a barrier; __syncthreads() before line 5 and, in their loop, before line 3 would order them",
     "k() {\n  for (;;) {\n    __syncthreads();\n    a = 1;\n    __syncthreads();\n    for (;;)\n      b = a;\n  }\n}\n", 6},
    {"k() {\n  if (t == 0) {\n    p = 1;\n    n = inc();\n  }\n  if (n) {\n    b = p;\n  }\n}\n", 7, 3,
     "an order of the blocks; a flag or ticket set after a __threadfence() and seen before another would order them",
     "k() {\n  if (t == 0) {\n    p = 1;\n    __threadfence();\n    n = inc();\n  }\n  if (n) {\n    __threadfence();\n    b = p;\n  }\n}\n", 2},
    {"k() {\n  b = a;\n}\n", 2, 2, "one writer; several lanes store to one place: let one of them store", NULL, 0},
};
/* clang-format on */

START_TEST(places_are_found) {
    const order_case *row = &rows[_i];
    order_change list[ORDER_CHANGES_MAX];
    text_edits edits = {.count = 0};
    size_t length;
    smp_profile_finding race = {.missing = (char *)(uintptr_t)row->missing, .has_other = true};
    race.at.line = row->now;
    race.other.line = row->before;
    char *blank = host_text_make(row->text, strlen(row->text));
    const unsigned count = order_changes_find(row->text, blank, &race, list);
    ck_assert_msg(count == row->count, "row %d: %u places", _i, count);
    if (count > 0) {
        text_edits_add(&edits, list[0].at, list[0].length, "%s", list[0].text);
        text_edits_add(&edits, list[0].also_at, 0, "%s", list[0].also);
        char *text = text_edits_apply(&edits, row->text, strlen(row->text), &length);
        ck_assert_str_eq(text, row->after);
        free(text);
    }
    text_edits_clear(&edits);
    free(blank);
}
END_TEST

int main(void) {
    return SUITE("order_edit", TEST_EACH(places_are_found, COUNT_OF(rows)));
}
