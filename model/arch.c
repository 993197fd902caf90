/* SPDX-License-Identifier: MIT */
/*
 * The architectures: one row a compute capability. To add a GPU, add a row.
 *
 * Sources: the compute-capability appendix of the CUDA C Programming Guide of the edition that
 * covers the row (4.2 for 1.x to 3.0, 6.5 for 3.2 to 5.0, 13.0 for 7.5 and later), table
 * "Technical Specifications per Compute Capability", and NVIDIA's table of CUDA-enabled GPUs
 * for the chip names. What is reserved and rounded: Guide, shared memory sections of 8.x and 9.0
 * ("1 KB of shared memory is reserved per thread block"), and the occupancy calculator that came
 * with CUDA up to 12.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "rule.h"

#define GUIDE_1X "CUDA C Programming Guide 4.2, appendix F.1 and F.3"
#define GUIDE_2X "CUDA C Programming Guide 4.2, appendix F.1 and F.4"
#define GUIDE_3X "CUDA C Programming Guide 6.5, appendix G.1 and G.4"
#define GUIDE_5X "CUDA C Programming Guide 8.0, appendix G.1 and G.4"
#define GUIDE_6X "CUDA C Programming Guide 8.0, appendix G.1 and G.5"
#define GUIDE_7X "CUDA C++ Programming Guide 12.0, appendix K.1 and K.6"
#define GUIDE_8X \
    "CUDA C++ Programming Guide 13.0, Technical Specifications and compute capability 8.x"
#define GUIDE_9X "CUDA C++ Programming Guide 13.0, compute capability 9.0; probes/recorded (H200)"
#define GUIDE_BW "CUDA C++ Programming Guide 13.0, Technical Specifications per Compute Capability"

/* What the rows of one generation have in common. */
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
/* What one SM holds at once. */
#define SM(threads, blocks, registers_kilo) \
    .sm_threads = threads, .sm_blocks = blocks, .sm_registers = registers_kilo * 1024

static const smp_arch arch_rows[] = {
    {TESLA(1, 0), SHARED_KIB(16, 16, 16, "16"), SM(768, 8, 8), .global_rule = SMP_GLOBAL_STRICT,
     .chips = "G80"},
    {TESLA(1, 1), SHARED_KIB(16, 16, 16, "16"), SM(768, 8, 8), .global_rule = SMP_GLOBAL_STRICT,
     .chips = "G84 G86 G92 G94 G96 G98"},
    {TESLA(1, 2), SHARED_KIB(16, 16, 16, "16"), SM(1024, 8, 16), .global_rule = SMP_GLOBAL_SEGMENTS,
     .chips = "GT215 GT216 GT218"},
    {TESLA(1, 3), SHARED_KIB(16, 16, 16, "16"), SM(1024, 8, 16), .global_rule = SMP_GLOBAL_SEGMENTS,
     .chips = "GT200 C1060"},
    {FERMI(2, 0), SHARED_KIB(48, 48, 48, "16 48"), SM(1536, 8, 32),
     .chips = "GF100 GF110 C2050 M2090"},
    {FERMI(2, 1), SHARED_KIB(48, 48, 48, "16 48"), SM(1536, 8, 32),
     .chips = "GF104 GF106 GF108 GF114 GF116 GF117 GF119"},
    {KEPLER(3, 0), SHARED_KIB(48, 48, 48, "16 32 48"), SM(2048, 16, 64),
     .chips = "GK104 GK106 GK107 K10"},
    {KEPLER(3, 2), SHARED_KIB(48, 48, 48, "16 32 48"), SM(2048, 16, 64), .chips = "GK20A"},
    {KEPLER(3, 5), SHARED_KIB(48, 48, 48, "16 32 48"), SM(2048, 16, 64),
     .chips = "GK110 GK180 GK208 K20 K40"},
    {KEPLER(3, 7), SHARED_KIB(112, 48, 48, "80 96 112"), SM(2048, 16, 128), .chips = "GK210 K80"},
    {MAXWELL(5, 0), SHARED_KIB(64, 48, 48, "64"), SM(2048, 32, 64), .chips = "GM107 GM108"},
    {MAXWELL(5, 2), SHARED_KIB(96, 48, 48, "96"), SM(2048, 32, 64),
     .chips = "GM200 GM204 GM206 M40 M60"},
    {MAXWELL(5, 3), SHARED_KIB(64, 48, 48, "64"), SM(2048, 32, 64), .chips = "GM20B"},
    {PASCAL(6, 0), SHARED_KIB(64, 48, 48, "64"), SM(2048, 32, 64), .chips = "GP100 P100"},
    {PASCAL(6, 1), SHARED_KIB(96, 48, 48, "96"), SM(2048, 32, 64),
     .chips = "GP102 GP104 GP106 GP107 GP108 P4 P40"},
    {PASCAL(6, 2), SHARED_KIB(64, 48, 48, "64"), SM(2048, 32, 64), .chips = "GP10B"},
    {VOLTA(7, 0), SHARED_KIB(96, 96, 48, "0 8 16 32 64 96"), SM(2048, 32, 64),
     .chips = "GV100 V100"},
    {VOLTA(7, 2), SHARED_KIB(96, 96, 48, "0 8 16 32 64 96"), SM(2048, 32, 64),
     .chips = "GV11B Xavier"},
    {TURING(7, 5), SHARED_KIB(64, 64, 48, "32 64"), SM(1024, 16, 64), .nvcc = "75",
     .chips = "TU102 TU104 TU106 TU116 TU117 T4"},
    {AMPERE(8, 0), SHARED_KIB(164, 163, 48, "0 8 16 32 64 100 132 164"), SM(2048, 32, 64),
     .nvcc = "80", .chips = "GA100 A100 A30"},
    {AMPERE(8, 6), SHARED_KIB(100, 99, 48, "0 8 16 32 64 100"), SM(1536, 16, 64), .nvcc = "86",
     .chips = "GA102 GA103 GA104 GA106 GA107 A10 A40"},
    {AMPERE(8, 7), SHARED_KIB(164, 163, 48, "0 8 16 32 64 100 132 164"), SM(1536, 16, 64),
     .chips = "GA10B Orin"},
    {ADA(8, 9), SHARED_KIB(100, 99, 48, "0 8 16 32 64 100"), SM(1536, 24, 64), .nvcc = "89",
     .chips = "AD102 AD103 AD104 AD106 AD107 L4 L40 L40S"},
    {HOPPER(9, 0), SHARED_KIB(228, 227, 48, "0 8 16 32 64 100 132 164 196 228"), SM(2048, 32, 64),
     .nvcc = "90", .clock_floors = &smp_clock_floors_gh100,
     .chips = "GH100 H100 H200 H800 H20 GH200"},
    {BLACKWELL(10, 0), SHARED_KIB(228, 227, 48, "0 8 16 32 64 100 132 164 196 228"),
     SM(2048, 32, 64), .nvcc = "100", .chips = "GB100 B100 B200 GB200"},
    {BLACKWELL(10, 3), SHARED_KIB(228, 227, 48, "0 8 16 32 64 100 132 164 196 228"),
     SM(2048, 32, 64), .chips = "GB110 B300 GB300"},
    {BLACKWELL(11, 0), SHARED_KIB(228, 227, 48, "0 8 16 32 64 100 132 164 196 228"),
     SM(1536, 24, 64), .chips = "Thor"},
    {BLACKWELL(12, 0), SHARED_KIB(100, 99, 48, "0 8 16 32 64 100"), SM(1536, 24, 64), .nvcc = "120",
     .chips = "GB202 GB203 GB205 GB206 GB207"},
    {BLACKWELL(12, 1), SHARED_KIB(100, 99, 48, "0 8 16 32 64 100"), SM(1536, 24, 64),
     .chips = "GB20B GB10"},
};

#define ARCH_COUNT (sizeof arch_rows / sizeof arch_rows[0])

const smp_arch *smp_archs(size_t *count) {
    *count = ARCH_COUNT;
    return arch_rows;
}

/* True if `word` is one of the blank-separated words of `list`, without regard to case. */
static bool list_has(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; length > 0 && *at != '\0'; at += strspn(at, " ")) {
        size_t here = strcspn(at, " ");
        if (here == length && strncasecmp(at, word, length) == 0)
            return true;
        at += here;
    }
    return false;
}

static bool arch_is_named(const smp_arch *row, const char *name) {
    char dotted[8];
    (void)snprintf(dotted, sizeof dotted, "%u.%u", row->cc_major, row->cc_minor);
    return strcasecmp(name, row->name) == 0 || strcmp(name, row->name + strlen("sm_")) == 0 ||
           strcmp(name, dotted) == 0 || strcasecmp(name, row->family) == 0 ||
           list_has(row->chips, name);
}

const smp_arch *smp_arch_find(const char *name) {
    for (size_t i = 0; i < ARCH_COUNT; i++) {
        if (arch_is_named(&arch_rows[i], name))
            return &arch_rows[i];
    }
    return NULL;
}

const smp_arch *smp_arch_of_cc(int major, int minor) {
    for (size_t i = 0; i < ARCH_COUNT; i++) {
        if (arch_rows[i].cc_major == major && arch_rows[i].cc_minor == minor)
            return &arch_rows[i];
    }
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

size_t smp_arch_modes(smp_arch out[SMP_ARCH_MODES_MAX]) {
    size_t count, made = 0;
    const smp_arch *rows = smp_archs(&count);
    for (size_t first = 0; first < count;) {
        size_t next = next_generation(rows, count, first);
        for (size_t i = first; i < next && made < SMP_ARCH_MODES_MAX; i++)
            out[made++] = rows[i];
        for (size_t i = first; i < next && made < SMP_ARCH_MODES_MAX; i++) {
            if (rows[i].bank_bytes_alt != 0 &&
                smp_arch_with_bank_bytes(&rows[i], rows[i].bank_bytes_alt, &out[made]) == SMP_OK)
                made++;
        }
        first = next;
    }
    return made;
}

bool smp_bank_pairs_words(const smp_arch *arch) {
    return arch->banks * arch->bank_bytes < arch->shared_rule->period_bytes;
}

uint32_t smp_bank_grain_bytes(const smp_arch *arch) {
    return smp_bank_pairs_words(arch) ? arch->shared_rule->period_bytes : arch->bank_bytes;
}
