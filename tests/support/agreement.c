/* SPDX-License-Identifier: MIT */
/* Compares field by field, shrinks, prints a batch line. */
#include "agreement.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "smp_accesses.h"
#include "smp_verify.h"

/* ---- Comparing ---- */

static bool has(const smp_counts *counts, uint32_t bit) {
    return (counts->valid & bit) != 0;
}

static const char *group_difference(const smp_counts *got, const reference_counts *want) {
    unsigned index = 0;
    for (unsigned i = 0; i < got->group_count && i < SMP_GROUPS_MAX; i++) {
        const smp_group *group = &got->groups[i];
        if (group->lanes == 0 && (group->ways != 0 || group->wavefronts_max != 0))
            return "groups[] without lanes";
        if (group->lanes == 0)
            continue;
        if (index == want->group_count)
            return "group_count";
        const reference_group *wanted = &want->groups[index++];
        if (group->lanes != wanted->lanes)
            return "groups[].lanes";
        if (group->ways != wanted->ways)
            return "groups[].ways";
        if (group->wavefronts_min != wanted->min || group->wavefronts_max != wanted->max)
            return "groups[].wavefronts";
    }
    return index == want->group_count ? NULL : "group_count";
}

static const char *wavefront_difference(const smp_counts *got, const reference_counts *want) {
    if (got->wavefronts_min != want->wavefronts_min)
        return "wavefronts_min";
    if (got->wavefronts_max != want->wavefronts_max)
        return "wavefronts_max";
    if (got->ideal != want->ideal)
        return "ideal";
    if (got->excess != want->wavefronts_max - want->ideal)
        return "excess";
    if (got->ways != want->ways)
        return "ways";
    if (got->paired != want->paired)
        return "paired";
    return group_difference(got, want);
}

const char *agreement_difference(const smp_counts *got, const reference_counts *want) {
    if (has(got, SMP_HAS_WAVEFRONTS) != want->has_wavefronts ||
        has(got, SMP_HAS_TRANSACTIONS) != want->has_transactions ||
        has(got, SMP_HAS_BOUNDS) != want->has_bounds)
        return "valid";
    if (got->active_lanes != want->active_lanes)
        return "active_lanes";
    if (want->has_transactions && got->transactions != want->transactions)
        return "transactions";
    if (want->has_transactions && got->bytes != want->bytes)
        return "bytes";
    if (want->has_bounds && got->transactions_min != want->transactions_min)
        return "transactions_min";
    if (want->has_bounds && got->transactions_max != want->transactions_max)
        return "transactions_max";
    return want->has_wavefronts ? wavefront_difference(got, want) : NULL;
}

static const char *ask_both(agreement_predict predict, const smp_arch *arch,
                            const smp_access *access, smp_counts *got, reference_counts *want) {
    reference_predict(arch->cc_major, arch->cc_minor, arch->bank_bytes, access, want);
    smp_status status = predict(arch, access, got);
    bool modelled = want->has_wavefronts || want->has_transactions;
    if (status != (modelled ? SMP_OK : SMP_E_NOT_MODELLED))
        return smp_status_name(status);
    if (!modelled && (got->evidence != SMP_OPEN || !got->note))
        return "evidence or note";
    return agreement_difference(got, want);
}

bool agreement_holds(agreement_predict predict, const smp_arch *arch, const smp_access *access) {
    smp_counts got = {0};
    reference_counts want;
    return !ask_both(predict, arch, access, &got, &want);
}

/* ---- Shrinking ---- */

struct question {
    agreement_predict predict;
    const smp_arch *arch;
};

static size_t first_that_differs(void *user, const smp_access *candidates, size_t count) {
    const struct question *question = user;
    size_t i = 0;
    while (i < count && agreement_holds(question->predict, question->arch, &candidates[i]))
        i++;
    return i;
}

void agreement_shrink(agreement_predict predict, const smp_arch *arch, smp_access *access) {
    struct question question = {predict, arch};
    smp_access_shrink(access, first_that_differs, &question);
}

/* ---- Explaining ---- */

static void add_text(char text[AGREEMENT_TEXT_MAX], size_t *length, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add_text(char text[AGREEMENT_TEXT_MAX], size_t *length, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int added = vsnprintf(text + *length, AGREEMENT_TEXT_MAX - *length, format, arguments);
    va_end(arguments);
    *length += added > 0 ? (size_t)added : 0;
    if (*length >= AGREEMENT_TEXT_MAX)
        *length = AGREEMENT_TEXT_MAX - 1;
}

static void add_batch_line(const smp_access *access, char text[AGREEMENT_TEXT_MAX],
                           size_t *length) {
    const smp_op_row *row = &smp_ops(NULL)[access->op];
    bool global = row->space == SMP_SPACE_GLOBAL;
    add_text(text, length, "  %s %u %08x", row->name, access->width_bytes, access->active_mask);
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        uint64_t offset = global ? access->address_bytes[lane] : access->offset_bytes[lane];
        if (access->active_mask >> lane & 1u)
            add_text(text, length, " %" PRIu64, offset);
        else
            add_text(text, length, " -");
    }
    if (row->space != SMP_SPACE_COPY)
        return;
    add_text(text, length, " :");
    for (unsigned lane = 0; lane < SMP_LANES; lane++)
        add_text(text, length, " %" PRIu64, access->address_bytes[lane]);
}

void agreement_explain(agreement_predict predict, const smp_arch *arch, const smp_access *access,
                       char text[AGREEMENT_TEXT_MAX]) {
    smp_counts got = {0};
    reference_counts want;
    size_t length = 0;
    const char *difference = ask_both(predict, arch, access, &got, &want);
    add_text(text, &length, "%s, %u-byte banks: %s\n", arch->name, arch->bank_bytes,
             difference ? difference : "agree");
    add_batch_line(access, text, &length);
    add_text(text, &length,
             "\n  predicted wavefronts %u..%u ideal %u ways %u transactions %u (%u..%u) bytes %u "
             "groups %u paired %d\n",
             got.wavefronts_min, got.wavefronts_max, got.ideal, got.ways, got.transactions,
             got.transactions_min, got.transactions_max, got.bytes, got.group_count, got.paired);
    add_text(text, &length,
             "  expected  wavefronts %u..%u ideal %u ways %u transactions %u (%u..%u) bytes %u "
             "groups %u paired %d",
             want.wavefronts_min, want.wavefronts_max, want.ideal, want.ways, want.transactions,
             want.transactions_min, want.transactions_max, want.bytes, want.group_count,
             want.paired);
}
