/* SPDX-License-Identifier: MIT */
/*
 * Options: from argv to values, by getopt_long over the rows of cli.h.
 */
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "suggest.h"

const option_row option_rows[OPTION_COUNT] = {
#define OPTION_ROW(id, name, argument, help) [OPTION_##id] = {name, argument, help},
    SMP_OPTION_LIST(OPTION_ROW)
#undef OPTION_ROW
};

enum { LONG_BASE = 256 };

static void fill_long_options(const command_row *command, struct option *out) {
    for (unsigned i = 0; i < command->option_count; i++) {
        const option_row *row = &option_rows[command->options[i]];
        out[i] = (struct option){row->name, row->argument ? required_argument : no_argument, NULL,
                                 LONG_BASE + (int)command->options[i]};
    }
    out[command->option_count] = (struct option){0};
}

static smp_status unknown_option(const command_row *command, const char *word, smp_error *error) {
    const char *names[OPTION_COUNT];
    char bare[64];
    size_t length = strcspn(word, "=");
    for (unsigned i = 0; i < command->option_count; i++)
        names[i] = option_rows[command->options[i]].name;
    (void)snprintf(bare, sizeof bare, "%.*s", (int)length, word);
    const char *dashless = bare + strspn(bare, "-");
    const char *guess = suggest(dashless, names, command->option_count);
    if (guess)
        return smp_error_set(error, SMP_E_USAGE, -1, "%s has no option '%s'; did you mean '--%s'?",
                             command->name, bare, guess);
    return smp_error_set(error, SMP_E_USAGE, -1, "%s has no option '%s' (smemprobe %s --help)",
                         command->name, bare, command->name);
}

/* "-o -" is the standard output, which it is anyway. */
static smp_status keep_value(arguments *out, smp_option option, const char *value,
                             smp_error *error) {
    if (option == OPTION_OUTPUT && strcmp(value, "-") == 0)
        return SMP_OK;
    if (out->count[option] == VALUES_MAX)
        return smp_error_set(error, SMP_E_USAGE, -1, "--%s: given more than %d times",
                             option_rows[option].name, VALUES_MAX);
    out->value[option][out->count[option]++] = value;
    out->given |= UINT64_C(1) << option;
    return SMP_OK;
}

static smp_status keep_positional(arguments *out, const char *word, smp_error *error) {
    if (out->positional_count == POSITIONALS_MAX)
        return smp_error_set(error, SMP_E_USAGE, -1, "more than %d arguments", POSITIONALS_MAX);
    out->positional[out->positional_count++] = word;
    return SMP_OK;
}

/* getopt_long takes any unambiguous beginning of a name; what a script relies on should not become
 * ambiguous with the next option. */
static bool is_spelled_out(const char *word, smp_option option) {
    size_t length = strcspn(word, "=");
    size_t wanted = strlen("--") + strlen(option_rows[option].name);
    return length == wanted || strncmp(word, "--", 2) != 0;
}

/* One result of getopt_long. */
static smp_status take(const command_row *command, int result, const char *word, arguments *out,
                       smp_error *error) {
    switch (result) {
    case 1:
        return keep_positional(out, optarg, error);
    case 'h':
        out->short_help = true;
        return SMP_OK;
    case 'o':
        return keep_value(out, OPTION_OUTPUT, optarg, error);
    case ':':
        return smp_error_set(error, SMP_E_USAGE, -1, "%s needs a value", word);
    case '?':
        return unknown_option(command, word, error);
    default:
        if (!is_spelled_out(word, (smp_option)(result - LONG_BASE)))
            return unknown_option(command, word, error);
        return keep_value(out, (smp_option)(result - LONG_BASE), optarg, error);
    }
}

smp_status arguments_parse(const command_row *command, int argc, char **argv, arguments *out,
                           smp_error *error) {
    struct option options[OPTION_COUNT + 1];
    memset(out, 0, sizeof *out);
    fill_long_options(command, options);
    opterr = 0;
    optind = 0;
    for (;;) {
        int at = optind > 0 ? optind : 1;
        int result = getopt_long(argc, argv, "-:ho:", options, NULL);
        if (result == -1)
            break;
        const char *word = at < argc ? argv[at] : "";
        smp_status status = take(command, result, word, out, error);
        if (status != SMP_OK)
            return status;
    }
    for (; optind < argc; optind++) {
        smp_status status = keep_positional(out, argv[optind], error);
        if (status != SMP_OK)
            return status;
    }
    return SMP_OK;
}

/* "text, json or csv" */
static const char *list_formats(const char *formats, char text[OPTION_HELP_MAX]) {
    size_t length = 0;
    for (const char *at = formats; *at != '\0' && length < OPTION_HELP_MAX; at++) {
        size_t word = strcspn(at, " ");
        bool is_last = at[word] == '\0';
        length += (size_t)snprintf(text + length, OPTION_HELP_MAX - length, "%s%.*s",
                                   at == formats ? ""
                                   : is_last     ? " or "
                                                 : ", ",
                                   (int)word, at);
        at += is_last ? word - 1 : word;
    }
    return text;
}

const char *option_help(const command_row *command, smp_option option, char text[OPTION_HELP_MAX]) {
    if (option == OPTION_FORMAT)
        return list_formats(command->formats, text);
    for (const option_words *row = command->words; row && row->help; row++) {
        if (row->option == option)
            return row->help;
    }
    return option_rows[option].help;
}

const char *last_value(const arguments *args, smp_option option) {
    return args->count[option] ? args->value[option][args->count[option] - 1] : NULL;
}

enum { ARCHS_MAX = 64 };

/* The name that was meant by nvcc's "sm_90a", "compute_90" or "sm90", or by a family with a slip of
 * the pen; NULL: no idea. `word` is in lower case, and is changed. */
static const char *guess_arch(char *word) {
    const char *families[ARCHS_MAX];
    size_t count;
    const smp_arch *rows = smp_archs(&count);
    for (size_t i = 0; i < count && i < ARCHS_MAX; i++)
        families[i] = rows[i].family;
    char *digits = word + strcspn(word, "0123456789");
    char *tag = digits + strspn(digits, "0123456789");
    if (strcmp(tag, "a") == 0 || strcmp(tag, "f") == 0)
        *tag = '\0';
    if (strncmp(word, "sm", 2) == 0 || strncmp(word, "compute", 7) == 0) {
        const smp_arch *row = smp_arch_find(digits);
        return row ? row->name : NULL;
    }
    word[0] = (char)toupper((unsigned char)word[0]);
    return suggest(word, families, count < ARCHS_MAX ? count : ARCHS_MAX);
}

static smp_status unknown_arch(const char *name, smp_error *error) {
    size_t count;
    char word[32];
    (void)snprintf(word, sizeof word, "%s", name);
    for (char *at = word; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
    const char *guess = guess_arch(word);
    if (strchr(name, ','))
        return smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1,
                             "--arch %.40s: one name is wanted here, not a list", name);
    if (guess)
        return smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1,
                             "--arch %.20s: unknown; did you mean '%s'?", name, guess);
    char known[192] = "";
    size_t length = 0;
    const smp_arch *rows = smp_archs(&count);
    for (size_t i = 0; i < count; i++)
        length += (size_t)snprintf(known + length, sizeof known - length, " %s", rows[i].name + 3);
    return smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1,
                         "--arch %.20s: unknown; known are sm_ followed by one of:%s, and all",
                         name, known);
}

smp_status arguments_arch(const arguments *args, smp_arch *out, bool *all, smp_error *error) {
    const char *name = last_value(args, OPTION_ARCH);
    *all = name && strcmp(name, "all") == 0;
    const smp_arch *row = smp_arch_find(name && !*all ? name : "sm_90");
    if (!row)
        return unknown_arch(name, error);
    *out = *row;
    const char *mode = last_value(args, OPTION_BANK_MODE);
    if (!mode)
        return SMP_OK;
    uint64_t bytes;
    smp_status status = number_parse(mode, "bank-mode", 8, &bytes, error);
    if (status != SMP_OK)
        return status;
    if (smp_arch_with_bank_bytes(row, (unsigned)bytes, out) != SMP_OK)
        return smp_error_set(error, SMP_E_BANK_MODE, -1,
                             "--bank-mode %s: %s has banks of %u%s bytes%s", mode, row->name,
                             row->bank_bytes, row->bank_bytes_alt ? " or 8" : "",
                             row->bank_bytes_alt ? "" : " only; modes 4 and 8 are Kepler's");
    return SMP_OK;
}

static smp_status parse_op(const arguments *args, smp_pattern *out, smp_error *error) {
    const char *name = last_value(args, OPTION_OP);
    if (!name)
        return SMP_OK;
    size_t count;
    const char *names[SMP_OP_COUNT + 5] = {"ld", "st", "atom", "red", "cas"};
    const smp_op_row *rows = smp_ops(&count);
    const smp_op_row *row = smp_op_find(name);
    for (size_t i = 0; i < count; i++)
        names[5 + i] = rows[i].name;
    if (!row) {
        const char *guess = suggest(name, names, 5 + count);
        return smp_error_set(error, SMP_E_UNKNOWN_OP, -1, "--op %.40s: unknown operation%s%s%s",
                             name, guess ? "; did you mean '" : " (smemprobe list ops)",
                             guess ? guess : "", guess ? "'?" : "");
    }
    out->op = row->op;
    if (row->fixed_group != 0)
        out->width_bytes = 16;
    return SMP_OK;
}

static smp_status parse_width(const arguments *args, smp_pattern *out, smp_error *error) {
    const char *text = last_value(args, OPTION_WIDTH);
    uint64_t width = out->width_bytes;
    const smp_op_row *row = &smp_ops(NULL)[out->op];
    smp_status status = text ? number_parse(text, "width", UINT32_MAX, &width, error) : SMP_OK;
    if (status != SMP_OK)
        return status;
    bool is_power = width != 0 && (width & (width - 1)) == 0;
    if (!is_power || width > 16 || (row->widths & width) == 0) {
        char known[32] = "";
        size_t length = 0;
        for (unsigned bytes = 1; bytes <= 16; bytes *= 2)
            if (row->widths & bytes)
                length += (size_t)snprintf(known + length, sizeof known - length, "%s%u",
                                           length ? ", " : "", bytes);
        return smp_error_set(error, SMP_E_WIDTH, -1, "--width %s: %s has %s bytes a lane",
                             text ? text : "4", row->name, known);
    }
    out->width_bytes = (uint32_t)width;
    return SMP_OK;
}

smp_status arguments_pattern(const arguments *args, smp_pattern *out, smp_error *error) {
    *out = smp_pattern_default();
    uint64_t stride = out->stride, offset = 0;
    smp_status status = parse_op(args, out, error);
    if (status == SMP_OK)
        status = parse_width(args, out, error);
    if (status == SMP_OK && has(args, OPTION_STRIDE))
        status =
            number_parse(last_value(args, OPTION_STRIDE), "stride", UINT32_MAX, &stride, error);
    if (status == SMP_OK && has(args, OPTION_OFFSET))
        status =
            number_parse(last_value(args, OPTION_OFFSET), "offset", UINT32_MAX, &offset, error);
    if (status == SMP_OK && has(args, OPTION_LANES))
        status = lanes_parse(last_value(args, OPTION_LANES), &out->active_mask, error);
    out->stride = (uint32_t)stride;
    out->offset_bytes = (uint32_t)offset;
    return status;
}
