/* SPDX-License-Identifier: MIT */
/*
 * The text of a launch: types, numbers, errors that are found before a kernel
 * is known, and where arrays start.
 */
#include <math.h>
#include <string.h>

#include "lanes.h"
#include "launch_fill.h"
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

/* ---- Contents of arrays ---- */

typedef struct fill_case {
    const char *type, *how;
    double least, most, first; /* of 4,096 values; `first`: the first one, exactly */
} fill_case;

static const fill_case fills[] = {
    {"int", "random:0:3", 0, 3, 1},
    {"int", "random:-8:-5:7", -8, -5, -5},
    {"int", "random:1<<4:2*16", 16, 32, 26},
    {"unsigned char", "random:0:255", 0, 255, 193},
    {"short", "random:5:5:9", 5, 5, 5},
    {"float", "random:-1:1:2", -1, 1, 0x1.75835ep-3},
    {"half", "random:0:0.5", 0, 0.5, 0x1.22p-2},
    {"double", "random:1e3:2e3", 1000, 2000, 0x1.87a3f0d8fdcc4p+10},
    {"int", "iota", 0, 4095, 0},
};

static double element(const smp_element_type *type, const uint8_t *at) {
    int64_t integer = 0;
    float single;
    double number;
    memcpy(&integer, at, type->bytes);
    memcpy(&single, at, sizeof single);
    memcpy(&number, at, sizeof number);
    if (type->kind == SMP_ELEMENT_HALF)
        return (double)smp_half_to_float((uint16_t)integer);
    if (type->kind == SMP_ELEMENT_FLOAT)
        return type->bytes == 4 ? (double)single : number;
    const unsigned empty = 64u - 8u * type->bytes;
    return type->is_unsigned ? (double)integer
                             : (double)((int64_t)((uint64_t)integer << empty) >> empty);
}

START_TEST(values_are_in_their_range) {
    const fill_case *of = &fills[_i];
    static uint8_t bytes[8 * 4097];
    smp_element_type type;
    ck_assert(smp_element_type_named(of->type, strlen(of->type), &type));
    smp_emu_array array = {.bytes = bytes, .size_bytes = 4096u * type.bytes};
    smp_error error = {.message = ""};
    const smp_status status =
        smp_launch_fill(&(launch_fill){of->how, &type, &array, 1, 0, false, &error});
    ck_assert_msg(status == SMP_OK, "%s", error.message);
    double least = 1e9, most = -1e9;
    for (unsigned i = 0; i < 4096; i++) {
        const double value = element(&type, bytes + i * type.bytes);
        least = fmin(least, value);
        most = fmax(most, value);
    }
    const double near = type.kind == SMP_ELEMENT_INTEGER ? 0 : (of->most - of->least) / 256;
    ck_assert_msg(least >= of->least && least <= of->least + near, "%s: %a", of->how, least);
    ck_assert_msg(most <= of->most && most >= of->most - near, "%s: %a", of->how, most);
    ck_assert_msg(element(&type, bytes) == of->first, "%s: %a", of->how, element(&type, bytes));
}
END_TEST

typedef struct refused_fill {
    const char *type, *how;
    int column;
    const char *says;
} refused_fill;

static const refused_fill refused[] = {
    {"float", "random:3", 0, "as random:-1:1:3"}, /* the former SEED and SEED:LIMIT */
    {"int", "random:3", 0, "as random:0:1023:3"},
    {"int", "random:9:8", 0, "as random:0:7:9"},
    {"int", "random:", 7, "a number is expected"},
    {"int", "random:0:", 9, "a number is expected"},
    {"int", "random:0.5:3", 7, "integer is expected"},
    {"int", "random:0:1:x", 11, "a number is expected"},
    {"int", "random:0:1:2:3", 12, "nothing more"},
    {"float", "random:0:nan", 9, "a number is expected"},
    {"unsigned char", "random:0:256", 12, "cannot hold"},
    {"unsigned", "random:-1:1", 11, "cannot hold"},
    {"bool", "random:0:2", 10, "cannot hold"},
    {"int", "random", 0, "random:LOW:HIGH[:SEED]"},
    {"int", "zipf:3", 0, "random:LOW:HIGH[:SEED]"},
};

START_TEST(other_fills_are_refused) {
    const refused_fill *of = &refused[_i];
    smp_element_type type;
    ck_assert(smp_element_type_named(of->type, strlen(of->type), &type));
    smp_emu_array array = {.size_bytes = 64};
    smp_error error = {.message = ""};
    const smp_status status =
        smp_launch_fill(&(launch_fill){of->how, &type, &array, 1, 0, true, &error});
    ck_assert_int_eq(status, SMP_E_SYNTAX);
    ck_assert_msg(strstr(error.message, of->says), "%s: %s", of->how, error.message);
    ck_assert_msg(error.position == of->column, "%s: column %d", of->how, (int)error.position);
}
END_TEST

/* Two pointers, as bytes after a multiple of 256. */
static const struct placed_case {
    const char *text;
    uint64_t at[2];
} placed[] = {
    {"k<<<1, 32>>>(float[4], float[4])", {0, 0}},
    {"k<<<1, 32>>>(float[4]+4, $1+8)", {4, 12}},
    {"k<<<1, 32>>>($2+60, float[64])", {60, 0}},
    {"k<<<1, 32>>>(float[] = iota, uchar[7]+255 = iota)", {0, 255}},
};

START_TEST(arrays_start_where_they_say) {
    smp_parameter parameters[2] = {{0, 8}, {8, 8}};
    const smp_function function = {
        .name = "k", .parameters = parameters, .parameter_count = 2, .parameter_bytes = 16};
    smp_launch_text text;
    smp_launch_arguments made;
    smp_emu_memory memory = {0};
    smp_error error = {.message = ""};
    uint64_t addresses[2];
    ck_assert_msg(smp_launch_parse(placed[_i].text, &text, &error) == SMP_OK, "%s", error.message);
    ck_assert_msg(smp_launch_arguments_make(&text, &function, &memory, &made, &error) == SMP_OK,
                  "%s: %s", placed[_i].text, error.message);
    memcpy(addresses, made.bytes, sizeof addresses);
    for (int i = 0; i < 2; i++)
        ck_assert_msg(addresses[i] % 256 == placed[_i].at[i] &&
                          smp_emu_memory_find(&memory, addresses[i]),
                      "%s: argument %d", placed[_i].text, i + 1);
    smp_launch_arguments_clear(&made);
    smp_emu_memory_clear(&memory);
    smp_launch_clear(&text);
}
END_TEST

int main(void) {
    return SUITE("launch_text", TEST_EACH(types_are_cudas, COUNT_OF(types)),
                 TEST_EACH(others_are_none, COUNT_OF(no_types)),
                 TEST_EACH(values_are_in_their_range, COUNT_OF(fills)),
                 TEST_EACH(other_fills_are_refused, COUNT_OF(refused)),
                 TEST_EACH(arrays_start_where_they_say, COUNT_OF(placed)));
}
