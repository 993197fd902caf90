/* SPDX-License-Identifier: MIT */
/*
 * The names that expressions know without a declaration: CUDA's built-in variables and integer
 * functions, one row each. Names of the caller (constants, loop variables) are looked up first.
 */
#include <string.h>

#include "code.h"

typedef struct builtin_row {
    const char *name;
    uint16_t slot;
    uint8_t dimensions;
} builtin_row;

static const builtin_row builtins[] = {
    {"threadIdx", CT_SLOT_THREAD, 3},   {"blockIdx", CT_SLOT_BLOCK, 3},
    {"blockDim", CT_SLOT_BLOCK_DIM, 3}, {"gridDim", CT_SLOT_GRID_DIM, 3},
    {"laneid", CT_SLOT_LANE, 1},        {"warpid", CT_SLOT_WARP, 1},
};

static const ct_expr_function functions[] = {
    {"min", CT_CODE_MIN, 2, 0},
    {"max", CT_CODE_MAX, 2, 0},
    {"umin", CT_CODE_MIN, 2, 32},
    {"umax", CT_CODE_MAX, 2, 32},
    {"abs", CT_CODE_ABS, 1, 0},
    {"__popc", CT_CODE_POPC, 1, 32},
    {"__popcll", CT_CODE_POPC, 1, 64},
    {"__brev", CT_CODE_BREV, 1, 32},
    {"__brevll", CT_CODE_BREV, 1, 64},
    {"__ffs", CT_CODE_FFS, 1, 32},
    {"__ffsll", CT_CODE_FFS, 1, 64},
    {"__clz", CT_CODE_CLZ, 1, 32},
    {"__clzll", CT_CODE_CLZ, 1, 64},
    {"__umul24", CT_CODE_MUL24, 2, 32},
    {"__mul24", CT_CODE_MUL24, 2, 33},
    {"__umulhi", CT_CODE_MULHI, 2, 32},
    {"__mulhi", CT_CODE_MULHI, 2, 33},
    {"__umul64hi", CT_CODE_MULHI, 2, 64},
    {"__funnelshift_l", CT_CODE_FUNNEL_L, 3, 32},
    {"__funnelshift_r", CT_CODE_FUNNEL_R, 3, 32},
    {"__funnelshift_lc", CT_CODE_FUNNEL_LC, 3, 32},
    {"__funnelshift_rc", CT_CODE_FUNNEL_RC, 3, 32},
    {"__byte_perm", CT_CODE_PERMUTE, 3, 32},
};

static bool same(const char *row, const char *name, size_t length) {
    return strlen(row) == length && memcmp(row, name, length) == 0;
}

const ct_expr_function *ct_function_find(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (same(functions[i].name, name, length))
            return &functions[i];
    }
    return NULL;
}

bool ct_builtin_find(const char *name, size_t length, uint16_t *slot, unsigned *dimensions) {
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
        if (!same(builtins[i].name, name, length))
            continue;
        *slot = builtins[i].slot;
        *dimensions = builtins[i].dimensions;
        return true;
    }
    return false;
}
