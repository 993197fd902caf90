/* SPDX-License-Identifier: MIT */
/*
 * Integer arithmetic of 32 lanes at once, by C's rules. Every operation is one loop over the
 * lanes, which compilers vectorise. Inactive lanes compute too, but their errors do not count. A
 * second loop locates an error only if the first detects a possible one.
 */
#include <string.h>

#include "cloned.h"
#include "eval_machine.h"

/* Inlined into each clone. */
#define PART static inline __attribute__((always_inline))

const char *const ct_kind_names[] = {"int", "unsigned", "long long", "unsigned long long", "float"};

static int64_t convert(int64_t value, ct_kind kind) {
    return kind == CT_I32 ? (int32_t)value : kind == CT_U32 ? (int64_t)(uint32_t)value : value;
}

static bool is_signed_kind(ct_kind kind) {
    return kind == CT_I32 || kind == CT_I64;
}

PART void convert_lanes(int64_t *v, ct_kind kind) {
    if (kind == CT_I32)
        FOR_LANES v[l] = (int32_t)v[l];
    else if (kind == CT_U32)
        FOR_LANES v[l] = (int64_t)(uint32_t)v[l];
}

LANES_CLONED void ct_lanes_convert(ct_lanes_value v, ct_kind kind) {
    convert_lanes(v, kind);
}

static smp_status fail_overflow(const ct_machine *m, const ct_expr_instruction *in, unsigned lane) {
    return ct_machine_fail(m, in, SMP_E_OVERFLOW, "lane %u: %s overflow", lane,
                           ct_kind_names[in->kind]);
}

/* ---- Arithmetic ---- */

static bool add_overflows(ct_code_op op, int64_t a, int64_t b, int64_t *out) {
    return op == CT_CODE_ADD   ? __builtin_add_overflow(a, b, out)
           : op == CT_CODE_SUB ? __builtin_sub_overflow(a, b, out)
                               : __builtin_mul_overflow(a, b, out);
}

/* + - * of signed lanes that may overflow. */
static smp_status run_checked(const ct_machine *m, const ct_expr_instruction *in, int64_t *a,
                              const int64_t *b) {
    FOR_LANES {
        int64_t value;
        bool over = add_overflows((ct_code_op)in->op, a[l], b[l], &value);
        over |= in->kind == CT_I32 && value != (int32_t)value;
        if (over && (m->checked >> l & 1))
            return fail_overflow(m, in, l);
        a[l] = convert(value, (ct_kind)in->kind);
    }
    return SMP_OK;
}

/* False if no 64-bit lane can overflow: factors of at most 31 bits, summands of at most 62. */
PART bool may_overflow(const ct_expr_instruction *in, const int64_t *a, const int64_t *b) {
    const unsigned bits = in->op == CT_CODE_MUL ? 31 : 62;
    const uint64_t half = UINT64_C(1) << bits;
    uint64_t beyond = 0;
    FOR_LANES beyond |= ((uint64_t)a[l] + half) | ((uint64_t)b[l] + half);
    return beyond >> (bits + 1) != 0;
}

PART smp_status run_arithmetic(const ct_machine *m, const ct_expr_instruction *in, int64_t *a,
                               const int64_t *b) {
    ct_lanes_value r;
    if (in->kind == CT_I64 && may_overflow(in, a, b))
        return run_checked(m, in, a, b);
    if (in->op == CT_CODE_ADD)
        FOR_LANES r[l] = (int64_t)((uint64_t)a[l] + (uint64_t)b[l]);
    else if (in->op == CT_CODE_SUB)
        FOR_LANES r[l] = (int64_t)((uint64_t)a[l] - (uint64_t)b[l]);
    else
        FOR_LANES r[l] = (int64_t)((uint64_t)a[l] * (uint64_t)b[l]);
    if (in->kind == CT_I32) {
        int64_t over = 0;
        FOR_LANES over |= r[l] ^ (int32_t)r[l];
        if (over != 0)
            return run_checked(m, in, a, b);
    }
    convert_lanes(r, (ct_kind)in->kind);
    memcpy(a, r, sizeof r);
    return SMP_OK;
}

static int64_t divide(ct_code_op op, ct_kind kind, int64_t a, int64_t b) {
    if (kind == CT_U64) {
        uint64_t x = (uint64_t)a, y = (uint64_t)b;
        return (int64_t)(op == CT_CODE_DIV ? x / y : x % y);
    }
    if (kind == CT_U32) {
        uint32_t x = (uint32_t)a, y = (uint32_t)b;
        return op == CT_CODE_DIV ? x / y : x % y;
    }
    return op == CT_CODE_DIV ? a / b : a % b;
}

/* Divides non-negative lanes by a common power of two with a shift or mask; false if not
 * applicable. */
PART bool run_divide_bits(const ct_expr_instruction *in, int64_t *a, const int64_t *b) {
    const uint64_t by = (uint64_t)b[0];
    uint64_t differs = 0, all = 0;
    FOR_LANES differs |= (uint64_t)b[l] ^ by;
    FOR_LANES all |= (uint64_t)a[l];
    if (differs != 0 || b[0] <= 0 || (by & (by - 1)) != 0 || (int64_t)all < 0)
        return false;
    const unsigned shift = (unsigned)__builtin_ctzll(by);
    if (in->op == CT_CODE_DIV)
        FOR_LANES a[l] = (int64_t)((uint64_t)a[l] >> shift);
    else
        FOR_LANES a[l] = (int64_t)((uint64_t)a[l] & (by - 1));
    return true;
}

static smp_status run_divide(const ct_machine *m, const ct_expr_instruction *in, int64_t *a,
                             const int64_t *b) {
    ct_kind kind = (ct_kind)in->kind;
    if (run_divide_bits(in, a, b))
        return SMP_OK;
    FOR_LANES {
        bool active = m->checked >> l & 1;
        if (active && b[l] == 0)
            return ct_machine_fail(m, in, SMP_E_RANGE, "lane %u: division by zero", l);
        int64_t least = kind == CT_I32 ? INT32_MIN : INT64_MIN;
        bool over = is_signed_kind(kind) && a[l] == least && b[l] == -1;
        if (active && over)
            return fail_overflow(m, in, l);
        a[l] = b[l] == 0 || over ? 0 : divide((ct_code_op)in->op, kind, a[l], b[l]);
    }
    return SMP_OK;
}

PART smp_status run_shift(const ct_machine *m, const ct_expr_instruction *in, int64_t *a,
                          const int64_t *b) {
    ct_kind kind = (ct_kind)in->kind;
    uint64_t bits = kind <= CT_U32 ? 32 : 64, over = 0;
    FOR_LANES over |= (uint64_t)((uint64_t)b[l] >= bits) << l;
    uint32_t bad = (uint32_t)over & m->checked;
    if (bad != 0) {
        unsigned lane = (unsigned)__builtin_ctz(bad);
        return ct_machine_fail(m, in, SMP_E_RANGE,
                               "lane %u: shift by %lld is out of range for %s (0 to %u)", lane,
                               (long long)b[lane], ct_kind_names[kind], (unsigned)bits - 1);
    }
    if (in->op == CT_CODE_SHL)
        FOR_LANES a[l] = (int64_t)((uint64_t)a[l] << (b[l] & 63));
    else if (is_signed_kind(kind))
        FOR_LANES a[l] = a[l] >> (b[l] & 63);
    else
        FOR_LANES a[l] = (int64_t)((uint64_t)a[l] >> (b[l] & 63));
    convert_lanes(a, kind);
    return SMP_OK;
}

PART void run_bits(const ct_expr_instruction *in, int64_t *a, const int64_t *b) {
    if (in->op == CT_CODE_AND)
        FOR_LANES a[l] &= b[l];
    else if (in->op == CT_CODE_OR)
        FOR_LANES a[l] |= b[l];
    else
        FOR_LANES a[l] ^= b[l];
}

static bool less(ct_kind kind, int64_t a, int64_t b) {
    return kind == CT_U64 ? (uint64_t)a < (uint64_t)b : a < b;
}

PART void run_compare(const ct_expr_instruction *in, int64_t *a, const int64_t *b) {
    ct_kind kind = (ct_kind)in->kind;
    switch (in->op) {
    case CT_CODE_EQ:
        FOR_LANES a[l] = a[l] == b[l];
        break;
    case CT_CODE_NE:
        FOR_LANES a[l] = a[l] != b[l];
        break;
    case CT_CODE_LT:
        FOR_LANES a[l] = less(kind, a[l], b[l]);
        break;
    case CT_CODE_LE:
        FOR_LANES a[l] = !less(kind, b[l], a[l]);
        break;
    case CT_CODE_GT:
        FOR_LANES a[l] = less(kind, b[l], a[l]);
        break;
    case CT_CODE_GE:
        FOR_LANES a[l] = !less(kind, a[l], b[l]);
        break;
    case CT_CODE_MIN:
        FOR_LANES a[l] = less(kind, b[l], a[l]) ? b[l] : a[l];
        break;
    default:
        FOR_LANES a[l] = less(kind, a[l], b[l]) ? b[l] : a[l];
    }
}

int64_t ct_integer_cast(int64_t value, unsigned bits, bool is_signed) {
    if (bits == 1)
        return value != 0;
    if (bits == 64)
        return value;
    uint64_t low = (uint64_t)value & ((UINT64_C(1) << bits) - 1);
    bool negative = is_signed && (low >> (bits - 1) & 1);
    return negative ? (int64_t)(low | ~UINT64_C(0) << bits) : (int64_t)low;
}

LANES_CLONED smp_status ct_machine_binary(ct_machine *m, const ct_expr_instruction *in) {
    int64_t *b = m->stack[--m->top], *a = m->stack[m->top - 1];
    ct_kind kind = (ct_kind)in->kind;
    bool shifts = in->op == CT_CODE_SHL || in->op == CT_CODE_SHR;
    convert_lanes(a, kind);
    if (shifts)
        return run_shift(m, in, a, b);
    convert_lanes(b, kind);
    if (in->op <= CT_CODE_MUL)
        return run_arithmetic(m, in, a, b);
    if (in->op <= CT_CODE_MOD)
        return run_divide(m, in, a, b);
    if (in->op <= CT_CODE_XOR)
        run_bits(in, a, b);
    else
        run_compare(in, a, b);
    return SMP_OK;
}

/* ---- One operand ---- */

void ct_lanes_cast(ct_lanes_value v, unsigned bits, bool is_signed) {
    FOR_LANES v[l] = ct_integer_cast(v[l], bits, is_signed);
}

/* -x and abs(x); only the least value of a signed type overflows. */
static smp_status run_negate(const ct_machine *m, const ct_expr_instruction *in, int64_t *a) {
    ct_kind kind = (ct_kind)in->kind;
    int64_t least = kind == CT_I32 ? INT32_MIN : INT64_MIN;
    bool is_signed = is_signed_kind(kind);
    if (in->op == CT_CODE_ABS && !is_signed)
        return SMP_OK;
    FOR_LANES {
        if (is_signed && a[l] == least && (m->checked >> l & 1))
            return fail_overflow(m, in, l);
        if (in->op == CT_CODE_NEG || a[l] < 0)
            a[l] = (int64_t)(0 - (uint64_t)a[l]);
    }
    convert_lanes(a, kind);
    return SMP_OK;
}

smp_status ct_machine_unary(ct_machine *m, const ct_expr_instruction *in) {
    int64_t *a = m->stack[m->top - 1];
    ct_kind kind = (ct_kind)in->kind;
    if (in->op == CT_CODE_CAST) {
        ct_lanes_cast(a, in->slot, is_signed_kind(kind));
        return SMP_OK;
    }
    convert_lanes(a, kind);
    if (in->op == CT_CODE_NEG || in->op == CT_CODE_ABS)
        return run_negate(m, in, a);
    if (in->op == CT_CODE_NOT) {
        FOR_LANES a[l] = ~a[l];
        convert_lanes(a, kind);
    } else {
        FOR_LANES a[l] = a[l] == 0;
    }
    return SMP_OK;
}
