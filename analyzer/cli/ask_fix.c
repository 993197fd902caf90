/* SPDX-License-Identifier: MIT */
/* Reads the options of fix that concern a layout. */
#include "ask_fix.h"

#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "say.h"
#include "suggest.h"
#include "write_format.h"

enum { SEARCH_SECONDS = 30 };

/* Parses "pad,xor" into one bit per kind. */
static smp_status parse_spaces(const char *text, uint32_t *kinds, smp_error *error) {
    static const char *const names[] = {"pad", "xor", "linear", "rotate", "pad+xor"};
    enum { COUNT = sizeof names / sizeof names[0] };
    char word[LIST_WORD_MAX], guess[SUGGEST_TEXT_MAX];
    *kinds = 0;
    while (list_word(&text, word)) {
        unsigned at = 0;
        while (at < COUNT && strcmp(names[at], word) != 0)
            at++;
        if (at == COUNT)
            return usage_error(
                error, "--space %.20s: unknown; expected pad, xor, linear, rotate or pad+xor%s",
                word, suggest_text(word, names, COUNT, "", guess));
        *kinds |= 1u << (SMP_FIX_PAD + at); /* in the order of smp_fix_kind */
    }
    return SMP_OK;
}

static smp_status choose_archs(const arguments *args, fix_asked *asked, smp_error *error) {
    arch_list *out = &asked->archs;
    if (layout_source_archs(args, &asked->from, out, error))
        return error->status;
    asked->options.archs = out->rows;
    asked->options.arch_count = out->count;
    asked->options.skips_archs = out->all;
    return SMP_OK;
}

smp_status ask_max_bytes(const arguments *args, uint64_t *bytes, smp_error *error) {
    if (ask_number(args, OPTION_MAX_BYTES, UINT32_MAX, bytes, error))
        return error->status;
    return has(args, OPTION_MAX_BYTES) && *bytes == 0
               ? usage_error(error, "--max-bytes 0: no array fits")
               : SMP_OK;
}

static smp_status parse_options(const arguments *args, smp_fix_options *ask, smp_error *error) {
    ask->keep = args->value[OPTION_KEEP];
    ask->keep_count = args->count[OPTION_KEEP];
    if (has(args, OPTION_SPACE) && parse_spaces(last_value(args, OPTION_SPACE), &ask->kinds, error))
        return error->status;
    return ask_max_bytes(args, &ask->max_bytes, error);
}

/* The code format of --emit or of the output file's extension; SMP_FORMAT_COUNT for a report. */
static smp_status choose_emit(const arguments *args, smp_format *out, smp_error *error) {
    char from[FORMAT_FROM_MAX], list[SMP_FORMATS_TEXT_MAX];
    const char *name = last_value(args, OPTION_EMIT);
    const char *ending = has(args, OPTION_FORMAT) ? NULL : output_format_name(args, from);
    *out = name     ? smp_format_find(SMP_CODE_FORMATS, name)
           : ending ? smp_format_of_ending(SMP_CODE_FORMATS, ending)
                    : SMP_FORMAT_COUNT;
    if (name && *out == SMP_FORMAT_COUNT)
        return usage_error(error, "--emit %.40s: unknown; known are %s", name,
                           smp_formats_text(SMP_CODE_FORMATS, " and ", list));
    if (name && has(args, OPTION_FORMAT))
        return usage_error(error, "--emit prints code and --format a report: give one of them");
    return SMP_OK;
}

/* Options about measuring need --probe. */
static smp_status ask_measuring(const arguments *args, fix_asked *out, smp_error *error) {
    static const smp_option measuring[] = {OPTION_DEVICE, OPTION_RECORD};
    static const option_set nothing_more;
    out->is_measured = has(args, OPTION_PROBE);
    if (!out->is_measured)
        return refuse_options(args, measuring, sizeof measuring / sizeof *measuring,
                              "needs --probe", error);
    if (ask_device(args, &out->device, error))
        return error->status;
    return ask_record(args, "fix --probe", POSITIONALS_MAX, nothing_more, &out->record, error);
}

static smp_status ask_words(const arguments *args, fix_asked *out, smp_error *error) {
    uint64_t seconds = SEARCH_SECONDS;
    out->options.explains = true;
    if (parse_options(args, &out->options, error) || choose_emit(args, &out->emit, error) ||
        ask_measuring(args, out, error) ||
        ask_number(args, OPTION_SECONDS, 1000000, &seconds, error) ||
        output_check(args, last_value(args, OPTION_RECORD), error) ||
        output_check(args, last_value(args, OPTION_OUTPUT), error))
        return error->status;
    out->seconds = (double)seconds;
    out->explains = has(args, OPTION_EXPLAIN);
    out->times_from = last_value(args, OPTION_TIMES_FROM);
    out->kernel = last_value(args, OPTION_KERNEL_NAME);
    return SMP_OK;
}

int ask_fix(const arguments *args, fix_asked *out) {
    smp_error error;
    *out = (fix_asked){.emit = SMP_FORMAT_COUNT};
    if (ask_words(args, out, &error))
        return complain(&error);
    if (args->positional_count == 0)
        return complain_of(SMP_E_USAGE,
                           "fix needs a file, or an access such as 'ld tile[...]' with --shared");
    const int exit_status =
        layout_source_read(args, args->positional, args->positional_count, &out->from);
    if (exit_status != 0)
        return exit_status;
    out->options.lines_before = layout_options_given(args);
    out->text = layout_source_text(args, &out->from, &out->length);
    if (!out->text)
        (void)smp_error_memory(&error);
    return !out->text || choose_archs(args, out, &error) ? complain(&error) : 0;
}

void fix_asked_clear(fix_asked *asked) {
    layout_source_clear(&asked->from);
    free(asked->text);
}
