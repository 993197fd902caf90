/* SPDX-License-Identifier: MIT */
/* The version and struct sizes of the library. */
#include "smemprobe.h"

#include "abi_sizes.h"

static const size_row rows[] = {
    SIZE(smp_error),      SIZE(smp_shared_rule),   SIZE(smp_arch),
    SIZE(smp_op_row),     SIZE(smp_access),        SIZE(smp_group),
    SIZE(smp_counts),     SIZE(smp_lane),          SIZE(smp_pattern),
    SIZE(smp_random),     SIZE(smp_layout_access), SIZE(smp_request_place),
    SIZE(smp_totals),     SIZE(smp_layout_expect), SIZE(smp_fix_term),
    SIZE(smp_fix_form),   SIZE(smp_fix_options),   SIZE(smp_fix_result),
    SIZE(smp_map_row),    SIZE(smp_many),          SIZE(smp_lane_array),
    SIZE(smp_row_counts),
};

const char *smp_version(void) {
    return SMP_VERSION;
}

size_t smp_abi_size(const char *type) {
    return abi_size_find(rows, sizeof rows / sizeof rows[0], type);
}
