/* SPDX-License-Identifier: MIT */
/* --max-ways and --max-excess of accesses that are predicted. */
#include "predict_gate.h"

#include <inttypes.h>

#include "ask.h"
#include "say.h"

smp_status predict_gate_ask(const arguments *args, predict_gate *out, smp_error *error) {
    *out = (predict_gate){.judged = 0};
    return ask_bounds(args, INT64_MAX, &out->max_ways, &out->max_excess, error);
}

void predict_gate_judge(predict_gate *gate, const smp_arch *arch, const smp_totals *totals,
                        const char *text, size_t length) {
    const bool has_ways = gate->max_ways >= 0 && totals->ways > (uint64_t)gate->max_ways;
    const bool has_excess = gate->max_excess >= 0 && totals->excess > (uint64_t)gate->max_excess;
    if (!(totals->valid & SMP_HAS_WAVEFRONTS))
        return;
    gate->judged++;
    gate->broken += has_ways || has_excess;
    const char *of = text ? ", for '" : "", *end = text ? "'" : "";
    if (has_ways)
        say_line("smemprobe: %s: %" PRIu32 "-way, at most %" PRId64 "-way is allowed%s%.*s%s",
                 arch->name, totals->ways, gate->max_ways, of, (int)length, text ? text : "", end);
    if (has_excess)
        say_line(
            "smemprobe: %s: %" PRIu64 " excess wavefronts, at most %" PRId64 " are allowed%s%.*s%s",
            arch->name, totals->excess, gate->max_excess, of, (int)length, text ? text : "", end);
}

int predict_gate_end(const predict_gate *gate) {
    if (gate->max_ways < 0 && gate->max_excess < 0)
        return 0;
    if (gate->judged == 0)
        return complain_of(SMP_E_SYNTAX, "nothing was judged: no access has wavefronts");
    return gate->broken > 0;
}
