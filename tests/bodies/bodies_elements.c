/* SPDX-License-Identifier: MIT */
/*
 * Elements of the arrays that bodies.c declares, by every way that C++ has to name one, and data
 * made of them.
 */
#include <string.h>

#include "bodies.h"

#define chance bodies_chance

/* An index below a power of two. */
static void put_index(body *b, unsigned below) {
    put(b, chance(4) == 0 ? "(unsigned)(" : "(");
    put_integer(b, 2);
    put(b, ") & %u", below - 1);
}

void put_wrapped(body *b, const char *before, unsigned below, const char *after) {
    put(b, "%s", before);
    put_index(b, below);
    put(b, "%s", after);
}

typedef struct element_row {
    const char *before;
    unsigned below;
    const char *after;
} element_row;

static const element_row elements[] = {
    {"s[", 1024, "]"},
    {"t[3][", 32, "]"},
    {"v[", 64, "].x"},
    {"v[", 64, "].w"},
    {"h[", 512, "]"},
    {"c[", 256, "]"},
    {"d[", 128, "]"},
    {"p[", 64, "].z[1]"},
    {"(&p[", 64, "])->y"},
    {"A[", 4096, "]"},
    {"(*(s + (", 1024, ")))"},
    {"(&s[0])[", 1024, "]"},
    {"(*(float *)&v[", 64, "])"},
    {"(*(t + (", 32, ")))[5]"},
    {"reinterpret_cast<float2 *>(A)[", 2048, "].y"},
    {"(p + (", 64, "))->x"},
    {"(*(*(t + 2) + (", 32, ")))"},
    {"(&t[0][0])[", 1024, "]"},
    {"((float *)t)[", 1024, "]"},
    {"((int2 *)s)[", 512, "].y"},
    {"reinterpret_cast<float4 &>(A[4 * (", 1024, ")]).z"},
    {"(*(double *)&h[4 * (", 128, ")])"},
    {"(*&s[", 1024, "])"},
    {"(s + 100)[-(int)(", 64, ")]"},
    {"p[5].z[", 2, "]"},
    {"AT(", 512, ")"},
    {"s[CELL(", 16, ")]"},
    {"(&v[2])[", 32, "].y"},
    {"((short *)c)[", 128, "]"},
    {"(&d[", 64, "])[1]"},
    /* With pointers */
    {"q[", 64, "]"},
    {"(*q)", 0, ""},
    {"r", 0, ""},
    {"row[", 32, "]"},
};
enum { POINTER_ELEMENTS = 4, ELEMENTS = sizeof elements / sizeof elements[0] };

void put_element(body *b) {
    if (chance(8) == 0) {
        put_wrapped(b, "t[", 32, "]");
        put_wrapped(b, "[", 32, "]");
        return;
    }
    const element_row *row =
        &elements[chance(ELEMENTS - (b->has_pointer ? 0 : (uint32_t)POINTER_ELEMENTS))];
    if (row->below == 0)
        put(b, "%s", row->before);
    else
        put_wrapped(b, row->before, row->below, row->after);
}

void put_data(body *b, unsigned depth) {
    switch (depth == 0 ? 0 : chance(7)) {
    case 0:
    case 1:
        put_element(b);
        return;
    case 2:
        put(b, "2.5f");
        return;
    case 3:
        put_data(b, depth - 1);
        put(b, chance(2) == 0 ? " + " : " + 2.5f * "); /* x * (a && b) may become a branch */
        put_element(b);
        return;
    case 4:
        put(b, "(");
        put_integer(b, 1);
        put(b, " ? ");
        put_data(b, depth - 1);
        put(b, " : 0.f)");
        return;
    case 5:
        put(b, "(");
        put_integer(b, 1);
        put(b, chance(2) == 0 ? " && " : " || ");
        put_data(b, 0);
        put(b, " > 1)");
        return;
    default:
        put(b, "(float)(");
        put_data(b, depth - 1);
        put(b, ")");
    }
}
