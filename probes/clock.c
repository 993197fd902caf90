/* SPDX-License-Identifier: MIT */
/*
 * clock.c: what cycles say about wavefronts, the second witness (floors: model/floor.c).
 */
#include <stddef.h>

#include "smp_probes.h"

smp_reading smp_clock_reading(const smp_arch *arch, const smp_access *access, double cycles) {
    double floor = arch ? smp_clock_floor(arch, access->op, access->width_bytes) : 0;
    smp_reading reading = {true, SMP_NOT_COUNTED, false, true, cycles};
    if (floor == 0)
        return reading;
    reading.is_at_most = cycles <= floor;
    reading.count = (uint64_t)((reading.is_at_most ? floor : cycles) + 0.5);
    return reading;
}
