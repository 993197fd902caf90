/* SPDX-License-Identifier: MIT */
/*
 * Integer operations other than those of fused_ops.c. NVIDIA's "CUDA Binary Utilities" names the
 * instructions and the PTX manual describes the operations that they implement; both were checked
 * against a GPU's results (tests/data/sass/opcodes).
 */
#include "lanes.h"

#define ROWS_ABC const uint32_t *a = x->a, *b = x->b, *c = x->c
#define LANE_BIT(mask, l) ((mask) >> (l)&1)

static inline bool add_overflows(uint64_t a, uint64_t b, uint64_t carry, uint64_t *sum) {
    uint64_t part;
    bool overflows = __builtin_add_overflow(a, b, &part);
    return __builtin_add_overflow(part, carry, sum) || overflows;
}

/* a x b + c in 64 bits with a carry in p: returns the lanes that carry; stores the sums only if
 * `d`. */
static inline uint32_t wide_carries(const lane_args *x, uint32_t p, uint32_t *d) {
    uint32_t carries = 0;
    for (unsigned l = 0; l < ROW; l++) {
        uint64_t sum;
        carries |= (uint32_t)add_overflows((uint64_t)x->a[l] * x->b[l], lanes_pair(x->c, l),
                                           LANE_BIT(p, l), &sum)
                   << l;
        if (d)
            lanes_set_pair(d, l, sum);
    }
    return carries;
}

/* imm: a carry comes in or out. */
LANES_CLONED void smp_lanes_imad_wide_u(lane_args *x) {
    ROWS_ABC;
    if (x->u->imm != 0)
        x->p_out = wide_carries(x, x->p, x->d);
    else
        EACH_LANE lanes_set_pair(x->d, l, (uint64_t)a[l] * b[l] + lanes_pair(c, l));
}

/* imm: a carry comes out. */
LANES_CLONED void smp_lanes_imad_hi_u(lane_args *x) {
    ROWS_ABC;
    const uint32_t p = x->u->imm ? x->p : 0;
    x->p_out = x->u->imm ? wide_carries(x, p, NULL) : 0;
    EACH_LANE x->d[l] =
        (uint32_t)(((uint64_t)a[l] * b[l] + lanes_pair(c, l) + LANE_BIT(p, l)) >> 32);
}

/* imm2: the predicate operand is combined by AND instead of OR. */
LANES_CLONED void smp_lanes_lop3_pred(lane_args *x) {
    ROWS_ABC;
    uint32_t *d = x->d;
    LANES_TABLE(bit, x->u->imm);
    EACH_LANE d[l] = lanes_from_table(bit, a[l], b[l], c[l]);
    const uint32_t result = LANES_WHERE(d[l] != 0);
    x->p_out = x->u->imm2 ? result & x->p : result | x->p;
}

/* imm2: SHIFT_... The value is c:a, 64 bits. */
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

/* Selects four bytes at places that are equal in all lanes, without sign replication. */
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

/* imm: shift; imm2: 1 if b is negated and comes as its complement, 2 if a << shift is. */
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

/* imm bit 0: signed; bit 1: returns the distance from the left. */
LANES_CLONED void smp_lanes_flo(lane_args *x) {
    const uint32_t *a = x->a, is_signed = x->u->imm & 1, is_from_left = x->u->imm & 2;
    uint32_t *d = x->d;
    EACH_LANE {
        const uint32_t v = a[l] ^ (is_signed ? (uint32_t)((int32_t)a[l] >> 31) : 0);
        const uint32_t left = (uint32_t)__builtin_clz(v | 1);
        d[l] = v == 0 ? 0xffffffffu : is_from_left ? left : 31 - left;
    }
    x->p_out = LANES_WHERE(d[l] != 0xffffffffu);
}

/* The smaller of a + b and c where the predicate is true, else the larger; imm: at least 0
 * (.RELU). */
static inline uint32_t sum_or_c(uint32_t sum, uint32_t c, const uop *u, uint32_t is_least) {
    uint32_t r = lanes_chosen(sum, c, u->imm2 ? 0x80000000u : 0, 0u - is_least);
    return u->imm && (int32_t)r < 0 ? 0 : r;
}

static inline uint32_t reversed(uint32_t v) {
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    v = (v >> 8 & 0x00ff00ff) | (v & 0x00ff00ff) << 8;
    return v >> 16 | v << 16;
}

/* imm: the position wraps instead of clamping. */
static inline uint32_t ones_at(uint32_t at, uint32_t width, uint32_t imm) {
    at = imm ? at & 31 : at;
    width = imm ? width & 31 : width;
    uint64_t mask = width >= 32 ? 0xffffffffu : (1ull << width) - 1;
    return at >= 32 ? 0 : (uint32_t)(mask << at);
}

/* imm bit 0: unsigned; bit 1: the position wraps. */
static inline uint32_t extended(uint32_t v, uint32_t width, uint32_t imm) {
    width = imm & 2 ? width & 31 : width;
    if (width == 0 || width >= 32)
        return width == 0 ? 0 : v;
    return imm & 1 ? v & ((1u << width) - 1)
                   : (uint32_t)((int32_t)(v << (32 - width)) >> (32 - width));
}

static inline int32_t part(uint32_t value, unsigned at, unsigned bits, bool is_signed) {
    uint32_t v = value >> at & ((1u << bits) - 1);
    return is_signed ? (int32_t)(v << (32 - bits)) >> (32 - bits) : (int32_t)v;
}

/* Sum of `count` products of parts of a with bytes of b; imm bit 0: a is signed; bit 1: b is
 * signed. */
static inline uint32_t products(uint32_t a, uint32_t b, unsigned count, uint32_t imm) {
    uint32_t sum = 0;
    for (unsigned i = 0, bits = 32 / count; i < count; i++)
        sum += (uint32_t)(part(a, bits * i, bits, imm & 1) * part(b, 8 * i, 8, imm & 2));
    return sum;
}

/* imm: signed. */
static inline uint32_t distance(uint32_t a, uint32_t b, uint32_t imm) {
    return (imm ? (int32_t)a < (int32_t)b : a < b) ? b - a : a - b;
}

/* For four bytes each; imm bit 0: signed; bit 1: returns the sum of the distances (.ACC). */
static inline uint32_t byte_distances(uint32_t a, uint32_t b, uint32_t imm) {
    uint32_t sum = 0, packed = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        int32_t d = part(a, i, 8, imm & 1) - part(b, i, 8, imm & 1);
        uint32_t size = (uint32_t)(d < 0 ? -d : d);
        sum += size;
        packed |= (size & 0xff) << i;
    }
    return imm & 2 ? sum : packed;
}

/* clang-format off */
LANE_OP(imad_x, NOTHING, a[l] * b[l] + c[l] + LANE_BIT(p, l))
LANE_PAIR_OP(imad_wide_less_u, NOTHING, (uint64_t)a[l] * b[l] - lanes_pair(c, l))
LANE_PAIR_OP(imad_wide_less_s, NOTHING, SIGNED_PRODUCT - lanes_pair(c, l))
LANE_OP(shf, const uint32_t flags = u->imm2, shift(a[l] | (uint64_t)c[l] << 32, b[l], flags))
LANE_OP(iaddmnmx, NOTHING, sum_or_c(a[l] + b[l], c[l], u, LANE_BIT(p, l)))
LANE_OP(iabs, NOTHING, (int32_t)a[l] < 0 ? 0u - a[l] : a[l])
LANE_OP(brev, NOTHING, reversed(a[l]))
LANE_OP(bmsk, const uint32_t imm = u->imm, ones_at(a[l], b[l], imm))
LANE_OP(sgxt, const uint32_t imm = u->imm, extended(a[l], b[l], imm))
LANE_OP(idp4a, const uint32_t imm = u->imm, c[l] + products(a[l], b[l], 4, imm))
/* Two bytes of b: the low ones, or with imm bit 2 the high ones. */
LANE_OP(idp2a, const uint32_t imm = u->imm, c[l] + products(a[l], imm & 4 ? b[l] >> 16 : b[l], 2, imm))
LANE_OP(vabsdiff, const uint32_t imm = u->imm, c[l] + distance(a[l], b[l], imm))
LANE_OP(vabsdiff4, const uint32_t imm = u->imm, c[l] + byte_distances(a[l], b[l], imm))
/* clang-format on */

/* ---- Of 64 bits in one instruction (9.0: in uniform registers; 12.0: in all) ---- */

static inline uint64_t negated(uint64_t value, uint32_t is_negated) {
    return is_negated ? 0 - value : value;
}

/* Flipping bit 63 makes unsigned order signed; imm2: unsigned. */
static inline uint64_t sign_flip(const uop *u) {
    return u->imm2 ? 0 : 1ull << 63;
}

static inline bool takes_first(uint64_t a, uint64_t b, uint64_t flip, uint32_t is_least) {
    return ((a ^ flip) < (b ^ flip)) == is_least;
}

/* clang-format off */
/* imm: bit set of negated operands; imm2, for two operands with carries: bit 0: a carry comes in by
 * the predicate; bit 1: negation is a complement. */
LANE_PAIR_OP(wide_add, const uint32_t imm = u->imm,
             negated(PAIR(a), imm & 1) + negated(PAIR(b), imm & 2) + negated(PAIR(c), imm & 4))
LANE_PAIR_OP(wide_sel, NOTHING, p >> l & 1 ? PAIR(a) : PAIR(b))
/* p: the smaller one. */
LANE_PAIR_OP(wide_extreme, const uint64_t flip = sign_flip(u), takes_first(PAIR(a), PAIR(b), flip, p >> l & 1) ? PAIR(a) : PAIR(b))
/* clang-format on */

void smp_lanes_wide_carry(lane_args *x) {
    uint32_t out = 0;
    const bool takes_carry = x->u->imm2 & 1, is_complement = x->u->imm2 & 2;
    for (unsigned l = 0; l < ROW; l++) {
        uint64_t value[2] = {lanes_pair(x->a, l), lanes_pair(x->b, l)};
        unsigned __int128 sum = takes_carry ? x->p >> l & 1 : 0;
        for (unsigned i = 0; i < 2; i++) {
            const bool is_negated = x->u->imm >> i & 1;
            sum += is_negated ? ~value[i] : value[i];
            sum += is_negated && !is_complement;
        }
        lanes_set_pair(x->d, l, (uint64_t)sum);
        out |= (uint32_t)(sum >> 64 != 0) << l;
    }
    x->p_out = out;
}

/* imm: CMP_... | JOIN << 8. */
void smp_lanes_wide_setp(lane_args *x) {
    const uint64_t flip = sign_flip(x->u);
    const uint32_t *a = x->a, *b = x->b;
    const uint32_t less = LANES_WHERE((PAIR(a) ^ flip) < (PAIR(b) ^ flip)),
                   equal = LANES_WHERE(PAIR(a) == PAIR(b));
    lanes_join(x, lanes_ordered(x->u->imm & 0xff, less, equal, ~(less | equal)), x->u->imm >> 8);
}
