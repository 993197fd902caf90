/* SPDX-License-Identifier: MIT */
/*
 * __syncthreads() where only some threads of a block get to it: they may wait forever (CUDA C++
 * Programming Guide, "Synchronization Functions"). Each warp is run up to its barriers: all of its
 * threads must be there, and every warp must be as often.
 */
#include <stdlib.h>

#include "kernel.h"

static const char waits[] = "__syncthreads() under a condition: only some threads of the block get "
                            "here, and may wait forever";

static uint32_t lanes_of(const ct_walk *run) {
    uint32_t left = run->threads - run->warp * SMP_LANES;
    return left >= SMP_LANES ? SMP_ALL_LANES : (UINT32_C(1) << left) - 1;
}

static smp_status arrive(void *user, const ct_active *active, const ct_expr_instruction *at,
                         smp_error *error) {
    ct_walk *run = user;
    (void)at;
    run->arrivals++;
    if (active->mask == (lanes_of(run) & ~run->returned) && (active->unsure & active->mask) == 0)
        return SMP_OK;
    return smp_error_set(error, SMP_E_RANGE, 0, "%s", waits);
}

static smp_status pass_over(ct_walk *run, const smp_request *request, uint32_t mask,
                            const ct_lanes_value offset, const ct_lanes_value source,
                            const ct_lanes_value ranks) {
    (void)run, (void)request, (void)mask, (void)offset, (void)source, (void)ranks;
    return SMP_OK;
}

/* Where the first of them is, for a message. */
static unsigned first_line(const smp_layout *kernel) {
    for (uint32_t i = 1; i < kernel->statement_count; i++) {
        if (kernel->statements[i].has_barrier)
            return kernel->code.items[kernel->statements[i].program.start].line;
    }
    return 0;
}

smp_status ct_barriers_check(const smp_layout *kernel, unsigned *line, smp_error *error) {
    ct_walk *run = kernel->has_barrier ? malloc(sizeof *run) : NULL;
    if (!run)
        return kernel->has_barrier ? smp_error_memory(error) : SMP_OK;
    ct_walk_init(run, kernel, CT_WALK_NONE, error);
    run->visit = pass_over;
    run->state.access = NULL;
    run->state.barrier = arrive;
    ct_walk_need_barriers(run);
    smp_status status = SMP_OK;
    uint32_t warps = (run->threads + SMP_LANES - 1) / SMP_LANES, first = 0;
    for (uint32_t warp = 0; warp < warps && status == SMP_OK; warp++) {
        run->arrivals = 0;
        status = ct_walk_warp(run, warp);
        first = warp == 0 ? run->arrivals : first;
        if (status == SMP_OK && run->arrivals != first) {
            run->line = first_line(kernel);
            status = smp_error_set(error, SMP_E_RANGE, 0, "%s: warp 0 %u times, warp %u %u times",
                                   waits, first, warp, run->arrivals);
        }
    }
    *line = run->line;
    free(run);
    return status;
}
