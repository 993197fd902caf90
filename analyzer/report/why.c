/* SPDX-License-Identifier: MIT */
/*
 * The sentence that says why: computed from the addresses of this very access, never canned.
 *
 * For a constant stride the reason is arithmetic: lanes n apart meet on a bank iff n strides are a
 * multiple of the banks, so gcd(stride, banks) lanes share each. Without a stride the reason is
 * the worst bank, named with its lanes.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "smp_report.h"

typedef struct sink {
    char *text;
    size_t size, length;
} sink;

__attribute__((format(printf, 2, 3))) static void say(sink *out, const char *format, ...) {
    size_t room = out->length < out->size ? out->size - out->length : 0;
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(room ? out->text + out->length : NULL, room, format, arguments);
    va_end(arguments);
    out->length += more > 0 ? (size_t)more : 0;
}

static const smp_op_row *op_of(const smp_report *report) {
    return &smp_ops(NULL)[report->access.op];
}

/* Lanes that are served together: 32, or those of one group. */
static unsigned group_lanes(const smp_report *report) {
    unsigned requests = report->arch.banks == 16 ? report->counts.group_count / 2 : 1;
    return SMP_LANES * requests / report->counts.group_count;
}

static void say_groups(sink *out, const smp_report *report) {
    unsigned lanes = group_lanes(report);
    uint32_t width = report->access.width_bytes;
    if (report->arch.banks == 16 && width > 4)
        say(out, "%u bytes are split into %u requests of 4 bytes, each for a half-warp: ", width,
            width / 4);
    else if (report->arch.banks == 16)
        say(out, "each half-warp is a request of its own: ");
    else if (report->counts.paired)
        say(out, "lanes agree in pairs, so the %u-byte load is served %u lanes at a time, not %u: ",
            width, lanes, lanes / 2);
    else if (lanes < SMP_LANES)
        say(out, "%u-byte accesses are served %u lanes at a time: ", width, lanes);
}

/* The unit that a bank conflict is judged by: the access or the bank, whichever is wider. */
static unsigned unit_bytes(const smp_report *report) {
    unsigned bank = report->arch.bank_bytes;
    bool is_split = report->arch.banks == 16;
    return report->access.width_bytes > bank && !is_split ? report->access.width_bytes : bank;
}

/* CC 1.x: conflict-free iff the stride is odd. */
static void say_tesla_stride(sink *out, uint64_t stride, unsigned banks) {
    uint32_t common = smp_gcd((uint32_t)(stride % banks), banks);
    say(out,
        "lanes n apart meet on a bank iff n is a multiple of m / gcd(m, s) = %u / gcd(%u, %" PRIu64
        ") = %u; ",
        banks, banks, stride, banks / common);
    if (common == 1)
        say(out, "an odd stride never conflicts within 16 lanes.");
    else if (common == banks)
        say(out, "the stride is a multiple of %u, so all lanes share one bank.", banks);
    else
        say(out, "the stride is even, so %u lanes share each of %u banks.", common, banks / common);
}

/* How many lanes meet on how many banks, in a group of `lanes`. */
static void say_meeting(sink *out, const smp_report *report, unsigned columns, uint32_t common,
                        unsigned banks_each) {
    unsigned lanes = group_lanes(report), used = columns / common;
    char what[40];
    if (banks_each == 1)
        (void)snprintf(what, sizeof what, "bank%s", used == 1 ? "" : "s");
    else
        (void)snprintf(what, sizeof what, "set%s of %u banks", used == 1 ? "" : "s", banks_each);
    if (report->counts.ways <= 1)
        say(out, "%u lanes use %u different %s.", lanes, lanes < columns ? lanes : columns,
            banks_each == 1 ? "banks" : what);
    else if (used == 1)
        say(out, "all %u lanes want different words of one and the same %s.", lanes, what);
    else
        say(out, "%u lanes share only %u %s, %u different words on each.", lanes, used, what,
            report->counts.ways);
}

static void say_stride(sink *out, const smp_report *report, uint64_t stride) {
    unsigned unit = unit_bytes(report), bank = report->arch.bank_bytes;
    unsigned columns = report->arch.banks * bank / unit;
    uint32_t common = smp_gcd((uint32_t)(stride % columns), columns);
    if (report->arch.banks == 16) {
        say_tesla_stride(out, stride, report->arch.banks);
        return;
    }
    if (unit == bank)
        say(out, "neighbours are %" PRIu64 " %s apart and gcd(%" PRIu64 ", %u banks) = %u, so ",
            stride, stride == 1 ? "word" : "words", stride, columns, common);
    else
        say(out, "neighbours are %" PRIu64 " x %u bytes apart and gcd(%" PRIu64 ", %u) = %u, so ",
            stride, unit, stride, columns, common);
    say_meeting(out, report, columns, common, unit / bank);
}

static void say_lanes(sink *out, uint32_t lanes) {
    unsigned shown = 0;
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if ((lanes >> lane & 1) == 0)
            continue;
        if (++shown > 6) {
            say(out, ", ...");
            return;
        }
        say(out, "%s%u", shown == 1 ? "" : ", ", lane);
    }
}

/* The lanes of group `group` on each bank, and the bank that most of the words are on. */
static void say_worst_bank(sink *out, const smp_report *report) {
    smp_lane lanes[SMP_LANES];
    if (smp_lanes(&report->arch, &report->access, lanes) != SMP_OK)
        return;
    uint32_t active = smp_access_lanes(&report->access), on_bank[SMP_GROUPS_MAX][32] = {{0}};
    for (unsigned lane = 0; lane < SMP_LANES; lane++) {
        if (active >> lane & 1)
            on_bank[lanes[lane].group][lanes[lane].bank] |= 1u << lane;
    }
    for (unsigned group = 0; group < report->counts.group_count; group++) {
        for (unsigned bank = 0; bank < report->arch.banks; bank++) {
            unsigned count = (unsigned)__builtin_popcount(on_bank[group][bank]);
            if (report->counts.groups[group].ways != report->counts.ways ||
                count < report->counts.ways)
                continue;
            say(out, "bank %u is asked for %u different words, by lanes ", bank,
                report->counts.ways);
            say_lanes(out, on_bank[group][bank]);
            say(out, ".");
            return;
        }
    }
}

static void say_atomic(sink *out, const smp_report *report) {
    const char *twice =
        op_of(report)->passes > 1 ? ", and compare-and-swap makes each pass twice" : "";
    if (report->counts.ways == 1)
        say(out, "every lane has a bank of its own%s.", twice);
    else
        say(out, "atomics do not combine lanes: %u lanes fall on one bank, a pass for each%s.",
            report->counts.ways, twice);
}

static void say_shared(sink *out, const smp_report *report) {
    int64_t step = smp_access_stride(&report->access);
    unsigned unit = unit_bytes(report);
    say_groups(out, report);
    if (!op_of(report)->lanes_merge)
        say_atomic(out, report);
    else if (step == 0)
        say(out, "all lanes want one word, which its bank delivers to all of them at once.");
    else if (step > 0 && step % unit == 0 && op_of(report)->fixed_group == 0)
        say_stride(out, report, (uint64_t)step / unit);
    else if (step > 0 && step < unit && report->arch.banks == 32)
        say(out,
            "%u neighbours share a word, which is delivered to them at once; the words follow "
            "each other through the banks.",
            unit / (unsigned)step);
    else if (report->arch.banks == 16 && report->counts.ways <= 1)
        say(out,
            "no bank is asked for two different words; of lanes on one word, only those of the "
            "step's broadcast word are served together.");
    else if (report->counts.ways <= 1)
        say(out, "no bank is asked for two different words.");
    else
        say_worst_bank(out, report);
    if (report->counts.wavefronts_min != report->counts.wavefronts_max)
        say(out, " The hardware picks the broadcast word of each step, hence the range.");
}

static void say_copy(sink *out, const smp_report *report) {
    say(out,
        "copies use the banks of both sides, L1's and shared memory's, and do not merge lanes: "
        "%u wavefront%s for %u lanes.",
        report->counts.wavefronts_max, report->counts.wavefronts_max == 1 ? "" : "s",
        report->counts.active_lanes);
}

static void say_global(sink *out, const smp_report *report) {
    const smp_counts *counts = &report->counts;
    uint32_t asked = counts->active_lanes * report->access.width_bytes;
    say(out, "the lanes ask for %u bytes and %u transactions move %u: ", asked,
        counts->transactions, counts->bytes);
    if (counts->bytes <= asked)
        say(out, "nothing is moved in vain.");
    else
        say(out, "%.0f%% of what is moved is not asked for.",
            100.0 * (counts->bytes - asked) / counts->bytes);
}

size_t smp_report_why(const smp_report *report, char *text, size_t size) {
    sink out = {text, size, 0};
    if (size > 0)
        text[0] = '\0';
    if (report->status != SMP_OK)
        say(&out, "%s.", report->counts.note ? report->counts.note : "no rule is known");
    else if (op_of(report)->space == SMP_SPACE_COPY)
        say_copy(&out, report);
    else if (report->counts.valid & SMP_HAS_WAVEFRONTS)
        say_shared(&out, report);
    else
        say_global(&out, report);
    return out.length;
}
