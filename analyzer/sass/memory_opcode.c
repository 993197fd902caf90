/* SPDX-License-Identifier: MIT */
/*
 * Machine instructions that reach memory, as rows: the first that fits counts.
 */
#include "memory_opcode.h"

#include <string.h>

typedef struct opcode_row {
    const char *base;                 /* up to the first point */
    const char *part;                 /* must be among the modifiers; NULL: any */
    smp_op op[SMP_SPACE_CLUSTER + 1]; /* by space; SMP_OP_COUNT: none */
} opcode_row;

#define NONE SMP_OP_COUNT
#define IN_SHARED(op) \
    { [SMP_SPACE_SHARED] = op, NONE, NONE, NONE }
#define IN_COPY \
    { NONE, [SMP_SPACE_COPY] = SMP_CP_ASYNC, NONE, NONE }
#define IN_GLOBAL(op) \
    { NONE, NONE, [SMP_SPACE_GLOBAL] = op, NONE }
#define GENERIC(shared, global, cluster)                                 \
    {                                                                    \
        [SMP_SPACE_SHARED] = shared,                                     \
        NONE, [SMP_SPACE_GLOBAL] = global, [SMP_SPACE_CLUSTER] = cluster \
    }

static const opcode_row rows[] = {
    {"LDS", NULL, IN_SHARED(SMP_LD_SHARED)},
    {"STS", NULL, IN_SHARED(SMP_ST_SHARED)},
    {"ATOMS", "CAS", IN_SHARED(SMP_ATOM_SHARED_CAS)},
    {"ATOMS", "CAST", IN_SHARED(SMP_ATOM_SHARED_CAS)},
    {"ATOMS", "POPC", IN_SHARED(SMP_RED_SHARED_INC)},
    {"ATOMS", NULL, IN_SHARED(SMP_ATOM_SHARED)},
    {"LDGSTS", NULL, IN_COPY},
    {"LDG", NULL, IN_GLOBAL(SMP_LD_GLOBAL)},
    {"STG", NULL, IN_GLOBAL(SMP_ST_GLOBAL)},
    {"LDL", NULL, IN_GLOBAL(SMP_LD_GLOBAL)},
    {"STL", NULL, IN_GLOBAL(SMP_ST_GLOBAL)},
    {"RED", NULL, GENERIC(SMP_RED_SHARED, SMP_RED_GLOBAL, SMP_ATOM_CLUSTER)},
    {"REDG", NULL, IN_GLOBAL(SMP_RED_GLOBAL)},
    {"ATOMG", NULL, IN_GLOBAL(SMP_RED_GLOBAL)},
    {"ATOM", "CAS", GENERIC(SMP_ATOM_SHARED_CAS, SMP_RED_GLOBAL, SMP_ATOM_CLUSTER)},
    {"ATOM", NULL, GENERIC(SMP_ATOM_SHARED, SMP_RED_GLOBAL, SMP_ATOM_CLUSTER)},
    {"LD", NULL, GENERIC(SMP_LD_SHARED, SMP_LD_GLOBAL, SMP_LD_CLUSTER)},
    {"ST", NULL, GENERIC(SMP_ST_SHARED, SMP_ST_GLOBAL, SMP_ST_CLUSTER)},
};

typedef struct unmodelled_row {
    const char *base, *why;
} unmodelled_row;

static const unmodelled_row unmodelled[] = {
    {"UBLKCP", "bulk copy: on 9.0 no address conflicts (model/FINDINGS.md, 11); its passes are not "
               "in the sums"},
    {"UBLKRED", "bulk reduction: no rule for its side in shared memory"},
    {"UTMALDG", "tensor copy: not counted; on 9.0 no layout conflicts (model/FINDINGS.md, 11)"},
    {"UTMASTG", "tensor copy: not counted; on 9.0 no layout conflicts (model/FINDINGS.md, 11)"},
    {"UTMAREDG", "tensor reduction: not counted, and no rule for its side in shared memory"},
    {"HGMMA", "matrix operands from shared memory: no layout conflicts (model/FINDINGS.md); "
              "their wavefronts are not in the sums"},
    {"IGMMA", "matrix operands from shared memory: no rule"},
    {"QGMMA", "matrix operands from shared memory: no rule"},
    {"BGMMA", "matrix operands from shared memory: no rule"},
};

/* True if the modifier `part` stands between points of `opcode`. */
static bool has_part(const char *opcode, const char *part) {
    const size_t length = strlen(part);
    for (const char *at = strchr(opcode, '.'); at; at = strchr(at + 1, '.')) {
        if (strncmp(at + 1, part, length) == 0 && (at[1 + length] == '.' || at[1 + length] == '\0'))
            return true;
    }
    return false;
}

static bool has_base(const char *opcode, const char *base) {
    const size_t length = strcspn(opcode, ".");
    return strlen(base) == length && strncmp(opcode, base, length) == 0;
}

/* LDSM.16.M88.2, LDSM.16.MT88.4, STSM...: the first of four follows from load and transposition. */
static smp_op matrix_op(const char *opcode) {
    const bool is_load = has_base(opcode, "LDSM"), transposed = has_part(opcode, "MT88");
    const unsigned by = has_part(opcode, "4") ? 2 : has_part(opcode, "2") ? 1 : 0;
    const smp_op first = is_load ? (transposed ? SMP_LDMATRIX_X1_TRANS : SMP_LDMATRIX_X1)
                                 : (transposed ? SMP_STMATRIX_X1_TRANS : SMP_STMATRIX_X1);
    return (smp_op)((unsigned)first + by);
}

smp_op smp_opcode_op(const char *opcode, smp_space space) {
    if ((has_base(opcode, "LDSM") || has_base(opcode, "STSM")) && space == SMP_SPACE_SHARED)
        return matrix_op(opcode);
    /* The model has a row of 16 bytes only for copies that do not go through L1. */
    if (has_base(opcode, "LDGSTS") && has_part(opcode, "128") && !has_part(opcode, "BYPASS"))
        return SMP_OP_COUNT;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (has_base(opcode, rows[i].base) && (!rows[i].part || has_part(opcode, rows[i].part)))
            return rows[i].op[space];
    }
    return SMP_OP_COUNT;
}

const char *smp_function_barrier(const smp_function *function) {
    for (uint32_t i = 0; function->instructions && i < function->instruction_count; i++) {
        const char *opcode = function->instructions[i].opcode;
        if (has_base(opcode, "SYNCS") || has_base(opcode, "ARRIVES") ||
            (has_base(opcode, "ATOMS") && has_part(opcode, "ARRIVE")))
            return opcode;
    }
    return NULL;
}

const char *smp_opcode_not_modelled(const char *opcode) {
    for (size_t i = 0; i < sizeof unmodelled / sizeof unmodelled[0]; i++) {
        if (has_base(opcode, unmodelled[i].base))
            return unmodelled[i].why;
    }
    return NULL;
}
