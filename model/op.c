/* SPDX-License-Identifier: MIT */
/*
 * The operations: one row a kind of warp-level memory instruction.
 *
 * Evidence strings have one letter a generation, in the order
 *   Tesla Fermi Kepler Maxwell Pascal Volta Turing Ampere Ada Hopper Blackwell
 * and one string for up to 4, for 8 and for 16 bytes a lane. M measured by this project's
 * probes, D documented by NVIDIA, P published by others, A assumed from a neighbour,
 * ? open, - absent.
 */
#include <string.h>

#include "op.h"

#define W1 (1u << 0)
#define W2 (1u << 1)
#define W4 (1u << 2)
#define W8 (1u << 3)
#define W16 (1u << 4)
#define ALL_WIDTHS (W1 | W2 | W4 | W8 | W16)
#define NOWHERE "-----------"

#define GUIDE "CUDA C++ Programming Guide, Shared Memory of each compute capability"
#define GUIDE_GLOBAL "CUDA C++ Programming Guide, Global Memory of each compute capability"
#define PTX "PTX ISA 9.0"
#define MEASURED_90 "measured on GH100 (probes/recorded, model/FINDINGS.md)"

#define CAS_LOOP_NOTE \
    "shared-memory atomics of this generation are a lock loop: the count depends on the data"

/* Fields of each row, and a full warp of lanes that give an address. */
#define OP(id, text, machine, where, bytes)                                               \
    .op = id, .name = text, .sass = machine, .space = SMP_SPACE_##where, .widths = bytes, \
    .lanes = 32
#define MATRIX(id, text, machine, load, matrices, cc, letters)                              \
    [id] = {.op = id,                                                                       \
            .name = text,                                                                   \
            .summary = #matrices " 8x8 matrices of 16-byte rows, one row address per lane", \
            .sass = machine,                                                                \
            .space = SMP_SPACE_SHARED,                                                      \
            .is_load = load,                                                                \
            .lanes_merge = true,                                                            \
            .passes = 1,                                                                    \
            .lanes = 8 * matrices,                                                          \
            .fixed_group = 8,                                                               \
            .widths = W16,                                                                  \
            .first_cc = cc,                                                                 \
            .evidence = {NOWHERE, NOWHERE, letters},                                        \
            .source = PTX "; " MEASURED_90}
#define LDMATRIX(id, text, matrices) MATRIX(id, text, "LDSM", true, matrices, 75, "------AAAMA")
#define STMATRIX(id, text, matrices) MATRIX(id, text, "STSM", false, matrices, 90, "---------MA")

const smp_op_row smp_op_table[SMP_OP_COUNT] = {
    [SMP_LD_SHARED] = {OP(SMP_LD_SHARED, "ld.shared", "LDS", SHARED, ALL_WIDTHS),
                       .summary = "load from shared memory", .is_load = true, .lanes_merge = true,
                       .passes = 1, .first_cc = 10,
                       .evidence = {"DDDDDDDDDMD", "DDDAPDDPAMA", "DDAAADDPAMA"},
                       .source = GUIDE "; wide loads " MEASURED_90},
    [SMP_ST_SHARED] = {OP(SMP_ST_SHARED, "st.shared", "STS", SHARED, ALL_WIDTHS),
                       .summary = "store to shared memory", .lanes_merge = true, .passes = 1,
                       .first_cc = 10, .evidence = {"DDDDDDDDDMD", "DDDAAAAAAMA", "DDAAAAAAAMA"},
                       .source = GUIDE "; wide stores " MEASURED_90},
    [SMP_ATOM_SHARED] = {OP(SMP_ATOM_SHARED, "atom.shared", "ATOMS", SHARED, W4 | W8),
                         .summary = "atomic on shared memory that returns the old value",
                         .passes = 1, .first_cc = 12,
                         .evidence = {"???AAAAAAMA", "-??AAAAAAMA", NOWHERE}, .source = MEASURED_90,
                         .note = CAS_LOOP_NOTE},
    [SMP_ATOM_SHARED_CAS] = {OP(SMP_ATOM_SHARED_CAS, "atom.shared.cas", "ATOMS.CAS", SHARED,
                                W4 | W8),
                             .summary = "compare-and-swap on shared memory", .passes = 2,
                             .first_cc = 12, .evidence = {"???AAAAAAMA", "-??AAAAAAMA", NOWHERE},
                             .source = MEASURED_90, .note = CAS_LOOP_NOTE},
    [SMP_RED_SHARED] = {OP(SMP_RED_SHARED, "red.shared", "ATOMS", SHARED, W4 | W8),
                        .summary = "atomic on shared memory that returns nothing", .passes = 1,
                        .first_cc = 12, .evidence = {"???AAAAAAMA", "-??????????", NOWHERE},
                        .source = MEASURED_90,
                        .note =
                            "compiled to a compare-and-swap loop: the count depends on the data"},
    [SMP_RED_SHARED_INC] = {OP(SMP_RED_SHARED_INC, "red.shared.inc", "ATOMS.POPC.INC", SHARED, W4),
                            .summary = "adding the constant 1 to shared memory, returning nothing",
                            .lanes_merge = true, .passes = 1, .first_cc = 80,
                            .evidence = {"-------AAMA", NOWHERE, NOWHERE}, .source = MEASURED_90,
                            .note = "lanes on one word are combined; nvcc makes it of atomicAdd(p, "
                                    "1) where the result is not used"},
    LDMATRIX(SMP_LDMATRIX_X1, "ldmatrix.x1", 1),
    LDMATRIX(SMP_LDMATRIX_X2, "ldmatrix.x2", 2),
    LDMATRIX(SMP_LDMATRIX_X4, "ldmatrix.x4", 4),
    LDMATRIX(SMP_LDMATRIX_X1_TRANS, "ldmatrix.x1.trans", 1),
    LDMATRIX(SMP_LDMATRIX_X2_TRANS, "ldmatrix.x2.trans", 2),
    LDMATRIX(SMP_LDMATRIX_X4_TRANS, "ldmatrix.x4.trans", 4),
    STMATRIX(SMP_STMATRIX_X1, "stmatrix.x1", 1),
    STMATRIX(SMP_STMATRIX_X2, "stmatrix.x2", 2),
    STMATRIX(SMP_STMATRIX_X4, "stmatrix.x4", 4),
    STMATRIX(SMP_STMATRIX_X1_TRANS, "stmatrix.x1.trans", 1),
    STMATRIX(SMP_STMATRIX_X2_TRANS, "stmatrix.x2.trans", 2),
    STMATRIX(SMP_STMATRIX_X4_TRANS, "stmatrix.x4.trans", 4),
    [SMP_CP_ASYNC] = {OP(SMP_CP_ASYNC, "cp.async", "LDGSTS", COPY, W4 | W8 | W16),
                      .summary = "asynchronous copy from global to shared memory",
                      .lanes_merge = true, .passes = 1, .first_cc = 80,
                      .evidence = {"-------AAMA", "-------AAMA", "-------??M?"},
                      .source = MEASURED_90,
                      .note = "16 bytes (.cg, past L1) were measured on 9.0 alone"},
    [SMP_CP_ASYNC_CA] = {OP(SMP_CP_ASYNC_CA, "cp.async.ca", "LDGSTS", COPY, W16),
                         .summary = "asynchronous copy of 16 bytes through L1", .lanes_merge = true,
                         .passes = 1, .first_cc = 80, .evidence = {NOWHERE, NOWHERE, "-------AAMA"},
                         .source = MEASURED_90},
    [SMP_LD_GLOBAL] = {OP(SMP_LD_GLOBAL, "ld.global", "LDG", GLOBAL, ALL_WIDTHS),
                       .summary = "load from global memory", .is_load = true, .lanes_merge = true,
                       .passes = 1, .first_cc = 10,
                       .evidence = {"DDDDDDDDDMD", "DDDDDDDDDMD", "DDDDDDDDDMD"},
                       .source = GUIDE_GLOBAL "; " MEASURED_90},
    [SMP_ST_GLOBAL] = {OP(SMP_ST_GLOBAL, "st.global", "STG", GLOBAL, ALL_WIDTHS),
                       .summary = "store to global memory", .lanes_merge = true, .passes = 1,
                       .first_cc = 10, .evidence = {"DDDDDDDDDMD", "DDDDDDDDDMD", "DDDDDDDDDMD"},
                       .source = GUIDE_GLOBAL "; " MEASURED_90},
    [SMP_RED_GLOBAL] = {OP(SMP_RED_GLOBAL, "red.global", "RED", GLOBAL, W4 | W8 | W16),
                        .summary = "atomic on global memory that returns nothing", .passes = 1,
                        .first_cc = 11, .evidence = {"??AAAAAAAMA", "??AAAAAAAMA", "---------MA"},
                        .source = "PTX ISA 9.0, red; " MEASURED_90,
                        .note = "how global atomics of compute capability 1.x and 2.x are split "
                                "into transactions is not documented"},
    [SMP_LD_CLUSTER] = {OP(SMP_LD_CLUSTER, "ld.shared::cluster", "LD", CLUSTER, ALL_WIDTHS),
                        .summary = "load from another block's shared memory", .is_load = true,
                        .lanes_merge = true, .passes = 1, .first_cc = 90,
                        .evidence = {"---------MA", "---------MA", "---------MA"},
                        .source = MEASURED_90},
    [SMP_ST_CLUSTER] = {OP(SMP_ST_CLUSTER, "st.shared::cluster", "ST", CLUSTER, ALL_WIDTHS),
                        .summary = "store to another block's shared memory", .lanes_merge = true,
                        .passes = 1, .first_cc = 90,
                        .evidence = {"---------MA", "---------MA", "---------MA"},
                        .source = MEASURED_90},
    [SMP_ATOM_CLUSTER] = {OP(SMP_ATOM_CLUSTER, "atom.shared::cluster", "ATOM", CLUSTER, W4 | W8),
                          .summary = "atomic on another block's shared memory", .passes = 1,
                          .first_cc = 90, .evidence = {"---------MA", "---------MA", NOWHERE},
                          .source = MEASURED_90},
};

typedef struct short_name {
    const char *name;
    smp_op op;
} short_name;

static const short_name short_names[] = {
    {"ld", SMP_LD_SHARED},   {"st", SMP_ST_SHARED},        {"atom", SMP_ATOM_SHARED},
    {"red", SMP_RED_SHARED}, {"cas", SMP_ATOM_SHARED_CAS},
};

const smp_op_row *smp_ops(size_t *count) {
    if (count)
        *count = SMP_OP_COUNT;
    return smp_op_table;
}

const smp_op_row *smp_op_find(const char *name) {
    for (size_t i = 0; i < SMP_OP_COUNT; i++)
        if (strcmp(name, smp_op_table[i].name) == 0)
            return &smp_op_table[i];
    for (size_t i = 0; i < sizeof short_names / sizeof short_names[0]; i++)
        if (strcmp(name, short_names[i].name) == 0)
            return &smp_op_table[short_names[i].op];
    return NULL;
}

/* By letter, plus 1 so that every other character reads as open. */
const uint8_t smp_evidence_by_letter[128] = {
    ['M'] = SMP_MEASURED + 1, ['D'] = SMP_DOCUMENTED + 1, ['P'] = SMP_PUBLISHED + 1,
    ['A'] = SMP_ASSUMED + 1,  ['?'] = SMP_OPEN + 1,       ['-'] = SMP_ABSENT + 1,
};

bool smp_op_bypasses_l1(smp_op op, uint32_t width_bytes) {
    return op == SMP_CP_ASYNC && width_bytes == 16;
}

uint32_t smp_op_ideal(smp_op op, uint32_t lanes, uint32_t width_bytes) {
    return op_ideal(&smp_op_table[op], lanes, width_bytes);
}

smp_evidence smp_op_evidence(const smp_arch *arch, smp_op op, unsigned width_bytes) {
    bool is_width = width_bytes != 0 && (width_bytes & (width_bytes - 1)) == 0;
    if (!is_width || (smp_op_table[op].widths & width_bytes) == 0)
        return SMP_ABSENT;
    return op_evidence(arch, &smp_op_table[op], width_bytes);
}
