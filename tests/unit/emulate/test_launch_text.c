/* SPDX-License-Identifier: MIT */
/*
 * test_launch_text.c: what the text of a launch means: its types, its numbers, and what is wrong
 * with it before there is a kernel.
 */
#include <string.h>

#include "launch_text.h"
#include "launch_type.h"
#include "suite.h"

typedef struct type_case {
    const char *name;
    smp_element_kind kind;
    bool is_unsigned;
    unsigned bytes, components;
    const char *written;
} type_case;

static const type_case types[] = {
    {"uint", SMP_ELEMENT_INTEGER, true, 4, 1, "unsigned int"},
    {"uchar", SMP_ELEMENT_INTEGER, true, 1, 1, "unsigned char"},
    {"ushort", SMP_ELEMENT_INTEGER, true, 2, 1, "unsigned short"},
    {"ulong", SMP_ELEMENT_INTEGER, true, 8, 1, "unsigned long"},
    {"longlong", SMP_ELEMENT_INTEGER, false, 8, 1, "long long"},
    {"ulonglong", SMP_ELEMENT_INTEGER, true, 8, 1, "unsigned long long"},
    {"std::uint8_t", SMP_ELEMENT_INTEGER, true, 1, 1, "unsigned char"},
    {" int16_t ", SMP_ELEMENT_INTEGER, false, 2, 1, "short"},
    {"uchar4", SMP_ELEMENT_INTEGER, true, 1, 4, "uchar4"},
    {"char3", SMP_ELEMENT_INTEGER, false, 1, 3, "char3"},
    {"short2", SMP_ELEMENT_INTEGER, false, 2, 2, "short2"},
    {"uint3", SMP_ELEMENT_INTEGER, true, 4, 3, "uint3"},
    {"ulonglong2", SMP_ELEMENT_INTEGER, true, 8, 2, "ulonglong2"},
    {"float3", SMP_ELEMENT_FLOAT, false, 4, 3, "float3"},
    {"double2", SMP_ELEMENT_FLOAT, false, 8, 2, "double2"},
    {"double4", SMP_ELEMENT_FLOAT, false, 8, 4, "double4"},
    {"double4_16a", SMP_ELEMENT_FLOAT, false, 8, 4, "double4"},
    {"__half", SMP_ELEMENT_HALF, false, 2, 1, "half"},
    {"__half2", SMP_ELEMENT_HALF, false, 2, 2, "half2"},
    {"__nv_bfloat16", SMP_ELEMENT_BF16, false, 2, 1, "bf16"},
    {"__nv_bfloat162", SMP_ELEMENT_BF16, false, 2, 2, "bf162"},
    {"bool", SMP_ELEMENT_INTEGER, true, 1, 1, "bool"},
};

START_TEST(types_are_cudas) {
    const type_case *of = &types[_i];
    smp_element_type type;
    ck_assert_msg(smp_element_type_named(of->name, strlen(of->name), &type), "%s", of->name);
    ck_assert_int_eq(type.kind, of->kind);
    ck_assert_int_eq(type.is_unsigned, of->is_unsigned);
    ck_assert_uint_eq(type.bytes, of->bytes);
    ck_assert_uint_eq(type.components, of->components);
    ck_assert_str_eq(type.name, of->written);
}
END_TEST

static const char *const no_types[] = {"",           " ",         "flot", "float0",
                                       "float5",     "bool2",     "4",    "float_16a",
                                       "float2_16a", "uint32_t4", "std::"};

START_TEST(others_are_none) {
    smp_element_type type;
    ck_assert(!smp_element_type_named(no_types[_i], strlen(no_types[_i]), &type));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("launch_text");
    TCase *tests = tcase_create("launch_text");
    tcase_add_loop_test(tests, types_are_cudas, 0, sizeof types / sizeof types[0]);
    tcase_add_loop_test(tests, others_are_none, 0, sizeof no_types / sizeof no_types[0]);
    suite_add_tcase(suite, tests);
    return suite_run(suite);
}
