/* SPDX-License-Identifier: MIT */
/*
 * Explains a kernel's counters. What each counts was determined on an H200 with Nsight Compute
 * 2025.3 (tests/data/README.md): conflicts are wavefronts minus one for every 128 bytes that a full
 * warp would request; ideal counts active lanes only, and comes from a model, not the hardware.
 */
#include <math.h>
#include <string.h>

#include "explain_counters.h"
#include "sentence.h"

const char *const counted_names[COUNTED_KINDS] = {"loads", "stores", "atomics", "copies"};

static double value_of(const ncu_kernel *kernel, ncu_metric metric) {
    return kernel->known >> metric & 1u ? kernel->value[metric] : NAN;
}

/* The sum of the known ones of two values; NAN if neither is known. */
static double sum_known(double a, double b) {
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

static bool is_more(double a, double b) {
    return a > b + 0.5; /* false if either is unknown */
}

const char *const remark_rows[REMARK_COUNT] = {
#define REMARK_ROW(id, row) [id] = row,
    SMP_REMARK_LIST(REMARK_ROW)
#undef REMARK_ROW
};

static void say(ncu_explanation *out, remark_id id, const smp_slot *slots) {
    if (out->remark_count == REMARKS_MAX)
        return;
    text_buffer speech = text_buffer_over(out->remarks[out->remark_count++], REMARK_SIZE);
    smp_say(&speech, remark_rows[id], slots);
}

#define REMARK(out, id, ...) say(out, id, (const smp_slot[]){__VA_ARGS__})

static void fill_kinds(const ncu_kernel *kernel, ncu_explanation *out) {
    const double ldsm = value_of(kernel, NCU_REQUESTS_LDSM);
    const double stsm = value_of(kernel, NCU_REQUESTS_STSM);
    const ncu_counted kinds[COUNTED_KINDS] = {
        {sum_known(value_of(kernel, NCU_REQUESTS_LD), ldsm), value_of(kernel, NCU_WAVES_LD),
         value_of(kernel, NCU_CONFLICTS_LD)},
        {sum_known(value_of(kernel, NCU_REQUESTS_ST), stsm), value_of(kernel, NCU_WAVES_ST),
         value_of(kernel, NCU_CONFLICTS_ST)},
        {value_of(kernel, NCU_REQUESTS_ATOM), value_of(kernel, NCU_WAVES_ATOM),
         value_of(kernel, NCU_CONFLICTS_ATOM)},
        {value_of(kernel, NCU_REQUESTS_COPY), value_of(kernel, NCU_WAVES_COPY),
         value_of(kernel, NCU_CONFLICTS_COPY)}};
    out->all = (ncu_counted){NAN, NAN, NAN};
    for (int i = 0; i < COUNTED_KINDS; i++) {
        out->kinds[i] = kinds[i];
        out->all.requests = sum_known(out->all.requests, kinds[i].requests);
        out->all.wavefronts = sum_known(out->all.wavefronts, kinds[i].wavefronts);
        out->all.conflicts = sum_known(out->all.conflicts, kinds[i].conflicts);
    }
    if (kernel->known >> NCU_CONFLICTS & 1u)
        out->all.conflicts = kernel->value[NCU_CONFLICTS];
}

/* The metrics that a full explanation needs; others are optional. */
static uint32_t missing_of(const ncu_kernel *kernel) {
    static const ncu_metric needed[] = {NCU_REQUESTS_LD, NCU_REQUESTS_ST,  NCU_WAVES_LD,
                                        NCU_WAVES_ST,    NCU_CONFLICTS_LD, NCU_CONFLICTS_ST,
                                        NCU_MODELLED,    NCU_IDEAL};
    uint32_t missing = 0;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        missing |= ~kernel->known & 1u << needed[i];
    return missing;
}

/* Lists the kinds with more conflicts than arbitration causes, as in "loads and stores". */
static const char *conflicting_kinds(const ncu_explanation *e, char text[64]) {
    text_buffer list = text_buffer_over(text, 64);
    for (int i = 0; i < COUNTED_KINDS; i++)
        if (e->kinds[i].conflicts > 0.2 * e->kinds[i].wavefronts)
            text_join(&list, " and ", "%s", counted_names[i]);
    return list.length > 0 ? text : "accesses";
}

static void remark_excess(ncu_explanation *out, double modelled) {
    char kinds[64];
    if (out->excess == 0 && modelled > 0)
        say(out, REMARK_NO_EXCESS, NULL);
    if (out->excess > 0)
        REMARK(out, REMARK_EXCESS, SMP_REAL(out->excess), SMP_REAL(modelled),
               SMP_REAL(100 * out->excess / modelled), SMP_WORDS(conflicting_kinds(out, kinds)));
}

/* Why a clean access of 8 or 16 bytes is called 2- or 4-way. */
static void remark_width(ncu_explanation *out) {
    const double best = out->ideal / out->all.requests;
    if (!(best > 1.05))
        return;
    REMARK(out, out->kinds[COUNTED_ATOMICS].requests > 0 ? REMARK_BEST_OF_ATOMICS : REMARK_BEST,
           SMP_REAL(best));
}

static void remark_conflicts(ncu_explanation *out) {
    if (is_more(out->other, 0) && is_more(out->by_address, 0))
        REMARK(out, REMARK_SOME_OTHER, SMP_REAL(out->other), SMP_REAL(out->all.conflicts));
    else if (is_more(out->other, 0))
        REMARK(out, REMARK_ALL_OTHER, SMP_REAL(out->all.conflicts));
    if (is_more(out->excess, out->all.conflicts))
        REMARK(out, REMARK_LEFT_OUT, SMP_REAL(out->excess - out->all.conflicts));
}

/* Arbitration also adds conflicts; the unexplained rest is the model's error. */
static void remark_model(ncu_explanation *out, double modelled) {
    if (is_more(out->all.wavefronts - modelled, 1.1 * out->other))
        REMARK(out, REMARK_MODEL, SMP_REAL(out->all.wavefronts),
               SMP_REAL(out->all.wavefronts - modelled));
}

/* Counters are collected in several passes; each may see another part of a short launch. */
static bool contradicts(const ncu_kernel *kernel, const ncu_explanation *e) {
    const double copies = sum_known(0, e->kinds[COUNTED_COPIES].requests);
    const double difference = e->all.requests - copies - value_of(kernel, NCU_REQUESTS);
    return is_more(fabs(difference), 0);
}

void ncu_explain(const ncu_kernel *kernel, ncu_explanation *out) {
    const double modelled = value_of(kernel, NCU_MODELLED);
    memset(out, 0, sizeof *out);
    fill_kinds(kernel, out);
    out->missing = missing_of(kernel);
    out->ideal = value_of(kernel, NCU_IDEAL);
    out->excess = modelled - out->ideal;
    out->by_address = is_more(out->excess, out->all.conflicts) ? out->all.conflicts : out->excess;
    if (isnan(out->all.conflicts))
        out->by_address = NAN;
    out->other = out->all.conflicts - out->by_address;
    out->other_traffic = value_of(kernel, NCU_WAVES_ALL) - out->all.wavefronts;
    if (out->all.requests == 0) {
        say(out, REMARK_NO_ACCESS, NULL);
        return;
    }
    if (contradicts(kernel, out)) {
        say(out, REMARK_CONTRADICTION, NULL);
        return;
    }
    remark_excess(out, modelled);
    remark_width(out);
    remark_conflicts(out);
    remark_model(out, modelled);
    out->misleads = is_more(value_of(kernel, NCU_NWAY), out->all.wavefronts / out->all.requests);
}
