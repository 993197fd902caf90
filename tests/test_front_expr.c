/* SPDX-License-Identifier: MIT */
/*
 * test_front_expr.c: integer expressions, one row each: C's values, types and precedence; what is
 * refused, and at which column.
 */
#include <string.h>

#include "expr.h"
#include "suite.h"

typedef struct value_row {
    const char *text;
    int64_t value; /* in lane 5, threadIdx = (5, 2, 1), j = -3, N = 32, BIG = 2^40 */
    smp_kind kind;
} value_row;

/* clang-format off */
static const value_row values[] = {
    /* Literals */
    {"0", 0, SMP_I32}, {"42", 42, SMP_I32}, {"0x1F", 31, SMP_I32}, {"010", 8, SMP_I32},
    {"0b101", 5, SMP_I32}, {"42u", 42, SMP_U32}, {"42ULL", 42, SMP_U64}, {"42ll", 42, SMP_I64},
    {"2147483647", 2147483647, SMP_I32}, {"2147483648", 2147483648, SMP_I64},
    {"0xffffffff", 4294967295, SMP_U32}, {"4294967296", 4294967296, SMP_I64},
    {"1'000'000", 1000000, SMP_I32}, {"0x8000000000000000", INT64_MIN, SMP_U64},
    /* Precedence and grouping */
    {"2 + 3 * 4", 14, SMP_I32}, {"(2 + 3) * 4", 20, SMP_I32}, {"20 - 5 - 3", 12, SMP_I32},
    {"100 / 5 / 2", 10, SMP_I32}, {"17 % 5 * 2", 4, SMP_I32}, {"1 << 2 + 1", 8, SMP_I32},
    {"1 | 6 ^ 5 & 4", 3, SMP_I32}, {"1 + 2 == 3", 1, SMP_I32}, {"7 & 3 == 3", 1, SMP_I32},
    {"0 || 1 && 0", 0, SMP_I32}, {"1 ? 2 : 0 ? 3 : 4", 2, SMP_I32}, {"0 ? 2 : 0 ? 3 : 4", 4, SMP_I32},
    {"-2 * -3", 6, SMP_I32}, {"!0 + !5", 1, SMP_I32}, {"~5", -6, SMP_I32}, {"- - 3", 3, SMP_I32},
    {"10 > 3 > 0", 1, SMP_I32}, {"1 < 2 ? 10 : 20", 10, SMP_I32},
    /* Conversions */
    {"-1 < 0u", 0, SMP_I32}, {"-1 + 0u", 4294967295, SMP_U32}, {"-7 / 2", -3, SMP_I32},
    {"-7 % 2", -1, SMP_I32}, {"-7 / 2u", 2147483644, SMP_U32}, {"-8 >> 1", -4, SMP_I32},
    {"0x80000000 >> 31", 1, SMP_U32}, {"1 ? -1 : 0u", 4294967295, SMP_U32},
    {"0 - 1u", 4294967295, SMP_U32}, {"-1ll + 0u", -1, SMP_I64}, {"1u << 31", 2147483648, SMP_U32},
    {"1 << 31", INT32_MIN, SMP_I32}, {"4294967295u * 2u", 4294967294, SMP_U32},
    {"(int)4294967295u", -1, SMP_I32}, {"(unsigned)-1", 4294967295, SMP_U32},
    {"(unsigned char)300", 44, SMP_I32}, {"(signed char)200", -56, SMP_I32}, {"(short)65535", -1, SMP_I32},
    {"(bool)7", 1, SMP_I32}, {"(long long)1 << 40", INT64_C(1) << 40, SMP_I64},
    {"(size_t)-1", -1, SMP_U64}, {"int(7u) - 8", -1, SMP_I32}, {"static_cast<unsigned>(3) - 4", 4294967295, SMP_U32},
    {"(uint32_t)5 + 1", 6, SMP_U32}, {"(unsigned long long)2 * 3", 6, SMP_U64}, {"(int)-1 >> 31", -1, SMP_I32},
    {"sizeof(float4)", 16, SMP_U64}, {"sizeof(unsigned short)", 2, SMP_U64},
    /* Variables */
    {"threadIdx.x", 5, SMP_U32}, {"threadIdx.y * 8 + threadIdx.x", 21, SMP_U32}, {"threadIdx.z", 1, SMP_U32},
    {"laneid", 5, SMP_U32}, {"warpSize", 32, SMP_I32}, {"j", -3, SMP_I32}, {"j + threadIdx.x", 2, SMP_U32},
    {"N * 2", 64, SMP_I32}, {"BIG >> 30", 1024, SMP_I64}, {"threadIdx.x - 6", 4294967295, SMP_U32},
    {"true + false", 1, SMP_I32},
    /* Functions */
    {"min(3, 7)", 3, SMP_I32}, {"max(-1, 0u)", 4294967295, SMP_U32}, {"min(-1, 1)", -1, SMP_I32},
    {"abs(-5)", 5, SMP_I32}, {"abs(j)", 3, SMP_I32}, {"__popc(0xff)", 8, SMP_I32}, {"__popc(-1)", 32, SMP_I32},
    {"__popcll(-1ll)", 64, SMP_I32}, {"__brev(1)", 2147483648, SMP_U32}, {"__brevll(1)", INT64_MIN, SMP_U64},
    {"__ffs(8)", 4, SMP_I32}, {"__ffs(0)", 0, SMP_I32}, {"__clz(1)", 31, SMP_I32}, {"__clz(0)", 32, SMP_I32},
    {"__clzll(1)", 63, SMP_I32}, {"__ffsll(1ull << 40)", 41, SMP_I32}, {"max(min(1, 2), 3)", 3, SMP_I32},
    /* Only what C evaluates can fail */
    {"threadIdx.x > 100 && 1 / (threadIdx.x - 5)", 0, SMP_I32}, {"1 || 1 / 0", 1, SMP_I32},
    {"threadIdx.x == 5 ? 7 : 1 / 0", 7, SMP_I32}, {"0 ? 1 / 0 : 9", 9, SMP_I32},
    {"(j < 0 ? -j : j) * 2", 6, SMP_I32}, {"j < 0 && j > -10 || 1 / 0", 1, SMP_I32},
    {"threadIdx.x & 1 ? threadIdx.x : 0", 5, SMP_U32},
    {"(threadIdx.x ^ (threadIdx.x >> 1)) & 31", 7, SMP_U32},
};

typedef struct error_row {
    const char *text;
    int position;
    smp_status status;
    const char *says;
} error_row;

static const error_row errors[] = {
    {"", 0, SMP_E_SYNTAX, "expected a value"}, {"1 +", 3, SMP_E_SYNTAX, "ends here"},
    {"1 + * 2", 4, SMP_E_SYNTAX, "'*'"}, {"(1 + 2", 6, SMP_E_SYNTAX, "')'"}, {"1 2", 2, SMP_E_SYNTAX, "operator"},
    {"foo + 1", 0, SMP_E_SYNTAX, "unknown name 'foo'"}, {"2 * bar", 4, SMP_E_SYNTAX, "bar"},
    {"threadIdx", 9, SMP_E_SYNTAX, ".x, .y or .z"}, {"threadIdx.w", 10, SMP_E_SYNTAX, ".x, .y or .z"},
    {"0x", 0, SMP_E_SYNTAX, "not an integer"}, {"1.5", 1, SMP_E_SYNTAX, ""}, {"12abc", 0, SMP_E_SYNTAX, "12abc"},
    {"08", 0, SMP_E_SYNTAX, "not an integer"}, {"0b12", 0, SMP_E_SYNTAX, "not an integer"}, {"5uu", 0, SMP_E_SYNTAX, "5uu"},
    {"5lul", 0, SMP_E_SYNTAX, "5lul"}, {"18446744073709551616", 0, SMP_E_OVERFLOW, "64 bits"},
    {"9223372036854775808", 0, SMP_E_OVERFLOW, "64 bits"}, {"1 $ 2", 2, SMP_E_SYNTAX, "'$'"},
    {"1 \x01 2", 2, SMP_E_SYNTAX, "0x01"}, {"1 \xc3\xa4", 2, SMP_E_SYNTAX, "0xc3"}, {"min(1)", 5, SMP_E_SYNTAX, "','"},
    {"min(1, 2, 3)", 8, SMP_E_SYNTAX, "')'"}, {"1 ? 2", 5, SMP_E_SYNTAX, "':'"}, {"data[3]", 0, SMP_E_SYNTAX, "data"},
    {"(unsigned signed)1", 1, SMP_E_SYNTAX, "not a type"}, {"static_cast<float>(1)", 12, SMP_E_SYNTAX, ""},
    /* Found while evaluating */
    {"1 / 0", 2, SMP_E_RANGE, "division by zero"}, {"N % (threadIdx.x - 5)", 2, SMP_E_RANGE, "lane 5: division by zero"},
    {"1 << 32", 2, SMP_E_RANGE, "shift by 32"}, {"1 << j", 2, SMP_E_RANGE, "shift by -3"}, {"1ll << 64", 4, SMP_E_RANGE, "0 to 63"},
    {"2147483647 + 1", 11, SMP_E_OVERFLOW, "int overflow"}, {"-2147483647 - 2", 12, SMP_E_OVERFLOW, "int overflow"},
    {"65536 * 65536", 6, SMP_E_OVERFLOW, "int overflow"}, {"9223372036854775807 + 1", 20, SMP_E_OVERFLOW, "long long overflow"},
    {"-(-2147483647 - 1)", 0, SMP_E_OVERFLOW, "int overflow"}, {"abs(-2147483647 - 1)", 0, SMP_E_OVERFLOW, "int overflow"},
    {"(-2147483647 - 1) / -1", 18, SMP_E_OVERFLOW, "int overflow"}, {"BIG * BIG", 4, SMP_E_OVERFLOW, "long long"},
};
/* clang-format on */

static smp_code code;

static smp_scope make_scope(void) {
    smp_scope scope = {.count = 3};
    scope.symbols[0] = (smp_symbol){"N", 1, true, SMP_I32, 32, 0};
    scope.symbols[1] = (smp_symbol){"BIG", 3, true, SMP_I64, INT64_C(1) << 40, 0};
    scope.symbols[2] = (smp_symbol){"j", 1, false, SMP_I32, 0, SMP_SLOT_FREE};
    return scope;
}

static smp_status evaluate(const char *text, size_t length, smp_lanes_value out, smp_kind *kind,
                           smp_error *error) {
    static smp_lanes_value slots[SMP_SLOTS_MAX];
    for (int l = 0; l < SMP_LANES; l++) {
        slots[SMP_SLOT_THREAD][l] = slots[SMP_SLOT_LANE][l] = l;
        slots[SMP_SLOT_THREAD + 1][l] = 2;
        slots[SMP_SLOT_THREAD + 2][l] = 1;
        slots[SMP_SLOT_FREE][l] = -3;
    }
    smp_scope scope = make_scope();
    smp_parser parser;
    smp_program program;
    code.count = 0;
    smp_parser_init(&parser, text, length, &scope, &code, error);
    if (!smp_expr_program(&parser, &program) || !smp_parser_expect_end(&parser))
        return parser.status;
    *kind = program.kind;
    return smp_program_run(&code, &program, slots, 1u << 5, out, error);
}

START_TEST(value_is_that_of_c) {
    const value_row *row = &values[_i];
    smp_lanes_value out;
    smp_kind kind = SMP_I32;
    smp_error error = {0};
    smp_status status = evaluate(row->text, strlen(row->text), out, &kind, &error);
    ck_assert_msg(status == SMP_OK, "%s: %s", row->text, error.message);
    ck_assert_msg(out[5] == row->value, "%s: %lld, not %lld", row->text, (long long)out[5],
                  (long long)row->value);
    ck_assert_msg(kind == row->kind, "%s: kind %d, not %d", row->text, kind, row->kind);
}
END_TEST

START_TEST(error_has_a_position) {
    const error_row *row = &errors[_i];
    smp_lanes_value out;
    smp_kind kind;
    smp_error error = {.position = -1};
    smp_status status = evaluate(row->text, strlen(row->text), out, &kind, &error);
    ck_assert_msg(status == row->status, "%s: %s", row->text, smp_status_name(status));
    ck_assert_msg(error.position == row->position, "%s: at %d, not %d: %s", row->text,
                  error.position, row->position, error.message);
    ck_assert_msg(strstr(error.message, row->says) != NULL, "%s: %s", row->text, error.message);
}
END_TEST

static void check_refused(const char *text, size_t length, const char *says) {
    smp_lanes_value out;
    smp_kind kind;
    smp_error error = {0};
    ck_assert_int_ne(evaluate(text, length, out, &kind, &error), SMP_OK);
    ck_assert_msg(strstr(error.message, says) != NULL, "%s", error.message);
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
    smp_lanes_value out;
    smp_kind kind;
    smp_error error = {0};
    ck_assert_int_eq(evaluate(text, sizeof text, out, &kind, &error), SMP_OK);
    ck_assert_int_eq(out[5], 10001);
    ck_assert_uint_eq(code.count, 1);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("front_expr");
    TCase *rows = tcase_create("rows");
    tcase_add_loop_test(rows, value_is_that_of_c, 0, sizeof values / sizeof values[0]);
    tcase_add_loop_test(rows, error_has_a_position, 0, sizeof errors / sizeof errors[0]);
    tcase_add_test(rows, depth_is_bounded);
    tcase_add_test(rows, nul_is_an_ordinary_error);
    tcase_add_test(rows, constants_fold);
    suite_add_tcase(suite, rows);
    return suite_run(suite);
}
