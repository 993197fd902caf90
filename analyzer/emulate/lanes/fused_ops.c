/* SPDX-License-Identifier: MIT */
/*
 * The most frequent operations, as functions over runs of instructions: they build no lane_args,
 * and keep the values of inactive lanes in the same pass. The same rows of a table also make the
 * functions of lanes.h, used when modifiers must be applied to operands first. test_fused_ops
 * compares the two.
 */
#include "engine.h"
#include "lanes.h"

/* A negated or inverted integer is (x ^ flip) + one. */
LANES_INLINE uint32_t flip_of(const emu_operand *o) {
    return o->modifier == MODIFIER_NONE ? 0 : 0xffffffffu;
}

LANES_INLINE uint32_t one_of(const emu_operand *o) {
    return o->modifier == MODIFIER_NEGATE;
}

/* A float with a changed sign is (x & keep) ^ sign. */
LANES_INLINE uint32_t keep_of(const emu_operand *o) {
    return o->modifier != MODIFIER_NONE && o->sign & SIGN_ABSOLUTE ? 0x7fffffffu : 0xffffffffu;
}

LANES_INLINE uint32_t sign_of(const emu_operand *o) {
    return o->modifier != MODIFIER_NONE && o->sign & SIGN_NEGATE ? 0x80000000u : 0;
}

/* Two functions of one body: for all lanes, and for some. */
#define RUN_OF_BODY(name)                                                                         \
    LANES_CLONED static void name(emu_warp *warp, const uop *u, const uop *end, uint32_t lanes) { \
        if (lanes == SMP_ALL_LANES)                                                               \
            name##_body(warp, u, end, lanes, true);                                               \
        else                                                                                      \
            name##_body(warp, u, end, lanes, false);                                              \
    }

/* `set` computes lane l's result from the rows a, b and c and the predicate p; the last argument
 * declares what is the same for all lanes. */
#define RUN_OF(name, set, ...)                                                                  \
    LANES_INLINE void name##_body(emu_warp *warp, const uop *u, const uop *end, uint32_t lanes, \
                                  bool is_whole) {                                              \
        for (; u < end; u++) {                                                                  \
            uint32_t *d = emu_result(warp, u);                                                  \
            const uint32_t *a = emu_row_of(warp, &u->a), *b = emu_row_of(warp, &u->b),          \
                           *c = emu_row_of(warp, &u->c);                                        \
            const uint32_t p = emu_predicate(warp, u->p);                                       \
            __VA_ARGS__;                                                                        \
            (void)a, (void)b, (void)c, (void)p;                                                 \
            EACH_LANE {                                                                         \
                const bool takes_part = is_whole || lanes >> l & 1;                             \
                set;                                                                            \
            }                                                                                   \
        }                                                                                       \
    }                                                                                           \
    RUN_OF_BODY(name)

#define SET(value)           \
    uint32_t result = value; \
    d[l] = takes_part ? result : d[l]
#define SET_PAIR(value)                          \
    uint64_t result = value;                     \
    d[l] = takes_part ? (uint32_t)result : d[l]; \
    d[ROW + l] = takes_part ? (uint32_t)(result >> 32) : d[ROW + l]

#define RUN(name, prepare, value) RUN_OF(run_##name, SET(value), prepare)
/* Also makes the function of lanes.h. */
#define BOTH(name, prepare, value) LANE_OP(name, prepare, value) RUN(name, prepare, value)
#define RUN_PAIR(name, value) RUN_OF(run_##name, SET_PAIR(value), NOTHING)
#define BOTH_PAIR(name, value) LANE_PAIR_OP(name, NOTHING, value) RUN_PAIR(name, value)

#define FLIPS                                                                     \
    const uint32_t fa = flip_of(&u->a), fb = flip_of(&u->b), fc = flip_of(&u->c), \
                   ones = one_of(&u->a) + one_of(&u->b) + one_of(&u->c)
#define SIGNS                                                                     \
    const uint32_t ka = keep_of(&u->a), sa = sign_of(&u->a), kb = keep_of(&u->b), \
                   sb = sign_of(&u->b), kc = keep_of(&u->c), sc = sign_of(&u->c); \
    (void)kc, (void)sc
#define SIGNED_A lanes_float((a[l] & ka) ^ sa)
#define SIGNED_B lanes_float((b[l] & kb) ^ sb)
#define SIGNED_C lanes_float((c[l] & kc) ^ sc)
#define FLIP const uint32_t flip = u->imm2 ? 0x80000000u : 0
#define AMOUNT const uint32_t amount = u->imm
#define SHIFT const uint32_t amount = b[0]

/* clang-format off */
BOTH(mov, NOTHING, a[l])
BOTH(iadd3, NOTHING, a[l] + b[l] + c[l])
RUN(iadd3_signed, FLIPS, (a[l] ^ fa) + (b[l] ^ fb) + (c[l] ^ fc) + ones)
BOTH(imad, NOTHING, a[l] * b[l] + c[l])
RUN(imad_signed, FLIPS; const uint32_t oa = one_of(&u->a); const uint32_t ob = one_of(&u->b),
    ((a[l] ^ fa) + oa) * ((b[l] ^ fb) + ob) + (c[l] ^ fc) + (ones - oa - ob))
RUN(imad_hi_u, NOTHING, (uint32_t)(((uint64_t)a[l] * b[l] + PAIR(c)) >> 32))
BOTH(imad_hi_s, NOTHING, (uint32_t)((SIGNED_PRODUCT + PAIR(c)) >> 32))
BOTH(lea, AMOUNT, (a[l] << amount) + b[l])
RUN(lea_hi, AMOUNT, (c[l] << amount | (a[l] >> 1) >> (31 - amount)) + b[l])
RUN(lea_hi_signed, AMOUNT,
    ((uint32_t)((int32_t)a[l] >> 31) << amount | (a[l] >> 1) >> (31 - amount)) + b[l])
RUN(lea_hi_carry, AMOUNT, (c[l] << amount | (a[l] >> 1) >> (31 - amount)) + b[l] + (p >> l & 1))
BOTH(popc, NOTHING, lanes_popcount(a[l]))
BOTH(imnmx, FLIP, lanes_chosen(a[l], b[l], flip, 0u - (p >> l & 1)))
BOTH(sel, NOTHING, p >> l & 1 ? a[l] : b[l])
LANE_OP(fsel, NOTHING, p >> l & 1 ? a[l] : b[l])
RUN(and, NOTHING, a[l] & b[l])
RUN(or, NOTHING, a[l] | b[l])
RUN(xor, NOTHING, a[l] ^ b[l])
RUN(xor3, NOTHING, a[l] ^ b[l] ^ c[l])
BOTH(lop3, LANES_TABLE(bit, u->imm), lanes_from_table(bit, a[l], b[l], c[l]))
RUN(shift_left, SHIFT, a[l] << amount)
RUN(shift_right, SHIFT, a[l] >> amount | (c[l] << 1) << (31 - amount))
RUN(shift_high, SHIFT, c[l] >> amount)
RUN(shift_high_signed, SHIFT, (uint32_t)((int32_t)c[l] >> amount))
RUN(shift_left_high, SHIFT, c[l] << amount | (a[l] >> 1) >> (31 - amount))
BOTH(fadd, NOTHING, lanes_result(lanes_float(a[l]) + lanes_float(b[l])))
RUN(fadd_signed, SIGNS, lanes_result(SIGNED_A + SIGNED_B))
BOTH(fmul, NOTHING, lanes_result(lanes_float(a[l]) * lanes_float(b[l])))
RUN(fmul_signed, SIGNS, lanes_result(SIGNED_A * SIGNED_B))
BOTH(ffma, NOTHING, lanes_result(__builtin_fmaf(lanes_float(a[l]), lanes_float(b[l]), lanes_float(c[l]))))
RUN(ffma_signed, SIGNS, lanes_result(__builtin_fmaf(SIGNED_A, SIGNED_B, SIGNED_C)))
BOTH_PAIR(mov2, PAIR(a))
RUN_PAIR(imad_wide_u, (uint64_t)a[l] * b[l] + PAIR(c))
BOTH_PAIR(imad_wide_s, SIGNED_PRODUCT + PAIR(c))
/* clang-format on */

/* Logic by truth table; the common tables are shorter. */
static run_fn logic_of(const uop *u) {
    switch (u->imm) {
    case 0xc0:
        return run_and;
    case 0xfc:
        return run_or;
    case 0x3c:
        return run_xor;
    case 0x96:
        return run_xor3;
    default:
        return run_lop3;
    }
}

/* Shifts by a constant below 32. */
static run_fn shift_of(const emu_program *program, const uop *u) {
    if (!(u->b.offset & 1) || u->imm2 & SHIFT_WIDE ||
        program->constants[(u->b.offset & ~1) / 4] >= 32)
        return NULL;
    switch (u->imm2 & (SHIFT_RIGHT | SHIFT_SIGNED | SHIFT_HIGH)) {
    case 0:
    case SHIFT_SIGNED:
        return run_shift_left;
    case SHIFT_RIGHT:
    case SHIFT_RIGHT | SHIFT_SIGNED:
        return run_shift_right;
    case SHIFT_RIGHT | SHIFT_HIGH:
        return run_shift_high;
    case SHIFT_RIGHT | SHIFT_SIGNED | SHIFT_HIGH:
        return run_shift_high_signed;
    default:
        return run_shift_left_high;
    }
}

/* High words of sums without a carry out; imm2 as in lanes_int.c. */
static run_fn lea_hi_of(const uop *u) {
    static const run_fn by_imm2[] = {run_lea_hi, run_lea_hi_signed, run_lea_hi_carry, NULL};
    return u->p_out != PREDICATE_TRUE || u->imm >= 32 ? NULL : by_imm2[u->imm2 & 3];
}

/* ---- Comparisons ---- */

LANES_INLINE void join(emu_warp *warp, const uop *u, uint32_t result, uint32_t lanes) {
    lane_args x = {.p = emu_predicate(warp, u->p)};
    lanes_join(&x, result, u->imm >> 8);
    emu_set_predicate(warp, u->p_out, lanes, x.p_out);
    emu_set_predicate(warp, u->q_out, lanes, x.q_out);
}

/* imm: CMP_... | JOIN << 8; imm2: bit 0 unsigned, bit 1: the low part's result (q) decides ties. */
LANES_INLINE uint32_t compare_integers(const uint32_t *a, const uint32_t *b, const uop *u,
                                       uint32_t q) {
    const uint32_t compare = u->imm & 0xff, flip = u->imm2 & 1 ? 0x80000000u : 0;
    uint32_t less = 0;
    if (compare != CMP_EQ && compare != (CMP_LT | CMP_GT))
        less = LANES_WHERE((int32_t)(a[l] ^ flip) < (int32_t)(b[l] ^ flip));
    const uint32_t equal = LANES_WHERE(a[l] == b[l]), greater = ~(less | equal);
    if (compare == (CMP_LT | CMP_GT))
        less = greater; /* all that differ */
    return (compare & CMP_LT ? less : 0) | (compare & CMP_GT ? greater : 0) |
           (u->imm2 & 2        ? equal & q
            : compare & CMP_EQ ? equal
                               : 0);
}

LANES_CLONED void smp_lanes_isetp(lane_args *x) {
    lanes_join(x, compare_integers(x->a, x->b, x->u, x->q), x->u->imm >> 8);
}

LANES_CLONED static void run_isetp(emu_warp *warp, const uop *u, const uop *end, uint32_t lanes) {
    for (; u < end; u++)
        join(warp, u,
             compare_integers(emu_row_of(warp, &u->a), emu_row_of(warp, &u->b), u,
                              emu_predicate(warp, u->q)),
             lanes);
}

LANES_CLONED static void run_fsetp(emu_warp *warp, const uop *u, const uop *end, uint32_t lanes) {
    for (; u < end; u++) {
        const uint32_t *a = emu_row_of(warp, &u->a), *b = emu_row_of(warp, &u->b);
        SIGNS;
        const uint32_t less = LANES_WHERE(SIGNED_A < SIGNED_B),
                       equal = LANES_WHERE(SIGNED_A == SIGNED_B),
                       greater = LANES_WHERE(SIGNED_A > SIGNED_B);
        join(warp, u, lanes_ordered(u->imm & 0xff, less, equal, greater), lanes);
    }
}

/* ---- Carries: 64-bit addresses ---- */

/* Negated operands come as their complements, here by `flip`; imm counts them. Two carries may come
 * out: the sum has 34 bits. imm2: carries come in (.X), and a complement is then not completed to a
 * negation. */
typedef struct carry_rows {
    uint32_t *d;
    const uint32_t *a, *b, *c;
    uint32_t p, q, flip[3];
    uint32_t lanes; /* active lanes */
} carry_rows;

LANES_INLINE void add_with_carries(const carry_rows *x, const uop *u, bool is_whole,
                                   uint32_t out[2]) {
    const uint32_t p = u->imm2 ? x->p : 0, q = u->imm2 ? x->q : 0, add = u->imm;
    const uint32_t fa = x->flip[0], fb = x->flip[1], fc = x->flip[2], lanes = x->lanes;
    const uint32_t *a = x->a, *b = x->b, *c = x->c;
    uint32_t *d = x->d, carries[ROW];
    EACH_LANE {
        uint32_t a1 = a[l] ^ fa, s1 = a1 + (b[l] ^ fb), s2 = s1 + (c[l] ^ fc);
        uint32_t s3 = s2 + (p >> l & 1) + (q >> l & 1) + add;
        carries[l] = (s1 < a1 ? 1u : 0) + (s2 < s1 ? 1u : 0) + (s3 < s2 ? 1u : 0);
        d[l] = is_whole || lanes >> l & 1 ? s3 : d[l];
    }
    out[0] = LANES_WHERE(carries[l] != 0);
    out[1] = LANES_WHERE(carries[l] >= 2);
}

LANES_CLONED void smp_lanes_iadd3_carry(lane_args *x) {
    const carry_rows rows_of = {x->d, x->a, x->b, x->c, x->p, x->q, {0}, SMP_ALL_LANES};
    uint32_t out[2];
    add_with_carries(&rows_of, x->u, true, out);
    x->p_out = out[0];
    x->q_out = out[1];
}

LANES_CLONED static void run_carry(emu_warp *warp, const uop *u, const uop *end, uint32_t lanes) {
    for (; u < end; u++) {
        const carry_rows x = {emu_result(warp, u),
                              emu_row_of(warp, &u->a),
                              emu_row_of(warp, &u->b),
                              emu_row_of(warp, &u->c),
                              emu_predicate(warp, u->p),
                              emu_predicate(warp, u->q),
                              {flip_of(&u->a), flip_of(&u->b), flip_of(&u->c)},
                              lanes};
        uint32_t out[2];
        if (lanes == SMP_ALL_LANES)
            add_with_carries(&x, u, true, out);
        else
            add_with_carries(&x, u, false, out);
        emu_set_predicate(warp, u->p_out, lanes, out[0]);
        emu_set_predicate(warp, u->q_out, lanes, out[1]);
    }
}

/* ---- Which function ---- */

typedef enum modified_by { BY_NOTHING, BY_COMPLEMENTS, BY_INTEGERS, BY_SIGNS } modified_by;

typedef struct run_row {
    lane_fn fn;
    run_fn plain, modified;
    modified_by by;
} run_row;

static const run_row rows[] = {
    {smp_lanes_mov, run_mov, NULL, BY_NOTHING},
    {smp_lanes_mov2, run_mov2, NULL, BY_NOTHING},
    {smp_lanes_iadd3, run_iadd3, run_iadd3_signed, BY_INTEGERS},
    {smp_lanes_iadd3_carry, run_carry, run_carry, BY_COMPLEMENTS},
    {smp_lanes_imad, run_imad, run_imad_signed, BY_INTEGERS},
    {smp_lanes_imad_wide_u, run_imad_wide_u, NULL, BY_NOTHING},
    {smp_lanes_imad_wide_s, run_imad_wide_s, NULL, BY_NOTHING},
    {smp_lanes_imad_hi_u, run_imad_hi_u, NULL, BY_NOTHING},
    {smp_lanes_imad_hi_s, run_imad_hi_s, NULL, BY_NOTHING},
    {smp_lanes_lea, run_lea, NULL, BY_NOTHING},
    {smp_lanes_popc, run_popc, NULL, BY_NOTHING},
    {smp_lanes_imnmx, run_imnmx, NULL, BY_NOTHING},
    {smp_lanes_sel, run_sel, NULL, BY_NOTHING},
    {smp_lanes_fsel, run_sel, NULL, BY_NOTHING},
    {smp_lanes_isetp, run_isetp, NULL, BY_NOTHING},
    {smp_lanes_fsetp, run_fsetp, run_fsetp, BY_SIGNS},
    {smp_lanes_fadd, run_fadd, run_fadd_signed, BY_SIGNS},
    {smp_lanes_fmul, run_fmul, run_fmul_signed, BY_SIGNS},
    {smp_lanes_ffma, run_ffma, run_ffma_signed, BY_SIGNS},
};

static bool is_modified(const uop *u) {
    return ANY(one, u->sources, 3, one->modifier != MODIFIER_NONE);
}

static bool is_modified_only(const uop *u, modified_by by) {
    return EVERY(
        one, u->sources, 3,
        one->modifier == MODIFIER_NONE || (by == BY_SIGNS && one->modifier == MODIFIER_FLOAT) ||
            (by == BY_INTEGERS && one->modifier == MODIFIER_NEGATE) ||
            ((by == BY_INTEGERS || by == BY_COMPLEMENTS) && one->modifier == MODIFIER_NOT));
}

/* True if it also writes carries or flushes denormals, which its function here does not do. */
static bool has_more(const uop *u) {
    bool leaves_carry = (u->fn == smp_lanes_imad_wide_u || u->fn == smp_lanes_imad_hi_u) && u->imm;
    return leaves_carry || (u->fn == smp_lanes_fsetp && u->imm2 & FLOAT_FTZ);
}

static run_fn run_of(const emu_program *program, const uop *u) {
    const run_row *row = FIND(one, rows, sizeof(rows) / sizeof(*rows), one->fn == u->fn);
    if (u->kind != UOP_LANES || has_more(u))
        return NULL;
    if (is_modified(u))
        return row && is_modified_only(u, row->by) ? row->modified : NULL;
    return row                         ? row->plain
           : u->fn == smp_lanes_lop3   ? logic_of(u)
           : u->fn == smp_lanes_lea_hi ? lea_hi_of(u)
           : u->fn == smp_lanes_shf    ? shift_of(program, u)
                                       : NULL;
}

/* ---- Constants ---- */

static bool is_constant(const emu_operand *operand) {
    return operand->rows == 0 || (operand->offset & 1 && operand->modifier == MODIFIER_NONE);
}

/* True if the result depends only on the operands and consists of rows. */
static bool is_pure(const uop *u) {
    static const lane_fn pure[] = {smp_lanes_imad,        smp_lanes_iadd3,       smp_lanes_lop3,
                                   smp_lanes_shf,         smp_lanes_hfma2,       smp_lanes_lea,
                                   smp_lanes_imad_wide_u, smp_lanes_imad_wide_s, smp_lanes_ffma,
                                   smp_lanes_fadd,        smp_lanes_fmul,        smp_lanes_prmt};
    return u->p_out == PREDICATE_TRUE && u->q_out == PREDICATE_TRUE && u->d_rows <= 2 &&
           !has_more(u) && ANY(one, pure, sizeof(pure) / sizeof(*pure), u->fn == *one);
}

static bool fold(emu_program *program, uop *u) {
    uint32_t result[2 * ROW] __attribute__((aligned(EMU_ALIGN))), values[2];
    if (u->kind != UOP_LANES || !is_pure(u) || u->a.rows == 0 ||
        !EVERY(one, u->sources, 3, is_constant(one)))
        return true;
    const char *file = (const char *)program->constants;
    lane_args x = {.d = result, .exec = SMP_ALL_LANES, .u = u};
    x.a = (const uint32_t *)(const void *)(file + (u->a.offset & ~1));
    x.b = (const uint32_t *)(const void *)(file + (u->b.offset & ~1));
    x.c = (const uint32_t *)(const void *)(file + (u->c.offset & ~1));
    u->fn(&x);
    values[0] = result[0];
    values[1] = u->d_rows == 2 ? result[ROW] : 0;
    int32_t offset = emu_constant(program, values, u->d_rows);
    u->a = (emu_operand){.offset = offset | 1, .rows = u->d_rows};
    u->b = u->c = (emu_operand){.offset = 1};
    u->fn = u->d_rows == 2 ? smp_lanes_mov2 : smp_lanes_mov;
    return offset >= 0;
}

bool emu_plan(emu_program *program) {
    for (uint32_t i = 0; i < program->count; i++)
        if (!fold(program, &program->uops[i]))
            return false;
    for (uint32_t i = program->count; i-- > 0;) {
        uop *u = &program->uops[i];
        const uop *next = u + 1; /* a trap follows the last one */
        u->run = run_of(program, u);
        u->run_length = 1;
        if (u->run && next->run == u->run && next->guard == PREDICATE_TRUE &&
            u->guard == PREDICATE_TRUE && next->ignores_exec == u->ignores_exec)
            u->run_length = next->run_length + 1;
        bool is_straight = u->kind == UOP_LANES || u->kind == UOP_MEMORY;
        u->straight = is_straight ? next->straight + 1 : 0;
    }
    return true;
}
