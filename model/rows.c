/* SPDX-License-Identifier: MIT */
/* The vector engines that are built in, and those that this CPU runs. */
#include "rows.h"

const block_engine *smp_block_engine_at(unsigned index, bool *runs_here) {
    *runs_here = false;
#if SMP_HAS_AVX2
    if (index == 0) {
        *runs_here = __builtin_cpu_supports("avx512bw");
        return &smp_block_avx512;
    }
    if (index == 1) {
        *runs_here = __builtin_cpu_supports("avx2");
        return &smp_block_avx2;
    }
#else
    (void)index;
#endif
    return NULL;
}

const block_engine *smp_block_engine(void) {
    const block_engine *engine;
    bool runs_here;
    for (unsigned i = 0; (engine = smp_block_engine_at(i, &runs_here)); i++)
        if (runs_here)
            return engine;
    return NULL;
}
