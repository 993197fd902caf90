/* SPDX-License-Identifier: MIT */
/*
 * What machine instructions compute, lane by lane: one function an operation, over rows (uop.h).
 * They are plain loops that a compiler turns into vector code; on x86-64 they are compiled for
 * several instruction sets, and the loader takes the best that the CPU has.
 */
#ifndef SMP_LANES_H
#define SMP_LANES_H

#include "cloned.h"
#include "uop.h"

/* Every lane of a row; rows of results are rows of operands or do not overlap them. */
#define EACH_LANE _Pragma("GCC ivdep") for (unsigned l = 0; l < ROW; l++)

typedef float __attribute__((may_alias)) lane_float;
typedef uint32_t lane_eight __attribute__((vector_size(32), aligned(1), may_alias));

/* A row from or to anywhere. By vectors: of memcpy compilers make a string instruction here, which
 * takes longer to begin than this takes. */
static inline __attribute__((always_inline)) void lanes_copy(void *to, const void *from) {
    const lane_eight *in = (const lane_eight *)from;
    lane_eight *out = (lane_eight *)to;
    const lane_eight a = in[0], b = in[1], c = in[2], d = in[3];
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}

/* The functions; `name` is smp_lanes_<name>. */
/* clang-format off */
#define LANES_LIST(X)                                                                              \
    X(mov)                                                                                         \
    X(mov2) X(sel) X(iadd3) X(iadd3_carry) X(imad) X(imad_x) X(imad_wide_u) X(imad_wide_s)         \
    X(imad_wide_less_u) X(imad_wide_less_s)                                                        \
        X(imad_hi_u) X(imad_hi_s) X(lop3) X(lop3_pred) X(plop3) X(shf) X(prmt) X(lea) X(lea_carry) \
            X(lea_hi) X(isetp) X(imnmx) X(iaddmnmx) X(iabs) X(popc) X(flo) X(brev) X(bmsk) X(sgxt) \
                X(idp4a) X(idp2a) X(vabsdiff) X(vabsdiff4) X(p2r) X(r2p) X(fadd) X(fmul) X(ffma)   \
                    X(fadd_slow) X(fmul_slow) X(ffma_slow) X(fmnmx) X(fsel) X(fsetp) X(fset)       \
                        X(dsetp) X(dadd) X(dmul) X(dfma) X(dadd_slow) X(dmul_slow) X(dfma_slow)    \
                            X(dmnmx) X(mufu) X(mufu64) X(fchk) X(hfma2) X(hfma2_f32) X(hsetp2)     \
                                X(hset2) X(hmnmx2) X(i2f) X(f2i) X(f2f) X(frnd) X(f2fp) X(shfl)    \
                                    X(vote) X(match_any) X(match_all) X(redux) X(s2r) X(r2ur)      \
                                        X(elect) X(hmma) X(imma) X(bmma) X(dmma) X(movm) X(packed_extreme) X(packed_add) X(saturated_add) X(fp8_unpack) X(fp8_of_halves) X(fp8_pack) X(wide_add) X(wide_carry) X(wide_sel) X(wide_setp) X(wide_extreme)
/* clang-format on */

#define LANES_DECLARE(name) void smp_lanes_##name(lane_args *x);
LANES_LIST(LANES_DECLARE)
#undef LANES_DECLARE

/* Comparisons: bit 0 less, bit 1 equal, bit 2 greater, bit 3 unordered; shared by all types. */
enum { CMP_LT = 1, CMP_EQ = 2, CMP_GT = 4, CMP_UNORDERED = 8 };
/* How the result joins the predicate operand. */
enum { JOIN_AND, JOIN_OR, JOIN_XOR };

/* imm of floating-point operations. */
enum {
    ROUND_NEAREST = 0,
    ROUND_DOWN = 1,
    ROUND_UP = 2,
    ROUND_ZERO = 3,
    ROUND_MASK = 3,
    FLOAT_FTZ = 4,
    FLOAT_SATURATE = 8,
    FLOAT_RELU = 16,
    HALF_IS_BF16 = 32,
    FLOAT_NAN = 64, /* of minimum and maximum: NaN wins */
};

/* The joined result of a comparison; q_out gets that of its opposite. */
static inline void lanes_join(lane_args *x, uint32_t result, unsigned join) {
    uint32_t other = ~result;
    x->p_out = join == JOIN_AND ? result & x->p : join == JOIN_OR ? result | x->p : result ^ x->p;
    x->q_out = join == JOIN_AND ? other & x->p : join == JOIN_OR ? other | x->p : other ^ x->p;
}

/* half.c: exact conversions. */
float smp_half_to_float(uint16_t half);
double smp_fp8_value(uint8_t bits, bool is_e5m2); /* lanes_packed.c */
float smp_bf16_to_float(uint16_t half);
/* Rounded once, from a value that a double holds exactly. */
uint16_t smp_half_of_double(double value, unsigned rounding);
uint16_t smp_bf16_of_double(double value, unsigned rounding);
float smp_float_of_double(double value, unsigned rounding);

#endif
