/* SPDX-License-Identifier: MIT */
/*
 * Loads of local memory inside L1, as measured on GH100 (model/FINDINGS.md, 9). Word w of lane l
 * lies at byte 128 w + 4 l from where the warp's local memory begins. The words of a lane are taken
 * one behind the other; the tag stage looks their lines up as those of any load, and no two lanes
 * meet on a bank.
 */
#include "coalesce.h"
#include "past_l1.h"
#include "tag.h"

enum { LINE_BYTES = 128, WORD_BYTES = 4, SECTOR_SHIFT = 5 };

smp_status smp_local_predict(const smp_arch *arch, const smp_access *access, uint64_t first_line,
                             smp_local_counts *out) {
    *out = (smp_local_counts){0};
    const smp_status status = smp_l1_check(arch, access, access->op == SMP_LD_GLOBAL);
    if (status != SMP_OK)
        return status;
    const uint32_t words = access->width_bytes < WORD_BYTES ? 1 : access->width_bytes / WORD_BYTES;
    for (uint32_t word = 0; word < words; word++) {
        uint64_t addresses[SMP_LANES];
        smp_tags tags;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            addresses[lane] =
                (first_line + access->address_bytes[lane] / WORD_BYTES + word) * LINE_BYTES +
                (uint64_t)lane * WORD_BYTES;
        if (!smp_tags_fill(addresses, access->active_mask, &tags)) {
            *out = (smp_local_counts){0};
            return SMP_E_NOT_MODELLED;
        }
        out->sectors += smp_distinct_blocks(addresses, access->active_mask, SECTOR_SHIFT);
        for (uint32_t waiting = access->active_mask; waiting != 0; out->tag_wavefronts++)
            waiting &= ~smp_tags_take(&tags, waiting);
        out->hit_wavefronts++;
    }
    return SMP_OK;
}
