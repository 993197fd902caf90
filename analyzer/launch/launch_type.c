/* SPDX-License-Identifier: MIT */
/*
 * The table of types: their names in CUDA C++ and <stdint.h> and as demanglers write them, and the
 * vectors of CUDA's <vector_types.h>. The components of a vector are contiguous, so its size is
 * theirs (float3: 12 bytes).
 */
#include "launch_type.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct type_row {
    const char *names;  /* separated by '|'; the first is the one that is printed */
    const char *vector; /* "uchar" for uchar1 to uchar4, or NULL */
    smp_element_kind kind;
    bool is_unsigned;
    uint8_t bytes, components;
} type_row;

static const type_row rows[] = {
    {"bool", NULL, SMP_ELEMENT_INTEGER, true, 1, 1},
    {"char|signed char|int8_t", "char", SMP_ELEMENT_INTEGER, false, 1, 1},
    {"unsigned char|uchar|uint8_t", "uchar", SMP_ELEMENT_INTEGER, true, 1, 1},
    {"short|short int|signed short|int16_t", "short", SMP_ELEMENT_INTEGER, false, 2, 1},
    {"unsigned short|unsigned short int|ushort|uint16_t", "ushort", SMP_ELEMENT_INTEGER, true, 2,
     1},
    {"int|signed|signed int|int32_t", "int", SMP_ELEMENT_INTEGER, false, 4, 1},
    {"unsigned int|unsigned|uint|uint32_t", "uint", SMP_ELEMENT_INTEGER, true, 4, 1},
    {"long|long int|signed long|int64_t|ptrdiff_t|intptr_t", "long", SMP_ELEMENT_INTEGER, false, 8,
     1},
    {"unsigned long|unsigned long int|ulong|size_t|uint64_t|uintptr_t", "ulong",
     SMP_ELEMENT_INTEGER, true, 8, 1},
    {"long long|long long int|signed long long|longlong", "longlong", SMP_ELEMENT_INTEGER, false, 8,
     1},
    {"unsigned long long|unsigned long long int|ulonglong", "ulonglong", SMP_ELEMENT_INTEGER, true,
     8, 1},
    {"float", "float", SMP_ELEMENT_FLOAT, false, 4, 1},
    {"double", "double", SMP_ELEMENT_FLOAT, false, 8, 1},
    {"half|__half|__nv_half|nv_half", NULL, SMP_ELEMENT_HALF, false, 2, 1},
    {"half2|__half2|__nv_half2|nv_half2", NULL, SMP_ELEMENT_HALF, false, 2, 2},
    {"bf16|__nv_bfloat16|nv_bfloat16", NULL, SMP_ELEMENT_BF16, false, 2, 1},
    {"bf162|__nv_bfloat162|nv_bfloat162", NULL, SMP_ELEMENT_BF16, false, 2, 2},
};

static bool is_same(const char *a, size_t length, const char *b, size_t b_length) {
    return length == b_length && strncmp(a, b, length) == 0;
}

static bool has_name(const type_row *row, const char *name, size_t length) {
    for (const char *at = row->names; *at != '\0'; at += *at == '|') {
        const size_t one = strcspn(at, "|");
        if (is_same(name, length, at, one))
            return true;
        at += one;
    }
    return false;
}

static void take(const type_row *row, unsigned components, const char *name, size_t length,
                 smp_element_type *out) {
    *out = (smp_element_type){.kind = row->kind,
                              .is_unsigned = row->is_unsigned,
                              .is_bool = row == &rows[0],
                              .bytes = row->bytes,
                              .components = (uint8_t)components};
    (void)snprintf(out->name, sizeof out->name, "%.*s", (int)length, name);
}

/* "double4", also as "double4_16a" and "double4_32a", which differ only in alignment (CUDA 13). */
static bool vector_named(const char *name, size_t length, smp_element_type *out) {
    if (length > 4 &&
        (strncmp(name + length - 4, "_16a", 4) == 0 ||
         strncmp(name + length - 4, "_32a", 4) == 0) &&
        name[length - 5] == '4')
        length -= 4;
    if (length < 2 || name[length - 1] < '1' || name[length - 1] > '4')
        return false;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].vector && is_same(name, length - 1, rows[i].vector, strlen(rows[i].vector))) {
            take(&rows[i], (unsigned)(name[length - 1] - '0'), name, length, out);
            return true;
        }
    return false;
}

bool smp_element_type_named(const char *name, size_t length, smp_element_type *out) {
    for (; length > 0 && isspace((unsigned char)*name); length--)
        name++;
    while (length > 0 && isspace((unsigned char)name[length - 1]))
        length--;
    if (length > 5 && strncmp(name, "std::", 5) == 0)
        name += 5, length -= 5;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (has_name(&rows[i], name, length)) {
            take(&rows[i], rows[i].components, rows[i].names, strcspn(rows[i].names, "|"), out);
            return true;
        }
    return vector_named(name, length, out);
}
