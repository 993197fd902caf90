/* SPDX-License-Identifier: MIT */
/*
 * Sweeps over layouts: every request that the warps of a block make, in all iterations; requests
 * with the same addresses are run once.
 */
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "sweep.h"

enum { DISTINCT_MAX = 8192, SLOTS = 2 * DISTINCT_MAX };

typedef struct collection {
    sweep *out;
    const smp_arch *arch;
    const smp_layout *layout;
    size_t index;         /* of the access */
    uint16_t slot[SLOTS]; /* of the report + 1, by hash of its access; 0: free */
} collection;

/* FNV-1a. */
static uint64_t hash(const smp_access *access) {
    const unsigned char *bytes = (const unsigned char *)access;
    uint64_t value = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < sizeof *access; i++)
        value = (value ^ bytes[i]) * UINT64_C(1099511628211);
    return value;
}

/* The same request, with nothing in inactive lanes, so that equal ones are equal in memory. */
static smp_access canonical(const smp_access *access) {
    smp_access out;
    uint32_t lanes = smp_access_lanes(access);
    memset(&out, 0, sizeof out);
    out.op = access->op;
    out.width_bytes = access->width_bytes;
    out.active_mask = access->active_mask;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if ((lanes >> lane & 1) == 0)
            continue;
        out.offset_bytes[lane] = access->offset_bytes[lane];
        out.address_bytes[lane] = access->address_bytes[lane];
    }
    return out;
}

/* The slot of that access, free or not. */
static uint16_t *find_slot(collection *c, const smp_access *access) {
    uint64_t at = hash(access) % SLOTS;
    while (c->slot[at] != 0 &&
           memcmp(&c->out->reports[c->slot[at] - 1].access, access, sizeof *access) != 0)
        at = (at + 1) % SLOTS;
    return &c->slot[at];
}

static void label(const collection *c, const smp_request_place *place, char text[SWEEP_LABEL_MAX]) {
    smp_layout_access access;
    char where[SWEEP_LABEL_MAX / 2];
    smp_layout_access_at(c->layout, c->index, &access);
    (void)smp_request_place_format(c->layout, place, where, sizeof where);
    (void)snprintf(text, SWEEP_LABEL_MAX, "%s: %.*s", where, (int)access.length, access.text);
}

static smp_status collect(void *user, const smp_access *access, const int64_t *ranks,
                          const smp_request_place *place) {
    collection *c = user;
    smp_access own = canonical(access);
    uint16_t *slot = find_slot(c, &own);
    c->out->elsewhere += ranks != NULL;
    if (*slot != 0 || ranks)
        return SMP_OK;
    if (!smp_counter_sees(own.op, own.width_bytes)) {
        c->out->unseen++;
        return SMP_OK;
    }
    if (c->out->count == DISTINCT_MAX)
        return SMP_E_OVERFLOW;
    smp_report *report = &c->out->reports[c->out->count];
    memset(report, 0, sizeof *report);
    report->arch = *c->arch;
    report->access = own;
    label(c, place, c->out->labels[c->out->count]);
    *slot = (uint16_t)++c->out->count;
    return SMP_OK;
}

static smp_status collect_all(collection *c, unsigned *line, smp_error *error) {
    for (c->index = 0; c->index < smp_layout_access_count(c->layout); c->index++) {
        smp_status status = smp_layout_visit(c->layout, c->index, collect, c, line, error);
        if (status == SMP_E_OVERFLOW && c->out->count == DISTINCT_MAX)
            return smp_error_set(error, SMP_E_OVERFLOW, 0,
                                 "more than %d different requests; probe fewer", DISTINCT_MAX);
        if (status != SMP_OK)
            return status;
    }
    return SMP_OK;
}

smp_status sweep_layout(const smp_layout *layout, const smp_arch *arch, sweep *out, unsigned *line,
                        smp_error *error) {
    collection *c = calloc(1, sizeof *c);
    smp_status status = SMP_OK;
    *line = 0;
    *out = (sweep){.reports = malloc(DISTINCT_MAX * sizeof *out->reports),
                   .labels = malloc(DISTINCT_MAX * sizeof *out->labels)};
    if (!c || !out->reports || !out->labels) {
        status = smp_error_set(error, SMP_E_MEMORY, -1, "out of memory");
    } else {
        c->out = out;
        c->arch = arch;
        c->layout = layout;
        status = collect_all(c, line, error);
    }
    free(c);
    if (status != SMP_OK)
        sweep_free(out);
    return status;
}
