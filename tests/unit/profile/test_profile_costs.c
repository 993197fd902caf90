/* SPDX-License-Identifier: MIT */
/* Costs that follow from an instruction's text alone, and kinds of kernels by name. */
#include <stdint.h>

#include "memory_opcode.h"
#include "profile.h"
#include "suite.h"

/* Requests of four warps are one wgmma: 64 and N rows of 32 bytes, or N with A in registers. */
START_TEST(fixed_costs_follow_from_the_instruction) {
    static const struct {
        const char *opcode, *operands, *arch;
        uint64_t wavefronts; /* of 8 requests; UINT64_MAX: no rule */
    } rows[] = {
        {"HGMMA.64x8x16.F32", "R24, gdesc[UR4], RZ, !UPT", "sm_90", 36},
        {"HGMMA.64x8x16.F32.BF16", "R24, R28, gdesc[UR4].tnspB, R24, UP0", "sm_90", 4},
        {"HGMMA.64x256x16.F32", "R24, gdesc[UR4], R24, gsb0", "sm_90", 160},
        {"HGMMA.64x8x8.F32.TF32", "R24, gdesc[UR4], R24, UP0, gsb0", "sm_90", 36},
        {"HGMMA.64x8x8.F32", "R24, gdesc[UR4], R24", "sm_90", UINT64_MAX},
        {"HGMMA.SP.64x8x32.F32", "R24, gdesc[UR4], R24", "sm_90", UINT64_MAX},
        {"HGMMA.64x12x16.F32", "R24, gdesc[UR4], R24", "sm_90", UINT64_MAX},
        {"HGMMA.64x8x16.F32", NULL, "sm_90", UINT64_MAX},
        {"HGMMA.64x8x16.F32", "R24, gdesc[UR4], R24", "sm_100", UINT64_MAX},
        {"QGMMA.64x8x32.F32.E4M3.E4M3", "R24, gdesc[UR4], R24", "sm_90", UINT64_MAX},
        {"UBLKCP.S.G", "[UR4], [UR6], UR8", "sm_90", 0},
        {"UTMALDG.2D", "[UR8], [UR4]", "sm_90", 0},
        {"UTMASTG.2D", "[UR8], [UR4]", "sm_90", 0},
        {"UTMALDG.2D", "[UR8], [UR4]", "sm_100", UINT64_MAX},
        {"UTMAREDG.2D.ADD", "[UR8], [UR4]", "sm_90", 0},
        {"UBLKRED.G.S.ADD", "[UR4], [UR6], UR8", "sm_90", 0},
        {"UBLKRED.G.S.ADD", "[UR4], [UR6], UR8", "sm_100", UINT64_MAX},
        {"LDS", "R4, [R5]", "sm_90", UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        smp_profile_site site = {.opcode = (char *)(uintptr_t)rows[i].opcode,
                                 .operands = (char *)(uintptr_t)rows[i].operands,
                                 .op = SMP_OP_COUNT,
                                 .space = SMP_SPACE_GLOBAL,
                                 .requests = 8};
        const bool has_rule = smp_site_set_fixed(&site, smp_arch_find(rows[i].arch));
        ck_assert_msg(has_rule == (rows[i].wavefronts != UINT64_MAX), "%s", rows[i].opcode);
        ck_assert(has_rule == (site.space == SMP_SPACE_SHARED));
        if (has_rule)
            ck_assert_uint_eq(site.wavefronts, rows[i].wavefronts);
        ck_assert_uint_eq(site.wavefronts, site.ideal);
        ck_assert(!smp_site_set_fixed(&site, NULL));
    }
}
END_TEST

/* Whether lanes may load constants from different addresses shows in the operands. */
START_TEST(what_has_no_rule_is_named) {
    static const struct {
        const char *opcode, *operands;
        bool is_named;
    } rows[] = {
        {"LDC", "R5, c[0x3][R7]", true},
        {"LDC.U8", "R5, c[0x0][R7+0x210]", true},
        {"LDC.64", "R4, cx[UR4][R7]", true},
        {"LDC", "R1, c[0x0][0x28]", false},
        {"LDC.64", "R4, c[0x3][UR4+0x8]", false},
        {"LDCU.64", "UR4, c[0x0][0x358]", false},
        {"LDC", NULL, false},
        {"TEX.LL", "R0, R0, R2, 0x0, 2D", true},
        {"SULD.D.BA.2D.32.TRAP", "R0, [R2], UR4", true},
        {"LDG.E", "R0, [R2.64]", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_msg(!smp_opcode_not_modelled(rows[i].opcode, rows[i].operands) ==
                          !rows[i].is_named,
                      "%s %s", rows[i].opcode, rows[i].operands);
}
END_TEST

START_TEST(long_names_keep_what_tells_them_apart) {
    static const struct {
        const char *name, *wide, *narrow; /* of 40 and of 22 columns */
    } rows[] = {
        {"void k(float*)", "k", "k"},
        {"void at::native::(anonymous namespace)::cunn_SoftMaxBackward<8, float>(int)",
         "...cunn_SoftMaxBackward<8, float>", "...cunn_SoftMax...oat>"},
        {"void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, float>(int)",
         "...cunn_SoftMaxForward<8, float>", "...cunn_SoftMax...oat>"},
        {"cudapy::__main__::turn[abi:v1][abi:cw51cXTLSUwv1sDUaKthqaNgoKmjgOR3W3Cw6igA](Array<float>"
         ")",
         "cudapy::__main__::turn[abi:v1]", "...turn[abi:v1]"},
        {"nvjet_sm90_tst_192x192_64x4_2x1_v_bz_coopB_TNN",
         "nvjet_sm90_tst_192x192_64x4..._coopB_TNN", "nvjet_sm90_tst...B_TNN"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char wide[41], narrow[23];
        const smp_kernel_profile kernel = {.demangled = (char *)(uintptr_t)rows[i].name};
        smp_kernel_short_name(&kernel, wide, sizeof wide);
        smp_kernel_short_name(&kernel, narrow, sizeof narrow);
        ck_assert_str_eq(wide, rows[i].wide);
        ck_assert_str_eq(narrow, rows[i].narrow);
    }
}
END_TEST

int main(void) {
    return SUITE("profile_costs", TEST(fixed_costs_follow_from_the_instruction),
                 TEST(what_has_no_rule_is_named), TEST(long_names_keep_what_tells_them_apart));
}
