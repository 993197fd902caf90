/* SPDX-License-Identifier: MIT */
/*
 * Instructions parsed from nvdisasm's text. Every name is found (names are found
 * by binary search, so they must be sorted), and each kind of operand is parsed as its row says.
 */
#include <math.h>
#include <string.h>

#include "sass_parse.h"
#include "suite.h"
#include "wait_loop.h"

typedef struct operand_row {
    const char *text;
    sass_kind kind;
    unsigned index;
    int64_t number;
    sass_name suffix; /* SASS_NONE: none */
} operand_row;

/* clang-format off */
static const operand_row rows[] = {
    {"R4", OPERAND_REGISTER, 4, 0, SASS_NONE},
    {"-|R254.reuse|", OPERAND_REGISTER, 254, 0, SASS_NONE},
    {"RZ.reuse.H0_H0", OPERAND_REGISTER, SASS_ZERO, 0, SASS_H0_H0},
    {"R255", OPERAND_NAME, 0, 0, SASS_NONE},
    {"URZ", OPERAND_UNIFORM, SASS_ZERO, 0, SASS_NONE},
    {"!PT", OPERAND_PREDICATE, SASS_TRUE, 0, SASS_NONE},
    {"UP0", OPERAND_PREDICATE, SASS_TRUE + 1, 0, SASS_NONE},
    {"-P0", OPERAND_OTHER, 0, 0, SASS_NONE},
    {"P0.H0", OPERAND_OTHER, 0, 0, SASS_NONE},
    {"!R4", OPERAND_OTHER, 0, 0, SASS_NONE},
    {"P7", OPERAND_NAME, 0, 0, SASS_NONE},
    {"PR", OPERAND_NAME, 0, 0, SASS_NONE},
    {"B15", OPERAND_BARRIER, 15, 0, SASS_NONE},
    {"0xffffffffffffffff", OPERAND_NUMBER, 0, -1, SASS_NONE},
    {"-0x10", OPERAND_NUMBER, 0, -16, SASS_NONE},
    {"2D", OPERAND_NAME, 0, 0, SASS_NONE},
    {"SR_TID.X", OPERAND_NAME, 0, 0, SASS_X},
    {"c[0x3][0x160]", OPERAND_BANK, 0, 0x160, SASS_NONE},
    {"-|c[0x0] [-0x7e00]|.H1_H1", OPERAND_BANK, 0, -0x7e00, SASS_H1_H1},
    {"c[0x3][R4+0x10]", OPERAND_BANK_ADDRESS, 0, 0x10, SASS_NONE},
    {"-cx[UR4][0x10]", OPERAND_BANK_HANDLE, 0, 0, SASS_NONE},
    {"[R2.64+UR4+-0x8]", OPERAND_ADDRESS, 0, -8, SASS_NONE},
    {"desc[UR6][R2.64]", OPERAND_ADDRESS, 6, 0, SASS_NONE},
    {"[R2+R3]", OPERAND_OTHER, 0, 0, SASS_NONE},
    {"[R2.X5]", OPERAND_OTHER, 0, 0, SASS_NONE},
    {"desc[UR6]", OPERAND_DESCRIPTOR, 6, 0, SASS_NONE},
    {"gdesc[UR8].tnspB", OPERAND_MATRICES, 8, 0, SASS_tnspB},
    {"R4 -0x4c0", OPERAND_PLACE, 4, -0x4c0, SASS_NONE},
    {"`(name<a, b>)", OPERAND_SYMBOL, 0, 0, SASS_NONE},
    {"32@lo(name)", OPERAND_SYMBOL, 0, 0, SASS_NONE},
    {"tmem[UR4]", OPERAND_OTHER, 4, 0, SASS_NONE},
    {"", OPERAND_OTHER, 0, 0, SASS_NONE},
};
/* clang-format on */

START_TEST(operands) {
    const operand_row *row = &rows[_i];
    sass_operand operand;
    smp_sass_parse_operand(row->text, strlen(row->text), &operand);
    ck_assert_msg(operand.kind == row->kind, "%s: kind %u", row->text, operand.kind);
    if (row->kind == OPERAND_OTHER)
        return;
    ck_assert_msg(operand.index == row->index, "%s: index %u", row->text, operand.index);
    ck_assert_msg(operand.number == row->number, "%s: number %lld", row->text,
                  (long long)operand.number);
    ck_assert_uint_eq(operand.suffix_count, row->suffix != SASS_NONE);
    ck_assert_uint_eq(operand.suffix[0], row->suffix);
    ck_assert_int_eq(operand.is_absolute, !!strchr(row->text, '|'));
}
END_TEST

START_TEST(numbers) {
    static const struct {
        const char *text;
        double value;
    } reals[] = {{"1.5", 1.5},       {"-1e+10", -1e10},
                 {"+INF", INFINITY}, {"-INF", -INFINITY},
                 {"0x10", 16},       {"340282346638528859811704183484516925440", 0x1.fffffep127},
                 {"-QNAN", NAN},     {"+SNAN", NAN}};
    for (size_t i = 0; i < sizeof(reals) / sizeof(*reals); i++) {
        sass_operand operand;
        smp_sass_parse_operand(reals[i].text, strlen(reals[i].text), &operand);
        ck_assert_msg(operand.kind == OPERAND_REAL || operand.kind == OPERAND_NUMBER, "%s",
                      reals[i].text);
        ck_assert_msg(isnan(reals[i].value) ? isnan(operand.real) : operand.real == reals[i].value,
                      "%s: %g", reals[i].text, operand.real);
    }
}
END_TEST

START_TEST(names) {
    static const char *const texts[] = {
#define TEXT_OF(name) #name,
        SASS_NAMES(TEXT_OF)
#undef TEXT_OF
    };
    sass_instruction out;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        ck_assert(smp_sass_parse_opcode(texts[i], &out));
        ck_assert_msg(out.opcode == i + 1, "%s is not found, or another name", texts[i]);
        ck_assert_str_eq(smp_sass_name_text((sass_name)out.opcode), texts[i]);
    }
}
END_TEST

START_TEST(instructions) {
    smp_instruction text = {.opcode = "UIADD3.X",
                            .operands = "UR4, UP0, UPT, UR5.reuse, `(a, b), -URZ ,, 0x1"};
    sass_instruction out;
    ck_assert(smp_sass_parse(&text, &out));
    ck_assert(out.opcode == SASS_IADD3 && out.is_uniform);
    ck_assert(out.modifier_count == 1 && out.modifiers[0] == SASS_X);
    ck_assert_uint_eq(out.operand_count, 7);
    ck_assert(out.operands[5].is_negated && out.operands[5].index == SASS_ZERO);
    text.operands = "R0,R0,R0,R0,R0,R0,R0,R0,R0,R0,R0,R0,R0,R0,R0,R0,R0";
    ck_assert(!smp_sass_parse(&text, &out));
}
END_TEST

/* Loops with a load, and whether they wait for what others write. */
START_TEST(polls) {
    static const struct {
        const char *load, *operands, *other, *other_operands, *branch;
        bool is_poll;
    } loops[] = {
        {"LDG.E.64.STRONG.SYS", "R4, desc[UR4][R2.64]", "ISETP.NE.AND", "P0, PT, R4, R8, PT", "0x0",
         true},
        {"LD.E.128.STRONG.SYS", "R4, [R2.64]", "IADD3", "R0, R0, 0x1, RZ", "0x0", true},
        {"LDG.E.STRONG.SYS", "R0, desc[UR6][R2.64]", "STS", "[R5], R7", "0x0", true},
        {"LDG.E.STRONG.SYS", "R4, desc[UR4][R2.64]", "IADD3", "R2, P0, R2, 0x80, RZ", "0x0", false},
        {"LDG.E.STRONG.SYS", "R4, desc[UR4][R2.64]", "IMAD.WIDE", "R2, R7, 0x4, R6", "0x0", false},
        {"LDG.E.STRONG.SYS", "R4, desc[UR4][R2.64]", "STG.E.STRONG.SYS", "desc[UR4][R8.64], R4",
         "0x0", false},
        {"LDG.E.STRONG.SYS", "R4, desc[UR4][R2.64]", "NOP", "", "0x30", false},
        {"LDG.E.STRONG.SYS", "R4, desc[UR4][R2.64]", "NOP", "", "0x20", false},
        {"LDG.E.STRONG.GPU", "R4, desc[UR4][R2.64]", "NOP", "", "0x0", false},
        {"LDG.E", "R4, desc[UR4][R2.64]", "NOP", "", "0x0", false},
    };
    for (size_t i = 0; i < COUNT_OF(loops); i++) {
        smp_instruction code[] = {
            {.offset_bytes = 0, .opcode = loops[i].load, .operands = loops[i].operands},
            {.offset_bytes = 16, .opcode = loops[i].other, .operands = loops[i].other_operands},
            {.offset_bytes = 32, .opcode = "BRA", .operands = loops[i].branch},
            {.offset_bytes = 48, .opcode = "EXIT", .operands = ""}};
        const smp_function function = {.instructions = code, .instruction_count = COUNT_OF(code)};
        ck_assert_msg(smp_function_poll(&function) == (loops[i].is_poll ? code : NULL), "loop %zu",
                      i);
    }
}
END_TEST

int main(void) {
    return SUITE("sass_parse", TEST_EACH(operands, COUNT_OF(rows)), TEST(numbers), TEST(names),
                 TEST(instructions), TEST(polls));
}
