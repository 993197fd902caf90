/* SPDX-License-Identifier: MIT */
/*
 * Requests of one shape, found by comparing each with the first of each shape before.
 */
#include "profile_shapes.h"

#include <string.h>

static unsigned first_lane(uint32_t mask) {
    unsigned lane = 0;
    while (lane < SMP_LANES && !(mask >> lane & 1))
        lane++;
    return lane;
}

static bool same_shape(const smp_profile_request *a, const smp_profile_request *b) {
    const unsigned first = first_lane(a->mask);
    if (a->mask != b->mask || a->wavefronts != b->wavefronts || a->ideal != b->ideal ||
        a->has_source != b->has_source)
        return false;
    for (unsigned lane = first; lane < SMP_LANES; lane++) {
        if ((a->mask >> lane & 1) == 0)
            continue;
        if (a->offset_bytes[lane] - a->offset_bytes[first] !=
                b->offset_bytes[lane] - b->offset_bytes[first] ||
            a->source_bytes[lane] - a->source_bytes[first] !=
                b->source_bytes[lane] - b->source_bytes[first])
            return false;
    }
    return true;
}

static bool is_before(const smp_profile_site *site, const smp_request_shape *a,
                      const smp_request_shape *b) {
    if (a->request->wavefronts != b->request->wavefronts)
        return a->request->wavefronts > b->request->wavefronts;
    const bool has_worst[2] = {same_shape(a->request, &site->worst),
                               same_shape(b->request, &site->worst)};
    if (has_worst[0] != has_worst[1])
        return has_worst[0];
    return a->count != b->count ? a->count > b->count
                                : smp_request_compare(a->request, b->request) > 0;
}

static void insert(const smp_profile_site *site, const smp_request_shape *shape, uint32_t known,
                   smp_request_shape *out) {
    uint32_t at = known < SMP_SITE_SHAPES_MAX ? known : SMP_SITE_SHAPES_MAX;
    while (at > 0 && is_before(site, shape, &out[at - 1])) {
        if (at < SMP_SITE_SHAPES_MAX)
            out[at] = out[at - 1];
        at--;
    }
    if (at < SMP_SITE_SHAPES_MAX)
        out[at] = *shape;
}

uint32_t smp_site_shapes(const smp_profile_site *site, smp_request_shape *out) {
    bool is_taken[SMP_SITE_REQUESTS_MAX] = {false};
    uint32_t known = 0;
    for (uint32_t i = 0; i < site->distinct_count && i < SMP_SITE_REQUESTS_MAX; i++) {
        smp_request_shape shape = {.request = &site->distinct[i]};
        if (is_taken[i])
            continue;
        for (uint32_t j = i; j < site->distinct_count && j < SMP_SITE_REQUESTS_MAX; j++) {
            if (is_taken[j] || !same_shape(shape.request, &site->distinct[j]))
                continue;
            is_taken[j] = true;
            shape.count += site->distinct[j].count;
            shape.places++;
        }
        if (same_shape(shape.request, &site->worst))
            shape.request = &site->worst;
        insert(site, &shape, known++, out);
    }
    if (known == 0 && site->worst.mask != 0) {
        out[0] = (smp_request_shape){.request = &site->worst, .places = 1};
        return 1;
    }
    return known;
}
