/* SPDX-License-Identifier: MIT */
/* Options for the architecture and the access. */
#include <string.h>

#include "ask.h"
#include "say.h"
#include "suggest.h"

enum { STACK_MOST = 512 * 1024 }; /* bytes of local memory per thread */

/* Reports products of one name with different architectures. */
static smp_status shared_name(const char *name, const smp_arch *const rows[2], smp_error *error) {
    return smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1,
                         "--arch %.40s exists with %s and with %s; name one of these", name,
                         rows[0]->name, rows[1]->name);
}

static smp_status unknown_arch(const char *name, smp_error *error) {
    size_t count;
    char guess[GUESS_MAX];
    const smp_arch *same[2];
    if (strchr(name, ','))
        return smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1,
                             "--arch %.40s: expected one name, not a list", name);
    if (smp_arch_find_all(name, same, 2) == 2)
        return shared_name(name, same, error);
    if (guess_arch(name, guess))
        return smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1,
                             "--arch %.40s: unknown; did you mean %s?", name, guess);
    char known[192];
    text_buffer list = TEXT_BUFFER(known);
    const smp_arch *rows = smp_archs(&count);
    for (size_t i = 0; i < count; i++)
        text_add(&list, " %s", rows[i].name + 3);
    return smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1,
                         "--arch %.20s: unknown; expected all, or sm_ followed by one of:%s", name,
                         known);
}

smp_status ask_arch_named(const arguments *args, const char *name, smp_arch *out,
                          smp_error *error) {
    const smp_arch *row = smp_arch_find(name);
    if (!row)
        return unknown_arch(name, error);
    *out = *row;
    const char *mode = last_value(args, OPTION_BANK_MODE);
    if (!mode)
        return SMP_OK;
    uint64_t bytes;
    if (number_parse(mode, "bank-mode", 8, &bytes, error))
        return error->status;
    if (smp_arch_with_bank_bytes(row, (unsigned)bytes, out) != SMP_OK)
        return smp_error_set(error, SMP_E_BANK_MODE, -1,
                             "--bank-mode %s: %s has banks of %u%s bytes%s", mode, row->name,
                             row->bank_bytes, row->bank_bytes_alt ? " or 8" : "",
                             row->bank_bytes_alt ? "" : " only; modes 4 and 8 are Kepler's");
    return SMP_OK;
}

smp_status ask_arch(const arguments *args, smp_arch *out, bool *all, smp_error *error) {
    const char *name = last_value(args, OPTION_ARCH);
    *all = name && strcmp(name, "all") == 0;
    if (*all && has(args, OPTION_BANK_MODE))
        return usage_error(error, "--bank-mode %s: --arch all already shows every bank mode",
                           last_value(args, OPTION_BANK_MODE));
    return ask_arch_named(args, name && !*all ? name : "sm_90", out, error);
}

smp_status ask_arch_more(const arguments *args, const char *name, arch_list *out,
                         smp_error *error) {
    if (ask_arch_named(args, name, &out->rows[out->count], error))
        return error->status;
    size_t at = 0;
    while (strcmp(out->rows[at].name, out->rows[out->count].name) != 0)
        at++;
    out->count += at == out->count;
    return SMP_OK;
}

smp_status ask_arch_list(const arguments *args, arch_list *out, smp_error *error) {
    char word[LIST_WORD_MAX];
    *out = (arch_list){.all = false};
    for (unsigned i = 0; i < args->count[OPTION_ARCH] && !out->all; i++)
        for (const char *at = args->value[OPTION_ARCH][i]; !out->all && list_word(&at, word);) {
            out->all = strcmp(word, "all") == 0;
            if (!out->all && ask_arch_more(args, word, out, error))
                return error->status;
        }
    if (out->all &&
        ask_arch(args, out->rows, &out->all, error)) /* reports a conflict with --bank-mode */
        return error->status;
    if (!out->all)
        return SMP_OK;
    const smp_arch *rows = smp_archs(&out->count);
    memcpy(out->rows, rows, out->count * sizeof *rows);
    return SMP_OK;
}

smp_status ask_one_arch(const arguments *args, const char *why, smp_arch *out, smp_error *error) {
    bool all;
    if (ask_arch(args, out, &all, error))
        return error->status;
    return all ? usage_error(error, "--arch all: %s", why) : SMP_OK;
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
        char guess[SUGGEST_TEXT_MAX];
        return smp_error_set(error, SMP_E_UNKNOWN_OP, -1, "--op %.40s: unknown operation%s", name,
                             suggest_text(name, names, 5 + count, " (smemprobe list ops)", guess));
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
    if (text && number_parse(text, "width", UINT32_MAX, &width, error))
        return error->status;
    bool is_power = width != 0 && (width & (width - 1)) == 0;
    if (!is_power || width > 16 || (row->widths & width) == 0) {
        char known[32];
        text_buffer list = TEXT_BUFFER(known);
        for (unsigned bytes = 1; bytes <= 16; bytes *= 2)
            if (row->widths & bytes)
                text_join(&list, ", ", "%u", bytes);
        return smp_error_set(error, SMP_E_WIDTH, -1, "--width %s: %s takes %s bytes per lane",
                             text ? text : "4", row->name, known);
    }
    out->width_bytes = (uint32_t)width;
    return SMP_OK;
}

smp_status refuse_options(const arguments *args, const smp_option *some, size_t count,
                          const char *why, smp_error *error) {
    for (size_t i = 0; i < count; i++)
        if (has(args, some[i]))
            return usage_error(error, "--%s %s", option_rows[some[i]].name, why);
    return SMP_OK;
}

bool list_word(const char **list, char word[LIST_WORD_MAX]) {
    if (!*list)
        return false;
    const size_t length = strcspn(*list, ",");
    (void)snprintf(word, LIST_WORD_MAX, "%.*s",
                   (int)(length < LIST_WORD_MAX ? length : LIST_WORD_MAX - 1), *list);
    *list = (*list)[length] == ',' ? *list + length + 1 : NULL;
    return true;
}

bool list_word_or_end(const char **list, char word[LIST_WORD_MAX]) {
    return *list && **list != '\0' && list_word(list, word);
}

smp_status ask_number(const arguments *args, smp_option option, uint64_t limit, uint64_t *out,
                      smp_error *error) {
    if (!has(args, option))
        return SMP_OK;
    return number_parse(last_value(args, option), option_rows[option].name, limit, out, error);
}

static smp_status ask_bound(const arguments *args, smp_option option, uint64_t limit, int64_t *out,
                            smp_error *error) {
    uint64_t value = 0;
    const smp_status status = ask_number(args, option, limit, &value, error);
    *out = has(args, option) && status == SMP_OK ? (int64_t)value : -1;
    return status;
}

smp_status ask_bounds(const arguments *args, uint64_t limit, int64_t *ways, int64_t *excess,
                      smp_error *error) {
    const smp_status status = ask_bound(args, OPTION_MAX_WAYS, limit, ways, error);
    return status == SMP_OK ? ask_bound(args, OPTION_MAX_EXCESS, limit, excess, error) : status;
}

smp_status ask_lanes(const arguments *args, uint32_t *mask, smp_error *error) {
    const char *lanes = last_value(args, OPTION_LANES);
    return lanes ? lanes_parse(lanes, mask, error) : SMP_OK;
}

static smp_status ask_limits(const arguments *args, smp_run_options *out, smp_error *error) {
    const char *text = last_value(args, OPTION_LIMIT), *colon = text ? strchr(text, ':') : NULL;
    char first[32];
    if (!text)
        return SMP_OK;
    (void)snprintf(first, sizeof first, "%.*s", (int)strcspn(text, ":"), text);
    if (number_parse(first, "limit", INT64_MAX, &out->block_limit, error) ||
        (colon && number_parse(colon + 1, "limit", INT64_MAX, &out->launch_limit, error)))
        return error->status;
    return out->block_limit == 0 || (colon && out->launch_limit == 0)
               ? usage_error(error, "--limit 0: nothing could run")
               : SMP_OK;
}

smp_status ask_run(const arguments *args, smp_run_options *out, smp_error *error) {
    uint64_t bytes = 0;
    *out = (smp_run_options){.races = has(args, OPTION_RACES)};
    if (ask_limits(args, out, error) || ask_number(args, OPTION_STACK, STACK_MOST, &bytes, error))
        return error->status;
    out->stack_bytes = (uint32_t)bytes;
    return bytes > 0 || !has(args, OPTION_STACK)
               ? SMP_OK
               : usage_error(error, "--stack 0: no function could be called");
}

smp_status ask_base(const arguments *args, smp_pattern *out, smp_error *error) {
    uint64_t offset = 0;
    *out = smp_pattern_default();
    if (parse_op(args, out, error) || parse_width(args, out, error) ||
        ask_number(args, OPTION_OFFSET, UINT32_MAX, &offset, error) ||
        ask_lanes(args, &out->active_mask, error))
        return error->status;
    out->offset_bytes = (uint32_t)offset;
    return SMP_OK;
}

smp_status ask_pattern(const arguments *args, smp_pattern *out, smp_error *error) {
    uint64_t stride = smp_pattern_default().stride;
    if (ask_base(args, out, error) || ask_number(args, OPTION_STRIDE, UINT32_MAX, &stride, error))
        return error->status;
    out->stride = (uint32_t)stride;
    return SMP_OK;
}

smp_status ask_access_line(const arguments *args, smp_access *out, smp_error *error) {
    const char *line = last_value(args, OPTION_ACCESS);
    bool is_empty;
    smp_error inner;
    smp_status status = smp_batch_parse(line, strlen(line), out, &is_empty, &inner);
    if (status == SMP_OK && !is_empty)
        return SMP_OK;
    if (is_empty)
        return smp_error_set(error, SMP_E_SYNTAX, -1, "--access: the line is empty");
    return smp_error_set(error, SMP_E_SYNTAX, inner.position, "--access: column %d: %s",
                         inner.position + 1, inner.message);
}
