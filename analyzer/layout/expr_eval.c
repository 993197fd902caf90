/* SPDX-License-Identifier: MIT */
/*
 * Evaluates postfix code for 32 lanes at once: every instruction is one loop over the lanes, which
 * compilers turn into vector code. Lanes that are switched off compute too, but their errors do
 * not count; what fails is looked for in a second loop, only when the first saw a sign of it.
 */
#include <string.h>

#include "expr.h"
#include "swizzle.h"

#define FOR_LANES for (unsigned l = 0; l < SMP_LANES; l++)

typedef struct machine {
    const smp_lanes_value *slots;
    uint32_t mask;
    unsigned top, mask_top;
    smp_error *error;
    uint32_t masks[SMP_EXPR_STACK_MAX + 1];
    smp_lanes_value stack[SMP_EXPR_STACK_MAX + 1];
} machine;

static const char *const kind_names[] = {"int", "unsigned", "long long", "unsigned long long"};

static int64_t convert(int64_t value, smp_kind kind) {
    return kind == SMP_I32 ? (int32_t)value : kind == SMP_U32 ? (int64_t)(uint32_t)value : value;
}

static unsigned kind_bits(smp_kind kind) {
    return kind <= SMP_U32 ? 32 : 64;
}

static bool is_signed_kind(smp_kind kind) {
    return kind == SMP_I32 || kind == SMP_I64;
}

static void convert_lanes(smp_lanes_value v, smp_kind kind) {
    if (kind == SMP_I32)
        FOR_LANES v[l] = (int32_t)v[l];
    else if (kind == SMP_U32)
        FOR_LANES v[l] = (int64_t)(uint32_t)v[l];
}

static uint32_t true_lanes(const smp_lanes_value v) {
    uint32_t mask = 0;
    FOR_LANES mask |= (uint32_t)(v[l] != 0) << l;
    return mask;
}

static smp_status fail_overflow(const machine *m, const smp_instruction *in, unsigned lane) {
    return smp_error_set(m->error, SMP_E_OVERFLOW, in->position, "lane %u: %s overflow", lane,
                         kind_names[in->kind]);
}

/* ---- Arithmetic ------------------------------------------------------------------------ */

static bool add_overflows(smp_code_op op, int64_t a, int64_t b, int64_t *out) {
    return op == SMP_CODE_ADD   ? __builtin_add_overflow(a, b, out)
           : op == SMP_CODE_SUB ? __builtin_sub_overflow(a, b, out)
                                : __builtin_mul_overflow(a, b, out);
}

/* + - * of 64-bit signed lanes, and of 32-bit ones when a first look saw an overflow. */
static smp_status run_checked(const machine *m, const smp_instruction *in, int64_t *a,
                              const int64_t *b) {
    FOR_LANES {
        int64_t value;
        bool over = add_overflows((smp_code_op)in->op, a[l], b[l], &value);
        over |= in->kind == SMP_I32 && value != (int32_t)value;
        if (over && (m->mask >> l & 1))
            return fail_overflow(m, in, l);
        a[l] = convert(value, (smp_kind)in->kind);
    }
    return SMP_OK;
}

static smp_status run_arithmetic(const machine *m, const smp_instruction *in, int64_t *a,
                                 const int64_t *b) {
    smp_lanes_value r;
    if (in->kind == SMP_I64)
        return run_checked(m, in, a, b);
    if (in->op == SMP_CODE_ADD)
        FOR_LANES r[l] = (int64_t)((uint64_t)a[l] + (uint64_t)b[l]);
    else if (in->op == SMP_CODE_SUB)
        FOR_LANES r[l] = (int64_t)((uint64_t)a[l] - (uint64_t)b[l]);
    else
        FOR_LANES r[l] = (int64_t)((uint64_t)a[l] * (uint64_t)b[l]);
    if (in->kind == SMP_I32) {
        int64_t over = 0;
        FOR_LANES over |= r[l] ^ (int32_t)r[l];
        if (over != 0)
            return run_checked(m, in, a, b);
    }
    convert_lanes(r, (smp_kind)in->kind);
    memcpy(a, r, sizeof r);
    return SMP_OK;
}

static int64_t divide(smp_code_op op, smp_kind kind, int64_t a, int64_t b) {
    if (kind == SMP_U64) {
        uint64_t x = (uint64_t)a, y = (uint64_t)b;
        return (int64_t)(op == SMP_CODE_DIV ? x / y : x % y);
    }
    if (kind == SMP_U32) {
        uint32_t x = (uint32_t)a, y = (uint32_t)b;
        return op == SMP_CODE_DIV ? x / y : x % y;
    }
    return op == SMP_CODE_DIV ? a / b : a % b;
}

static smp_status run_divide(const machine *m, const smp_instruction *in, int64_t *a,
                             const int64_t *b) {
    smp_kind kind = (smp_kind)in->kind;
    FOR_LANES {
        bool active = m->mask >> l & 1;
        if (active && b[l] == 0)
            return smp_error_set(m->error, SMP_E_RANGE, in->position, "lane %u: division by zero",
                                 l);
        int64_t least = kind == SMP_I32 ? INT32_MIN : INT64_MIN;
        bool over = is_signed_kind(kind) && a[l] == least && b[l] == -1;
        if (active && over)
            return fail_overflow(m, in, l);
        a[l] = b[l] == 0 || over ? 0 : divide((smp_code_op)in->op, kind, a[l], b[l]);
    }
    return SMP_OK;
}

static smp_status run_shift(const machine *m, const smp_instruction *in, int64_t *a,
                            const int64_t *b) {
    smp_kind kind = (smp_kind)in->kind;
    uint64_t bits = kind_bits(kind), over = 0;
    FOR_LANES over |= (uint64_t)((uint64_t)b[l] >= bits) << l;
    uint32_t bad = (uint32_t)over & m->mask;
    if (bad != 0) {
        unsigned lane = (unsigned)__builtin_ctz(bad);
        return smp_error_set(m->error, SMP_E_RANGE, in->position,
                             "lane %u: shift by %lld is out of range for %s (0 to %u)", lane,
                             (long long)b[lane], kind_names[kind], (unsigned)bits - 1);
    }
    if (in->op == SMP_CODE_SHL)
        FOR_LANES a[l] = (int64_t)((uint64_t)a[l] << (b[l] & 63));
    else if (is_signed_kind(kind))
        FOR_LANES a[l] = a[l] >> (b[l] & 63);
    else
        FOR_LANES a[l] = (int64_t)((uint64_t)a[l] >> (b[l] & 63));
    convert_lanes(a, kind);
    return SMP_OK;
}

static void run_bits(const smp_instruction *in, int64_t *a, const int64_t *b) {
    if (in->op == SMP_CODE_AND)
        FOR_LANES a[l] &= b[l];
    else if (in->op == SMP_CODE_OR)
        FOR_LANES a[l] |= b[l];
    else
        FOR_LANES a[l] ^= b[l];
}

static bool less(smp_kind kind, int64_t a, int64_t b) {
    return kind == SMP_U64 ? (uint64_t)a < (uint64_t)b : a < b;
}

static void run_compare(const smp_instruction *in, int64_t *a, const int64_t *b) {
    smp_kind kind = (smp_kind)in->kind;
    switch (in->op) {
    case SMP_CODE_EQ:
        FOR_LANES a[l] = a[l] == b[l];
        break;
    case SMP_CODE_NE:
        FOR_LANES a[l] = a[l] != b[l];
        break;
    case SMP_CODE_LT:
        FOR_LANES a[l] = less(kind, a[l], b[l]);
        break;
    case SMP_CODE_LE:
        FOR_LANES a[l] = !less(kind, b[l], a[l]);
        break;
    case SMP_CODE_GT:
        FOR_LANES a[l] = less(kind, b[l], a[l]);
        break;
    case SMP_CODE_GE:
        FOR_LANES a[l] = !less(kind, a[l], b[l]);
        break;
    case SMP_CODE_MIN:
        FOR_LANES a[l] = less(kind, b[l], a[l]) ? b[l] : a[l];
        break;
    default:
        FOR_LANES a[l] = less(kind, a[l], b[l]) ? b[l] : a[l];
    }
}

static smp_status run_binary(machine *m, const smp_instruction *in) {
    int64_t *b = m->stack[--m->top], *a = m->stack[m->top - 1];
    smp_kind kind = (smp_kind)in->kind;
    bool shifts = in->op == SMP_CODE_SHL || in->op == SMP_CODE_SHR;
    convert_lanes(a, kind);
    if (shifts)
        return run_shift(m, in, a, b);
    convert_lanes(b, kind);
    if (in->op <= SMP_CODE_MUL)
        return run_arithmetic(m, in, a, b);
    if (in->op <= SMP_CODE_MOD)
        return run_divide(m, in, a, b);
    if (in->op <= SMP_CODE_XOR)
        run_bits(in, a, b);
    else
        run_compare(in, a, b);
    return SMP_OK;
}

/* ---- One operand ----------------------------------------------------------------------- */

static uint64_t reverse_bits(uint64_t value, unsigned bits) {
    uint64_t out = 0;
    for (unsigned i = 0; i < bits; i++)
        out |= (value >> i & 1) << (bits - 1 - i);
    return out;
}

static int64_t count_bits(smp_code_op op, uint64_t value, unsigned bits) {
    if (op == SMP_CODE_POPC)
        return __builtin_popcountll(value);
    if (op == SMP_CODE_BREV)
        return (int64_t)reverse_bits(value, bits);
    if (op == SMP_CODE_FFS)
        return __builtin_ffsll((long long)value);
    return value == 0 ? (int64_t)bits : __builtin_clzll(value) - (int64_t)(64 - bits);
}

static int64_t cast(int64_t value, unsigned bits, bool is_signed) {
    if (bits == 1)
        return value != 0;
    if (bits == 64)
        return value;
    uint64_t low = (uint64_t)value & ((UINT64_C(1) << bits) - 1);
    bool negative = is_signed && (low >> (bits - 1) & 1);
    return negative ? (int64_t)(low | ~UINT64_C(0) << bits) : (int64_t)low;
}

/* -x and abs(x); only the least value of a signed type has no negative. */
static smp_status run_negate(const machine *m, const smp_instruction *in, int64_t *a) {
    smp_kind kind = (smp_kind)in->kind;
    int64_t least = kind == SMP_I32 ? INT32_MIN : INT64_MIN;
    bool is_signed = is_signed_kind(kind);
    if (in->op == SMP_CODE_ABS && !is_signed)
        return SMP_OK;
    FOR_LANES {
        if (is_signed && a[l] == least && (m->mask >> l & 1))
            return fail_overflow(m, in, l);
        if (in->op == SMP_CODE_NEG || a[l] < 0)
            a[l] = (int64_t)(0 - (uint64_t)a[l]);
    }
    convert_lanes(a, kind);
    return SMP_OK;
}

static smp_status run_unary(machine *m, const smp_instruction *in) {
    int64_t *a = m->stack[m->top - 1];
    smp_kind kind = (smp_kind)in->kind;
    if (in->op == SMP_CODE_CAST) {
        FOR_LANES a[l] = cast(a[l], in->slot, is_signed_kind(kind));
        return SMP_OK;
    }
    convert_lanes(a, kind);
    if (in->op == SMP_CODE_NEG || in->op == SMP_CODE_ABS)
        return run_negate(m, in, a);
    if (in->op == SMP_CODE_NOT) {
        FOR_LANES a[l] = ~a[l];
        convert_lanes(a, kind);
    } else if (in->op == SMP_CODE_LOGIC_NOT) {
        FOR_LANES a[l] = a[l] == 0;
    } else {
        FOR_LANES a[l] = count_bits((smp_code_op)in->op, (uint64_t)a[l], kind_bits(kind));
    }
    return SMP_OK;
}

/* ---- Lanes that go on ------------------------------------------------------------------ */

static void run_branch(machine *m, const smp_instruction *in) {
    int64_t *top = m->stack[m->top - 1];
    uint32_t saved = m->mask_top > 0 ? m->masks[m->mask_top - 1] : 0;
    switch (in->op) {
    case SMP_CODE_AND_BEGIN:
    case SMP_CODE_THEN:
        m->masks[m->mask_top++] = m->mask;
        m->mask &= true_lanes(top);
        break;
    case SMP_CODE_OR_BEGIN:
        m->masks[m->mask_top++] = m->mask;
        m->mask &= ~true_lanes(top);
        break;
    case SMP_CODE_ELSE:
        m->mask = saved & ~true_lanes(m->stack[m->top - 2]);
        break;
    default:
        m->mask = saved;
        m->mask_top--;
    }
}

static void run_join(machine *m, const smp_instruction *in) {
    run_branch(m, in);
    int64_t *b = m->stack[--m->top], *a = m->stack[m->top - 1];
    if (in->op == SMP_CODE_AND_END) {
        FOR_LANES a[l] = (a[l] != 0) & (b[l] != 0);
    } else if (in->op == SMP_CODE_OR_END) {
        FOR_LANES a[l] = (a[l] != 0) | (b[l] != 0);
    } else {
        int64_t *c = m->stack[--m->top - 1];
        FOR_LANES c[l] = c[l] != 0 ? a[l] : b[l];
        convert_lanes(c, (smp_kind)in->kind);
    }
}

/* ---- Addresses ------------------------------------------------------------------------- */

/* Indices that have no bound of their own must still give a sane offset. */
#define FAR_BYTES (INT64_C(1) << 46)

/* Lanes whose index is outside the bound. */
static uint32_t lanes_outside(const smp_instruction *in, const int64_t *index) {
    uint64_t bad = 0;
    int64_t stride = in->value < 0 ? -in->value : in->value;
    int64_t far = FAR_BYTES / (stride > 0 ? stride : 1);
    if (in->limit == 0)
        FOR_LANES bad |= (uint64_t)(index[l] > far || index[l] < -far) << l;
    else
        FOR_LANES bad |= (uint64_t)((uint64_t)index[l] >= (uint64_t)in->limit) << l;
    return (uint32_t)bad;
}

static smp_status fail_index(const machine *m, const smp_instruction *in, const int64_t *index,
                             unsigned lane) {
    bool huge = in->kind == SMP_U64 && index[lane] < 0;
    if (in->limit == 0 && !huge)
        return smp_error_set(m->error, SMP_E_RANGE, in->position, "lane %u: index %lld is too far",
                             lane, (long long)index[lane]);
    if (huge)
        return smp_error_set(m->error, SMP_E_RANGE, in->position,
                             "lane %u: index %llu is too large", lane,
                             (unsigned long long)index[lane]);
    return smp_error_set(m->error, SMP_E_RANGE, in->position,
                         "lane %u: index %lld is out of bounds (0 to %lld)", lane,
                         (long long)index[lane], (long long)in->limit - 1);
}

static smp_status run_index(machine *m, const smp_instruction *in) {
    int64_t *index = m->stack[--m->top], *offset = m->stack[m->top - 1];
    uint32_t bad = lanes_outside(in, index);
    if ((bad & m->mask) != 0)
        return fail_index(m, in, index, (unsigned)__builtin_ctz(bad & m->mask));
    if (in->op == SMP_CODE_MODE) {
        FOR_LANES {
            int64_t digit = bad >> l & 1 ? 0 : index[l];
            offset[l] += smp_mode_offset(in->mode, in->slot, digit) * in->value;
        }
    } else {
        FOR_LANES {
            uint64_t step = (uint64_t)index[l] * (uint64_t)in->value;
            offset[l] = (int64_t)((uint64_t)offset[l] + step);
        }
    }
    return SMP_OK;
}

/* ---- The machine ----------------------------------------------------------------------- */

static smp_status step(machine *m, const smp_instruction *in) {
    switch (in->op) {
    case SMP_CODE_CONST: {
        int64_t *top = m->stack[m->top++];
        FOR_LANES top[l] = in->value;
        return SMP_OK;
    }
    case SMP_CODE_SLOT:
        memcpy(m->stack[m->top++], m->slots[in->slot], sizeof(smp_lanes_value));
        return SMP_OK;
    case SMP_CODE_AND_BEGIN:
    case SMP_CODE_OR_BEGIN:
    case SMP_CODE_THEN:
    case SMP_CODE_ELSE:
        run_branch(m, in);
        return SMP_OK;
    case SMP_CODE_AND_END:
    case SMP_CODE_OR_END:
    case SMP_CODE_PICK:
        run_join(m, in);
        return SMP_OK;
    case SMP_CODE_INDEX:
    case SMP_CODE_MODE:
        return run_index(m, in);
    case SMP_CODE_SWIZZLE: {
        int64_t *top = m->stack[m->top - 1];
        FOR_LANES top[l] = smp_swizzle_bytes(in->mode, top[l]);
        return SMP_OK;
    }
    default:
        return in->op <= SMP_CODE_LAST_UNARY ? run_unary(m, in) : run_binary(m, in);
    }
}

smp_status smp_program_run(const smp_code *code, const smp_program *program,
                           const smp_lanes_value *slots, uint32_t mask, smp_lanes_value out,
                           smp_error *error) {
    machine m;
    m.slots = slots;
    m.mask = mask;
    m.top = m.mask_top = 0;
    m.error = error;
    for (uint32_t i = 0; i < program->count; i++) {
        smp_status status = step(&m, &code->items[program->start + i]);
        if (status != SMP_OK)
            return status;
    }
    memcpy(out, m.stack[0], sizeof m.stack[0]);
    return SMP_OK;
}
