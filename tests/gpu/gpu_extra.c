/* SPDX-License-Identifier: MIT */
/*
 * Names and widths of the instructions beyond smp_op; without the toolkit, also what stands for
 * their launches.
 */
#include "gpu_extra.h"

static const struct {
    const char *name;
    uint32_t width_bytes;
} rows[SMP_EXTRA_COUNT] = {
#define SMP_EXTRA_ROW(id, text, width_bytes) [id] = {text, width_bytes},
    SMP_EXTRA_LIST(SMP_EXTRA_ROW)
#undef SMP_EXTRA_ROW
};

const char *smp_extra_name(smp_extra extra) {
    return rows[extra].name;
}

uint32_t smp_extra_width(smp_extra extra) {
    return rows[extra].width_bytes;
}

#ifndef SMP_KERNELS_BUILT
smp_status smp_extra_launch(smp_extra extra, const smp_access *accesses, size_t count,
                            void *scratch, smp_error *error) {
    (void)extra;
    return smp_access_launch(accesses, count, false, scratch, error);
}

smp_status smp_extra_clock(smp_extra extra, const smp_access *access, void *scratch, double *cycles,
                           smp_error *error) {
    (void)extra;
    return smp_access_clock(access, scratch, cycles, error);
}
#endif
