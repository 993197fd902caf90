/* SPDX-License-Identifier: MIT */
/*
 * Architectures, a row each, and how well a rule is known. Part of smp_model.h, which includes it.
 */
#ifndef SMP_MODEL_ARCH_H
#define SMP_MODEL_ARCH_H

#include "smp_status.h"

/* How well a rule is known for one operation on one generation, best first. A prediction
 * whose evidence is ASSUMED must be shown as such; OPEN is never shown as a number. */
typedef enum smp_evidence {
    SMP_MEASURED,   /* 'M' by this project's probes, recorded in probes/recorded */
    SMP_DOCUMENTED, /* 'D' by NVIDIA */
    SMP_PUBLISHED,  /* 'P' measured and published by others */
    SMP_ASSUMED,    /* 'A' carried over from a neighbouring generation */
    SMP_OPEN,       /* '?' no rule is known, or it depends on data */
    SMP_ABSENT,     /* '-' the operation does not exist there */
    SMP_EVIDENCE_COUNT
} smp_evidence;

/* "measured", "documented", ...; static. */
const char *smp_evidence_name(smp_evidence evidence);
/* The letter used in tables. */
char smp_evidence_letter(smp_evidence evidence);

typedef enum smp_generation {
    SMP_TESLA,     /* CC 1.x */
    SMP_FERMI,     /* 2.x */
    SMP_KEPLER,    /* 3.x */
    SMP_MAXWELL,   /* 5.x */
    SMP_PASCAL,    /* 6.x */
    SMP_VOLTA,     /* 7.0, 7.2 */
    SMP_TURING,    /* 7.5 */
    SMP_AMPERE,    /* 8.0, 8.6 to 8.8 */
    SMP_ADA,       /* 8.9 */
    SMP_HOPPER,    /* 9.0 */
    SMP_BLACKWELL, /* 10.x, 11.0, 12.x */
    SMP_GENERATION_COUNT
} smp_generation;

/* How a global-memory request is split into transactions (rule.c). */
typedef enum smp_global_rule {
    SMP_GLOBAL_STRICT,   /* 1.0, 1.1: all or nothing in a half-warp */
    SMP_GLOBAL_SEGMENTS, /* 1.2, 1.3: shrinking segments in a half-warp */
    SMP_GLOBAL_LINES,    /* 2.x: 128-byte lines for cached loads, else 32-byte segments */
    SMP_GLOBAL_SECTORS,  /* 3.x and later: 32-byte sectors over the warp */
} smp_global_rule;

/* Widths 1, 2, 4, 8, 16 bytes a lane, by their base-2 logarithm. */
#define SMP_WIDTH_COUNT 5

/* How shared memory groups and merges the lanes of a request: one row for each kind of hardware
 * (rule.c). */
typedef struct smp_shared_rule {
    const char *name;
    /* Lanes that are served together, by log2 of the width. */
    uint8_t group_lanes[SMP_WIDTH_COUNT];
    /* Passes that a group may need in addition to those for its words, by log2 of the width. They
     * count as ways. */
    uint8_t extra_passes[SMP_WIDTH_COUNT];
    /* Bytes that one pass can deliver: offsets that differ by this many fall on the same bank. More
     * than banks x bank bytes in Kepler's 4-byte mode: see smp_bank_pairs_words. */
    uint16_t period_bytes;
    /* Wide loads whose lanes agree in pairs are served in groups of twice as many lanes. */
    bool pair_rule;
    /* CC 1.x: each half-warp makes a request for each 4 bytes, and each step broadcasts one word,
     * so counts are ranges (half_warp.c). */
    bool half_warps;
    const char *source;
} smp_shared_rule;

/* Cycles below which clocks cannot tell counts apart, by operation and width (model/floor.c). */
typedef struct smp_clock_floors smp_clock_floors;

typedef struct smp_arch {
    const char *name;     /* "sm_90" */
    const char *family;   /* "Hopper" */
    const char *chips;    /* other names it answers to, separated by blanks: "GH100 H100 H200" */
    const char *products; /* their names, separated by commas: "RTX 4090, RTX 4080" */
    smp_generation generation;
    uint8_t cc_major, cc_minor;
    uint8_t banks;
    uint8_t bank_bytes;             /* 4 or 8, in the bank mode in force */
    uint8_t bank_bytes_alt;         /* the other mode that the chip can be set to, 0 if none */
    uint8_t request_lanes;          /* lanes of one request: 16 or 32 */
    uint16_t shared_sm_kib;         /* shared memory of one SM, at the largest carve-out */
    uint16_t shared_block_kib;      /* the most that one block can have (opt-in where needed) */
    uint16_t shared_static_kib;     /* the most without opt-in */
    const char *carveouts_kib;      /* sizes that can be configured, "0 8 16 32 64 100" */
    uint16_t shared_unit_bytes;     /* blocks get shared memory in multiples of this */
    uint16_t shared_reserved_bytes; /* by the system, in front of each block's own memory */
    uint16_t sm_threads, sm_blocks; /* the most that one SM holds at once */
    uint32_t sm_registers;
    uint16_t register_unit; /* warps get registers in multiples of this; 0: not modelled */
    const char *nvcc;       /* "90" where a build holds machine code for it by default, or NULL */
    const smp_shared_rule *shared_rule;
    smp_global_rule global_rule;
    const smp_clock_floors *clock_floors; /* NULL: not measured on it */
    const char *l1_source;                /* of smp_l1_predict; NULL: no rule is known */
    const char *bulk_source;              /* that bulk and tensor copies have no wavefront and
                                             conflict; NULL: not known */
    const char *wgmma_source;             /* of smp_wgmma_wavefronts; NULL: no such operation */
    smp_evidence evidence;                /* of the bank layout */
    const char *source;                   /* document and section, or the recorded probe */
} smp_arch;

/* All rows, oldest first; *count is set. */
const smp_arch *smp_archs(size_t *count);

/* Finds a row by "sm_90", "sm_90a", "compute_90", "9.0", "90", a family ("hopper": its first row),
 * a chip ("GH100") or a product ("RTX 4090", "rtx4090", "4090"), without regard to case; NULL if
 * there is none, or if products of several architectures have that name. */
const smp_arch *smp_arch_find(const char *name);

/* The same for products of one name, such as "GT 730": up to `max` rows, oldest first. */
size_t smp_arch_find_all(const char *name, const smp_arch **rows, size_t max);

/* The row of a compute capability, or NULL. */
const smp_arch *smp_arch_of_cc(int major, int minor);

/* Copies `row` into *out with bank mode `bank_bytes` (4 or 8) in force. SMP_E_BANK_MODE if
 * the chip has no such mode. */
smp_status smp_arch_with_bank_bytes(const smp_arch *row, unsigned bank_bytes, smp_arch *out);

enum { SMP_ARCH_MODES_MAX = 64 };

/* Every architecture, those with several bank modes once in each, by generation; returns how many.
 */
size_t smp_arch_modes(smp_arch out[SMP_ARCH_MODES_MAX]);

/* True where a pass delivers two words of each bank: words i and i+32 of one aligned segment of 64
 * words (Kepler in 4-byte mode). */
bool smp_bank_pairs_words(const smp_arch *arch);

/* Adding a multiple of this many bytes to all offsets of a request changes no count. */
uint32_t smp_bank_grain_bytes(const smp_arch *arch);

/* Blocks that one SM holds at once, as its threads, shared memory and registers allow; 0: a block
 * does not fit. `registers`: per thread, counted from CC 3.0 on; 0: unknown, not counted. */
uint32_t smp_resident_blocks(const smp_arch *arch, uint32_t threads, uint32_t shared_bytes,
                             uint32_t registers);

#endif
