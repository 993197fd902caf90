/* SPDX-License-Identifier: MIT */
/*
 * The names that an architecture answers to: as compilers spell it (sm_90a, compute_80, 8.6), by
 * family or chip, and as people call the product: "RTX 4090", "rtx4090", "3090", "NVIDIA GeForce
 * GTX 1080 Ti", "A100-SXM4-80GB".
 *
 * Blanks, hyphens and underscores do not matter in a product's name, nor do the vendor's words in
 * front and a form factor behind; RTX, GTX and GT may be left out. Nothing else is guessed: a name
 * of two architectures finds none.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "smp_model.h"

static bool is_separator(char letter) {
    return letter == ' ' || letter == '-' || letter == '_';
}

static const char *skip_separators(const char *text) {
    while (is_separator(*text))
        text++;
    return text;
}

static char lower(char letter) {
    return (char)(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
}

/* Returns the rest of `text` after the letters of a name, ignoring case and separators; NULL if it
 * does not begin with them. */
static const char *after_name(const char *text, const char *name, size_t length) {
    for (const char *end = name + length; name < end; name++) {
        if (is_separator(*name))
            continue;
        text = skip_separators(text);
        if (lower(*text) != lower(*name))
            return NULL;
        text++;
    }
    return text;
}

/* Returns the rest of `text` after one of these words, or `text` itself. */
static const char *after_word(const char *text, const char *const *words) {
    for (; *words; words++) {
        const char *rest = after_name(text, *words, strlen(*words));
        if (rest)
            return rest;
    }
    return text;
}

static const char *after_gigabytes(const char *text) {
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && strncasecmp(text + digits, "gb", 2) == 0 ? text + digits + 2 : text;
}

/* Several forms of one product answer alike. */
static bool is_form_factor(const char *text) {
    static const char *const words[] = {"SXM2", "SXM3",       "SXM4",  "SXM5", "SXM",  "PCIe",
                                        "NVL",  "Laptop GPU", "HBM3e", "HBM3", "HBM2", NULL};
    while (*text != '\0') {
        const char *word = skip_separators(text);
        const char *rest = after_gigabytes(after_word(word, words));
        if (word == text || rest == word)
            return false;
        text = rest;
    }
    return true;
}

static bool is_product(const char *product, size_t length, const char *name) {
    static const char *const series[] = {"RTX ", "GTX ", "GT ", NULL};
    const char *rest = after_name(name, product, length);
    for (const char *const *word = series; *word && !rest; word++) {
        size_t skipped = strlen(*word);
        if (length > skipped && strncmp(product, *word, skipped) == 0)
            rest = after_name(name, product + skipped, length - skipped);
    }
    return rest && is_form_factor(rest);
}

/* True if `name` is one of the products, which are separated by commas. */
static bool has_product(const char *products, const char *name) {
    static const char *const vendor[] = {"NVIDIA", "GeForce", "Tesla", NULL};
    for (const char *shorter = after_word(name, vendor); shorter != name;
         shorter = after_word(name, vendor))
        name = shorter;
    for (const char *at = products; *at != '\0'; at += strspn(at, ", ")) {
        size_t length = strcspn(at, ",");
        if (is_product(at, length, name))
            return true;
        at += length;
    }
    return false;
}

/* True if `word` is one of the blank-separated words of `list`, ignoring case. */
static bool list_has(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; length > 0 && *at != '\0'; at += strspn(at, " ")) {
        size_t here = strcspn(at, " ");
        if (here == length && strncasecmp(at, word, length) == 0)
            return true;
        at += here;
    }
    return false;
}

/* "sm_90", "sm90", "compute_90", "90", followed by `a` (since 9.0) or `f` (since 10.0). */
static bool is_compiler_name(const smp_arch *row, const char *name) {
    static const char *const tags[] = {"sm_", "sm", "compute_", NULL};
    const char *digits = row->name + strlen("sm_");
    for (const char *const *tag = tags; *tag; tag++) {
        if (strncasecmp(name, *tag, strlen(*tag)) == 0) {
            name += strlen(*tag);
            break;
        }
    }
    if (strncmp(name, digits, strlen(digits)) != 0)
        return false;
    const char *rest = name + strlen(digits);
    return *rest == '\0' || (strcmp(rest, "a") == 0 && row->cc_major >= 9) ||
           (strcmp(rest, "f") == 0 && row->cc_major >= 10);
}

static bool is_exactly_named(const smp_arch *row, const char *name) {
    char dotted[8];
    (void)snprintf(dotted, sizeof dotted, "%u.%u", row->cc_major, row->cc_minor);
    return is_compiler_name(row, name) || strcmp(name, dotted) == 0 ||
           strcasecmp(name, row->family) == 0 || list_has(row->chips, name);
}

size_t smp_arch_find_all(const char *name, const smp_arch **rows, size_t max) {
    size_t count, found = 0;
    const smp_arch *all = smp_archs(&count);
    for (size_t i = 0; i < count && max > 0; i++) {
        if (is_exactly_named(&all[i], name)) {
            rows[0] = &all[i];
            return 1;
        }
    }
    for (size_t i = 0; i < count && found < max; i++)
        if (has_product(all[i].products, name))
            rows[found++] = &all[i];
    return found;
}

const smp_arch *smp_arch_find(const char *name) {
    const smp_arch *rows[2];
    return smp_arch_find_all(name, rows, 2) == 1 ? rows[0] : NULL;
}
