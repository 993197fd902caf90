/* SPDX-License-Identifier: MIT */
/*
 * compare_case.c: what is to be compared: families, types, sizes and cluster sizes, each as a list
 * with commas, and all combinations of them that exist.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "suggest.h"

enum { WORD_MAX = 64, FAMILIES_MAX = 32 };

/* The next word of a list with commas; false after the last. */
static bool next_word(const char **list, char word[WORD_MAX]) {
    if (!*list || **list == '\0')
        return false;
    const size_t length = strcspn(*list, ",");
    (void)snprintf(word, WORD_MAX, "%.*s", (int)(length < WORD_MAX ? length : WORD_MAX - 1), *list);
    *list += length;
    *list += **list == ',';
    return true;
}

static size_t count_words(const char *list) {
    char word[WORD_MAX];
    size_t count = 0;
    while (next_word(&list, word))
        count++;
    return count > 0 ? count : 1;
}

/* ---- Families -------------------------------------------------------------------------- */

static smp_status unknown_family(const char *word, smp_error *error) {
    const char *names[FAMILIES_MAX];
    char known[160] = "";
    size_t count, length = 0;
    const smp_kernel_family *const *families = smp_kernel_families(&count);
    for (size_t i = 0; i < count && i < FAMILIES_MAX && length < sizeof known; i++) {
        names[i] = families[i]->name;
        length += (size_t)snprintf(known + length, sizeof known - length, "%s, ", names[i]);
    }
    const char *guess = suggest(word, names, count < FAMILIES_MAX ? count : FAMILIES_MAX);
    return smp_error_set(error, SMP_E_USAGE, -1, "compare which family? known: %sor all%s%s%s",
                         known, guess ? "; did you mean '" : "", guess ? guess : "",
                         guess ? "'?" : "");
}

/* The families that the command line names; "all" stands for each. */
static smp_status choose_families(const arguments *args, const smp_kernel_family *out[FAMILIES_MAX],
                                  size_t *count, smp_error *error) {
    const char *first = args->positional_count ? args->positional[0] : "";
    const smp_kernel_family *const *families = smp_kernel_families(count);
    if (strcmp(first, "all") == 0 && args->positional_count == 1) {
        memcpy(out, families, *count * sizeof *out);
        return SMP_OK;
    }
    *count = args->positional_count;
    if (*count == 0 || *count > FAMILIES_MAX)
        return unknown_family("", error);
    for (size_t i = 0; i < *count; i++) {
        out[i] = smp_kernel_family_find(args->positional[i]);
        if (!out[i])
            return unknown_family(args->positional[i], error);
    }
    return SMP_OK;
}

/* ---- Cases ----------------------------------------------------------------------------- */

static smp_status parse_size(const char *text, const smp_kernel_family *family,
                             smp_kernel_case *out, smp_error *error) {
    char rows[32];
    const char *times = strchr(text, 'x');
    const size_t length = times ? (size_t)(times - text) : strlen(text);
    if (length >= sizeof rows)
        return smp_error_set(error, SMP_E_USAGE, -1, "--size %.40s: too long", text);
    memcpy(rows, text, length);
    rows[length] = '\0';
    smp_status status = number_parse(rows, "size", INT64_MAX, &out->rows, error);
    out->columns = out->rows;
    if (status == SMP_OK && times)
        status = number_parse(times + 1, "size", INT64_MAX, &out->columns, error);
    if (status == SMP_OK && !times && !family->is_matrix)
        out->rows = 1;
    return status;
}

static smp_status parse_type(const char *text, smp_kernel_case *out, smp_error *error) {
    const char *names[SMP_ELEMENT_COUNT];
    for (unsigned e = 0; e < SMP_ELEMENT_COUNT; e++) {
        names[e] = smp_element_info((smp_element)e)->name;
        if (strcmp(names[e], text) == 0) {
            out->element = (smp_element)e;
            return SMP_OK;
        }
    }
    const char *guess = suggest(text, names, SMP_ELEMENT_COUNT);
    return smp_error_set(
        error, SMP_E_USAGE, -1,
        "--type %.40s: known are float, double, half, byte, int and unsigned%s%s%s", text,
        guess ? "; did you mean '" : "", guess ? guess : "", guess ? "'?" : "");
}

/* The words of one case; NULL: as the family has it. */
typedef struct case_words {
    const char *size, *type, *cluster;
} case_words;

static smp_status parse_case(const case_words *words, comparison *c, smp_error *error) {
    uint64_t cluster = c->family->standard.cluster;
    smp_status status = SMP_OK;
    c->problem = c->family->standard;
    if (words->size)
        status = parse_size(words->size, c->family, &c->problem, error);
    if (status == SMP_OK && words->type)
        status = parse_type(words->type, &c->problem, error);
    if (status == SMP_OK && words->cluster)
        status = number_parse(words->cluster, "cluster", 16, &cluster, error);
    c->problem.cluster = (uint32_t)cluster;
    return status == SMP_OK ? smp_kernel_check(c->family, NULL, &c->problem, error) : status;
}

/* ---- Variants -------------------------------------------------------------------------- */

/* True if `name` is in the list with commas `list`, or there is none. */
static bool is_wanted(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; at && *at != '\0'; at += strspn(at, ",")) {
        size_t here = strcspn(at, ",");
        if (here == length && strncmp(at, name, length) == 0)
            return true;
        at += here;
    }
    return list == NULL;
}

/* Every word of the list must be a variant. */
static smp_status check_wanted(const char *list, const smp_kernel_family *family,
                               smp_error *error) {
    for (const char *at = list; at && *at != '\0'; at += strspn(at, ",")) {
        char word[40];
        const char *names[COMPARE_ROWS_MAX];
        size_t here = strcspn(at, ",");
        (void)snprintf(word, sizeof word, "%.*s", (int)(here < 39 ? here : 39), at);
        at += here;
        if (smp_kernel_variant_find(family, word))
            continue;
        for (size_t i = 0; i < family->variant_count && i < COMPARE_ROWS_MAX; i++)
            names[i] = family->variants[i].name;
        const char *guess = suggest(word, names, family->variant_count);
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "--variants: %s has no '%s'%s%s%s (smemprobe list kernels)",
                             family->name, word, guess ? "; did you mean '" : "",
                             guess ? guess : "", guess ? "'?" : "");
    }
    return SMP_OK;
}

static smp_status choose_rows(const arguments *args, comparison *c, smp_error *error) {
    const char *wanted = last_value(args, OPTION_VARIANTS);
    smp_status status = check_wanted(wanted, c->family, error);
    c->is_picked = wanted != NULL;
    for (size_t i = 0; i < c->family->variant_count && c->count < COMPARE_ROWS_MAX; i++) {
        const smp_kernel_variant *variant = &c->family->variants[i];
        smp_error cause;
        if (!is_wanted(wanted, variant->name))
            continue;
        if (smp_kernel_check(c->family, variant, &c->problem, &cause) == SMP_OK)
            c->rows[c->count++].variant = variant;
        else if (wanted && status == SMP_OK)
            return smp_error_set(error, cause.status, -1, "%s", cause.message);
        else if (status == SMP_OK)
            fprintf(stderr, "smemprobe: left out: %s: %s\n", variant->name, cause.message);
    }
    return status;
}

/* ---- All of them ----------------------------------------------------------------------- */

/* Adds the cases of one family to *count of them. */
static smp_status add_family(const arguments *args, const smp_kernel_family *family,
                             comparison *cases, size_t *count, smp_error *error) {
    const char *sizes = last_value(args, OPTION_SIZE);
    char size[WORD_MAX] = "", type[WORD_MAX] = "", cluster[WORD_MAX] = "";
    bool has_size = next_word(&sizes, size);
    smp_status status = SMP_OK;
    do {
        const char *types = last_value(args, OPTION_TYPE);
        bool has_type = next_word(&types, type);
        do {
            const char *clusters = last_value(args, OPTION_CLUSTER);
            bool has_cluster = next_word(&clusters, cluster);
            do {
                comparison *c = &cases[(*count)++];
                const case_words words = {has_size ? size : NULL, has_type ? type : NULL,
                                          has_cluster ? cluster : NULL};
                c->family = family;
                status = parse_case(&words, c, error);
                if (status == SMP_OK)
                    status = choose_rows(args, c, error);
            } while (status == SMP_OK && next_word(&clusters, cluster));
        } while (status == SMP_OK && next_word(&types, type));
    } while (status == SMP_OK && next_word(&sizes, size));
    return status;
}

smp_status compare_cases(const arguments *args, comparison **out, size_t *count, smp_error *error) {
    const smp_kernel_family *families[FAMILIES_MAX];
    size_t family_count;
    *out = NULL;
    *count = 0;
    smp_status status = choose_families(args, families, &family_count, error);
    if (status != SMP_OK)
        return status;
    const size_t each = count_words(last_value(args, OPTION_SIZE)) *
                        count_words(last_value(args, OPTION_TYPE)) *
                        count_words(last_value(args, OPTION_CLUSTER));
    if (each > COMPARE_CASES_MAX / family_count)
        return smp_error_set(error, SMP_E_USAGE, -1, "compare: more than %d cases at once",
                             COMPARE_CASES_MAX);
    *out = calloc(each * family_count, sizeof **out);
    if (!*out)
        return smp_error_set(error, SMP_E_MEMORY, -1, "out of memory");
    for (size_t i = 0; i < family_count && status == SMP_OK; i++)
        status = add_family(args, families[i], *out, count, error);
    return status;
}
