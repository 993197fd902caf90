/* SPDX-License-Identifier: MIT */
/*
 * Integer operations of machine code. Meanings: NVIDIA's "CUDA Binary Utilities" names them, the
 * PTX manual has the operations they come from; both are held against the GPU's own results
 * (tests/data/sass/opcodes).
 */
#include "lanes.h"

#define ROWS_ABC const uint32_t *a = x->a, *b = x->b, *c = x->c
#define LANE_BIT(mask, l) ((mask) >> (l)&1)

static inline uint64_t pair(const uint32_t *row, unsigned l) {
    return row[l] | (uint64_t)row[ROW + l] << 32;
}

static inline void set_pair(uint32_t *row, unsigned l, uint64_t value) {
    row[l] = (uint32_t)value;
    row[ROW + l] = (uint32_t)(value >> 32);
}

LANES_CLONED void smp_lanes_mov(lane_args *x) {
    uint32_t *d = x->d;
    const uint32_t *a = x->a;
    EACH_LANE d[l] = a[l];
}

LANES_CLONED void smp_lanes_mov2(lane_args *x) {
    uint32_t *d = x->d;
    const uint32_t *a = x->a;
    EACH_LANE {
        uint64_t value = pair(a, l);
        set_pair(d, l, value);
    }
}

LANES_CLONED void smp_lanes_sel(lane_args *x) {
    uint32_t *d = x->d;
    const uint32_t *a = x->a, *b = x->b;
    uint32_t p = x->p;
    EACH_LANE d[l] = LANE_BIT(p, l) ? a[l] : b[l];
}

LANES_CLONED void smp_lanes_iadd3(lane_args *x) {
    ROWS_ABC;
    uint32_t *d = x->d;
    EACH_LANE d[l] = a[l] + b[l] + c[l];
}

/* Negated operands come as their complements; imm counts them. Two carries may leave: the sum has
 * 34 bits. imm2: carries in are used (.X), and then a complement is not completed to a negation. */
LANES_CLONED void smp_lanes_iadd3_carry(lane_args *x) {
    ROWS_ABC;
    uint32_t *d = x->d, p = x->p, q = x->q, first = 0, second = 0;
    uint64_t add = x->u->imm;
    uint32_t uses_carries = x->u->imm2;
    for (unsigned l = 0; l < ROW; l++) {
        uint64_t sum = (uint64_t)a[l] + b[l] + c[l] + add;
        if (uses_carries)
            sum += LANE_BIT(p, l) + LANE_BIT(q, l);
        d[l] = (uint32_t)sum;
        first |= (uint32_t)(sum >> 32 != 0) << l;
        second |= (uint32_t)(sum >> 33 != 0) << l;
    }
    x->p_out = first;
    x->q_out = second;
}

LANES_CLONED void smp_lanes_imad(lane_args *x) {
    ROWS_ABC;
    uint32_t *d = x->d;
    EACH_LANE d[l] = a[l] * b[l] + c[l];
}

LANES_CLONED void smp_lanes_imad_x(lane_args *x) {
    ROWS_ABC;
    uint32_t *d = x->d, p = x->p;
    EACH_LANE d[l] = a[l] * b[l] + c[l] + LANE_BIT(p, l);
}

static inline bool add_overflows(uint64_t a, uint64_t b, uint64_t carry, uint64_t *sum) {
    uint64_t part;
    bool overflows = __builtin_add_overflow(a, b, &part);
    return __builtin_add_overflow(part, carry, sum) || overflows;
}

/* imm: a carry leaves or comes in. */
LANES_CLONED void smp_lanes_imad_wide_u(lane_args *x) {
    ROWS_ABC;
    uint32_t *d = x->d;
    if (x->u->imm == 0) {
        EACH_LANE {
            uint64_t sum = (uint64_t)a[l] * b[l] + pair(c, l);
            set_pair(d, l, sum);
        }
        return;
    }
    uint32_t carries = 0;
    for (unsigned l = 0; l < ROW; l++) {
        uint64_t sum;
        carries |=
            (uint32_t)add_overflows((uint64_t)a[l] * b[l], pair(c, l), LANE_BIT(x->p, l), &sum)
            << l;
        set_pair(d, l, sum);
    }
    x->p_out = carries;
}

LANES_CLONED void smp_lanes_imad_wide_s(lane_args *x) {
    ROWS_ABC;
    uint32_t *d = x->d;
    EACH_LANE {
        uint64_t sum = (uint64_t)((int64_t)(int32_t)a[l] * (int32_t)b[l]) + pair(c, l);
        set_pair(d, l, sum);
    }
}

/* The product less c. */
LANES_CLONED void smp_lanes_imad_wide_less_u(lane_args *x) {
    ROWS_ABC;
    uint32_t *d = x->d;
    EACH_LANE {
        uint64_t sum = (uint64_t)a[l] * b[l] - pair(c, l);
        set_pair(d, l, sum);
    }
}

LANES_CLONED void smp_lanes_imad_wide_less_s(lane_args *x) {
    ROWS_ABC;
    uint32_t *d = x->d;
    EACH_LANE {
        uint64_t sum = (uint64_t)((int64_t)(int32_t)a[l] * (int32_t)b[l]) - pair(c, l);
        set_pair(d, l, sum);
    }
}

/* imm: a carry leaves. */
LANES_CLONED void smp_lanes_imad_hi_u(lane_args *x) {
    ROWS_ABC;
    uint32_t carries = 0, *d = x->d;
    const uint32_t p = x->u->imm ? x->p : 0;
    for (unsigned l = 0; l < ROW && x->u->imm; l++) {
        uint64_t sum;
        carries |= (uint32_t)add_overflows((uint64_t)a[l] * b[l], pair(c, l), LANE_BIT(p, l), &sum)
                   << l;
    }
    x->p_out = carries;
    EACH_LANE d[l] = (uint32_t)(((uint64_t)a[l] * b[l] + pair(c, l) + LANE_BIT(p, l)) >> 32);
}

LANES_CLONED void smp_lanes_imad_hi_s(lane_args *x) {
    ROWS_ABC;
    uint32_t *d = x->d;
    EACH_LANE d[l] =
        (uint32_t)(((uint64_t)((int64_t)(int32_t)a[l] * (int32_t)b[l]) + pair(c, l)) >> 32);
}

/* Bit a<<2 | b<<1 | c of the table is the result: three levels of choosing, as vectors do them. */
static inline uint32_t lut(uint32_t table, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t bit[8];
    for (unsigned i = 0; i < 8; i++)
        bit[i] = 0u - (table >> i & 1);
    uint32_t b0 = (bit[1] & c) | (bit[0] & ~c), b1 = (bit[3] & c) | (bit[2] & ~c);
    uint32_t b2 = (bit[5] & c) | (bit[4] & ~c), b3 = (bit[7] & c) | (bit[6] & ~c);
    uint32_t a0 = (b1 & b) | (b0 & ~b), a1 = (b3 & b) | (b2 & ~b);
    return (a1 & a) | (a0 & ~a);
}

LANES_CLONED void smp_lanes_lop3(lane_args *x) {
    ROWS_ABC;
    uint32_t *d = x->d, table = x->u->imm;
    switch (table) {
    case 0xc0:
        EACH_LANE d[l] = a[l] & b[l];
        break;
    case 0xfc:
        EACH_LANE d[l] = a[l] | b[l];
        break;
    case 0x3c:
        EACH_LANE d[l] = a[l] ^ b[l];
        break;
    default:
        EACH_LANE d[l] = lut(table, a[l], b[l], c[l]);
    }
}

/* imm2: the predicate operand is joined by AND instead of OR. */
LANES_CLONED void smp_lanes_lop3_pred(lane_args *x) {
    ROWS_ABC;
    uint32_t *d = x->d, table = x->u->imm, result = 0;
    for (unsigned l = 0; l < ROW; l++) {
        d[l] = lut(table, a[l], b[l], c[l]);
        result |= (uint32_t)(d[l] != 0) << l;
    }
    x->p_out = x->u->imm2 ? result & x->p : result | x->p;
}

/* imm: bits of the type; imm2: flags below. The value is c:a, 64 bits. */
enum { SHIFT_RIGHT = 1, SHIFT_SIGNED = 2, SHIFT_WRAP = 4, SHIFT_HIGH = 8, SHIFT_WIDE = 16 };

static inline uint32_t shift(uint64_t value, uint32_t amount, uint32_t flags) {
    uint32_t limit = flags & SHIFT_WIDE ? 64 : 32;
    amount = flags & SHIFT_WRAP ? amount & (limit - 1) : amount < limit ? amount : limit;
    uint64_t result;
    if (!(flags & SHIFT_RIGHT))
        result = amount == 64 ? 0 : value << amount;
    else if (flags & SHIFT_SIGNED)
        result = (uint64_t)((int64_t)value >> (amount == 64 ? 63 : amount));
    else
        result = amount == 64 ? 0 : value >> amount;
    return (uint32_t)(flags & SHIFT_HIGH ? result >> 32 : result);
}

LANES_CLONED void smp_lanes_shf(lane_args *x) {
    ROWS_ABC;
    uint32_t *d = x->d, flags = x->u->imm2;
    EACH_LANE d[l] = shift(a[l] | (uint64_t)c[l] << 32, b[l], flags);
}

/* a and c are the bytes, b selects; imm: mode. */
enum { PRMT_INDEX, PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };

static inline uint32_t permute(uint64_t bytes, uint32_t select) {
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t nibble = select >> 4 * i & 15;
        uint32_t byte = (uint32_t)(bytes >> 8 * (nibble & 7)) & 0xff;
        if (nibble & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << 8 * i;
    }
    return result;
}

static inline uint32_t prmt_selector(uint32_t mode, uint32_t select) {
    static const uint16_t table[7][4] = {{0},
                                         {0x3210, 0x4321, 0x5432, 0x6543},
                                         {0x5670, 0x6701, 0x7012, 0x0123},
                                         {0x0000, 0x1111, 0x2222, 0x3333},
                                         {0x3210, 0x3211, 0x3222, 0x3333},
                                         {0x0000, 0x1110, 0x2210, 0x3210},
                                         {0x1010, 0x3232, 0x1010, 0x3232}};
    return mode == PRMT_INDEX ? select : table[mode][select & 3];
}

/* Four bytes at places that are the same for all lanes, none of them a sign. */
LANES_CLONED static void permute_alike(uint32_t *d, const uint32_t *a, const uint32_t *c,
                                       uint32_t select) {
    const uint32_t *from[4];
    unsigned shift[4];
    for (unsigned i = 0; i < 4; i++) {
        from[i] = select >> 4 * i & 4 ? c : a;
        shift[i] = 8 * (select >> 4 * i & 3);
    }
    EACH_LANE d[l] = (from[0][l] >> shift[0] & 0xff) | (from[1][l] >> shift[1] & 0xff) << 8 |
                     (from[2][l] >> shift[2] & 0xff) << 16 | (from[3][l] >> shift[3]) << 24;
}

LANES_CLONED void smp_lanes_prmt(lane_args *x) {
    ROWS_ABC;
    uint32_t *d = x->d, mode = x->u->imm;
    if (mode == PRMT_INDEX && x->u->b.offset & 1 && (b[0] & 0x8888) == 0) {
        permute_alike(d, a, c, b[0]);
        return;
    }
    EACH_LANE d[l] = permute(a[l] | (uint64_t)c[l] << 32, prmt_selector(mode, b[l]));
}

LANES_CLONED void smp_lanes_lea(lane_args *x) {
    uint32_t *d = x->d, amount = x->u->imm;
    const uint32_t *a = x->a, *b = x->b;
    EACH_LANE d[l] = (a[l] << amount) + b[l];
}

/* imm: shift; imm2: 1 where b is negated and comes as its complement; 2 where a << shift is. */
LANES_CLONED void smp_lanes_lea_carry(lane_args *x) {
    uint32_t *d = x->d, amount = x->u->imm, carries = 0;
    uint32_t flip = x->u->imm2 & 2 ? 0xffffffffu : 0, one = x->u->imm2 != 0;
    const uint32_t *a = x->a, *b = x->b;
    for (unsigned l = 0; l < ROW; l++) {
        uint64_t sum = (uint64_t)((uint32_t)(a[l] << amount) ^ flip) + b[l] + one;
        d[l] = (uint32_t)sum;
        carries |= (uint32_t)(sum >> 32 != 0) << l;
    }
    x->p_out = carries;
}

/* imm: shift; imm2 bit 0: the high half of a is its sign; bit 1: a carry comes in. */
LANES_CLONED void smp_lanes_lea_hi(lane_args *x) {
    ROWS_ABC;
    uint32_t *d = x->d, amount = x->u->imm, is_signed = x->u->imm2 & 1;
    uint32_t p = x->u->imm2 & 2 ? x->p : 0, carries = 0;
    for (unsigned l = 0; l < ROW; l++) {
        uint32_t high = is_signed ? (uint32_t)((int32_t)a[l] >> 31) : c[l];
        uint64_t value = (a[l] | (uint64_t)high << 32) << amount;
        uint64_t sum = (value >> 32) + b[l] + LANE_BIT(p, l);
        d[l] = (uint32_t)sum;
        carries |= (uint32_t)(sum >> 32 != 0) << l;
    }
    x->p_out = carries;
}

/* imm: CMP_... | JOIN << 8; imm2: bit 0 unsigned, bit 1 the low part's result (q) decides ties. */
LANES_CLONED void smp_lanes_isetp(lane_args *x) {
    const uint32_t *a = x->a, *b = x->b;
    uint32_t compare = x->u->imm & 0xff, flip = x->u->imm2 & 1 ? 0x80000000u : 0;
    uint32_t bits[ROW], less = 0, equal = 0;
    EACH_LANE bits[l] = (uint32_t)((int32_t)(a[l] ^ flip) < (int32_t)(b[l] ^ flip)) << l;
    for (unsigned l = 0; l < ROW; l++)
        less |= bits[l];
    EACH_LANE bits[l] = (uint32_t)(a[l] == b[l]) << l;
    for (unsigned l = 0; l < ROW; l++)
        equal |= bits[l];
    uint32_t greater = ~(less | equal);
    uint32_t result = (compare & CMP_LT ? less : 0) | (compare & CMP_GT ? greater : 0);
    if (x->u->imm2 & 2)
        result |= equal & x->q;
    else
        result |= compare & CMP_EQ ? equal : 0;
    lanes_join(x, result, x->u->imm >> 8);
}

static inline uint32_t smaller(uint32_t a, uint32_t b, uint32_t flip) {
    return (int32_t)(a ^ flip) < (int32_t)(b ^ flip) ? a : b;
}

static inline uint32_t larger(uint32_t a, uint32_t b, uint32_t flip) {
    return (int32_t)(a ^ flip) < (int32_t)(b ^ flip) ? b : a;
}

/* Where the predicate holds the minimum, else the maximum; imm2: unsigned. */
LANES_CLONED void smp_lanes_imnmx(lane_args *x) {
    const uint32_t *a = x->a, *b = x->b;
    uint32_t *d = x->d, p = x->p, flip = x->u->imm2 ? 0x80000000u : 0;
    EACH_LANE d[l] = LANE_BIT(p, l) ? smaller(a[l], b[l], flip) : larger(a[l], b[l], flip);
}

/* imm: the result is not below zero (.RELU). */
LANES_CLONED void smp_lanes_iaddmnmx(lane_args *x) {
    ROWS_ABC;
    uint32_t *d = x->d, p = x->p, flip = x->u->imm2 ? 0x80000000u : 0, relu = x->u->imm;
    EACH_LANE {
        uint32_t sum = a[l] + b[l];
        uint32_t r = LANE_BIT(p, l) ? smaller(sum, c[l], flip) : larger(sum, c[l], flip);
        d[l] = relu && (int32_t)r < 0 ? 0 : r;
    }
}

LANES_CLONED void smp_lanes_iabs(lane_args *x) {
    uint32_t *d = x->d;
    const uint32_t *a = x->a;
    EACH_LANE d[l] = (int32_t)a[l] < 0 ? 0u - a[l] : a[l];
}

LANES_CLONED void smp_lanes_popc(lane_args *x) {
    uint32_t *d = x->d;
    const uint32_t *a = x->a;
    EACH_LANE {
        uint32_t v = a[l] - (a[l] >> 1 & 0x55555555);
        v = (v & 0x33333333) + (v >> 2 & 0x33333333);
        d[l] = ((v + (v >> 4)) & 0x0f0f0f0f) * 0x01010101u >> 24;
    }
}

/* imm bit 0: signed; bit 1: the distance from the left. */
LANES_CLONED void smp_lanes_flo(lane_args *x) {
    const uint32_t *a = x->a, is_signed = x->u->imm & 1, is_from_left = x->u->imm & 2;
    uint32_t *d = x->d, bits[ROW], found = 0;
    EACH_LANE {
        const uint32_t v = a[l] ^ (is_signed ? (uint32_t)((int32_t)a[l] >> 31) : 0);
        const uint32_t left = (uint32_t)__builtin_clz(v | 1);
        d[l] = v == 0 ? 0xffffffffu : is_from_left ? left : 31 - left;
        bits[l] = v != 0 ? 1u << l : 0;
    }
    for (unsigned l = 0; l < ROW; l++)
        found |= bits[l];
    x->p_out = found;
}

LANES_CLONED void smp_lanes_brev(lane_args *x) {
    const uint32_t *a = x->a;
    uint32_t *d = x->d;
    EACH_LANE {
        uint32_t v = a[l];
        v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
        v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
        v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
        v = (v >> 8 & 0x00ff00ff) | (v & 0x00ff00ff) << 8;
        d[l] = v >> 16 | v << 16;
    }
}

/* imm: wraps, else clamps. */
void smp_lanes_bmsk(lane_args *x) {
    for (unsigned l = 0; l < ROW; l++) {
        uint32_t at = x->a[l], width = x->b[l];
        if (x->u->imm) {
            at &= 31;
            width &= 31;
        }
        uint64_t mask = width >= 32 ? 0xffffffffu : (1ull << width) - 1;
        x->d[l] = at >= 32 ? 0 : (uint32_t)(mask << at);
    }
}

/* imm bit 0: unsigned; bit 1: wraps. */
void smp_lanes_sgxt(lane_args *x) {
    for (unsigned l = 0; l < ROW; l++) {
        uint32_t v = x->a[l], width = x->u->imm & 2 ? x->b[l] & 31 : x->b[l];
        if (width == 0)
            v = 0;
        else if (width < 32)
            v = x->u->imm & 1 ? v & ((1u << width) - 1)
                              : (uint32_t)((int32_t)(v << (32 - width)) >> (32 - width));
        x->d[l] = v;
    }
}

static inline int32_t part(uint32_t value, unsigned at, unsigned bits, bool is_signed) {
    uint32_t v = value >> at & ((1u << bits) - 1);
    return is_signed ? (int32_t)(v << (32 - bits)) >> (32 - bits) : (int32_t)v;
}

/* imm bit 0: a signed; bit 1: b signed. */
void smp_lanes_idp4a(lane_args *x) {
    for (unsigned l = 0; l < ROW; l++) {
        uint32_t sum = x->c[l];
        for (unsigned i = 0; i < 32; i += 8)
            sum +=
                (uint32_t)(part(x->a[l], i, 8, x->u->imm & 1) * part(x->b[l], i, 8, x->u->imm & 2));
        x->d[l] = sum;
    }
}

/* Two 16-bit parts of a with two bytes of b: the low ones, or with imm bit 2 the high ones. */
void smp_lanes_idp2a(lane_args *x) {
    for (unsigned l = 0; l < ROW; l++) {
        uint32_t sum = x->c[l], b = x->u->imm & 4 ? x->b[l] >> 16 : x->b[l];
        for (unsigned i = 0; i < 2; i++)
            sum += (uint32_t)(part(x->a[l], 16 * i, 16, x->u->imm & 1) *
                              part(b, 8 * i, 8, x->u->imm & 2));
        x->d[l] = sum;
    }
}

/* imm: signed. */
void smp_lanes_vabsdiff(lane_args *x) {
    for (unsigned l = 0; l < ROW; l++) {
        uint32_t a = x->a[l], b = x->b[l];
        bool is_less = x->u->imm ? (int32_t)a < (int32_t)b : a < b;
        x->d[l] = (is_less ? b - a : a - b) + x->c[l];
    }
}

/* imm bit 0: signed; bit 1: the differences are summed (.ACC). */
void smp_lanes_vabsdiff4(lane_args *x) {
    for (unsigned l = 0; l < ROW; l++) {
        uint32_t sum = 0, packed = 0;
        for (unsigned i = 0; i < 32; i += 8) {
            int32_t d = part(x->a[l], i, 8, x->u->imm & 1) - part(x->b[l], i, 8, x->u->imm & 1);
            uint32_t size = (uint32_t)(d < 0 ? -d : d);
            sum += size;
            packed |= (size & 0xff) << i;
        }
        x->d[l] = x->u->imm & 2 ? sum + x->c[l] : packed + x->c[l];
    }
}
