/* SPDX-License-Identifier: MIT */
/* What the model says of an access beside what the rule on the GPU says. */
#include "rule_case.h"

#include <check.h>

static const char *name_of(const smp_access *access) {
    return smp_ops(NULL)[access->op].name;
}

/* Copies of 16 bytes take no wavefront: the patch counts none, and so says nothing of them. */
static smp_status predict(const smp_arch *arch, const smp_access *access, smp_counts *counts) {
    const smp_status status = smp_predict(arch, access, counts);
    if (access->op == SMP_CP_ASYNC && access->width_bytes == 16)
        counts->valid &= SMP_HAS_TRANSACTIONS;
    return status;
}

void rule_case_check(const smp_arch *arch, const smp_access *access, const rule_result *result) {
    smp_counts counts;
    smp_status status = predict(arch, access, &counts);
    ck_assert_msg(status == SMP_OK || status == SMP_E_NOT_MODELLED, "%s: %s", name_of(access),
                  smp_status_name(status));
    uint32_t known = counts.valid & (SMP_HAS_WAVEFRONTS | SMP_HAS_TRANSACTIONS);
    ck_assert_msg(result->valid == known, "%s of %u bytes: knows %u, not %u", name_of(access),
                  access->width_bytes, result->valid, known);
    if ((counts.valid & SMP_HAS_WAVEFRONTS) != 0)
        ck_assert_msg(result->wavefronts == counts.wavefronts_max &&
                          result->ideal == counts.ideal && result->ways == counts.ways,
                      "%s of %u bytes, mask %08x: wavefronts %u ideal %u ways %u, not %u %u %u",
                      name_of(access), access->width_bytes, access->active_mask, result->wavefronts,
                      result->ideal, result->ways, counts.wavefronts_max, counts.ideal,
                      counts.ways);
    if ((counts.valid & SMP_HAS_TRANSACTIONS) != 0)
        ck_assert_msg(result->sectors == counts.transactions,
                      "%s of %u bytes, mask %08x: sectors %u, not %u", name_of(access),
                      access->width_bytes, access->active_mask, result->sectors,
                      counts.transactions);
}
