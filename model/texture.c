/* SPDX-License-Identifier: MIT */
/*
 * Textures in linear memory and constants with an address a lane, as measured on GH100
 * (model/FINDINGS.md, 12). A fetch goes by groups of 8 lanes (4, 8 bytes) or 4 (16 bytes), each a
 * request of its own with its own sectors. The tag stage looks up one line in each of four banks at
 * once, as it does for loads, but here the bank is simply the line's number modulo 4.
 */
#include "mask.h"
#include "rule.h"

enum { LINE_SHIFT = 7, SECTOR_SHIFT = 5, TAG_BANKS = 4, BANKS = 32 };

/* Distinct blocks of 2^shift bytes of `lanes`. */
static unsigned distinct(const smp_access *access, uint32_t lanes, unsigned shift) {
    unsigned count = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const uint64_t block = access->address_bytes[lowest_lane(left)] >> shift;
        bool is_new = true;
        for (uint32_t rest = left & (left - 1); rest != 0 && is_new; rest &= rest - 1)
            is_new = access->address_bytes[lowest_lane(rest)] >> shift != block;
        count += is_new;
    }
    return count;
}

/* The lanes of one wavefront of the tag stage. */
static uint32_t take(const smp_access *access, uint32_t waiting) {
    uint64_t line_of[TAG_BANKS] = {0};
    uint32_t taken = 0, busy = 0;
    for (; waiting != 0; waiting &= waiting - 1) {
        const unsigned lane = lowest_lane(waiting);
        const uint64_t line = access->address_bytes[lane] >> LINE_SHIFT;
        const unsigned bank = line % TAG_BANKS;
        if (!(busy >> bank & 1))
            line_of[bank] = line;
        busy |= 1u << bank;
        taken |= (uint32_t)(line_of[bank] == line) << lane;
    }
    return taken;
}

/* 16 bytes: the most distinct places on one of the eight units of the banks. */
static unsigned most_on_a_unit(const smp_access *access, uint32_t lanes) {
    unsigned most = 0;
    for (unsigned unit = 0; unit < BANKS / 4; unit++) {
        uint32_t here = 0;
        for (uint32_t left = lanes; left != 0; left &= left - 1)
            if (access->address_bytes[lowest_lane(left)] / 16 % (BANKS / 4) == unit)
                here |= 1u << lowest_lane(left);
        const unsigned count = distinct(access, here, 4);
        most = count > most ? count : most;
    }
    return most;
}

static smp_status refuse(const smp_arch *arch, const smp_access *access, uint32_t widths) {
    const smp_status status = smp_access_check(arch, access, NULL);
    if (status == SMP_OK &&
        (!arch->l1_source || access->op != SMP_LD_GLOBAL || !(widths & access->width_bytes)))
        return SMP_E_NOT_MODELLED;
    return status;
}

smp_status smp_texture_predict(const smp_arch *arch, const smp_access *access,
                               smp_texture_counts *out) {
    *out = (smp_texture_counts){0};
    const smp_status status = refuse(arch, access, 4 | 8 | 16);
    if (status != SMP_OK)
        return status;
    const unsigned group_lanes = access->width_bytes == 16 ? 4 : 8;
    const uint32_t group = SMP_ALL_LANES >> (SMP_LANES - group_lanes);
    for (unsigned first = 0; first < SMP_LANES; first += group_lanes) {
        uint32_t waiting = access->active_mask & (group << first);
        out->requests += waiting != 0;
        out->sectors += distinct(access, waiting, SECTOR_SHIFT);
        for (; waiting != 0; out->tag_wavefronts++) {
            const uint32_t taken = take(access, waiting);
            if (access->width_bytes == 16)
                out->data_wavefronts += most_on_a_unit(access, taken);
            waiting &= ~taken;
        }
    }
    return SMP_OK;
}

smp_status smp_constant_requests(const smp_arch *arch, const smp_access *access, uint32_t *out) {
    *out = 0;
    const smp_status status = refuse(arch, access, 1 | 4 | 8);
    if (status == SMP_OK)
        *out = distinct(access, access->active_mask, 0);
    return status;
}
