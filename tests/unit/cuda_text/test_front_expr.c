/* SPDX-License-Identifier: MIT */
/*
 * Integer expressions, one per row: C's values, types and precedence; or the
 * column where it is refused.
 */
#include <string.h>

#include "smp_layout.h"
#include "suite.h"

typedef struct value_row {
    const char *text;
    int64_t value; /* in lane 5, where threadIdx is (5, 2, 1), j = -3, N = 32, BIG = 2^40 */
    const char *type;
} value_row;

#define INT "int"
#define UNSIGNED "unsigned"
#define LONG "long long"
#define ULONG "unsigned long long"

/* clang-format off */
static const value_row values[] = {
    /* Literals */
    {"0", 0, INT}, {"42", 42, INT}, {"0x1F", 31, INT}, {"010", 8, INT},
    {"0b101", 5, INT}, {"42u", 42, UNSIGNED}, {"42ULL", 42, ULONG}, {"42ll", 42, LONG},
    {"2147483647", 2147483647, INT}, {"2147483648", 2147483648, LONG},
    {"0xffffffff", 4294967295, UNSIGNED}, {"4294967296", 4294967296, LONG},
    {"1'000'000", 1000000, INT}, {"0x8000000000000000", INT64_MIN, ULONG},
    /* Precedence and grouping */
    {"2 + 3 * 4", 14, INT}, {"(2 + 3) * 4", 20, INT}, {"20 - 5 - 3", 12, INT},
    {"100 / 5 / 2", 10, INT}, {"17 % 5 * 2", 4, INT}, {"1 << 2 + 1", 8, INT},
    {"1 | 6 ^ 5 & 4", 3, INT}, {"1 + 2 == 3", 1, INT}, {"7 & 3 == 3", 1, INT},
    {"0 || 1 && 0", 0, INT}, {"1 ? 2 : 0 ? 3 : 4", 2, INT}, {"0 ? 2 : 0 ? 3 : 4", 4, INT},
    {"-2 * -3", 6, INT}, {"!0 + !5", 1, INT}, {"~5", -6, INT}, {"- - 3", 3, INT},
    {"10 > 3 > 0", 1, INT}, {"1 < 2 ? 10 : 20", 10, INT},
    /* Conversions */
    {"-1 < 0u", 0, INT}, {"-1 + 0u", 4294967295, UNSIGNED}, {"-7 / 2", -3, INT},
    {"-7 % 2", -1, INT}, {"-7 / 2u", 2147483644, UNSIGNED}, {"-8 >> 1", -4, INT},
    {"0x80000000 >> 31", 1, UNSIGNED}, {"1 ? -1 : 0u", 4294967295, UNSIGNED},
    {"0 - 1u", 4294967295, UNSIGNED}, {"-1ll + 0u", -1, LONG}, {"1u << 31", 2147483648, UNSIGNED},
    {"1 << 31", INT32_MIN, INT}, {"4294967295u * 2u", 4294967294, UNSIGNED},
    {"(int)4294967295u", -1, INT}, {"(unsigned)-1", 4294967295, UNSIGNED},
    {"(unsigned char)300", 44, INT}, {"(signed char)200", -56, INT}, {"(short)65535", -1, INT},
    {"(bool)7", 1, INT}, {"(long long)1 << 40", INT64_C(1) << 40, LONG},
    {"(size_t)-1", -1, ULONG}, {"int(7u) - 8", -1, INT}, {"static_cast<unsigned>(3) - 4", 4294967295, UNSIGNED},
    {"(uint32_t)5 + 1", 6, UNSIGNED}, {"(unsigned long long)2 * 3", 6, ULONG}, {"(int)-1 >> 31", -1, INT},
    {"sizeof(float4)", 16, ULONG}, {"sizeof(unsigned short)", 2, ULONG},
    /* Variables */
    {"threadIdx.x", 5, UNSIGNED}, {"threadIdx.y * 8 + threadIdx.x", 21, UNSIGNED}, {"threadIdx.z", 1, UNSIGNED},
    {"laneid", 5, UNSIGNED}, {"warpSize", 32, INT}, {"j", -3, INT}, {"j + threadIdx.x", 2, UNSIGNED},
    {"N * 2", 64, INT}, {"BIG >> 30", 1024, LONG}, {"threadIdx.x - 6", 4294967295, UNSIGNED},
    {"true + false", 1, INT},
    /* Functions */
    {"min(3, 7)", 3, INT}, {"max(-1, 0u)", 4294967295, UNSIGNED}, {"min(-1, 1)", -1, INT},
    {"abs(-5)", 5, INT}, {"abs(j)", 3, INT}, {"max(min(1, 2), 3)", 3, INT},
    /* Only what C evaluates can fail */
    {"threadIdx.x > 100 && 1 / (threadIdx.x - 5)", 0, INT}, {"1 || 1 / 0", 1, INT},
    {"threadIdx.y == 2 ? 7 : 1 / 0", 7, INT}, {"0 ? 1 / 0 : 9", 9, INT},
    {"(j < 0 ? -j : j) * 2", 6, INT}, {"j < 0 && j > -10 || 1 / 0", 1, INT},
    {"threadIdx.x & 1 ? threadIdx.x : 0", 5, UNSIGNED},
    {"(threadIdx.x ^ (threadIdx.x >> 1)) & 31", 7, UNSIGNED},
};

typedef struct error_row {
    const char *text;
    int position;
    smp_status status;
    const char *says;
} error_row;

static const error_row errors[] = {
    {"", 0, SMP_E_SYNTAX, "expected a value"}, {"1 +", 3, SMP_E_SYNTAX, "ends here"},
    {"1 + * 2", 4, SMP_E_SYNTAX, "pointer"}, {"(1 + 2", 6, SMP_E_SYNTAX, "')'"}, {"1 2", 2, SMP_E_SYNTAX, "operator"},
    {"foo + 1", 0, SMP_E_SYNTAX, "unknown name 'foo'"}, {"2 * bar", 4, SMP_E_SYNTAX, "bar"},
    {"threadIdx", 9, SMP_E_SYNTAX, ".x, .y or .z"}, {"threadIdx.w", 10, SMP_E_SYNTAX, ".x, .y or .z"},
    {"0x", 0, SMP_E_SYNTAX, "not an integer"}, {"1.5", 0, SMP_E_SYNTAX, "floating-point"}, {"12abc", 0, SMP_E_SYNTAX, "12abc"},
    {"08", 0, SMP_E_SYNTAX, "not an integer"}, {"0b12", 0, SMP_E_SYNTAX, "not an integer"}, {"5uu", 0, SMP_E_SYNTAX, "5uu"},
    {"5lul", 0, SMP_E_SYNTAX, "5lul"}, {"18446744073709551616", 0, SMP_E_OVERFLOW, "64 bits"},
    {"9223372036854775808", 0, SMP_E_OVERFLOW, "64 bits"}, {"1 $ 2", 2, SMP_E_SYNTAX, "'$'"},
    {"1 \x01 2", 2, SMP_E_SYNTAX, "0x01"}, {"1 \xc3\xa4", 2, SMP_E_SYNTAX, "0xc3"}, {"min(1)", 5, SMP_E_SYNTAX, "','"},
    {"min(1, 2, 3)", 8, SMP_E_SYNTAX, "')'"}, {"1 ? 2", 5, SMP_E_SYNTAX, "':'"}, {"data[3]", 0, SMP_E_SYNTAX, "data"},
    {"(unsigned signed)1", 1, SMP_E_SYNTAX, "not a type"}, {"static_cast<float>(1)", 0, SMP_E_SYNTAX, "floating-point"},
    /* Found while evaluating */
    {"1 / 0", 2, SMP_E_RANGE, "division by zero"}, {"N % (threadIdx.x - 5)", 2, SMP_E_RANGE, "lane 5: division by zero"},
    {"1 << 32", 2, SMP_E_RANGE, "shift by 32"}, {"1 << j", 2, SMP_E_RANGE, "shift by -3"}, {"1ll << 64", 4, SMP_E_RANGE, "0 to 63"},
    {"2147483647 + 1", 11, SMP_E_OVERFLOW, "int overflow"}, {"-2147483647 - 2", 12, SMP_E_OVERFLOW, "int overflow"},
    {"65536 * 65536", 6, SMP_E_OVERFLOW, "int overflow"}, {"9223372036854775807 + 1", 20, SMP_E_OVERFLOW, "long long overflow"},
    {"-(-2147483647 - 1)", 0, SMP_E_OVERFLOW, "int overflow"}, {"abs(-2147483647 - 1)", 0, SMP_E_OVERFLOW, "int overflow"},
    {"(-2147483647 - 1) / -1", 18, SMP_E_OVERFLOW, "int overflow"}, {"BIG * BIG", 4, SMP_E_OVERFLOW, "long long"},
};
/* clang-format on */

static smp_status evaluate(const char *text, size_t length, int64_t out[SMP_LANES],
                           const char **type, smp_error *error) {
    static const char *const lines[] = {"block 32x4x2", "define N = 32", "define BIG = 1ll << 40",
                                        "for j = -3:0"};
    enum { WARP = 2 + 4 * 1 };
    smp_layout *layout = smp_layout_new();
    ck_assert_ptr_nonnull(layout);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        ck_assert_int_eq(smp_layout_add(layout, NULL, lines[i], strlen(lines[i]), 0, error),
                         SMP_OK);
    smp_status status = smp_layout_value(layout, WARP, text, length, out, type, error);
    smp_layout_free(layout);
    return status;
}

START_TEST(value_is_that_of_c) {
    const value_row *row = &values[_i];
    int64_t out[SMP_LANES];
    const char *type = "";
    smp_error error = {0};
    smp_status status = evaluate(row->text, strlen(row->text), out, &type, &error);
    ck_assert_msg(status == SMP_OK, "%s: %s", row->text, error.message);
    ck_assert_msg(out[5] == row->value, "%s: %lld, not %lld", row->text, (long long)out[5],
                  (long long)row->value);
    ck_assert_msg(strcmp(type, row->type) == 0, "%s: %s, not %s", row->text, type, row->type);
}
END_TEST

START_TEST(error_has_a_position) {
    const error_row *row = &errors[_i];
    int64_t out[SMP_LANES];
    const char *type;
    smp_error error = {.position = -1};
    smp_status status = evaluate(row->text, strlen(row->text), out, &type, &error);
    ck_assert_msg(status == row->status, "%s: %s", row->text, smp_status_name(status));
    ck_assert_msg(error.position == row->position, "%s: at %d, not %d: %s", row->text,
                  error.position, row->position, error.message);
    ck_assert_msg(strstr(error.message, row->says), "%s: %s", row->text, error.message);
}
END_TEST

static void check_refused(const char *text, size_t length, const char *says) {
    int64_t out[SMP_LANES];
    const char *type;
    smp_error error = {0};
    ck_assert_int_ne(evaluate(text, length, out, &type, &error), SMP_OK);
    ck_assert_msg(strstr(error.message, says), "%s", error.message);
}

START_TEST(depth_is_bounded) {
    static char text[200000];
    memset(text, '(', sizeof text);
    check_refused(text, sizeof text, "nested too deeply");
    memset(text, '-', sizeof text);
    check_refused(text, sizeof text, "nested too deeply");
    for (size_t i = 0; i + 1 < sizeof text; i += 2)
        memcpy(text + i, "1?", 2);
    check_refused(text, sizeof text, "nested too deeply");
    for (size_t i = 0; i + 1 < sizeof text; i += 2)
        memcpy(text + i, "j+", 2);
    text[sizeof text - 1] = ' ';
    check_refused(text, sizeof text, "more than");
}
END_TEST

START_TEST(nul_is_an_ordinary_error) {
    check_refused("1 + \0 2", 7, "0x00");
}
END_TEST

/* Long sums of constants fold and need no room. */
START_TEST(constants_fold) {
    static char text[20001];
    for (size_t i = 0; i + 1 < sizeof text; i += 2)
        memcpy(text + i, "1+", 2);
    text[20000] = '1';
    int64_t out[SMP_LANES];
    const char *type;
    smp_error error = {0};
    ck_assert_int_eq(evaluate(text, sizeof text, out, &type, &error), SMP_OK);
    ck_assert_int_eq(out[5], 10001);
}
END_TEST

int main(void) {
    return SUITE("front_expr", TEST_EACH(value_is_that_of_c, COUNT_OF(values)),
                 TEST_EACH(error_has_a_position, COUNT_OF(errors)), TEST(depth_is_bounded),
                 TEST(nul_is_an_ordinary_error), TEST(constants_fold));
}
