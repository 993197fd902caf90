/* SPDX-License-Identifier: MIT */
/* Proven repairs: as text with figures and diff, as JSON, or the diff alone. */
#include <inttypes.h>
#include <jansson.h>

#include "json_text.h"
#include "put.h"
#include "text_buffer.h"
#include "write_format.h"

enum { LINE_BYTES = 512, SCHEMA_VERSION = 3 };

/* "32 -> 1 ways, wavefronts 1,056 -> 64; sectors of global memory 4,096 -> 512" */
static void add_change(text_buffer *to, const repair_figures *a, const repair_figures *b) {
    const bool has_banks =
        a->wavefronts != b->wavefronts || a->requests != b->requests || a->sectors == b->sectors;
    if (has_banks)
        text_add(to, "%" PRIu32 " -> %" PRIu32 " ways, wavefronts %s -> %s", a->ways, b->ways,
                 count_text(a->wavefronts), count_text(b->wavefronts));
    if (a->requests != b->requests)
        text_add(to, ", requests %s -> %s", count_text(a->requests), count_text(b->requests));
    if (a->sectors != b->sectors)
        text_add(to, "%ssectors of global memory %s -> %s", has_banks ? "; " : "",
                 count_text(a->sectors), count_text(b->sectors));
}

/* "; 21.9 -> 7.0 us" */
static void add_time(text_buffer *to, const repair_try *one) {
    if (one->before_us > 0)
        text_add(to, "; %.1f -> %.1f us", one->before_us, one->after_us);
}

static void add_room(text_buffer *to, const repair_figures *a, const repair_figures *b) {
    const bool is_more = b->shared_bytes >= a->shared_bytes;
    text_add(to, "; registers %" PRIu32 " -> %" PRIu32, a->registers, b->registers);
    if (a->local_bytes > 0 || b->local_bytes > 0)
        text_add(to, "; local memory %" PRIu32 " -> %" PRIu32 " bytes per thread", a->local_bytes,
                 b->local_bytes);
    else
        text_add(to, ", none spilled");
    if (a->shared_bytes != b->shared_bytes)
        text_add(to, "; %c%s bytes of shared memory", is_more ? '+' : '-',
                 count_text(is_more ? b->shared_bytes - a->shared_bytes
                                    : a->shared_bytes - b->shared_bytes));
    if (a->resident > 0)
        text_add(to, "; %" PRIu32 " -> %" PRIu32 " blocks per multiprocessor", a->resident,
                 b->resident);
}

/* Printed values that vary between runs, such as times, are not compared. */
static void add_printed(text_buffer *to, const proof_printed *of) {
    text_add(to, ", exit status, words printed (");
    if (of->is_free)
        text_add(to, "not compared: their number varies between runs)");
    else if (of->varying > 0)
        text_add(to, "%s; %s more %s from run to run)", count_text(of->words - of->varying),
                 count_text(of->varying), of->varying == 1 ? "varies" : "vary");
    else
        text_add(to, "%s)", count_text(of->words));
}

static void add_outputs(text_buffer *to, const repair *found) {
    text_add(to, "; outputs equal, %s bytes", count_text(found->bytes_compared));
    if (!found->is_program)
        text_add(to, "%s", found->is_whole ? "" : " (some blocks of a large grid)");
    else if (found->launches_seen < found->launches)
        text_add(to, " after %" PRIu32 " of %s launches", found->launches_seen,
                 count_text(found->launches));
    else
        text_add(to, " after %s launch%s", count_text(found->launches),
                 found->launches == 1 ? "" : "es");
    if (found->is_program)
        add_printed(to, &found->printed);
    if (found->bytes_drawn > 0)
        text_add(to, "; on random numbers %s bytes", count_text(found->bytes_drawn));
    text_add(to, "; no new race");
}

/* "repaired: 2 -> 0 races; ..." */
static void add_races(text_buffer *to, const repair *found) {
    if (!found->patch) {
        text_add(to,
                 found->races_before == 0 ? "nothing to repair: no race was found"
                                          : "no repair that was tried removes a race: %" PRIu32
                                            " race%s",
                 found->races_before, plural(found->races_before));
        return;
    }
    text_add(to, "repaired: %" PRIu32 " -> %" PRIu32 " races, no other finding; ",
             found->races_before, found->races_after);
    if (found->is_same)
        text_add(to, "outputs equal, %s bytes", count_text(found->bytes_compared));
    else
        text_add(to, "outputs differ, as a race allows");
}

/* Whether the file as a whole wastes sectors, or one of its kernels. */
static bool wastes_sectors(const repair *found) {
    const repair_figures *of = &found->before;
    return of->sectors > of->ideal_sectors &&
           (of->sectors * 100 >= REPAIR_TRIED_PER_CENT * of->ideal_sectors ||
            found->try_count > 0 || found->advice_count > 0);
}

void smp_repair_head(FILE *out, const smp_repair_shown *shown) {
    const repair *found = shown->found;
    char line[LINE_BYTES];
    text_buffer text = TEXT_BUFFER(line);
    text_add(&text, "smemprobe fix");
    text_add_word(&text, shown->path);
    put_visible(out, "%s\n", line);
    text = TEXT_BUFFER(line);
    fprintf(out, "  %s, run on the CPU; %" PRIu32 " kernel%s\n", shown->arch, found->kernels,
            plural(found->kernels));
    if (found->gpu[0])
        put_visible(out, "  timed alternately on %s\n", found->gpu);
    if (found->untimed[0])
        put_visible(out, "  not timed: %s\n", found->untimed);
    if (found->refused[0] != '\0') {
        text_add(&text, "not repaired: %s", found->refused);
    } else if (shown->of_races) {
        add_races(&text, found);
    } else if (found->patch) {
        text_add(&text, "repaired: ");
        add_change(&text, &found->before, &found->after);
        add_outputs(&text, found);
    } else if (found->before.wavefronts <= found->before.ideal && wastes_sectors(found)) {
        text_add(&text, "%s%s: %s sectors of global memory, ",
                 found->try_count > 0 ? "no change that was tried is proven"
                                      : "no change to try is known",
                 found->try_count > 0 && found->gpu[0] ? " and faster" : "",
                 count_text(found->before.sectors));
        text_add(&text, "ideal %s; no excess wavefronts", count_text(found->before.ideal_sectors));
    } else if (found->before.wavefronts <= found->before.ideal) {
        text_add(&text, "nothing to repair: %s wavefronts, none of them excess",
                 count_text(found->before.wavefronts));
    } else {
        text_add(&text, "no layout that was tried is proven%s: %s wavefronts, ",
                 found->gpu[0] ? " and faster" : "", count_text(found->before.wavefronts));
        text_add(&text, "ideal %s", count_text(found->before.ideal));
    }
    smp_wrapped_print(out, "  ", line);
    if (!shown->of_races && found->races_before > 0)
        put_wrapped(out, "  ",
                    "the source has %" PRIu32 " race%s, which a layout does not repair: smemprobe "
                    "fix --races",
                    found->races_before, plural(found->races_before));
    else if (!shown->of_races && !found->has_looked_for_races && found->refused[0] == '\0')
        fputs("  races were not looked for: smemprobe fix --races\n", out);
    if (found->undrawn[0])
        put_wrapped(out, "  ", "kernels not compared on random numbers: %s", found->undrawn);
}

/* The change and its place, unless the change names its lines. */
static void put_change(FILE *out, const repair_try *one) {
    if (strstr(one->change, " line "))
        put_visible(out, "%s (in %s)\n", one->change, one->kernel);
    else
        put_visible(out, "%s (line %u, in %s)\n", one->change, one->line, one->kernel);
}

static void put_try(FILE *out, const smp_repair_shown *shown, const repair_try *one) {
    char line[LINE_BYTES];
    text_buffer text = TEXT_BUFFER(line);
    if (shown->of_races && one->is_kept)
        text_add(&text, "%" PRIu32 " -> %" PRIu32 " races%s", one->races_before, one->races_after,
                 one->races_after < one->races_before ? "" : "; it hid another");
    else if (!shown->of_races && one->has_run)
        add_change(&text, &one->before, &one->after);
    add_time(&text, one);
    if (one->is_kept) {
        if (!shown->of_races)
            add_room(&text, &one->before, &one->after);
        fputs("\n", out);
        put_change(out, one);
    } else {
        text_join(&text, "; ", "%s", one->why);
        fputs("  ", out);
        put_change(out, one);
    }
    smp_wrapped_print(out, one->is_kept ? "  " : "    ", line);
}

static void put_rejected(FILE *out, const smp_repair_shown *shown) {
    bool has_any = false;
    for (size_t i = 0; i < shown->found->try_count; i++) {
        if (shown->found->tries[i].is_kept)
            continue;
        fputs(has_any ? "" : "\ntried and not kept\n", out);
        has_any = true;
        put_try(out, shown, &shown->found->tries[i]);
    }
}

static void put_advice(FILE *out, const smp_repair_shown *shown) {
    char line[LINE_BYTES];
    for (size_t i = 0; i < shown->found->advice_count; i++) {
        const repair_advice *one = &shown->found->advice[i];
        text_buffer text = TEXT_BUFFER(line);
        fputs(i == 0 ? "\nadvice (not proven)\n" : "", out);
        text_add(&text, "%s",
                 one->is_global  ? "global memory"
                 : one->array[0] ? one->array
                                 : "shared memory");
        if (one->line > 0)
            text_add(&text, " (line %u)", one->line);
        text_add(&text, " in %s: ", one->kernel);
        if (one->is_global)
            text_add(&text, "%s excess sectors: ", count_text(one->excess));
        else if (!shown->of_races)
            text_add(&text, "%" PRIu32 "-way, %s excess wavefronts: ", one->ways,
                     count_text(one->excess));
        text_add(&text, "%s", one->text);
        smp_wrapped_print(out, "  ", line);
    }
}

void smp_repair_text(FILE *out, const smp_repair_shown *shown) {
    const repair *found = shown->found;
    smp_repair_head(out, shown);
    for (size_t i = 0; i < found->try_count; i++)
        if (found->tries[i].is_kept)
            put_try(out, shown, &found->tries[i]);
    put_rejected(out, shown);
    put_advice(out, shown);
    if (found->patch) {
        fputc('\n', out);
        put_diff(out, found->patch, shown->style);
    }
}

void smp_repair_patch(FILE *out, const smp_repair_shown *shown) {
    fputs(shown->found->patch ? shown->found->patch : "", out);
}

/* ---- JSON ---- */

static json_t *figures_json(const repair_figures *of, bool is_kernel) {
    json_t *out = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I}", "requests", (json_int_t)of->requests, "wavefronts",
        (json_int_t)of->wavefronts, "ideal", (json_int_t)of->ideal, "ways", (json_int_t)of->ways,
        "sectors", (json_int_t)of->sectors, "ideal_sectors", (json_int_t)of->ideal_sectors);
    if (!is_kernel)
        return out;
    json_set(out, "registers", json_count(true, of->registers));
    json_set(out, "local_bytes", json_count(true, of->local_bytes));
    json_set(out, "shared_bytes", json_count(true, of->shared_bytes));
    json_set(out, "resident_blocks", json_count(of->resident > 0, of->resident));
    return out;
}

static json_t *races_json(bool of_races, uint32_t before, uint32_t after) {
    return !of_races
               ? json_null()
               : json_pack("{s:I, s:I}", "before", (json_int_t)before, "after", (json_int_t)after);
}

/* Rounds to the resolution of GPU events. */
static double rounded(double us) {
    return (double)(uint64_t)(us * 1e3 + 0.5) / 1e3;
}

static json_t *time_json(const repair_try *one) {
    return !(one->before_us > 0) ? json_null()
                                 : json_pack("{s:f, s:f}", "before_us", rounded(one->before_us),
                                             "after_us", rounded(one->after_us));
}

static json_t *try_json(const repair_try *one, bool of_races) {
    const bool has_after = one->has_run && !of_races;
    return json_pack("{s:o, s:o, s:I, s:b, s:o, s:o, s:o, s:o, s:o}", "kernel",
                     json_text_of(one->kernel), "change", json_text_of(one->change), "line",
                     (json_int_t)one->line, "kept", one->is_kept, "why_not",
                     json_text_or_null(one->is_kept ? NULL : one->why), "before",
                     figures_json(&one->before, true), "after",
                     has_after ? figures_json(&one->after, true) : json_null(), "races",
                     races_json(of_races && one->has_run, one->races_before, one->races_after),
                     "time", time_json(one));
}

/* Returns null for "". */
static json_t *text_json(const char *text) {
    return json_text_or_null(text[0] ? text : NULL);
}

static json_t *advice_json(const repair_advice *one) {
    return json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:o}", "memory",
                     one->is_global ? "global" : "shared", "array", text_json(one->array), "kernel",
                     json_text_of(one->kernel), "line", json_count(one->line > 0, one->line),
                     "ways", (json_int_t)one->ways, "excess", (json_int_t)one->excess, "text",
                     json_text_of(one->text));
}

/* Adds what was compared as proof. */
static void set_compared(json_t *all, const repair *found) {
    const bool is_printed = found->is_program && found->patch && !found->printed.is_free;
    json_set(all, "bytes_compared", json_count(found->patch, found->bytes_compared));
    json_set(all, "bytes_randomized",
             json_count(found->patch && found->is_program, found->bytes_drawn));
    json_set(all, "launches", json_count(found->is_program, found->launches));
    json_set(all, "launches_compared", json_count(found->is_program, found->launches_seen));
    json_set(all, "words_compared",
             json_count(is_printed, found->printed.words - found->printed.varying));
    json_set(all, "words_varying", json_count(is_printed, found->printed.varying));
}

void smp_repair_json(FILE *out, const smp_repair_shown *shown) {
    static const char *const ends[] = {"done", "time", "interrupt"};
    const repair *found = shown->found;
    json_t *tries = json_array(), *advice = json_array();
    for (size_t i = 0; i < found->try_count; i++)
        json_push(tries, try_json(&found->tries[i], shown->of_races));
    for (size_t i = 0; i < found->advice_count; i++)
        json_push(advice, advice_json(&found->advice[i]));
    json_t *all =
        json_pack("{s:i, s:o, s:s, s:o, s:o, s:o, s:s, s:o, s:I, s:b, s:b, s:o, s:o}",
                  "schema_version", SCHEMA_VERSION, "file", json_text_of(shown->path), "arch",
                  shown->arch, "gpu", text_json(found->gpu), "not_timed", text_json(found->untimed),
                  "not_randomized", text_json(found->undrawn), "end", ends[found->end], "refused",
                  text_json(found->refused), "kernels", (json_int_t)found->kernels, "program",
                  found->is_program, "whole", found->is_whole, "before",
                  figures_json(&found->before, false), "after", figures_json(&found->after, false));
    set_compared(all, found);
    json_set(all, "races",
             races_json(shown->of_races || found->races_after > 0, found->races_before,
                        found->races_after));
    json_set(all, "tries", tries);
    json_set(all, "advice", advice);
    json_set(all, "patch", json_text_or_null(found->patch));
    json_put(out, all, 0);
}
