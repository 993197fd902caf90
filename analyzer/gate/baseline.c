/* SPDX-License-Identifier: MIT */
/*
 * The baseline file: a comment, then one "ARCH <tab> FILE <tab> RULE <tab> ACCESS <tab> VALUE" per
 * line. It has no line numbers, which change with every edit above them.
 */
#define _POSIX_C_SOURCE 200809L
#include "baseline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "list.h"
#include "new_file.h"
#include "text_file.h"

enum { FIELDS = 5 };

static const char first_line[] = "# smemprobe baseline 1: known violations; may only shrink";

/* ---- Keys ---- */

/* Tabs and newlines separate fields, so inside a field they become blanks. */
static void put_field(FILE *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        fputc(strchr("\t\r\n", text[i]) && text[i] ? ' ' : text[i], out);
}

/* The key of a case, malloc'ed; NULL if out of memory. */
static char *key_of(const smp_case *found) {
    char *key = NULL;
    size_t length;
    FILE *out = open_memstream(&key, &length);
    if (!out)
        return NULL;
    fputs(found->arch ? found->arch->name : "-", out);
    fputc('\t', out);
    put_field(out, found->file, strlen(found->file));
    fputc('\t', out);
    put_field(out, found->rule, found->rule_length);
    fputc('\t', out);
    put_field(out, found->access ? found->access : "", found->access_length);
    if (fclose(out) == 0)
        return key;
    free(key);
    return NULL;
}

/* "ways is 32", "wavefronts is 8 to 32": 32. */
static uint64_t value_of(const smp_case *found) {
    const char *is = strstr(found->message, " is "), *to = is ? strstr(is, " to ") : NULL;
    return is ? strtoull((to ? to : is) + 4, NULL, 10) : 0;
}

/* For an upper bound, more is worse; otherwise any other value is. */
static bool is_worse(const smp_case *found, uint64_t value, uint64_t known) {
    return memchr(found->rule, '<', found->rule_length) ? value > known : value != known;
}

/* For equal keys the smallest value comes first, so that the tightest debt that suffices is taken.
 */
static int by_key(const void *a, const void *b) {
    const smp_debt *one = a, *other = b;
    const int order = strcmp(one->key, other->key);
    return order != 0 ? order : (one->value > other->value) - (one->value < other->value);
}

static void settle(smp_baseline *baseline) {
    if (baseline->count > 0)
        qsort(baseline->debts, baseline->count, sizeof *baseline->debts, by_key);
}

/* Index of the first debt whose key is not before `text`. */
static size_t first_from(const smp_baseline *baseline, const char *text) {
    size_t low = 0, high = baseline->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(baseline->debts[middle].key, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns a free debt that `found` does not exceed; else the last free one, which `found` exceeds;
 * else NULL. */
static smp_debt *find(smp_baseline *baseline, const char *key, const smp_case *found) {
    smp_debt *last = NULL;
    for (size_t i = first_from(baseline, key);
         i < baseline->count && strcmp(baseline->debts[i].key, key) == 0; i++) {
        smp_debt *debt = &baseline->debts[i];
        if (debt->is_found)
            continue;
        last = debt;
        if (!is_worse(found, value_of(found), debt->value))
            return debt;
    }
    return last;
}

/* Length of "ARCH <tab> FILE <tab>". */
static size_t place_length(const char *key) {
    const char *file = strchr(key, '\t');
    return (size_t)(strchr(file + 1, '\t') + 1 - key);
}

/* Marks all debts of the file and architecture of `key` as checked. */
static void mark_looked_at(smp_baseline *baseline, const char *key) {
    const size_t length = place_length(key);
    char *place = strndup(key, length);
    if (!place)
        return;
    for (size_t i = first_from(baseline, place);
         i < baseline->count && strncmp(baseline->debts[i].key, place, length) == 0; i++)
        baseline->debts[i].is_looked_at = true;
    free(place);
}

static bool is_file_gone(const char *key) {
    const char *file = strchr(key, '\t') + 1;
    char *path = strndup(file, strcspn(file, "\t"));
    const bool gone = path && access(path, F_OK) != 0;
    free(path);
    return gone;
}

static smp_status add(smp_baseline *baseline, char *key, uint64_t value, smp_error *error) {
    if (!key || !LIST_ROOM(baseline->debts, baseline->count)) {
        free(key);
        return smp_error_memory(error);
    }
    baseline->debts[baseline->count++] = (smp_debt){.key = key, .value = value, .now = value};
    return SMP_OK;
}

/* ---- Files ---- */

/* One line of `length` bytes, without its end. */
static smp_status read_line(smp_baseline *out, const char *line, size_t length, const char *path,
                            unsigned number, smp_error *error) {
    char *key = strndup(line, length), *value = key ? strrchr(key, '\t') : NULL, *end = NULL;
    unsigned tabs = 0;
    if (!key)
        return smp_error_memory(error);
    if (key[0] == '#' || key[0] == '\0') {
        free(key);
        return SMP_OK;
    }
    for (const char *at = key; *at; at++)
        tabs += *at == '\t';
    const uint64_t bound = value ? strtoull(value + 1, &end, 10) : 0;
    if (tabs != FIELDS - 1 || end == value + 1 || *end != '\0') {
        free(key);
        return smp_error_set(error, SMP_E_SYNTAX, -1,
                             "%.200s:%u: not a baseline entry: expected five fields, the last "
                             "one a number",
                             path, number);
    }
    *value = '\0';
    return add(out, key, bound, error);
}

smp_status smp_baseline_read(const char *path, smp_baseline *out, smp_error *error) {
    char *text = NULL;
    size_t length = 0;
    unsigned number = 0;
    *out = (smp_baseline){0};
    smp_status status = smp_text_read(path, &text, &length, error);
    if (status != SMP_OK && status != SMP_E_MEMORY) {
        const smp_error why = *error;
        (void)smp_error_set(error, status, -1, "%.200s: %.200s", path, why.message);
    }
    const size_t said = strcspn(first_line, ":");
    if (status == SMP_OK && (length < said || memcmp(text, first_line, said) != 0))
        status = smp_error_set(error, SMP_E_SYNTAX, -1,
                               "%.200s: not a baseline: its first line is a different one", path);
    for (size_t at = 0, next; status == SMP_OK && at < length; at = next + 1) {
        const char *end = memchr(text + at, '\n', length - at);
        next = end ? (size_t)(end - text) : length;
        status = read_line(out, text + at, next - at, path, ++number, error);
    }
    free(text);
    settle(out);
    return status;
}

static bool is_paid(const smp_debt *debt) {
    return debt->is_looked_at && !debt->is_found;
}

static bool write_debts(FILE *file, const void *user) {
    const smp_baseline *baseline = user;
    fprintf(file, "%s\n", first_line);
    for (const smp_debt *debt = baseline->debts; debt < baseline->debts + baseline->count; debt++)
        if (!is_paid(debt))
            fprintf(file, "%s\t%" PRIu64 "\n", debt->key,
                    debt->now < debt->value ? debt->now : debt->value);
    return !ferror(file);
}

/* ---- Checks ---- */

/* All violations of `check`. */
static smp_status take(const smp_check *check, smp_baseline *out, smp_error *error) {
    smp_status status = SMP_OK;
    *out = (smp_baseline){0};
    for (size_t i = 0; status == SMP_OK && i < check->count; i++)
        if (check->cases[i].verdict == SMP_VIOLATED)
            status = add(out, key_of(&check->cases[i]), value_of(&check->cases[i]), error);
    settle(out);
    return status;
}

smp_status smp_baseline_apply(smp_baseline *baseline, smp_check *check, smp_error *error) {
    for (size_t i = 0; i < baseline->count; i++)
        baseline->debts[i].is_looked_at = is_file_gone(baseline->debts[i].key);
    EACH(smp_case, found, check->cases, check->count) {
        char *key = key_of(found);
        if (!key)
            return smp_error_memory(error);
        mark_looked_at(baseline, key);
        smp_debt *debt = found->verdict == SMP_VIOLATED ? find(baseline, key, found) : NULL;
        free(key);
        if (!debt)
            continue;
        const uint64_t value = value_of(found);
        const bool is_new = is_worse(found, value, debt->value);
        debt->now = value;
        debt->is_found = true;
        if (is_new)
            continue;
        found->verdict = SMP_KNOWN;
        check->violated--;
        check->known++;
    }
    return SMP_OK;
}

size_t smp_baseline_paid(const smp_baseline *baseline) {
    size_t paid = 0;
    for (size_t i = 0; i < baseline->count; i++)
        paid += is_paid(&baseline->debts[i]);
    return paid;
}

void smp_baseline_clear(smp_baseline *baseline) {
    for (size_t i = 0; i < baseline->count; i++)
        free(baseline->debts[i].key);
    free(baseline->debts);
    *baseline = (smp_baseline){0};
}

/* Writes a new baseline with all violations, or the old one without the fixed ones. */
static smp_status update(const char *path, smp_baseline *old, bool is_new, smp_check *check,
                         smp_error *error) {
    if (is_new && (take(check, old, error) || smp_baseline_apply(old, check, error)))
        return error->status;
    return new_file_write(path, true, write_debts, old, error);
}

smp_status smp_baseline_use(const char *path, bool updates, smp_check *check, smp_error *error) {
    const bool is_new = access(path, F_OK) != 0;
    if (is_new && !updates)
        return smp_error_set(error, SMP_E_READ, -1,
                             "%.200s: no such baseline; --update-baseline writes one", path);
    smp_baseline baseline = {0};
    smp_status status = is_new ? SMP_OK : smp_baseline_read(path, &baseline, error);
    if (status == SMP_OK && !is_new)
        status = smp_baseline_apply(&baseline, check, error);
    const size_t paid = smp_baseline_paid(&baseline);
    if (status == SMP_OK && updates)
        status = update(path, &baseline, is_new, check, error);
    else if (status == SMP_OK && paid > 0)
        note_add(check->notes, "%zu of %zu known violations %s gone; --update-baseline removes %s",
                 paid, baseline.count, paid == 1 ? "is" : "are", paid == 1 ? "it" : "them");
    smp_baseline_clear(&baseline);
    return status;
}
