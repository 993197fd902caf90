/* SPDX-License-Identifier: MIT */
/*
 * Options for the kernels to compare: families as arguments; sizes, types, cluster sizes and
 * variants as comma-separated lists.
 */
#include <string.h>

#include "ask_measure.h"
#include "say.h"
#include "suggest.h"

/* ---- Families ---- */

/* The families, and "all". */
static const char *family_word(size_t index, const char **summary) {
    size_t count;
    const smp_kernel_family *const *families = smp_kernel_families(&count);
    *summary = "";
    return index < count ? families[index]->name : index == count ? "all" : NULL;
}

static smp_status ask_families(const char *const *words, unsigned count, compare_ask *out,
                               smp_error *error) {
    size_t all, index;
    const smp_kernel_family *const *families = smp_kernel_families(&all);
    out->family_count = count;
    if (count == 0 || count > COMPARE_FAMILIES_MAX)
        return word_find("compare", "family", family_word, "", &index, error);
    for (unsigned i = 0; i < count; i++) {
        if (word_find("compare", "family", family_word, words[i], &index, error))
            return error->status;
        if (index == all && count > 1)
            return usage_error(error, "compare all takes no other family");
        if (index < all)
            out->families[i] = families[index];
    }
    if (count == 1 && index == all) {
        memcpy(out->families, families, all * sizeof *families);
        out->family_count = all;
    }
    return SMP_OK;
}

/* ---- Cases ---- */

static smp_status parse_size(const char *text, size_t index, compare_ask *ask, smp_error *error) {
    compare_size *out = &ask->sizes[index];
    char rows[32];
    const char *times = strchr(text, 'x');
    const size_t length = times ? (size_t)(times - text) : strlen(text);
    if (times && strchr(times + 1, 'x'))
        return usage_error(
            error, "--size %.40s: expected rows x columns, such as 4096x4096, or a number", text);
    if (length >= sizeof rows)
        return usage_error(error, "--size %.40s: too long", text);
    memcpy(rows, text, length);
    rows[length] = '\0';
    out->is_one_number = !times;
    if (number_parse(rows, "size", INT64_MAX, &out->rows, error))
        return error->status;
    return times ? number_parse(times + 1, "size", INT64_MAX, &out->columns, error) : SMP_OK;
}

static smp_status parse_type(const char *text, size_t index, compare_ask *ask, smp_error *error) {
    const char *names[SMP_ELEMENT_COUNT];
    char guess[SUGGEST_TEXT_MAX];
    for (unsigned e = 0; e < SMP_ELEMENT_COUNT; e++) {
        names[e] = smp_element_info((smp_element)e)->name;
        if (strcmp(names[e], text) == 0) {
            ask->elements[index] = (smp_element)e;
            return SMP_OK;
        }
    }
    return usage_error(error, "--type %.40s: expected float, double, half, byte, int or unsigned%s",
                       text, suggest_text(text, names, SMP_ELEMENT_COUNT, "", guess));
}

static smp_status parse_cluster(const char *text, size_t index, compare_ask *ask,
                                smp_error *error) {
    uint64_t cluster = 0;
    const smp_status status = number_parse(text, "cluster", 16, &cluster, error);
    ask->clusters[index] = (uint32_t)cluster;
    return status;
}

/* Parses each word of a list option into the next element of an array. */
static smp_status ask_list(const arguments *args, smp_option option, size_t *count,
                           smp_status (*parse)(const char *word, size_t index, compare_ask *out,
                                               smp_error *error),
                           compare_ask *out, smp_error *error) {
    char word[LIST_WORD_MAX];
    for (const char *list = last_value(args, option); list_word_or_end(&list, word); ++*count) {
        if (*count == COMPARE_CASES_MAX)
            return usage_error(error, "compare: more than %d cases at once", COMPARE_CASES_MAX);
        if (parse(word, *count, out, error))
            return error->status;
    }
    return SMP_OK;
}

static smp_status ask_lists(const arguments *args, compare_ask *out, smp_error *error) {
    if (ask_list(args, OPTION_SIZE, &out->size_count, parse_size, out, error) ||
        ask_list(args, OPTION_TYPE, &out->element_count, parse_type, out, error) ||
        ask_list(args, OPTION_CLUSTER, &out->cluster_count, parse_cluster, out, error))
        return error->status;
    return SMP_OK;
}

/* ---- Variants ---- */

static smp_status check_variant(const smp_kernel_family *family, const char *word,
                                smp_error *error) {
    const char *names[COMPARE_ROWS_MAX];
    char guess[SUGGEST_TEXT_MAX];
    size_t count = 0;
    if (smp_kernel_variant_find(family, word))
        return SMP_OK;
    for (; count < family->variant_count && count < COMPARE_ROWS_MAX; count++)
        names[count] = family->variants[count].name;
    return usage_error(error, "--variants: %s has no '%s'%s (smemprobe list kernels)", family->name,
                       word, suggest_text(word, names, count, "", guess));
}

/* Every name must be a variant of every family. */
static smp_status ask_variants(const arguments *args, compare_ask *out, smp_error *error) {
    const char *at = last_value(args, OPTION_VARIANTS);
    char word[LIST_WORD_MAX];
    smp_status status = SMP_OK;
    out->is_picked = at;
    while (at && *(at += strspn(at, ",")) != '\0' && status == SMP_OK && list_word(&at, word)) {
        char *name = out->variants[out->variant_count];
        (void)snprintf(name, sizeof out->variants[0], "%.39s", word);
        for (size_t i = 0; i < out->family_count && status == SMP_OK; i++)
            status = check_variant(out->families[i], name, error);
        if (status == SMP_OK && ++out->variant_count == COMPARE_ROWS_MAX)
            return usage_error(error, "--variants: %d or more", COMPARE_ROWS_MAX);
    }
    return status;
}

smp_status ask_compare(const arguments *args, const char *const *words, unsigned count,
                       compare_ask *out, smp_error *error) {
    static const option_set told = {[OPTION_SIZE] = true,
                                    [OPTION_TYPE] = true,
                                    [OPTION_CLUSTER] = true,
                                    [OPTION_VARIANTS] = true};
    smp_arch arch;
    memset(out, 0, sizeof *out);
    out->notes = &say_notes;
    out->is_arch_given = has(args, OPTION_ARCH);
    if (ask_families(words, count, out, error) || ask_lists(args, out, error) ||
        ask_variants(args, out, error) ||
        ask_record(args, "compare", POSITIONALS_MAX, told, &out->record, error) ||
        ask_one_arch(args, "compare takes one architecture", &arch, error) ||
        ask_device(args, &out->device, error))
        return error->status;
    out->arch = smp_arch_of_cc(arch.cc_major, arch.cc_minor);
    return SMP_OK;
}
