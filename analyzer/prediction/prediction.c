/* SPDX-License-Identifier: MIT */
/* Prediction and measurement of one access, side by side. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "smp_prediction.h"

static void copy_text(char *to, size_t size, const char *from) {
    (void)snprintf(to, size, "%s", from ? from : "");
}

void smp_measured_take(smp_measured *out, smp_probe *probe, const smp_access *access,
                       const smp_reading *reading) {
    const smp_device *device = smp_probe_device(probe);
    const smp_counter *counter = smp_counter_of(access->op);
    const bool by_clocks = smp_probe_witness(probe, NULL) == SMP_CLOCKS;
    out->origin = SMP_LIVE;
    out->count = reading->count;
    out->is_at_most = reading->is_at_most;
    out->has_cycles = reading->has_cycles;
    out->cycles = reading->cycles;
    copy_text(out->device, sizeof out->device, device->name);
    copy_text(out->driver, sizeof out->driver, device->driver);
    copy_text(out->cuda, sizeof out->cuda, device->cuda);
    copy_text(out->counter, sizeof out->counter,
              by_clocks ? "clocks"
              : counter ? counter->metric
                        : "");
}

size_t smp_measured_words(const smp_measured *measured, char *text, size_t size) {
    const bool by_clocks = strcmp(measured->counter, "clocks") == 0;
    if (!by_clocks && (!measured->has_cycles || measured->origin == SMP_RECORDED))
        return (size_t)snprintf(text, size, "%" PRIu64, measured->count);
    if (!by_clocks)
        return (size_t)snprintf(text, size, "%" PRIu64 " and %.2f cycles%s", measured->count,
                                measured->cycles,
                                measured->clocks_differ ? ", which contradict it" : "");
    if (measured->count == SMP_NOT_COUNTED)
        return (size_t)snprintf(text, size, "%.2f cycles, which do not determine it",
                                measured->cycles);
    return (size_t)snprintf(text, size, "%s%" PRIu64 " by clocks (%.2f cycles)",
                            measured->is_at_most ? "at most " : "", measured->count,
                            measured->cycles);
}

/* Measures on the GPU of `probe`, or explains why it cannot. */
static bool measure_live(smp_prediction *report, smp_probe *probe, smp_error *why) {
    const smp_device *device = smp_probe_device(probe);
    smp_reading reading;
    if (device->cc_major != report->arch.cc_major || device->cc_minor != report->arch.cc_minor) {
        (void)smp_error_set(why, SMP_E_CHIP, -1, "the GPU here is not %s", report->arch.name);
        return false;
    }
    if (smp_measure_readings(probe, &report->access, 1, &reading, NULL, NULL, NULL, why) != SMP_OK)
        return false;
    smp_measured_take(&report->measured, probe, &report->access, &reading);
    return true;
}

static bool find_recorded(smp_prediction *report) {
    char key[SMP_PATTERN_TEXT_MAX], cc[8];
    smp_record record;
    (void)smp_pattern_format(&report->pattern, key);
    (void)snprintf(cc, sizeof cc, "%u.%u", report->arch.cc_major, report->arch.cc_minor);
    bool waves = smp_op_counts_wavefronts(report->access.op);
    if (!report->has_pattern ||
        !smp_recorded_find(key, waves ? "wavefronts" : "transactions", cc, &record))
        return false;
    smp_measured *out = &report->measured;
    out->origin = SMP_RECORDED;
    out->count = (uint64_t)record.value;
    smp_record timed;
    out->has_cycles = smp_recorded_find(key, "cycles", cc, &timed);
    if (out->has_cycles)
        out->cycles = timed.value;
    copy_text(out->device, sizeof out->device, record.gpu);
    copy_text(out->driver, sizeof out->driver, record.driver);
    copy_text(out->cuda, sizeof out->cuda, record.cuda);
    copy_text(out->counter, sizeof out->counter, record.counter);
    copy_text(out->date, sizeof out->date, record.date);
    return true;
}

void smp_prediction_fill(smp_prediction *report, smp_probe *probe, const smp_error *why_no_probe) {
    smp_error why = {SMP_E_NO_GPU, -1, "no GPU"};
    report->status = smp_predict(&report->arch, &report->access, &report->counts);
    report->has_l1 = smp_l1_predict(&report->arch, &report->access, &report->l1) == SMP_OK;
    if (report->status == SMP_E_OP_UNAVAILABLE)
        report->counts.evidence = SMP_ABSENT;
    memset(&report->measured, 0, sizeof report->measured);
    if (probe && measure_live(report, probe, &why))
        return;
    if (!probe && why_no_probe)
        why = *why_no_probe;
    report->measured.why = why.status;
    (void)snprintf(report->measured.reason, sizeof report->measured.reason, "%.220s", why.message);
    if (find_recorded(report))
        return;
    size_t length = strlen(report->measured.reason);
    (void)snprintf(report->measured.reason + length, sizeof report->measured.reason - length,
                   "; no recording of it on %s", report->arch.name);
}

bool smp_prediction_differs(const smp_prediction *report) {
    const smp_counts *counts = &report->counts;
    const smp_measured *measured = &report->measured;
    const bool waves = counts->valid & SMP_HAS_WAVEFRONTS;
    const uint64_t low = waves ? counts->wavefronts_min : counts->transactions;
    const uint64_t high = waves ? counts->wavefronts_max : counts->transactions;
    if (report->status != SMP_OK || measured->origin == SMP_NOT_MEASURED ||
        measured->count == SMP_NOT_COUNTED)
        return false;
    return measured->clocks_differ || measured->count < low ||
           (!measured->is_at_most && measured->count > high);
}

size_t smp_prediction_pattern(const smp_prediction *report, char *text, size_t size) {
    char inner[SMP_BATCH_TEXT_MAX];
    if (report->has_pattern) {
        (void)smp_pattern_format(&report->pattern, inner);
        return (size_t)snprintf(text, size, "%s", inner);
    }
    (void)smp_batch_format(&report->access, inner);
    return (size_t)snprintf(text, size, "--access '%s'", inner);
}

int64_t smp_access_stride(const smp_access *access) {
    if (access->active_mask != SMP_ALL_LANES)
        return -1;
    int64_t step = (int64_t)access->offset_bytes[1] - access->offset_bytes[0];
    for (unsigned lane = 1; lane < SMP_LANES; lane++)
        if ((int64_t)access->offset_bytes[lane] - access->offset_bytes[lane - 1] != step)
            return -1;
    return step < 0 ? -step : step;
}

/* The verb for several lanes or for one. */
static const char *verb_of(smp_op op, bool is_one) {
    const smp_op_row *row = &smp_ops(NULL)[op];
    if (row->passes > 1)
        return is_one ? "compares and swaps" : "compare and swap";
    if (!row->lanes_merge)
        return is_one ? "updates" : "update";
    if (row->space == SMP_SPACE_COPY)
        return is_one ? "copies" : "copy";
    if (row->is_load)
        return is_one ? "reads" : "read";
    return is_one ? "writes" : "write";
}

static size_t words_apart(const smp_prediction *report, char *text, size_t size) {
    uint64_t bytes = (uint64_t)report->pattern.stride * report->pattern.width_bytes;
    if (bytes == 0)
        return (size_t)snprintf(text, size, ", all at one address");
    if (bytes % 4 != 0)
        return (size_t)snprintf(text, size, ", %" PRIu64 " byte%s apart", bytes,
                                bytes == 1 ? "" : "s");
    return (size_t)snprintf(text, size, ", %" PRIu64 " word%s apart", bytes / 4,
                            bytes == 4 ? "" : "s");
}

size_t smp_prediction_words(const smp_prediction *report, char *text, size_t size) {
    unsigned lanes = (unsigned)__builtin_popcount(smp_access_lanes(&report->access));
    int length = snprintf(text, size, "%u lane%s %s %u byte%s%s", lanes, lanes == 1 ? "" : "s",
                          verb_of(report->access.op, lanes == 1), report->access.width_bytes,
                          report->access.width_bytes == 1 ? "" : "s", lanes == 1 ? "" : " each");
    if (report->has_pattern && lanes > 1)
        length += (int)words_apart(report, text + length, size - (size_t)length);
    return (size_t)length;
}

/* The fewest transactions of `bytes_each` for these lanes. */
static uint32_t least(const smp_access *access, uint32_t lanes, uint32_t bytes_each) {
    uint32_t bytes = (uint32_t)__builtin_popcount(lanes) * access->width_bytes;
    return (bytes + bytes_each - 1) / bytes_each;
}

uint32_t smp_prediction_ideal_transactions(const smp_prediction *report) {
    const smp_op_row *op = &smp_ops(NULL)[report->access.op];
    const smp_global_rule rule = report->arch.global_rule;
    const smp_access *access = &report->access;
    uint32_t lanes = smp_access_lanes(access), ideal;
    if (op->space != SMP_SPACE_GLOBAL || rule == SMP_GLOBAL_SECTORS ||
        (rule == SMP_GLOBAL_LINES && !op->is_load))
        ideal = least(access, lanes, 32);
    else if (rule == SMP_GLOBAL_LINES)
        ideal = least(access, lanes, 128);
    else
        ideal = least(access, lanes & 0xffffu, 128) + least(access, lanes & ~0xffffu, 128);
    return ideal < report->counts.transactions ? ideal : report->counts.transactions;
}
