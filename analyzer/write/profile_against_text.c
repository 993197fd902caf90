/* SPDX-License-Identifier: MIT */
/*
 * Two profiles side by side, for people.
 */
#include <inttypes.h>
#include <string.h>

#include "profile_against.h"
#include "profile_write.h"
#include "visible_text.h"

static void put_change(FILE *out, const char *label, uint64_t before, uint64_t after) {
    if (before == 0 && after == 0)
        return;
    fprintf(out, "    %-11s %14" PRIu64 " -> %14" PRIu64, label, before, after);
    if (before > 0 && after > 0 && before != after)
        fprintf(out, "   %.2f times", (double)after / (double)before);
    fputc('\n', out);
}

static void put_sums(FILE *out, const smp_profile_sums *before, const smp_profile_sums *after) {
    put_change(out, "wavefronts", before->wavefronts, after->wavefronts);
    put_change(out, "excess", smp_sums_excess(before), smp_sums_excess(after));
    put_change(out, "sectors", before->sectors, after->sectors);
    put_change(out, "ways", before->ways, after->ways);
}

static void put_line(FILE *out, const smp_against_line *line) {
    const char *file = line->frame && line->frame->file ? line->frame->file : NULL;
    const char *slash = file ? strrchr(file, '/') : NULL;
    const char *name = line->kernel->demangled ? line->kernel->demangled : line->kernel->name;
    const char *word = !line->in_before               ? "new"
                       : !line->in_after              ? "gone"
                       : smp_against_change(line) > 0 ? "worse"
                                                      : "better";
    char shown[61];
    fprintf(out, "  %-6s ", word);
    if (file) {
        smp_visible_put(out, slash ? slash + 1 : file, strlen(slash ? slash + 1 : file));
        fprintf(out, ":%" PRIu32 " in %s\n", line->frame->line, smp_visible_copy(shown, 49, name));
    } else {
        fprintf(out, "%s\n", smp_visible_copy(shown, sizeof shown, name));
    }
    put_sums(out, &line->before, &line->after);
}

void smp_against_text(FILE *out, const smp_against *against) {
    uint32_t same = 0;
    fputs("all of it, before -> after\n", out);
    put_sums(out, &against->before, &against->after);
    fputc('\n', out);
    for (uint32_t i = 0; i < against->line_count; i++) {
        const smp_against_line *line = &against->lines[i];
        const bool is_same = line->in_before && line->in_after && smp_against_change(line) == 0;
        same += is_same;
        if (!is_same)
            put_line(out, line);
    }
    fprintf(out, "  %" PRIu32 " line%s cost%s what %s did\n", same, same == 1 ? "" : "s",
            same == 1 ? "s" : "", same == 1 ? "it" : "they");
}
