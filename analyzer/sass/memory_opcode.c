/* SPDX-License-Identifier: MIT */
/* Machine instructions that access memory, as rows; the first match counts. */
#include "memory_opcode.h"

#include <stdio.h>
#include <string.h>

#include "list.h"
#include "sass_parse.h"

typedef struct opcode_row {
    uint16_t opcode, modifier;        /* sass_name; SASS_NONE: any modifiers */
    smp_op op[SMP_SPACE_CLUSTER + 1]; /* by space; SMP_OP_COUNT: none */
} opcode_row;

#define NONE SMP_OP_COUNT
#define IN_SHARED(op) \
    { [SMP_SPACE_SHARED] = op, NONE, NONE, NONE }
#define IN_COPY(op) \
    { NONE, [SMP_SPACE_COPY] = op, NONE, NONE }
#define IN_GLOBAL(op) \
    { NONE, NONE, [SMP_SPACE_GLOBAL] = op, NONE }
#define IN_CLUSTER(op) \
    { NONE, NONE, NONE, [SMP_SPACE_CLUSTER] = op }
#define GENERIC(shared, global, cluster)                                 \
    {                                                                    \
        [SMP_SPACE_SHARED] = shared,                                     \
        NONE, [SMP_SPACE_GLOBAL] = global, [SMP_SPACE_CLUSTER] = cluster \
    }

static const opcode_row rows[] = {
    {SASS_LDS, SASS_NONE, IN_SHARED(SMP_LD_SHARED)},
    {SASS_STS, SASS_NONE, IN_SHARED(SMP_ST_SHARED)},
    {SASS_ATOMS, SASS_CAS, IN_SHARED(SMP_ATOM_SHARED_CAS)},
    {SASS_ATOMS, SASS_CAST, IN_SHARED(SMP_ATOM_SHARED_CAS)},
    {SASS_ATOMS, SASS_POPC, IN_SHARED(SMP_RED_SHARED_INC)},
    {SASS_ATOMS, SASS_NONE, IN_SHARED(SMP_ATOM_SHARED)},
    {SASS_LDGSTS, SASS_BYPASS, IN_COPY(SMP_CP_ASYNC)},
    {SASS_LDGSTS, SASS_128, IN_COPY(SMP_CP_ASYNC_CA)},
    {SASS_LDGSTS, SASS_NONE, IN_COPY(SMP_CP_ASYNC)},
    {SASS_LDG, SASS_NONE, IN_GLOBAL(SMP_LD_GLOBAL)},
    {SASS_STG, SASS_NONE, IN_GLOBAL(SMP_ST_GLOBAL)},
    {SASS_LDL, SASS_NONE, IN_GLOBAL(SMP_LD_GLOBAL)},
    {SASS_STL, SASS_NONE, IN_GLOBAL(SMP_ST_GLOBAL)},
    {SASS_RED, SASS_NONE, GENERIC(SMP_RED_SHARED, SMP_RED_GLOBAL, SMP_ATOM_CLUSTER)},
    {SASS_REDG, SASS_NONE, IN_GLOBAL(SMP_RED_GLOBAL)},
    {SASS_ATOMG, SASS_NONE, IN_GLOBAL(SMP_RED_GLOBAL)},
    {SASS_ATOM, SASS_CAS, GENERIC(SMP_ATOM_SHARED_CAS, SMP_RED_GLOBAL, SMP_ATOM_CLUSTER)},
    {SASS_ATOM, SASS_NONE, GENERIC(SMP_ATOM_SHARED, SMP_RED_GLOBAL, SMP_ATOM_CLUSTER)},
    {SASS_LD, SASS_NONE, GENERIC(SMP_LD_SHARED, SMP_LD_GLOBAL, SMP_LD_CLUSTER)},
    {SASS_ST, SASS_NONE, GENERIC(SMP_ST_SHARED, SMP_ST_GLOBAL, SMP_ST_CLUSTER)},
    {SASS_STAS, SASS_NONE, IN_CLUSTER(SMP_ST_CLUSTER)},
    {SASS_REDAS, SASS_NONE, IN_CLUSTER(SMP_ATOM_CLUSTER)},
};

typedef struct unmodelled_row {
    uint16_t opcode; /* sass_name */
    const char *why;
} unmodelled_row;

#define NOT_SHOWN(what, more) what ": not counted on a GPU, as NVIDIA's API does not show it; " more

#define OF_TEXTURE "texture: not counted in machine code; the model predicts those in linear memory"
#define OF_SURFACE "surface: not counted"

static const unmodelled_row unmodelled[] = {
    {SASS_TEX, OF_TEXTURE},
    {SASS_TLD, OF_TEXTURE},
    {SASS_TLD4, OF_TEXTURE},
    {SASS_TXD, OF_TEXTURE},
    {SASS_SULD, OF_SURFACE},
    {SASS_SUST, OF_SURFACE},
    {SASS_UBLKCP, "bulk copy: measured only on 9.0, where no address conflicts"},
    {SASS_UBLKRED, "bulk reduction: measured only on 9.0, where no address conflicts"},
    {SASS_UTMALDG, NOT_SHOWN("tensor copy", "on 9.0 no layout conflicts")},
    {SASS_UTMASTG, NOT_SHOWN("tensor copy", "on 9.0 no layout conflicts")},
    {SASS_UTMAREDG, NOT_SHOWN("tensor reduction", "on 9.0 no layout conflicts")},
    {SASS_HGMMA, "matrix operands from shared memory: measured on 9.0 alone, with elements of 16 "
                 "and 32 bits"},
    {SASS_IGMMA, "matrix operands from shared memory: no rule"},
    {SASS_QGMMA, "matrix operands from shared memory: no rule"},
    {SASS_BGMMA, "matrix operands from shared memory: no rule"},
    {SASS_LDC, NOT_SHOWN("load of constants at an address for each lane",
                         "each different address takes a request of its own")},
};

static bool has_modifier(const sass_instruction *words, sass_name name) {
    return ANY(one, words->modifiers, words->modifier_count, *one == name);
}

/* LDSM.16.M88.2, LDSM.16.MT88.4, STSM...: an offset to the first of four operations by load and
 * transposition. */
static smp_op matrix_op(const sass_instruction *words) {
    const bool transposed = has_modifier(words, SASS_MT88);
    const unsigned by = has_modifier(words, SASS_4) ? 2 : has_modifier(words, SASS_2) ? 1 : 0;
    const smp_op first = words->opcode == SASS_LDSM
                             ? (transposed ? SMP_LDMATRIX_X1_TRANS : SMP_LDMATRIX_X1)
                             : (transposed ? SMP_STMATRIX_X1_TRANS : SMP_STMATRIX_X1);
    return (smp_op)((unsigned)first + by);
}

bool smp_opcode_is_async(const char *opcode) {
    sass_instruction words;
    (void)smp_sass_parse_opcode(opcode, &words);
    return words.opcode == SASS_STAS || words.opcode == SASS_REDAS;
}

enum { WARPS_OF_GROUP = 4 /* each makes one request of a wgmma */ };

/* "HGMMA.64x128x16.F32.BF16": elements of 16 or 32 bits, 32 bytes of K. */
static bool warpgroup_cost(const smp_arch *arch, const char *opcode, const char *operands,
                           smp_fixed_cost *out) {
    unsigned columns = 0, depth = 0;
    if (!operands || sscanf(opcode, "HGMMA.64x%ux%u", &columns, &depth) != 2)
        return false;
    const unsigned bytes = depth * (strstr(opcode, ".TF32") ? 4 : 2);
    const char *second = strchr(operands, ',');
    const bool a_is_shared = second && strncmp(second + strspn(second, ", "), "gdesc", 5) == 0;
    out->requests = WARPS_OF_GROUP;
    return second && bytes == 32 &&
           smp_wgmma_wavefronts(arch, columns, a_is_shared, &out->wavefronts) == SMP_OK;
}

bool smp_opcode_fixed_cost(const smp_arch *arch, const char *opcode, const char *operands,
                           smp_fixed_cost *out) {
    sass_instruction words;
    *out = (smp_fixed_cost){0, 1};
    if (!arch || !arch->bulk_source)
        return false;
    (void)smp_sass_parse_opcode(opcode, &words);
    switch (words.opcode) {
    case SASS_HGMMA:
        return warpgroup_cost(arch, opcode, operands, out);
    case SASS_UBLKCP: /* not executed by the load-store unit */
    case SASS_UBLKRED:
    case SASS_UTMALDG:
    case SASS_UTMASTG:
    case SASS_UTMAREDG:
        return true;
    default:
        return false;
    }
}

smp_op smp_opcode_op(const char *opcode, smp_space space) {
    sass_instruction words;
    (void)smp_sass_parse_opcode(opcode, &words);
    if ((words.opcode == SASS_LDSM || words.opcode == SASS_STSM) && space == SMP_SPACE_SHARED)
        return matrix_op(&words);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (words.opcode == rows[i].opcode &&
            (rows[i].modifier == SASS_NONE || has_modifier(&words, rows[i].modifier)))
            return rows[i].op[space];
    return SMP_OP_COUNT;
}

const char *smp_function_barrier(const smp_function *function) {
    sass_instruction words;
    for (uint32_t i = 0; function->instructions && i < function->instruction_count; i++) {
        (void)smp_sass_parse_opcode(function->instructions[i].opcode, &words);
        if (words.opcode == SASS_SYNCS || words.opcode == SASS_ARRIVES ||
            (words.opcode == SASS_ATOMS && has_modifier(&words, SASS_ARRIVE)))
            return function->instructions[i].opcode;
    }
    return NULL;
}

const char *smp_opcode_not_modelled(const char *opcode, const char *operands) {
    sass_instruction words;
    (void)smp_sass_parse_opcode(opcode, &words);
    if (words.opcode == SASS_LDC && !(operands && strstr(operands, "][R"))) /* one address a warp */
        return NULL;
    const unmodelled_row *row = FIND(one, unmodelled, sizeof unmodelled / sizeof unmodelled[0],
                                     one->opcode == words.opcode);
    return row ? row->why : NULL;
}
