/* SPDX-License-Identifier: MIT */
/*
 * The accesses of prefix sums in one pass (scan_look_back.cu), in the language
 * of layouts.
 */
#include <inttypes.h>

#include "scan.h"

static uint64_t look_back_blocks(const smp_kernel_case *problem) {
    return problem->columns ? smp_divide_up(problem->columns, SMP_LOOK_BACK_TILE) : 1;
}

smp_kernel_shape smp_scan_shape_look_back(const smp_kernel_case *problem) {
    return (smp_kernel_shape){.blocks = look_back_blocks(problem),
                              .threads = SMP_LOOK_BACK_THREADS,
                              .shared_bytes =
                                  (SMP_LOOK_BACK_THREADS / SMP_LANES + 1) * sizeof(uint32_t)};
}

/* All accesses except a block's reads of the sums that other blocks published. */
bool smp_scan_script_look_back(const smp_kernel_case *problem, uint32_t index,
                               smp_kernel_script *script) {
    const char *type = smp_element_info(problem->element)->layout_name;
    const uint64_t blocks = look_back_blocks(problem);
    if (index > 0)
        return false;
    smp_script_add(script,
                   "#define N %" PRIu64 "\n#define TILE %d\n#define WARPS %d\n"
                   "global %s in[N]\nglobal %s out[N]\nglobal double said[%" PRIu64 "]\n"
                   "shared %s sums[WARPS]\nshared %s before\nblock %d\ngrid %" PRIu64 "\n",
                   problem->columns, SMP_LOOK_BACK_TILE, SMP_LOOK_BACK_THREADS / SMP_LANES, type,
                   type, blocks, type, type, SMP_LOOK_BACK_THREADS, blocks);
    smp_script_add(script,
                   "let t = threadIdx.x\nlet first = blockIdx.x * TILE + warpid * (TILE / WARPS) "
                   "+ laneid * 4\nbool is_whole = (blockIdx.x + 1) * TILE <= N\n"
                   "for (int k = 0; k < TILE / WARPS; k += 128) {\n"
                   "if (is_whole) ld *(uint4 *)&in[first + k]   # input\n"
                   "for (int e = 0; e < 4; e++) {\n"
                   "if (!is_whole && first + k + e < N) ld in[first + k + e]   # input\n}\n}\n");
    smp_script_add(script, "if (laneid == 0) st sums[warpid]   # warp sums\n"
                           "if (t < WARPS) ld sums[t]   # warp sums\n"
                           "if (t == 0) st said[blockIdx.x]   # said\n"
                           "if (t < WARPS) st sums[t]   # warp sums\n"
                           "if (t == 0 && blockIdx.x > 0) st said[blockIdx.x]   # said\n"
                           "if (t == 0) st before   # sum before\n"
                           "ld before   # sum before\nld sums[warpid]   # warp sums\n"
                           "for (int k = 0; k < TILE / WARPS; k += 128) {\n"
                           "if (is_whole) st *(uint4 *)&out[first + k]   # output\n"
                           "for (int e = 0; e < 4; e++) {\n"
                           "if (!is_whole && first + k + e < N) "
                           "st out[first + k + e]   # output\n}\n}\n");
    smp_script_add_block(script, 0, 1);
    smp_script_add_block(script, 1, blocks > 2 ? blocks - 2 : 0);
    smp_script_add_block(script, blocks - 1, blocks > 1);
    return true;
}

const char *smp_scan_waits(const smp_kernel_case *problem) {
    return problem->columns > SMP_LOOK_BACK_TILE
               ? "blocks look for the sums of others until they are there: loads of global memory "
                 "read more than is said, and not the same twice"
               : NULL;
}
