/* SPDX-License-Identifier: MIT */
/*
 * Neighbouring accesses that one could do.
 */
#include "profile_wider.h"

#include <inttypes.h>
#include <string.h>

#include "text_buffer.h"

enum { WIDEST_BYTES = 16, PLACES_SHOWN = 4 };

static bool takes_part(const smp_profile_site *site) {
    return (site->op == SMP_LD_SHARED || site->op == SMP_ST_SHARED) && !site->not_modelled &&
           site->space == SMP_SPACE_SHARED && site->requests_lost == 0 && site->distinct_count > 0;
}

static bool is_alike(const smp_profile_site *a, const smp_profile_site *b) {
    return a->op == b->op && a->width_bytes == b->width_bytes && a->requests == b->requests &&
           a->distinct_count == b->distinct_count;
}

/* Of the lowest active lane. */
static uint64_t first_offset(const smp_profile_request *request) {
    unsigned lane = 0;
    while (lane + 1 < SMP_LANES && !(request->mask >> lane & 1))
        lane++;
    return request->offset_bytes[lane];
}

static uint64_t least_offset(const smp_profile_site *site) {
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < site->distinct_count; i++) {
        const uint64_t at = first_offset(&site->distinct[i]);
        least = at < least ? at : least;
    }
    return least;
}

static bool is_moved(const smp_profile_request *a, const smp_profile_request *b,
                     uint64_t by_bytes) {
    if (a->mask != b->mask || a->count != b->count)
        return false;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if ((a->mask >> lane & 1) && a->offset_bytes[lane] + by_bytes != b->offset_bytes[lane])
            return false;
    }
    return true;
}

/* Every request of `a` is one of `b`, `by_bytes` further on. There are as many, all distinct. */
static bool is_neighbour(const smp_profile_site *a, const smp_profile_site *b, uint64_t by_bytes) {
    for (uint32_t i = 0; i < a->distinct_count; i++) {
        bool found = false;
        for (uint32_t j = 0; !found && j < b->distinct_count; j++)
            found = is_moved(&a->distinct[i], &b->distinct[j], by_bytes);
        if (!found)
            return false;
    }
    return true;
}

/* The site `by_bytes` behind `base`, of the same source line where there is a choice. */
static const smp_profile_site *neighbour(const smp_kernel_profile *kernel,
                                         const smp_profile_site *base, uint64_t by_bytes) {
    const smp_profile_site *found = NULL;
    const uint64_t wanted = least_offset(base) + by_bytes;
    for (uint32_t i = 0; i < kernel->site_count; i++) {
        const smp_profile_site *other = &kernel->sites[i];
        if (!takes_part(other) || !is_alike(base, other) || least_offset(other) != wanted ||
            !is_neighbour(base, other, by_bytes))
            continue;
        const bool same_line = base->frame_count > 0 && other->frame_count > 0 &&
                               base->frames[0].line == other->frames[0].line;
        if (!found || same_line)
            found = other;
        if (same_line)
            break;
    }
    return found;
}

/* False where the model has no number for one of them: it refuses what is not aligned. */
static bool price(const smp_arch *arch, const smp_profile_site *site, uint32_t width,
                  uint64_t *wavefronts) {
    *wavefronts = 0;
    for (uint32_t i = 0; i < site->distinct_count; i++) {
        const smp_profile_request *request = &site->distinct[i];
        smp_access access = {.op = site->op, .width_bytes = width, .active_mask = request->mask};
        smp_counts counts;
        for (unsigned lane = 0; lane < SMP_LANES; lane++)
            access.offset_bytes[lane] = (uint32_t)request->offset_bytes[lane];
        if (smp_predict(arch, &access, &counts) != SMP_OK || !(counts.valid & SMP_HAS_WAVEFRONTS))
            return false;
        *wavefronts += request->count * counts.wavefronts_max;
    }
    return true;
}

/* Those that together fill `width` bytes, `site` among them. */
static bool join(const smp_kernel_profile *kernel, const smp_profile_site *site, uint32_t width,
                 smp_wider *out) {
    const uint32_t own = (uint32_t)(first_offset(&site->distinct[0]) % width);
    const smp_profile_site *base = site;
    *out = (smp_wider){.width_bytes = width};
    if (own % site->width_bytes != 0)
        return false;
    for (uint32_t at = 0; at < width; at += site->width_bytes) {
        const smp_profile_site *next =
            at == own ? site : neighbour(kernel, site, (uint64_t)at - own);
        if (!next)
            return false;
        base = at == 0 ? next : base;
        out->sites[out->site_count++] = next;
        out->before += next->wavefronts;
    }
    return price(kernel->arch, base, width, &out->after) && out->after < out->before;
}

void smp_wider_find(const smp_kernel_profile *kernel, const smp_profile_site *site,
                    smp_wider *out) {
    *out = (smp_wider){.site_count = 0};
    if (!kernel->arch || !takes_part(site) || site->width_bytes == 0)
        return;
    for (uint32_t width = WIDEST_BYTES; width > site->width_bytes && width >= 4; width /= 2) {
        smp_wider found;
        if (!join(kernel, site, width, &found))
            continue;
        /* The wider of two joins more; both count what they join, so compare what is saved. */
        if (out->site_count == 0 || found.before - found.after > out->before - out->after)
            *out = found;
    }
}

size_t smp_wider_words(const smp_wider *wider, char *text, size_t size) {
    text_buffer out = text_buffer_over(text, size);
    const smp_profile_site *first = wider->sites[0];
    text_add(&out,
             "one access of %" PRIu32 " bytes in the place of %" PRIu32 " of %" PRIu32 ", at ",
             wider->width_bytes, wider->site_count, first->width_bytes);
    for (uint32_t i = 0; i < wider->site_count && i < PLACES_SHOWN; i++)
        text_add(&out, "%s+0x%" PRIx32, i > 0 ? ", " : "", wider->sites[i]->offset_bytes);
    if (wider->site_count > PLACES_SHOWN)
        text_add(&out, " ...");
    return out.length;
}
