/* SPDX-License-Identifier: MIT */
/*
 * The architectures: one row a compute capability. To add a GPU, add a row.
 *
 * Sources: the compute-capability appendix of the CUDA C Programming Guide of the edition that
 * covers the row (4.2 for 1.x to 3.0, 6.5 for 3.2 to 5.0, 13.0 for 7.5 and later), table
 * "Technical Specifications per Compute Capability", and NVIDIA's table of CUDA-enabled GPUs
 * for the names of chips and products (8.8 is in neither: nvcc 13.0 compiles for it, and no product
 * is named). What is reserved and rounded: Guide, shared memory sections
 * of 8.x and 9.0
 * ("1 KB of shared memory is reserved per thread block"), and the occupancy calculator that came
 * with CUDA up to 12.
 */
#include "rule.h"

#define GUIDE_1X "CUDA C Programming Guide 4.2, appendix F.1 and F.3"
#define GUIDE_2X "CUDA C Programming Guide 4.2, appendix F.1 and F.4"
#define GUIDE_3X "CUDA C Programming Guide 6.5, appendix G.1 and G.4"
#define GUIDE_5X "CUDA C Programming Guide 8.0, appendix G.1 and G.4"
#define GUIDE_6X "CUDA C Programming Guide 8.0, appendix G.1 and G.5"
#define GUIDE_7X "CUDA C++ Programming Guide 12.0, appendix K.1 and K.6"
#define GUIDE_8X \
    "CUDA C++ Programming Guide 13.0, Technical Specifications and compute capability 8.x"
#define CCCL_88                                                                                  \
    "CCCL, libcudacxx/include/cuda/__device/arch_traits.h: the traits of 8.6; ptxas 13.0: 1536 " \
    "threads and 16 blocks an SM"
#define GUIDE_9X "CUDA C++ Programming Guide 13.0, compute capability 9.0; probes/recorded (H200)"
#define GUIDE_BW "CUDA C++ Programming Guide 13.0, Technical Specifications per Compute Capability"

/* Fields that the rows of one generation share. */
#define TESLA(major, minor)                                                               \
    .name = "sm_" #major #minor, .cc_major = major, .cc_minor = minor, .family = "Tesla", \
    .generation = SMP_TESLA, .banks = 16, .bank_bytes = 4, .request_lanes = 16,           \
    .shared_unit_bytes = 512, .shared_rule = &smp_rule_tesla, .evidence = SMP_DOCUMENTED, \
    .source = GUIDE_1X
#define FERMI(major, minor)                                                                    \
    .name = "sm_" #major #minor, .cc_major = major, .cc_minor = minor, .family = "Fermi",      \
    .generation = SMP_FERMI, .banks = 32, .bank_bytes = 4, .request_lanes = 32,                \
    .shared_unit_bytes = 128, .shared_rule = &smp_rule_fermi, .global_rule = SMP_GLOBAL_LINES, \
    .evidence = SMP_DOCUMENTED, .source = GUIDE_2X
#define KEPLER(major, minor)                                                               \
    .name = "sm_" #major #minor, .cc_major = major, .cc_minor = minor, .family = "Kepler", \
    .generation = SMP_KEPLER, .banks = 32, .bank_bytes = 4, .bank_bytes_alt = 8,           \
    .shared_unit_bytes = 256, .register_unit = 256, .request_lanes = 32,                   \
    .shared_rule = &smp_rule_kepler, .global_rule = SMP_GLOBAL_SECTORS,                    \
    .evidence = SMP_DOCUMENTED, .source = GUIDE_3X
#define MODERN(major, minor, gen, fam, src)                                                     \
    .name = "sm_" #major #minor, .cc_major = major, .cc_minor = minor, .family = fam,           \
    .generation = gen, .banks = 32, .bank_bytes = 4, .request_lanes = 32, .register_unit = 256, \
    .shared_rule = &smp_rule_modern, .global_rule = SMP_GLOBAL_SECTORS,                         \
    .evidence = SMP_DOCUMENTED, .source = src
/* Since 8.0 the system keeps 1 KiB in front of each block's shared memory. */
#define SINCE_5 .shared_unit_bytes = 256
#define SINCE_8 .shared_unit_bytes = 128, .shared_reserved_bytes = 1024
#define MAXWELL(major, minor) MODERN(major, minor, SMP_MAXWELL, "Maxwell", GUIDE_5X), SINCE_5
#define PASCAL(major, minor) MODERN(major, minor, SMP_PASCAL, "Pascal", GUIDE_6X), SINCE_5
#define VOLTA(major, minor) MODERN(major, minor, SMP_VOLTA, "Volta", GUIDE_7X), SINCE_5
#define TURING(major, minor) MODERN(major, minor, SMP_TURING, "Turing", GUIDE_7X), SINCE_5
#define AMPERE(major, minor) MODERN(major, minor, SMP_AMPERE, "Ampere", GUIDE_8X), SINCE_8
#define ADA(major, minor) MODERN(major, minor, SMP_ADA, "Ada", GUIDE_8X), SINCE_8
#define HOPPER(major, minor) MODERN(major, minor, SMP_HOPPER, "Hopper", GUIDE_9X), SINCE_8
#define BLACKWELL(major, minor) MODERN(major, minor, SMP_BLACKWELL, "Blackwell", GUIDE_BW), SINCE_8
/* Shared memory in KiB: of an SM, of a block at most, of a block without opt-in. */
#define SHARED_KIB(sm, block, fixed, carveouts)                                 \
    .shared_sm_kib = sm, .shared_block_kib = block, .shared_static_kib = fixed, \
    .carveouts_kib = carveouts
/* The most that one SM holds at once. */
#define SM(threads, blocks, registers_kilo) \
    .sm_threads = threads, .sm_blocks = blocks, .sm_registers = registers_kilo * 1024

static const smp_arch arch_rows[] = {
    {TESLA(1, 0), SHARED_KIB(16, 16, 16, "16"), SM(768, 8, 8), .global_rule = SMP_GLOBAL_STRICT,
     .chips = "G80", .products = "8800 GTX, 8800 Ultra, C870"},
    {TESLA(1, 1), SHARED_KIB(16, 16, 16, "16"), SM(768, 8, 8), .global_rule = SMP_GLOBAL_STRICT,
     .chips = "G84 G86 G92 G94 G96 G98",
     .products = "8800 GT, 9800 GTX, 9800 GT, 9600 GT, 8600 GT, GTS 250"},
    {TESLA(1, 2), SHARED_KIB(16, 16, 16, "16"), SM(1024, 8, 16), .global_rule = SMP_GLOBAL_SEGMENTS,
     .chips = "GT215 GT216 GT218", .products = "GT 240, GT 220, 210"},
    {TESLA(1, 3), SHARED_KIB(16, 16, 16, "16"), SM(1024, 8, 16), .global_rule = SMP_GLOBAL_SEGMENTS,
     .chips = "GT200 C1060",
     .products = "GTX 295, GTX 285, GTX 280, GTX 275, GTX 260, C1060, S1070"},
    {FERMI(2, 0), SHARED_KIB(48, 48, 48, "16 48"), SM(1536, 8, 32),
     .chips = "GF100 GF110 C2050 M2090",
     .products =
         "GTX 580, GTX 570, GTX 480, GTX 470, GTX 465, C2050, C2070, C2075, M2050, M2070, M2090"},
    {FERMI(2, 1), SHARED_KIB(48, 48, 48, "16 48"), SM(1536, 8, 32),
     .chips = "GF104 GF106 GF108 GF114 GF116 GF117 GF119",
     .products = "GTX 560 Ti, GTX 560, GTX 550 Ti, GTX 460, GTS 450, GT 440, GT 430, GT 730"},
    {KEPLER(3, 0), SHARED_KIB(48, 48, 48, "16 32 48"), SM(2048, 16, 64),
     .chips = "GK104 GK106 GK107 K10",
     .products = "GTX 690, GTX 680, GTX 670, GTX 660 Ti, GTX 660, GTX 650 Ti, GTX 650, GTX 770, "
                 "GTX 760, GTX 860M, GRID K520, K10"},
    {KEPLER(3, 2), SHARED_KIB(48, 48, 48, "16 32 48"), SM(2048, 16, 64), .chips = "GK20A",
     .products = "Jetson TK1, Tegra K1"},
    {KEPLER(3, 5), SHARED_KIB(48, 48, 48, "16 32 48"), SM(2048, 16, 64),
     .chips = "GK110 GK180 GK208 K20 K40",
     .products = "GTX TITAN, GTX TITAN Black, GTX TITAN Z, GTX 780 Ti, GTX 780, GT 710, GT 730, "
                 "K20, K20X, K20m, K20Xm, K40, K40c, K40m"},
    {KEPLER(3, 7), SHARED_KIB(112, 48, 48, "80 96 112"), SM(2048, 16, 128), .chips = "GK210 K80",
     .products = "K80"},
    {MAXWELL(5, 0), SHARED_KIB(64, 48, 48, "64"), SM(2048, 32, 64), .chips = "GM107 GM108",
     .products =
         "GTX 750 Ti, GTX 750, GTX 960M, GTX 950M, GTX 860M, M10, Quadro K2200, Quadro K620"},
    {MAXWELL(5, 2), SHARED_KIB(96, 48, 48, "96"), SM(2048, 32, 64),
     .chips = "GM200 GM204 GM206 M40 M60",
     .products = "GTX TITAN X, GTX 980 Ti, GTX 980, GTX 970, GTX 960, GTX 950, GTX 980M, GTX 970M, "
                 "M4, M6, M40, M60, Quadro M6000, Quadro M5000, Quadro M4000"},
    {MAXWELL(5, 3), SHARED_KIB(64, 48, 48, "64"), SM(2048, 32, 64), .chips = "GM20B",
     .products = "Jetson TX1, Jetson Nano, Tegra X1"},
    {PASCAL(6, 0), SHARED_KIB(64, 48, 48, "64"), SM(2048, 32, 64), .chips = "GP100 P100",
     .products = "P100, Quadro GP100"},
    {PASCAL(6, 1), SHARED_KIB(96, 48, 48, "96"), SM(2048, 32, 64),
     .chips = "GP102 GP104 GP106 GP107 GP108 P4 P40",
     .products =
         "GTX 1080 Ti, GTX 1080, GTX 1070 Ti, GTX 1070, GTX 1060, GTX 1050 Ti, GTX 1050, GT 1030, "
         "TITAN Xp, TITAN X, P4, P6, P40, MX150, MX250, MX330, MX350, Quadro P6000, Quadro P5000, "
         "Quadro P4000, Quadro P2000, Quadro P1000, Quadro P600, Quadro P400"},
    {PASCAL(6, 2), SHARED_KIB(64, 48, 48, "64"), SM(2048, 32, 64), .chips = "GP10B",
     .products = "Jetson TX2, Tegra X2"},
    {VOLTA(7, 0), SHARED_KIB(96, 96, 48, "0 8 16 32 64 96"), SM(2048, 32, 64),
     .chips = "GV100 V100", .products = "V100, V100S, TITAN V, Quadro GV100"},
    {VOLTA(7, 2), SHARED_KIB(96, 96, 48, "0 8 16 32 64 96"), SM(2048, 32, 64),
     .chips = "GV11B Xavier", .products = "Jetson Xavier, Jetson AGX Xavier, Jetson Xavier NX"},
    {TURING(7, 5), SHARED_KIB(64, 64, 48, "32 64"), SM(1024, 16, 64), .nvcc = "75",
     .chips = "TU102 TU104 TU106 TU116 TU117 T4",
     .products = "RTX 2080 Ti, RTX 2080 SUPER, RTX 2080, RTX 2070 SUPER, RTX 2070, RTX 2060 SUPER, "
                 "RTX 2060, TITAN RTX, GTX 1660 Ti, GTX 1660 SUPER, GTX 1660, GTX 1650 Ti, GTX "
                 "1650 SUPER, GTX 1650, GTX 1630, MX450, T4, T400, T600, T1000, Quadro RTX 8000, "
                 "Quadro RTX 6000, Quadro RTX 5000, Quadro RTX 4000, Quadro RTX 3000"},
    {AMPERE(8, 0), SHARED_KIB(164, 163, 48, "0 8 16 32 64 100 132 164"), SM(2048, 32, 64),
     .nvcc = "80", .chips = "GA100 A100 A30", .products = "A100, A30, A800, DGX A100"},
    {AMPERE(8, 6), SHARED_KIB(100, 99, 48, "0 8 16 32 64 100"), SM(1536, 16, 64), .nvcc = "86",
     .chips = "GA102 GA103 GA104 GA106 GA107 A10 A40",
     .products = "RTX 3090 Ti, RTX 3090, RTX 3080 Ti, RTX 3080, RTX 3070 Ti, RTX 3070, RTX 3060 "
                 "Ti, RTX 3060, RTX 3050 Ti, RTX 3050, RTX 2050, MX570, A40, A10, A10G, A16, A2, "
                 "RTX A6000, RTX A5500, RTX A5000, RTX A4500, RTX A4000, RTX A2000"},
    {AMPERE(8, 7), SHARED_KIB(164, 163, 48, "0 8 16 32 64 100 132 164"), SM(1536, 16, 64),
     .chips = "GA10B Orin",
     .products = "Jetson Orin, Jetson AGX Orin, Jetson Orin NX, Jetson Orin Nano, AGX Orin, Orin "
                 "NX, Orin Nano"},
    {MODERN(8, 8, SMP_AMPERE, "Ampere", CCCL_88), SINCE_8,
     SHARED_KIB(100, 99, 48, "0 8 16 32 64 100"), SM(1536, 16, 64), .chips = "", .products = ""},
    {ADA(8, 9), SHARED_KIB(100, 99, 48, "0 8 16 32 64 100"), SM(1536, 24, 64), .nvcc = "89",
     .chips = "AD102 AD103 AD104 AD106 AD107 L4 L40 L40S",
     .products =
         "RTX 4090, RTX 4090 D, RTX 4080 SUPER, RTX 4080, RTX 4070 Ti SUPER, RTX 4070 Ti, RTX 4070 "
         "SUPER, RTX 4070, RTX 4060 Ti, RTX 4060, RTX 4050, L4, L40, L40S, L20, L2, RTX 6000 Ada, "
         "RTX 5880 Ada, RTX 5000 Ada, RTX 4500 Ada, RTX 4000 Ada, RTX 2000 Ada"},
    {HOPPER(9, 0), SHARED_KIB(228, 227, 48, "0 8 16 32 64 100 132 164 196 228"), SM(2048, 32, 64),
     .nvcc = "90", .clock_floors = &smp_clock_floors_gh100,
     .l1_source = "model/FINDINGS.md, 9 (H100, H200)",
     .wgmma_source = "model/FINDINGS.md, 10 (H200)", .bulk_source = "model/FINDINGS.md, 11 (H200)",
     .chips = "GH100 H100 H200 H800 H20 GH200", .products = "H100, H200, H800, H20, GH200"},
    {BLACKWELL(10, 0), SHARED_KIB(228, 227, 48, "0 8 16 32 64 100 132 164 196 228"),
     SM(2048, 32, 64), .nvcc = "100", .chips = "GB100 B100 B200 GB200",
     .products = "B100, B200, GB200"},
    {BLACKWELL(10, 3), SHARED_KIB(228, 227, 48, "0 8 16 32 64 100 132 164 196 228"),
     SM(2048, 32, 64), .chips = "GB110 B300 GB300", .products = "B300, GB300"},
    {BLACKWELL(11, 0), SHARED_KIB(228, 227, 48, "0 8 16 32 64 100 132 164 196 228"),
     SM(1536, 24, 64), .chips = "Thor", .products = "Jetson Thor, Jetson AGX Thor, AGX Thor"},
    {BLACKWELL(12, 0), SHARED_KIB(100, 99, 48, "0 8 16 32 64 100"), SM(1536, 24, 64), .nvcc = "120",
     .chips = "GB202 GB203 GB205 GB206 GB207",
     .products = "RTX 5090, RTX 5090 D, RTX 5080, RTX 5070 Ti, RTX 5070, RTX 5060 Ti, RTX 5060, "
                 "RTX 5050, RTX PRO 6000, RTX PRO 5000, RTX PRO 4500, RTX PRO 4000, RTX PRO 2000"},
    {BLACKWELL(12, 1), SHARED_KIB(100, 99, 48, "0 8 16 32 64 100"), SM(1536, 24, 64),
     .chips = "GB20B GB10", .products = "DGX Spark, GB10"},
};

#define ARCH_COUNT (sizeof arch_rows / sizeof arch_rows[0])

const smp_arch *smp_archs(size_t *count) {
    *count = ARCH_COUNT;
    return arch_rows;
}

const smp_arch *smp_arch_of_cc(int major, int minor) {
    for (size_t i = 0; i < ARCH_COUNT; i++)
        if (arch_rows[i].cc_major == major && arch_rows[i].cc_minor == minor)
            return &arch_rows[i];
    return NULL;
}

smp_status smp_arch_with_bank_bytes(const smp_arch *row, unsigned bank_bytes, smp_arch *out) {
    if (bank_bytes != row->bank_bytes && (bank_bytes == 0 || bank_bytes != row->bank_bytes_alt))
        return SMP_E_BANK_MODE;
    smp_arch copy = *row;
    if (bank_bytes != row->bank_bytes) {
        copy.bank_bytes = row->bank_bytes_alt;
        copy.bank_bytes_alt = row->bank_bytes;
    }
    *out = copy;
    return SMP_OK;
}

/* The row after those of the generation of row `first`. */
static size_t next_generation(const smp_arch *rows, size_t count, size_t first) {
    size_t next = first;
    while (next < count && rows[next].generation == rows[first].generation)
        next++;
    return next;
}

_Static_assert(2 * ARCH_COUNT <= SMP_ARCH_MODES_MAX, "every row in two modes");

size_t smp_arch_modes(smp_arch out[SMP_ARCH_MODES_MAX]) {
    size_t count, made = 0;
    const smp_arch *rows = smp_archs(&count);
    for (size_t first = 0; first < count;) {
        size_t next = next_generation(rows, count, first);
        for (size_t i = first; i < next; i++)
            out[made++] = rows[i];
        for (size_t i = first; i < next; i++)
            if (rows[i].bank_bytes_alt != 0)
                (void)smp_arch_with_bank_bytes(&rows[i], rows[i].bank_bytes_alt, &out[made++]);
        first = next;
    }
    return made;
}

bool smp_bank_pairs_words(const smp_arch *arch) {
    return smp_pairs_words(arch);
}

uint32_t smp_bank_grain_bytes(const smp_arch *arch) {
    return smp_bank_pairs_words(arch) ? arch->shared_rule->period_bytes : arch->bank_bytes;
}
