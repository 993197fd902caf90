/* SPDX-License-Identifier: MIT */
/*
 * Draws a layout, and writes it in the layout language. Every index keeps to its
 * dimension by its form, so that no case is lost to an error of its own.
 */
#define _POSIX_C_SOURCE 200809L
#include "code_case.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Drawing ---- */

static uint32_t below(smp_random *random, uint32_t limit) {
    return (uint32_t)smp_random_below(random, limit);
}

static bool one_in(smp_random *random, uint32_t count) {
    return below(random, count) == 0;
}

#define PICK(random, table) ((table)[below(random, sizeof(table) / sizeof((table)[0]))])

__attribute__((format(printf, 3, 4))) static void put(char *text, size_t size, const char *format,
                                                      ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, size, format, arguments);
    va_end(arguments);
}

#define PUT(array, ...) put(array, sizeof(array), __VA_ARGS__)

/* ---- Types ---- */

typedef struct type_row {
    const char *name;
    uint32_t size;
    const char *pair, *quad; /* types that cover two and four elements, or NULL */
    const char *member;      /* one component, or NULL */
} type_row;

static const type_row types[] = {
    {"char", 1, "char2", "char4", NULL},
    {"signed char", 1, "short", "int", NULL},
    {"unsigned char", 1, "uchar2", "uchar4", NULL},
    {"bool", 1, NULL, NULL, NULL},
    {"uchar", 1, "uchar2", "uchar4", NULL},
    {"int8_t", 1, "short", "int", NULL},
    {"uint8_t", 1, "ushort", "uint32_t", NULL},
    {"short", 2, "short2", "short4", NULL},
    {"unsigned short", 2, "ushort2", "ushort4", NULL},
    {"short int", 2, "int", "int2", NULL},
    {"ushort", 2, "ushort2", "ushort4", NULL},
    {"int16_t", 2, "int", "int2", NULL},
    {"uint16_t", 2, "unsigned", "uint2", NULL},
    {"half", 2, "half2", "float2", NULL},
    {"__half", 2, "__half2", "float2", NULL},
    {"__nv_bfloat16", 2, "__nv_bfloat162", "uint2", NULL},
    {"nv_bfloat16", 2, "nv_bfloat162", "uint2", NULL},
    {"__nv_fp8_e4m3", 1, "__nv_fp8x2_e4m3", "__nv_fp8x4_e4m3", NULL},
    {"__nv_fp8_e5m2", 1, "__nv_fp8x2_e5m2", "__nv_fp8x4_e5m2", NULL},
    {"int", 4, "int2", "int4", NULL},
    {"signed", 4, "int2", "int4", NULL},
    {"unsigned", 4, "uint2", "uint4", NULL},
    {"unsigned int", 4, "uint2", "uint4", NULL},
    {"uint", 4, "uint2", "uint4", NULL},
    {"int32_t", 4, "int2", "int4", NULL},
    {"uint32_t", 4, "uint2", "uint4", NULL},
    {"float", 4, "float2", "float4", NULL},
    {"long", 8, "long2", NULL, NULL},
    {"unsigned long", 8, "ulong2", NULL, NULL},
    {"long long", 8, "longlong2", NULL, NULL},
    {"unsigned long long", 8, "ulonglong2", NULL, NULL},
    {"long long int", 8, "int4", NULL, NULL},
    {"int64_t", 8, "longlong2", NULL, NULL},
    {"uint64_t", 8, "ulonglong2", NULL, NULL},
    {"size_t", 8, "ulong2", NULL, NULL},
    {"double", 8, "double2", NULL, NULL},
    {"char2", 2, "char4", NULL, ".y"},
    {"uchar3", 3, NULL, NULL, ".z"},
    {"char4", 4, "int2", "int4", ".w"},
    {"short2", 4, "int2", "int4", ".x"},
    {"ushort4", 8, "uint4", NULL, ".y"},
    {"int2", 8, "int4", NULL, ".x"},
    {"uint3", 12, NULL, NULL, ".z"},
    {"uint4", 16, NULL, NULL, ".w"},
    {"long2", 16, NULL, NULL, ".x"},
    {"ulonglong2", 16, NULL, NULL, ".y"},
    {"float1", 4, "float2", "float4", ".x"},
    {"float2", 8, "float4", NULL, ".y"},
    {"float3", 12, NULL, NULL, ".x"},
    {"float4", 16, NULL, NULL, ".z"},
    {"float4", 16, NULL, NULL, NULL},
    {"double2", 16, NULL, NULL, ".x"},
    {"double3", 24, NULL, NULL, ".y"},
    {"double4", 32, NULL, NULL, ".z"},
    {"half2", 4, "float2", "float4", ".x"},
    {"__half2", 4, "float2", "float4", NULL},
    {"__nv_bfloat162", 4, "float2", "float4", NULL},
    {"nv_bfloat162", 4, "float2", "float4", NULL},
    {"__nv_fp8x2_e4m3", 2, "__nv_fp8x4_e4m3", NULL, NULL},
    {"__nv_fp8x4_e4m3", 4, "float2", "float4", NULL},
    {"__nv_fp8x2_e5m2", 2, "__nv_fp8x4_e5m2", NULL, NULL},
    {"__nv_fp8x4_e5m2", 4, "float2", "float4", NULL},
};

typedef struct struct_row {
    const char *body;
    uint32_t size;
    const char *members[CODE_MEMBERS_MAX];
} struct_row;

static const struct_row structs[] = {
    {"float x, y, z, w;", 16, {".x", ".w"}},
    {"float x, y;", 8, {".x", ".y"}},
    {"double d; int i[2];", 16, {".d", ".i[1]"}},
    {"unsigned char c[3]; short s;", 6, {".c[2]", ".s"}},
    {"float4 v; float2 w; unsigned n;", 48, {".v", ".w", ".n", ".v.y"}},
    {"char c; size_t n; half h[4];", 32, {".c", ".n", ".h[3]"}},
    {"float m[2][2]; int i;", 20, {".m[1][0]", ".i"}},
    {"half2 h; __nv_fp8_e5m2 e[4];", 8, {".h", ".e[2]"}},
};

static void draw_struct(smp_random *random, uint32_t number, code_array *out) {
    const struct_row *row = &PICK(random, structs);
    PUT(out->body, "%s", row->body);
    out->size = row->size;
    for (; out->member_count < CODE_MEMBERS_MAX && row->members[out->member_count];
         out->member_count++)
        PUT(out->member[out->member_count], "%s", row->members[out->member_count]);
    out->struct_align = one_in(random, 4) ? "__align__(16) " : "";
    out->size = (out->size + 15) / 16 * 16;
    if (one_in(random, 2)) {
        PUT(out->struct_name, "P%u", number);
        PUT(out->type, "%sP%u", one_in(random, 4) ? "struct " : "", number);
    } else if (one_in(random, 2)) {
        PUT(out->type, "struct %sQ%u { %s }", out->struct_align, number, row->body);
    } else {
        PUT(out->type, "struct %s{ %s }", out->struct_align, row->body);
    }
}

static void draw_type(smp_random *random, uint32_t number, code_array *out) {
    out->vector_count = 1;
    if (one_in(random, 7)) {
        draw_struct(random, number, out);
        return;
    }
    const type_row *row = &PICK(random, types);
    uint32_t wide = below(random, 3);
    out->size = row->size;
    out->vector = wide == 1 ? row->pair : wide == 2 ? row->quad : NULL;
    out->vector_count = out->vector ? 2 * wide : 1;
    if (row->member)
        PUT(out->member[out->member_count++], "%s", row->member);
    out->is_volatile = !row->member && row->size <= 8 && one_in(random, 6);
    bool is_integer = row->name[0] != '_' && !strstr(row->name, "half") && !strstr(row->name, "bf");
    out->is_volatile &= is_integer && row->name[strlen(row->name) - 1] != '2';
    out->is_atomic =
        row->size == 4 && (strstr(row->name, "nt") || strstr(row->name, "signed")) && !row->member;
    if (!out->is_volatile)
        PUT(out->type, "%s", row->name);
    else if (one_in(random, 3))
        PUT(out->type, "%s volatile", row->name);
    else
        PUT(out->type, "volatile %s", row->name);
}

/* ---- Arrays ---- */

uint32_t code_array_elements(const code_array *array) {
    uint32_t count = 1;
    for (uint32_t d = 0; d < array->dim_count; d++)
        count *= array->extent[d];
    return count;
}

enum { ARRAY_BYTES_MAX = 13000 }; /* of all arrays: compute capability 1.x has 16 KiB */

static void draw_extents(smp_random *random, uint32_t array_count, code_array *out) {
    static const uint32_t columns[] = {4, 8, 16, 32, 32, 64, 24, 33, 18, 12, 20, 3, 7, 40, 48};
    static const uint32_t rows[] = {3, 5, 7, 9, 9, 11, 13, 17, 31, 33, 32, 16, 8, 2, 24};
    static const uint32_t flat[] = {64, 96, 100, 128, 200, 256, 333, 512, 600, 1024};
    out->dim_count = 1 + (one_in(random, 5) ? 0 : 1 + below(random, 4) / 2 + below(random, 4) / 3);
    for (uint32_t d = 0; d < out->dim_count; d++)
        out->extent[d] = PICK(random, rows);
    for (uint32_t d = 0; d + 2 < out->dim_count; d++)
        out->extent[d] = 2 + below(random, 4);
    out->extent[out->dim_count - 1] =
        out->dim_count == 1 ? PICK(random, flat) : PICK(random, columns);
    if (out->extent[out->dim_count - 1] % out->vector_count != 0) {
        out->vector = NULL;
        out->vector_count = 1;
    }
    while (code_array_elements(out) * out->size > ARRAY_BYTES_MAX / array_count) {
        uint32_t largest = 0;
        for (uint32_t d = 1; d < out->dim_count; d++)
            largest = out->extent[d] > out->extent[largest] ? d : largest;
        out->extent[largest] = (out->extent[largest] / 2 + out->vector_count - 1) /
                               out->vector_count * out->vector_count;
    }
}

/* How an extent is spelled: as a number, or by the constants N = 4 and M. */
static void spell_extent(smp_random *random, uint32_t extent, char text[32]) {
    bool is_even = extent % 2 == 0;
    switch (below(random, 8)) {
    case 0:
        put(text, 32, extent > 4 ? "N + %u" : "%u", extent > 4 ? extent - 4 : extent);
        return;
    case 1:
        put(text, 32, is_even ? "%u << 1" : "%u", is_even ? extent / 2 : extent);
        return;
    case 2:
        put(text, 32, "N > 3 ? %u : 1", extent);
        return;
    case 3:
        put(text, 32, extent % 4 == 0 ? "N * %u" : "%u", extent % 4 == 0 ? extent / 4 : extent);
        return;
    case 4:
        put(text, 32, extent & 4 ? "%u | N" : "%u", extent & 4 ? extent & ~4u : extent);
        return;
    default:
        put(text, 32, "%u", extent);
    }
}

static void spell_extents(smp_random *random, code_array *out) {
    for (uint32_t d = 0; d < out->dim_count; d++)
        spell_extent(random, out->extent[d], out->extent_text[d]);
}

/* "float a[4], b[5]": of one type. */
static void join_array(smp_random *random, uint32_t number, uint32_t array_count,
                       const code_array *before, code_array *out) {
    *out = *before;
    PUT(out->name, "s%u", number);
    out->joins = true;
    draw_extents(random, array_count, out);
    spell_extents(random, out);
}

/* A layout that is not C's, of one or two dimensions. */
static void draw_layout(smp_random *random, code_array *out) {
    uint32_t rows = out->extent[0], columns = out->extent[1];
    if (one_in(random, 2)) {
        PUT(out->layout, " : Swizzle<%u,%u,%u>", 1 + below(random, 2), below(random, 2),
            2 + below(random, 2));
        return;
    }
    out->is_called = true;
    if (one_in(random, 2))
        PUT(out->layout, " : (%u,%u):(1,%u)", rows, columns, rows);
    else
        PUT(out->layout, " : (%u,%u):(%u,1)", rows, columns, columns + below(random, 3));
}

static void draw_array(smp_random *random, uint32_t number, uint32_t array_count, code_array *out) {
    static const char *const storages[] = {"__shared__", "shared"};
    static const uint32_t aligns[] = {16, 32, 128};
    memset(out, 0, sizeof *out);
    PUT(out->name, "s%u", number);
    draw_type(random, number, out);
    draw_extents(random, array_count, out);
    out->storage = PICK(random, storages);
    bool is_dynamic = one_in(random, 8);
    if (is_dynamic) {
        out->storage = "extern __shared__";
        out->is_open = one_in(random, 2);
    }
    /* Vectors are aligned by the array's first byte. */
    if (out->vector || one_in(random, 5))
        out->align = PICK(random, aligns);
    spell_extents(random, out);
    bool is_odd = array_count == 1 && !is_dynamic && out->dim_count == 2 && !out->vector &&
                  out->body[0] == '\0' && one_in(random, 4);
    if (is_odd)
        draw_layout(random, out);
}

/* ---- Accesses ---- */

/* A sum of thread coordinates that may take any value. */
static void draw_sum(smp_random *random, const code_case *c, char text[64]) {
    static const uint32_t factors[] = {1, 1, 1, 2, 3, 4, 8, 16, 32};
    const char *x = one_in(random, 6) ? "laneid" : "threadIdx.x";
    uint32_t factor = PICK(random, factors), add = below(random, 5);
    if (one_in(random, 3) && c->block[1] > 1)
        x = "threadIdx.y";
    int length =
        factor > 1 ? snprintf(text, 64, "%s * %u", x, factor) : snprintf(text, 64, "%s", x);
    if (c->iterations > 0 && one_in(random, 3))
        length += snprintf(text + length, 64 - (size_t)length, " + k");
    if (one_in(random, 3))
        length += snprintf(text + length, 64 - (size_t)length, " + %u", add);
    if (one_in(random, 5))
        (void)snprintf(text + length, 64 - (size_t)length, " + threadIdx.y");
}

/* A multiple of `step` below `extent`. */
static void draw_index(smp_random *random, const code_case *c, uint32_t extent, uint32_t step,
                       char text[96]) {
    char sum[64], times[16] = "";
    uint32_t count = extent / step;
    draw_sum(random, c, sum);
    if (step > 1)
        PUT(times, " * %u", step);
    switch (below(random, 9)) {
    case 0:
        put(text, 96, "%u", below(random, count) * step);
        return;
    case 1:
        if (step == 1 && (count & (count - 1)) == 0) {
            put(text, 96, "%s & %u", sum, count - 1);
            return;
        }
        break;
    case 2:
        if (step == 1 && count > 2) {
            put(text, 96, "(%s) %% %u + 1", sum, count - 1);
            return;
        }
        break;
    case 3:
        put(text, 96, "threadIdx.x < 8 ? (%s) %% %u%s : %u", sum, count, times,
            below(random, count) * step);
        return;
    case 4:
        if (step == 1 && count > 3) {
            put(text, 96, "(%s) %% %u << 1 | 1", sum, count / 2);
            return;
        }
        break;
    case 5:
        put(text, 96, "0");
        return;
    default:
        break;
    }
    put(text, 96, "(%s) %% %u%s", sum, count, times);
}

static code_verb draw_verb(smp_random *random, const code_case *c, const code_array *array) {
    if (array->is_atomic && one_in(random, 3))
        return CODE_ADD + (code_verb)below(random, 3);
    bool is_plain = array->body[0] == '\0' && !array->is_volatile;
    bool is_word = array->size == 4 || array->size == 8 || array->size == 16;
    if (c->has_copy && is_plain && is_word && array->align > 0 && one_in(random, 2))
        return CODE_COPY;
    if (is_plain && c->has_ldmatrix && array->layout[0] == '\0' && array->size == 2 &&
        array->align > 0 && array->extent[array->dim_count - 1] % 8 == 0 && one_in(random, 3))
        return CODE_LDMATRIX;
    if (one_in(random, 6) && !array->is_called)
        return CODE_ASSIGN;
    return one_in(random, 3) ? CODE_ST : CODE_LD;
}

static void draw_access(smp_random *random, const code_case *c, uint32_t number, code_access *out) {
    static const char *const guards[] = {"threadIdx.x < 20", "laneid < 24 && threadIdx.y == 0",
                                         "threadIdx.x % 3 != 1"};
    memset(out, 0, sizeof *out);
    out->array = number < c->array_count ? number : below(random, c->array_count);
    const code_array *array = &c->array[out->array];
    out->verb = draw_verb(random, c, array);
    out->guard = one_in(random, 6) && out->verb != CODE_ASSIGN ? PICK(random, guards) : NULL;
    out->member = -1;
    out->step = out->verb == CODE_LDMATRIX ? 8 : 1;
    bool is_element = out->verb == CODE_LD || out->verb == CODE_ST || out->verb == CODE_ASSIGN;
    if (is_element && array->member_count > 0 && !one_in(random, 4))
        out->member = (int)below(random, array->member_count);
    else if ((out->verb == CODE_LD || out->verb == CODE_ST) && array->vector && one_in(random, 2)) {
        out->vector = array->vector;
        out->step = array->vector_count;
    }
    /* The first access of each array walks its index space. */
    bool walks = number < c->array_count || one_in(random, 3);
    out->walks = true;
    for (uint32_t d = 0; d < array->dim_count; d++) {
        char text[96];
        draw_index(random, c, array->extent[d], d + 1 == array->dim_count ? out->step : 1, text);
        bool is_variable = walks || one_in(random, 4);
        if (is_variable) {
            PUT(out->definition[d], "%s", text);
            PUT(out->index[d], "v%u_%u", number, d);
        } else {
            PUT(out->index[d], "%s", text);
        }
        out->walks &= is_variable;
    }
}

static void draw_question(smp_random *random, code_case *out) {
    static const char *const names[] = {"sm_90", "sm_90", "sm_70", "sm_20", "sm_35", "sm_13"};
    static const uint32_t blocks[][3] = {{32, 1, 1}, {64, 1, 1}, {32, 4, 1}, {16, 8, 1},
                                         {8, 8, 2},  {24, 2, 1}, {40, 1, 1}, {33, 1, 1}};
    memcpy(out->block, PICK(random, blocks), sizeof out->block);
    out->arch_count = one_in(random, 4) ? 2 : 1;
    for (size_t i = 0; i < out->arch_count; i++)
        out->archs[i] = *smp_arch_find(PICK(random, names));
    if (out->arch_count == 2 && strcmp(out->archs[0].name, out->archs[1].name) == 0)
        out->arch_count = 1;
    out->has_ldmatrix = one_in(random, 4);
    if (out->has_copy || out->has_ldmatrix || one_in(random, 3)) { /* both are not everywhere */
        out->archs[0] = *smp_arch_find("sm_90");
        out->arch_count = 1;
    }
    out->kinds = one_in(random, 4) ? 0 : 1u << (SMP_FIX_PAD + below(random, 5));
}

static void draw_array_of(smp_random *random, code_case *c, uint32_t i) {
    const code_array *before = i > 0 ? &c->array[i - 1] : NULL;
    bool has_name = before && strstr(before->type, "Q");
    if (before && !has_name && one_in(random, 4))
        join_array(random, i, c->array_count, before, &c->array[i]);
    else
        draw_array(random, i, c->array_count, &c->array[i]);
}

/* fix prints equal texts once. */
static bool is_repeated(const code_case *c, uint32_t number) {
    const code_access *a = &c->access[number];
    for (uint32_t i = 0; i < number; i++) {
        if (c->access[i].array == a->array &&
            memcmp(c->access[i].index, a->index, sizeof a->index) == 0)
            return true;
    }
    return false;
}

code_case code_case_random(smp_random *random, uint32_t number) {
    code_case c = {.number = number};
    c.has_copy = one_in(random, 8);
    draw_question(random, &c);
    c.iterations = one_in(random, 3) ? 1 + below(random, 4) : 0;
    c.array_count = one_in(random, 2) ? 1 : 1 + below(random, CODE_ARRAYS_MAX);
    for (uint32_t i = 0; i < c.array_count; i++)
        draw_array_of(random, &c, i);
    c.access_count = c.array_count + below(random, CODE_ACCESSES_MAX - c.array_count + 1);
    for (uint32_t i = 0; i < c.access_count; i++) {
        do {
            draw_access(random, &c, i, &c.access[i]);
        } while (is_repeated(&c, i));
    }
    return c;
}

/* ---- The layout language ---- */

void code_element_put(FILE *out, const code_case *c, const code_access *a, const char *prefix,
                      bool is_layout) {
    const code_array *array = &c->array[a->array];
    bool is_place = a->verb == CODE_LD || a->verb == CODE_ST;
    bool calls = is_layout && array->is_called && is_place;
    if (a->vector)
        fprintf(out, "*(%s *)&", a->vector);
    fprintf(out, "%s%s", prefix, array->name);
    for (uint32_t d = 0; d < array->dim_count; d++)
        fprintf(out, calls ? "%s%s" : "%s%s]", calls ? d > 0 ? ", " : "(" : "[", a->index[d]);
    fprintf(out, "%s%s", calls ? ")" : "", a->member < 0 ? "" : array->member[a->member]);
}

static void put_array(FILE *out, const code_array *array, bool ends) {
    if (array->struct_name[0] != '\0' && !array->joins)
        fprintf(out, "struct %s%s { %s };\n", array->struct_align, array->struct_name, array->body);
    if (!array->joins)
        fprintf(out, "%s ", array->storage);
    if (!array->joins && array->align > 0)
        fprintf(out, array->is_open ? "__align__(%u) " : "alignas(%u) ", array->align);
    fprintf(out, "%s %s", array->joins ? "," : array->type, array->name);
    for (uint32_t d = 0; d < array->dim_count && !array->is_called; d++)
        fprintf(out, "[%s]", d == 0 && array->is_open ? "" : array->extent_text[d]);
    fprintf(out, "%s%s", array->layout, ends ? ";\n" : "");
}

static void put_access(FILE *out, const code_case *c, const code_access *a) {
    static const char *const begins[] = {
        [CODE_LD] = "ld ",
        [CODE_ST] = "st ",
        [CODE_ASSIGN] = "",
        [CODE_ADD] = "atomicAdd(&",
        [CODE_INCREMENT] = "atomicAdd(&",
        [CODE_CAS] = "atomicCAS(&",
        [CODE_LDMATRIX] = "ldmatrix.x4 &",
        [CODE_COPY] = "cp.async &",
    };
    static const char *const ends[] = {
        [CODE_LD] = "",
        [CODE_ST] = "",
        [CODE_ASSIGN] = " = 0;",
        [CODE_ADD] = ", 3)",
        [CODE_INCREMENT] = ", 1)",
        [CODE_CAS] = ", 0, 1)",
        [CODE_LDMATRIX] = "",
        [CODE_COPY] = ", &g[laneid * 4]",
    };
    for (uint32_t d = 0; d < c->array[a->array].dim_count; d++) {
        if (a->definition[d][0] != '\0')
            fprintf(out, "int %s = %s;\n", a->index[d], a->definition[d]);
    }
    if (a->guard)
        fprintf(out, "if (%s) ", a->guard);
    fputs(begins[a->verb], out);
    code_element_put(out, c, a, "", true);
    fprintf(out, "%s\n", ends[a->verb]);
}

char *code_case_text(const code_case *c) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "define N = 4\nblock %ux%ux%u\n", c->block[0], c->block[1], c->block[2]);
    for (uint32_t i = 0; i < c->array_count; i++)
        put_array(out, &c->array[i], i + 1 == c->array_count || !c->array[i + 1].joins);
    if (c->has_copy)
        fputs("global float4 g[4096]\n", out);
    if (c->iterations > 0)
        fprintf(out, "for k = 0:%u\n", c->iterations);
    for (uint32_t i = 0; i < c->access_count; i++)
        put_access(out, c, &c->access[i]);
    if (c->iterations > 0)
        fputs("end\n", out);
    fclose(out);
    return text;
}

const char *code_line_next(code_lines *lines, size_t *length) {
    const char *line = lines->at;
    *length = strcspn(line, "\n");
    lines->at = line + *length + (line[*length] == '\n');
    return line;
}
