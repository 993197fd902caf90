/* SPDX-License-Identifier: MIT */
/*
 * Fused operations (analyzer/emulate, fused_ops.c) must give the results of the
 * same operations run one by one (lanes_*.c, which test_opcodes compares with a GPU): random
 * operands, all combinations of signs, all lanes and some, results that are operands again.
 */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "lanes.h"
#include "suite.h"

enum { ROWS_USED = 16, TRIALS = 300 };

typedef enum operand_kind { PLAIN, INTEGERS, COMPLEMENTS, SIGNS } operand_kind;

typedef struct run_case {
    const char *name;
    lane_fn fn;
    operand_kind modifiers;
    uint8_t d_rows, a_rows, c_rows;
    uint32_t imm_below, imm2_below; /* the decoder's values are below these */
    bool is_shift;                  /* b is a constant */
} run_case;

enum { COMPARISON = 0x300 };

static const run_case cases[] = {
    {"mov", smp_lanes_mov, PLAIN, 1, 1, 1, 1, 1, false},
    {"mov2", smp_lanes_mov2, PLAIN, 2, 2, 1, 1, 1, false},
    {"iadd3", smp_lanes_iadd3, INTEGERS, 1, 1, 1, 1, 1, false},
    {"iadd3_carry", smp_lanes_iadd3_carry, COMPLEMENTS, 1, 1, 1, 3, 2, false},
    {"imad", smp_lanes_imad, INTEGERS, 1, 1, 1, 1, 1, false},
    {"imad_wide_u", smp_lanes_imad_wide_u, PLAIN, 2, 1, 2, 2, 1, false},
    {"imad_wide_s", smp_lanes_imad_wide_s, PLAIN, 2, 1, 2, 1, 1, false},
    {"imad_hi_u", smp_lanes_imad_hi_u, PLAIN, 1, 1, 2, 2, 1, false},
    {"imad_hi_s", smp_lanes_imad_hi_s, PLAIN, 1, 1, 2, 1, 1, false},
    {"lea", smp_lanes_lea, PLAIN, 1, 1, 1, 32, 1, false},
    {"lea_hi", smp_lanes_lea_hi, PLAIN, 1, 1, 1, 32, 4, false},
    {"popc", smp_lanes_popc, PLAIN, 1, 1, 1, 1, 1, false},
    {"imnmx", smp_lanes_imnmx, PLAIN, 1, 1, 1, 1, 2, false},
    {"sel", smp_lanes_sel, PLAIN, 1, 1, 1, 1, 1, false},
    {"fsel", smp_lanes_fsel, PLAIN, 1, 1, 1, 1, 1, false},
    {"lop3", smp_lanes_lop3, PLAIN, 1, 1, 1, 256, 1, false},
    {"shf", smp_lanes_shf, PLAIN, 1, 1, 1, 1, 32, true},
    {"isetp", smp_lanes_isetp, PLAIN, 0, 1, 1, COMPARISON, 4, false},
    {"fsetp", smp_lanes_fsetp, SIGNS, 0, 1, 1, COMPARISON, 5, false},
    {"fadd", smp_lanes_fadd, SIGNS, 1, 1, 1, 1, 1, false},
    {"fmul", smp_lanes_fmul, SIGNS, 1, 1, 1, 1, 1, false},
    {"ffma", smp_lanes_ffma, SIGNS, 1, 1, 1, 1, 1, false},
};

static uint64_t state = 88172645463325252u;

static uint32_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

/* Critical values: small, large, floats of all kinds. */
static uint32_t draw_value(void) {
    static const uint32_t special[] = {0,          1,          0xffffffff, 0x80000000, 0x7fffffff,
                                       0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
                                       0x00000001, 0x80000001, 0x7f7fffff};
    uint32_t kind = draw() % 4;
    return kind == 0   ? special[draw() % (sizeof(special) / sizeof(*special))]
           : kind == 1 ? draw() % 16
           : kind == 2 ? 0x3f000000u + draw() % 0x1000000u
                       : draw();
}

static emu_operand draw_operand(const run_case *what, uint8_t rows) {
    emu_operand out = {.offset = (int32_t)(draw() % (ROWS_USED - 2)) * ROW_BYTES, .rows = rows};
    if (what->modifiers == PLAIN || rows != 1)
        return out;
    if (what->modifiers == SIGNS) {
        out.sign = (uint8_t)(draw() % 4);
        out.modifier = out.sign != 0 ? MODIFIER_FLOAT : MODIFIER_NONE;
    } else {
        uint32_t kind = draw() % 3;
        out.modifier = kind == 0                                     ? MODIFIER_NONE
                       : kind == 1 || what->modifiers == COMPLEMENTS ? MODIFIER_NOT
                                                                     : MODIFIER_NEGATE;
    }
    return out;
}

static uop draw_uop(const run_case *what, emu_program *program) {
    uop u = {.kind = UOP_LANES, .guard = PREDICATE_TRUE, .memory = -1, .fn = what->fn};
    u.d_rows = what->d_rows;
    u.d = (int32_t)(draw() % (ROWS_USED - 2)) * ROW_BYTES;
    u.a = draw_operand(what, what->a_rows);
    u.b = draw_operand(what, 1);
    u.c = draw_operand(what, what->c_rows);
    u.imm =
        what->imm_below == COMPARISON ? draw() % 16 | draw() % 3 << 8 : draw() % what->imm_below;
    u.imm2 = draw() % what->imm2_below;
    u.p = (uint8_t)(draw() % 32);
    u.q = (uint8_t)(draw() % 32);
    u.r = PREDICATE_TRUE;
    bool leaves_predicates = what->d_rows == 0 || what->modifiers == COMPLEMENTS;
    u.p_out = leaves_predicates ? (uint8_t)(draw() % 8) : PREDICATE_TRUE;
    u.q_out = leaves_predicates ? PREDICATE_TRUE : u.p_out;
    if (what->is_shift) {
        uint32_t amount = draw() % 40;
        u.b.offset = emu_constant(program, &amount, 1) | 1;
    }
    return u;
}

static void one_by_one(emu_warp *warp, const uop *u, uint32_t lanes) {
    static uint32_t changed[3][2 * ROW] __attribute__((aligned(EMU_ALIGN)));
    static uint32_t result[2 * ROW] __attribute__((aligned(EMU_ALIGN)));
    const emu_operand *operands[3] = {&u->a, &u->b, &u->c};
    const uint32_t *in[3];
    for (unsigned i = 0; i < 3; i++) {
        in[i] = emu_row_of(warp, operands[i]);
        if (operands[i]->modifier != MODIFIER_NONE) {
            emu_modify(operands[i], in[i], changed[i]);
            in[i] = changed[i];
        }
    }
    lane_args x = {.d = result, .a = in[0], .b = in[1], .c = in[2], .exec = lanes, .u = u};
    x.p = emu_predicate(warp, u->p);
    x.q = emu_predicate(warp, u->q);
    x.r = emu_predicate(warp, u->r);
    u->fn(&x);
    for (unsigned i = 0; i < u->d_rows; i++)
        for (unsigned l = 0; l < ROW; l++)
            if (lanes >> l & 1)
                warp->rows[u->d / 4 + (int)(i * ROW + l)] = result[i * ROW + l];
    emu_set_predicate(warp, u->p_out, lanes, x.p_out);
    emu_set_predicate(warp, u->q_out, lanes, x.q_out);
}

static emu_warp one, other;

static void fill(emu_program *program) {
    for (size_t i = 0; i < (size_t)ROWS_USED * ROW; i++)
        one.rows[i] = other.rows[i] = draw_value();
    for (unsigned i = 0; i < PREDICATES; i++)
        one.predicates[i] = other.predicates[i] = i % 8 == PREDICATE_TRUE ? SMP_ALL_LANES : draw();
    one.files[0] = (char *)one.rows;
    other.files[0] = (char *)other.rows;
    one.files[1] = other.files[1] = (char *)program->constants;
}

static void check_same(const run_case *what, unsigned count, uint32_t lanes) {
    for (unsigned i = 0; i < ROWS_USED * ROW; i++)
        if (one.rows[i] != other.rows[i])
            ck_abort_msg("%s, %u in a row, lanes %08x: row %u lane %u has %08x instead of %08x",
                         what->name, count, lanes, i / ROW, i % ROW, one.rows[i], other.rows[i]);
    if (memcmp(one.predicates, other.predicates, sizeof(one.predicates)) != 0)
        ck_abort_msg("%s: predicates differ", what->name);
}

START_TEST(in_a_row_as_one_by_one) {
    static const uint32_t zeros[ROWS_ZERO];
    const run_case *what = &cases[_i];
    enum { COUNT = 3 };
    unsigned runs = 0;
    one.rows = aligned_alloc(EMU_ALIGN, (size_t)ROW_COUNT * ROW_BYTES);
    other.rows = aligned_alloc(EMU_ALIGN, (size_t)ROW_COUNT * ROW_BYTES);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        emu_program program = {.count = COUNT};
        uop uops[COUNT + 1] = {{.kind = UOP_TRAP}};
        uint32_t lanes = trial % 2 ? SMP_ALL_LANES : draw();
        if (emu_constant(&program, zeros, ROWS_ZERO) < 0)
            ck_abort_msg("out of memory");
        for (unsigned i = 0; i < COUNT; i++)
            uops[i] = draw_uop(what, &program);
        program.uops = uops;
        if (!emu_plan(&program))
            ck_abort_msg("out of memory");
        fill(&program);
        for (unsigned i = 0; i < COUNT; i += uops[i].run_length)
            if (uops[i].run) {
                uops[i].run(&one, &uops[i], &uops[i] + uops[i].run_length, lanes);
                runs++;
                for (unsigned j = i; j < i + uops[i].run_length; j++)
                    one_by_one(&other, &uops[j], lanes);
            }
        check_same(what, COUNT, lanes);
        free(program.constants);
    }
    ck_assert_msg(runs > TRIALS / 8, "%s: only %u runs", what->name, runs);
    free(one.rows);
    free(other.rows);
}
END_TEST

/* An operation on constants gives a constant in all rows. */
START_TEST(constants_are_folded) {
    static const uint32_t zeros[ROWS_ZERO];
    const uint32_t a[2] = {0xfffffff0u, 7}, b = 0x10001;
    emu_program program = {.count = 1};
    uop uops[2] = {{.kind = UOP_LANES, .guard = PREDICATE_TRUE, .memory = -1}, {.kind = UOP_TRAP}};
    ck_assert_int_ge(emu_constant(&program, zeros, ROWS_ZERO), 0);
    uops[0].fn = smp_lanes_imad_wide_u;
    uops[0].p_out = uops[0].q_out = PREDICATE_TRUE;
    uops[0].d_rows = 2;
    uops[0].a = (emu_operand){.offset = emu_constant(&program, a, 1) | 1, .rows = 1};
    uops[0].b = (emu_operand){.offset = emu_constant(&program, &b, 1) | 1, .rows = 1};
    uops[0].c = (emu_operand){.offset = emu_constant(&program, a, 2) | 1, .rows = 2};
    program.uops = uops;
    ck_assert(emu_plan(&program));
    ck_assert(uops[0].fn == smp_lanes_mov2);
    uint64_t sum = (uint64_t)a[0] * b + (a[0] | (uint64_t)a[1] << 32);
    const uint32_t *rows = program.constants + (uops[0].a.offset & ~1) / 4;
    for (unsigned l = 0; l < ROW; l++) {
        ck_assert_uint_eq(rows[l], (uint32_t)sum);
        ck_assert_uint_eq(rows[ROW + l], (uint32_t)(sum >> 32));
    }
    free(program.constants);
}
END_TEST

int main(void) {
    return SUITE("runs", TEST_EACH(in_a_row_as_one_by_one, COUNT_OF(cases)),
                 TEST(constants_are_folded));
}
