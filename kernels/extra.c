/* SPDX-License-Identifier: MIT */
/*
 * extra.c: names and widths of the instructions beyond smp_op.
 */
#include "smp_kernels.h"

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
