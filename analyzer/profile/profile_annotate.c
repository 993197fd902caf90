/* SPDX-License-Identifier: MIT */
/* The lines of a file, with their cost in all kernels. */
#include "profile_annotate.h"

#include <stdlib.h>
#include <string.h>

#include "profile_filter.h"
#include "source_line.h"
#include "text_buffer.h"
#include "text_file.h"

/* ---- Which file ---- */

static const char *file_of(const smp_ranking *ranking, uint32_t line) {
    const smp_frame *frame = ranking->lines[line].frame;
    return frame ? frame->file : NULL;
}

static uint64_t excess_of_file(const smp_ranking *ranking, const char *file) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ranking->line_count; i++) {
        const char *own = file_of(ranking, i);
        sum += own && strcmp(own, file) == 0 ? smp_sums_loss(&ranking->lines[i].sums) : 0;
    }
    return sum;
}

/* True for the first line of each file. */
static bool is_new(const smp_ranking *ranking, uint32_t line) {
    for (uint32_t i = 0; i < line; i++) {
        const char *own = file_of(ranking, i);
        if (own && strcmp(own, file_of(ranking, line)) == 0)
            return false;
    }
    return true;
}

static smp_status complain_of_file(const smp_ranking *ranking, const char *file, unsigned matches,
                                   smp_error *error) {
    char names[180];
    text_buffer list = TEXT_BUFFER(names);
    bool has_lines = false;
    for (uint32_t i = 0; i < ranking->line_count; i++) {
        const char *own = file_of(ranking, i);
        has_lines |= !!own;
        if (own && is_new(ranking, i) && (matches == 0 || smp_path_ends(own, file)))
            text_join(&list, ", ", "%s", own);
    }
    if (!has_lines)
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             "no source lines in the profile: compile with nvcc -lineinfo");
    return smp_error_set(
        error, SMP_E_USAGE, -1, "%.40s: %s: %s", file,
        matches == 0 ? "no file of the profile; its files are" : "several files end so", names);
}

static smp_status choose_file(const smp_ranking *ranking, const char *wanted, const char **out,
                              smp_error *error) {
    unsigned matches = 0;
    uint64_t most = 0;
    *out = NULL;
    for (uint32_t i = 0; i < ranking->line_count; i++) {
        const char *own = file_of(ranking, i);
        if (!own || (wanted && !smp_path_ends(own, wanted)) || !is_new(ranking, i))
            continue;
        const uint64_t excess = excess_of_file(ranking, own);
        if (!*out || excess > most) {
            *out = own;
            most = excess;
        }
        matches++;
        if (wanted && strcmp(own, wanted) == 0)
            return SMP_OK;
    }
    return *out && (!wanted || matches == 1)
               ? SMP_OK
               : complain_of_file(ranking, wanted ? wanted : "", matches, error);
}

/* ---- Its lines ---- */

static char *read_source(const char *file, size_t *length) {
    FILE *in = smp_source_is_named(file) ? smp_source_open(file) : NULL;
    char *text = in ? smp_plain_text(in, length) : NULL;
    if (in)
        (void)fclose(in);
    return text;
}

static uint32_t count_lines(const char *text, size_t length) {
    uint32_t count = length > 0 && text[length - 1] != '\n';
    for (size_t i = 0; i < length; i++)
        count += text[i] == '\n';
    return count;
}

static void fill_text(smp_annotation *out, size_t length) {
    const char *at = out->source, *end = at ? at + length : at;
    for (uint32_t i = 0; i < out->line_count; i++) {
        const char *next = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        smp_annotated_line *line = &out->lines[i];
        *line = (smp_annotated_line){.number = i + 1, .text = at, .worst = UINT32_MAX};
        line->length = (size_t)((next ? next : end) - at);
        if (line->length > 0 && at[line->length - 1] == '\r')
            line->length--;
        at = next ? next + 1 : end;
    }
}

static int by_number(const void *left, const void *right) {
    const smp_annotated_line *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

/* Returns the number, in the file, of the ranking's line `at`; 0 if it is of another or unknown. */
static uint32_t number_of(const smp_annotation *out, const smp_ranking *ranking, uint32_t at) {
    const char *own = file_of(ranking, at);
    return own && strcmp(own, out->file) == 0 ? ranking->lines[at].frame->line : 0;
}

/* If the file is missing, lists its lines with figures, and lines beyond its end. */
static void add_known(smp_annotation *out, const smp_ranking *ranking, uint32_t read) {
    for (uint32_t i = 0; i < ranking->line_count; i++) {
        const uint32_t number = number_of(out, ranking, i);
        bool is_there = number <= read;
        for (uint32_t j = read; !is_there && j < out->line_count; j++)
            is_there = out->lines[j].number == number;
        if (!is_there)
            out->lines[out->line_count++] =
                (smp_annotated_line){.number = number, .worst = UINT32_MAX};
    }
    if (out->line_count > read + 1)
        qsort(out->lines + read, out->line_count - read, sizeof *out->lines, by_number);
}

/* Returns the file's line that the ranking's line `at` is; NULL if none. */
static smp_annotated_line *line_of(smp_annotation *out, const smp_ranking *ranking, uint32_t read,
                                   uint32_t at) {
    const uint32_t number = number_of(out, ranking, at);
    for (uint32_t i = number <= read ? number - 1 : read; i < out->line_count; i++) {
        if (out->lines[i].number == number)
            return &out->lines[i];
    }
    return NULL;
}

static void fill_sums(smp_annotation *out, const smp_ranking *ranking, uint32_t read) {
    for (uint32_t i = 0; i < ranking->line_count; i++) {
        smp_annotated_line *line = line_of(out, ranking, read, i);
        if (!line)
            continue;
        smp_sums_add(&line->sums, &ranking->lines[i].sums);
        smp_sums_add(&out->sums, &ranking->lines[i].sums);
    }
    for (uint32_t i = ranking->worst_count; i-- > 0;) {
        smp_annotated_line *line = line_of(out, ranking, read, ranking->worst[i]);
        if (line)
            line->worst = i;
    }
    for (uint32_t i = 0; i < out->line_count; i++) {
        const uint64_t excess = smp_sums_loss(&out->lines[i].sums);
        out->most = excess > out->most ? excess : out->most;
    }
}

smp_status smp_annotate(const smp_ranking *ranking, const char *file, smp_annotation *out,
                        smp_error *error) {
    size_t length = 0;
    memset(out, 0, sizeof *out);
    smp_status status = choose_file(ranking, file, &out->file, error);
    if (status != SMP_OK)
        return status;
    out->source = read_source(out->file, &length);
    const uint32_t read = out->source ? count_lines(out->source, length) : 0;
    out->lines = calloc((size_t)read + ranking->line_count + 1, sizeof *out->lines);
    if (!out->lines) {
        smp_annotation_clear(out);
        return smp_error_memory(error);
    }
    out->line_count = read;
    fill_text(out, length);
    add_known(out, ranking, read);
    fill_sums(out, ranking, read);
    return SMP_OK;
}

void smp_annotation_clear(smp_annotation *annotation) {
    free(annotation->source);
    free(annotation->lines);
    memset(annotation, 0, sizeof *annotation);
}
