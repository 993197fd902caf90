/* SPDX-License-Identifier: MIT */
/*
 * The tag stage of L1, which decides which lines of a request are looked up together.
 *
 * There are four tag banks, and each looks up one line of 128 bytes in a wavefront. A line's bank
 * is two parities of its address. Which address bits count was found by measuring lines that differ
 * in single bits on GH100, up to address bit 34 (model/FINDINGS.md); bits that all lanes share
 * cancel out, because parities are linear, so nothing above is missed unless lanes are more than 32
 * GiB apart. Lines of one aligned block of 512 bytes always fall in four banks.
 */
#include "tag.h"
#include "mask.h"

#define LINE_SHIFT 7
#define KNOWN_BITS 35
#define BANK_BIT_0 0x5ef7ab5u
#define BANK_BIT_1 0xb55af6fu

static unsigned parity(uint64_t bits) {
    return (unsigned)__builtin_parityll(bits);
}

bool smp_tags_fill(const uint64_t addresses[SMP_LANES], uint32_t lanes, smp_tags *out) {
    uint64_t first = addresses[lowest_lane(lanes)];
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        unsigned lane = lowest_lane(left);
        uint64_t line = addresses[lane] >> LINE_SHIFT;
        if ((addresses[lane] ^ first) >> KNOWN_BITS != 0)
            return false;
        out->line[lane] = line;
        out->bank[lane] = (uint8_t)(parity(line & BANK_BIT_0) | parity(line & BANK_BIT_1) << 1);
    }
    return true;
}

uint32_t smp_tags_take(const smp_tags *tags, uint32_t waiting) {
    uint64_t line_of_bank[4] = {0};
    uint32_t taken = 0;
    unsigned busy = 0;
    for (; waiting != 0; waiting &= waiting - 1) {
        unsigned lane = lowest_lane(waiting), bank = tags->bank[lane];
        if ((busy >> bank & 1) == 0)
            line_of_bank[bank] = tags->line[lane];
        busy |= 1u << bank;
        if (line_of_bank[bank] == tags->line[lane])
            taken |= 1u << lane;
    }
    return taken;
}

smp_status smp_l1_check(const smp_arch *arch, const smp_access *access, bool is_covered) {
    const smp_status status = smp_access_check(arch, access, NULL);
    return status == SMP_OK && !(arch->l1_source && is_covered) ? SMP_E_NOT_MODELLED : status;
}

smp_status smp_tags_of(const smp_arch *arch, const smp_access *access, bool is_covered,
                       smp_tags *out) {
    const smp_status status = smp_l1_check(arch, access, is_covered);
    const bool is_known =
        status == SMP_OK && smp_tags_fill(access->address_bytes, access->active_mask, out);
    return status == SMP_OK && !is_known ? SMP_E_NOT_MODELLED : status;
}
