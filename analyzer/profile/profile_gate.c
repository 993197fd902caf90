/* SPDX-License-Identifier: MIT */
/* Rules for the cost of lines. */
#define _POSIX_C_SOURCE 200809L
#include "profile_gate.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "profile_filter.h"
#include "profile_rank.h"
#include "regex_text.h"
#include "source_line.h"
#include "text_buffer.h"

enum { WORD_MAX = 1024 };

struct smp_gate_rule {
    bool has_kernel; /* otherwise any */
    regex_t kernel;
    char *file;                     /* NULL for any */
    uint32_t first_line, last_line; /* 0 for any */
    smp_gate_bound bound;
    unsigned line; /* line in the file of rules */
};

/* ---- Reading ---- */

typedef struct reader {
    const char *file, *start, *at, *end; /* of the line */
    unsigned line;
    smp_error *error;
} reader;

static smp_status wrong(const reader *in, const char *at, const char *what) {
    return smp_error_set(in->error, SMP_E_SYNTAX, -1, "%.100s:%u:%d: %s", in->file, in->line,
                         (int)(at - in->start) + 1, what);
}

static void skip_blanks(reader *in) {
    while (in->at < in->end && isspace((unsigned char)*in->at))
        in->at++;
    if (in->at < in->end && *in->at == '#')
        in->at = in->end;
}

/* Reads the next word or quoted text; false if it is too long, or the quote does not end. */
static bool next_word(reader *in, char word[WORD_MAX]) {
    skip_blanks(in);
    const bool is_quoted = in->at < in->end && *in->at == '"';
    size_t length = 0;
    in->at += is_quoted;
    while (in->at < in->end && (is_quoted ? *in->at != '"' : !isspace((unsigned char)*in->at))) {
        if (length + 1 == WORD_MAX)
            return false;
        word[length++] = *in->at++;
    }
    word[length] = '\0';
    if (is_quoted && in->at == in->end)
        return false;
    in->at += is_quoted;
    return true;
}

/* Reads decimal digits at *at up to `end`, and advances *at; false if there are none, or too many.
 */
static bool read_number(const char **at, const char *end, uint64_t *out) {
    const char *first = *at;
    for (*out = 0; *at < end && isdigit((unsigned char)**at) && *at - first < 18; ++*at)
        *out = *out * 10 + (uint64_t)(**at - '0');
    return *at > first && (*at == end || !isdigit((unsigned char)**at));
}

/* "FILE", "FILE:12" or "FILE:12-20". */
static smp_status read_place(const reader *in, const char *at, char *word, smp_gate_rule *out) {
    char *colon = strrchr(word, ':');
    uint64_t first = 0, last = 0;
    if (strcmp(word, "*") == 0)
        return SMP_OK;
    if (colon) {
        const char *text = colon + 1, *end = text + strlen(text);
        bool ok = read_number(&text, end, &first);
        last = first;
        if (ok && *text == '-' && text++)
            ok = read_number(&text, end, &last);
        if (!ok || *text != '\0' || first == 0 || last < first || last > UINT32_MAX)
            return wrong(in, at, "expected FILE, FILE:LINE or FILE:LINE-LINE");
        *colon = '\0';
    }
    if (word[0] == '\0')
        return wrong(in, at, "expected the name of a file, or *");
    out->first_line = (uint32_t)first;
    out->last_line = (uint32_t)last;
    out->file = strdup(word);
    return out->file ? SMP_OK : smp_error_memory(in->error);
}

static bool read_word(reader *in, const char *word) {
    skip_blanks(in);
    const size_t length = strlen(word);
    if ((size_t)(in->end - in->at) < length || memcmp(in->at, word, length) != 0)
        return false;
    in->at += length;
    return true;
}

/* "any", or "ways <= 2  excess <= 1000". */
static smp_status read_bounds(reader *in, smp_gate_rule *out) {
    unsigned count = 0;
    skip_blanks(in);
    const char *first = in->at;
    if (read_word(in, "any")) {
        skip_blanks(in);
        return in->at == in->end ? SMP_OK : wrong(in, in->at, "nothing can follow 'any'");
    }
    for (skip_blanks(in); in->at < in->end; skip_blanks(in), count++) {
        const char *at = in->at;
        uint64_t value;
        int64_t *bound = read_word(in, "ways")     ? &out->bound.max_ways
                         : read_word(in, "excess") ? &out->bound.max_excess
                                                   : NULL;
        if (!bound || !read_word(in, "<="))
            return wrong(in, at, "expected 'ways <= N', 'excess <= N' or 'any'");
        skip_blanks(in);
        if (in->at == in->end || !read_number(&in->at, in->end, &value))
            return wrong(in, in->at, "expected a decimal number of at most 18 digits");
        if (*bound >= 0)
            return wrong(in, at, "this bound is given twice");
        *bound = (int64_t)value;
    }
    return count > 0 ? SMP_OK : wrong(in, first, "expected 'ways <= N', 'excess <= N' or 'any'");
}

static smp_status read_kernel(const reader *in, const char *at, const char *word,
                              smp_gate_rule *out) {
    if (strcmp(word, "*") == 0)
        return SMP_OK;
    const smp_status status = word[0] ? smp_regex_make(word, &out->kernel) : SMP_E_SYNTAX;
    if (status != SMP_OK)
        return wrong(in, at,
                     status == SMP_E_OVERFLOW
                         ? "the regular expression repeats too much"
                         : "expected a regular expression (POSIX, extended) for kernels, or *");
    out->has_kernel = true;
    return SMP_OK;
}

static void clear_rule(smp_gate_rule *rule) {
    if (rule->has_kernel)
        regfree(&rule->kernel);
    free(rule->file);
}

static smp_status read_rule(reader *in, smp_gate_rule *out) {
    char word[WORD_MAX];
    *out = (smp_gate_rule){.bound = {-1, -1}, .line = in->line};
    skip_blanks(in);
    const char *at = in->at;
    if (!next_word(in, word))
        return wrong(in, at, "a quote that does not end, or a word of more than 1023 bytes");
    if (read_kernel(in, at, word, out))
        return in->error->status;
    skip_blanks(in);
    at = in->at;
    if (!next_word(in, word))
        return wrong(in, at, "a quote that does not end, or a word of more than 1023 bytes");
    return read_place(in, at, word, out) ? in->error->status : read_bounds(in, out);
}

/* Reads the line at `in->start`: a rule, or nothing. */
static smp_status read_line(reader *in, smp_profile_gate *out) {
    smp_gate_rule rule = {.line = 0};
    skip_blanks(in);
    if (in->at == in->end)
        return SMP_OK;
    if (memchr(in->start, '\0', (size_t)(in->end - in->start)))
        return wrong(in, in->start, "a byte of value 0: this is not text");
    smp_status status = read_rule(in, &rule);
    if (status == SMP_OK && !LIST_ROOM(out->rules, out->rule_count))
        status = smp_error_memory(in->error);
    if (status == SMP_OK)
        out->rules[out->rule_count++] = rule;
    else
        clear_rule(&rule);
    return status;
}

smp_status smp_gate_parse(const char *file, const char *text, size_t length, smp_profile_gate *out,
                          smp_error *error) {
    reader in = {.file = file, .error = error};
    const char *end = text + length;
    smp_status status = SMP_OK;
    out->file = file;
    for (const char *line = text; status == SMP_OK && line < end; line = in.end + 1) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        in.start = in.at = line;
        in.end = stop ? stop : end;
        in.line++;
        status = read_line(&in, out);
    }
    return status;
}

void smp_gate_clear(smp_profile_gate *gate) {
    for (size_t i = 0; i < gate->rule_count; i++)
        clear_rule(&gate->rules[i]);
    free(gate->rules);
    gate->rules = NULL;
    gate->rule_count = 0;
}

/* ---- Judging ---- */

bool smp_gate_is_empty(const smp_profile_gate *gate) {
    return gate->rule_count == 0 && gate->all.max_ways < 0 && gate->all.max_excess < 0;
}

static bool fits(const smp_gate_rule *rule, const smp_profile_line *line) {
    const smp_kernel_profile *kernel = line->kernel;
    if (rule->has_kernel && regexec(&rule->kernel, kernel->name, 0, NULL, 0) != 0 &&
        (!kernel->demangled || regexec(&rule->kernel, kernel->demangled, 0, NULL, 0) != 0))
        return false;
    if (!rule->file)
        return true;
    return line->frame && smp_path_ends(line->frame->file, rule->file) &&
           (rule->first_line == 0 ||
            (line->frame->line >= rule->first_line && line->frame->line <= rule->last_line));
}

static const smp_gate_rule *rule_of(const smp_profile_gate *gate, const smp_profile_line *line) {
    return FIND(one, gate->rules, gate->rule_count, fits(one, line));
}

/* The bound that applies to a line, and the line of its rule in the file (0 for the bound for all).
 */
static smp_gate_bound bound_of(const smp_profile_gate *gate, const smp_profile_line *line,
                               unsigned *rule_line) {
    const smp_gate_rule *rule = rule_of(gate, line);
    if (rule_line)
        *rule_line = rule ? rule->line : 0;
    return rule ? rule->bound : gate->all;
}

static bool is_above(int64_t most, uint64_t value) {
    return most >= 0 && value > (uint64_t)most;
}

bool smp_gate_breaks(const smp_profile_gate *gate, const smp_profile_line *line) {
    if (smp_gate_is_empty(gate))
        return false;
    const smp_gate_bound bound = bound_of(gate, line, NULL);
    return is_above(bound.max_ways, line->sums.ways) ||
           is_above(bound.max_excess, smp_sums_excess(&line->sums));
}

size_t smp_gate_bound_words(const smp_gate_bound *bound, uint32_t ways, uint64_t excess, char *text,
                            size_t size) {
    text_buffer out = text_buffer_over(text, size);
    if (is_above(bound->max_ways, ways))
        text_join(&out, "; ", "%" PRIu32 "-way, at most %" PRId64 "-way is allowed", ways,
                  bound->max_ways);
    if (is_above(bound->max_excess, excess))
        text_join(&out, "; ", "%" PRIu64 " excess wavefronts, at most %" PRId64 " are allowed",
                  excess, bound->max_excess);
    return out.length;
}

size_t smp_gate_words(const smp_profile_gate *gate, const smp_profile_line *line, char *text,
                      size_t size) {
    unsigned rule_line;
    const smp_gate_bound bound = bound_of(gate, line, &rule_line);
    size_t length =
        smp_gate_bound_words(&bound, line->sums.ways, smp_sums_excess(&line->sums), text, size);
    if (length > 0 && rule_line > 0)
        length += (size_t)snprintf(text + length, size - length, " (%s:%u)", gate->file, rule_line);
    return length < size ? length : size - 1;
}

static bool decides(const smp_profile_gate *gate, const smp_ranking *ranking) {
    bool is_decided = gate->rule_count == 0 || gate->all.max_ways >= 0 || gate->all.max_excess >= 0;
    for (uint32_t i = 0; !is_decided && i < ranking->line_count; i++)
        is_decided = rule_of(gate, &ranking->lines[i]);
    return is_decided;
}

size_t smp_gate_unseen(const smp_profile_gate *gate, const smp_ranking *ranking, char *text,
                       size_t size) {
    const smp_profile_sums *sums = &ranking->sums;
    text_buffer out = text_buffer_over(text, size);
    if (ranking->kernel_count == 0)
        text_add(&out, "no kernel was seen");
    else if (sums->requests == 0)
        text_add(&out, "no memory access was seen in %" PRIu32 " kernel%s", ranking->kernel_count,
                 ranking->kernel_count == 1 ? "" : "s");
    else if (sums->not_modelled == sums->requests)
        text_add(&out, "none of the %" PRIu64 " requests that were seen is modelled",
                 sums->requests);
    else if (!decides(gate, ranking))
        text_add(&out, "no rule of %.200s decides on a line that was seen", gate->file);
    return out.length;
}

unsigned smp_gate_unused(const smp_profile_gate *gate, const smp_ranking *ranking, size_t index) {
    for (size_t i = 0, unused = 0; i < gate->rule_count; i++) {
        bool is_used = false;
        for (uint32_t j = 0; !is_used && j < ranking->line_count; j++)
            is_used = rule_of(gate, &ranking->lines[j]) == &gate->rules[i];
        if (!is_used && unused++ == index)
            return gate->rules[i].line;
    }
    return 0;
}

/* ---- Judging a profile: lines that exceed the gate, and rules that match none ---- */

static void note_line(const smp_profile_gate *gate, const smp_profile_line *line,
                      const note_sink *notes) {
    char words[400];
    (void)smp_gate_words(gate, line, words, sizeof words);
    if (line->frame)
        note_add(notes, "%s:%" PRIu32 ": error: %s",
                 line->frame->file ? smp_source_shown(line->frame->file) : "?", line->frame->line,
                 words);
    else
        note_add(notes, "%s+0x%" PRIx32 ": error: %s", line->kernel->name,
                 line->sites[0]->offset_bytes, words);
}

uint32_t smp_gate_judge(const smp_profile_gate *gate, const smp_ranking *ranking,
                        const note_sink *notes) {
    uint32_t above = 0;
    unsigned unused;
    for (uint32_t i = 0; i < ranking->line_count; i++) {
        if (!smp_gate_breaks(gate, &ranking->lines[i]))
            continue;
        note_line(gate, &ranking->lines[i], notes);
        above++;
    }
    for (size_t i = 0; (unused = smp_gate_unused(gate, ranking, i)) > 0; i++)
        note_add(notes, "%s:%u: warning: this rule decides on no line", gate->file, unused);
    return above;
}
