/* SPDX-License-Identifier: MIT */
/*
 * Guesses what an unknown architecture name meant: products that contain it, or the product or
 * family closest in spelling. The guess is only shown, never used.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "suggest.h"
#include "text_buffer.h"

enum { NAMES_MAX = 512, NAME_MAX_LENGTH = 32 };

/* All products and families, as written and in lower case. */
typedef struct names {
    size_t count;
    char written[NAMES_MAX][NAME_MAX_LENGTH], lower[NAMES_MAX][NAME_MAX_LENGTH];
} names;

static void to_lower(const char *from, char out[NAME_MAX_LENGTH]) {
    size_t i = 0;
    for (; from[i] != '\0' && i + 1 < NAME_MAX_LENGTH; i++)
        out[i] = (char)tolower((unsigned char)from[i]);
    out[i] = '\0';
}

static void add_name(names *all, const char *text, size_t length) {
    if (all->count == NAMES_MAX)
        return;
    char *written = all->written[all->count];
    (void)snprintf(written, NAME_MAX_LENGTH, "%.*s", (int)length, text);
    to_lower(written, all->lower[all->count++]);
}

static void list_names(names *all) {
    size_t count;
    const smp_arch *rows = smp_archs(&count);
    all->count = 0;
    for (size_t i = 0; i < count; i++) {
        add_name(all, rows[i].family, strlen(rows[i].family));
        for (const char *at = rows[i].products; *at != '\0'; at += strspn(at, ", ")) {
            add_name(all, at, strcspn(at, ","));
            at += strcspn(at, ",");
        }
    }
}

/* Lists up to three, as in "'Quadro RTX 6000' or 'RTX 6000 Ada'"; false if there are none, or
 * more. */
static bool guess_longer(const names *all, const char *word, char out[GUESS_MAX]) {
    size_t found = 0;
    text_buffer list = text_buffer_over(out, GUESS_MAX);
    for (size_t i = 0; i < all->count && strlen(word) > 3; i++) {
        if (!strstr(all->lower[i], word))
            continue;
        if (++found > 3)
            return false;
        text_join(&list, " or ", "'%s'", all->written[i]);
    }
    return found > 0;
}

/* "sm_80a" and "sm_90f" do not exist, but the architecture does. */
static bool guess_without_letter(const char *word, char out[GUESS_MAX]) {
    const size_t length = strlen(word);
    char digits[NAME_MAX_LENGTH];
    if (length == 0 || !strchr("af", word[length - 1]))
        return false;
    (void)snprintf(digits, sizeof digits, "%.*s", (int)length - 1, word);
    const smp_arch *row = smp_arch_find(digits);
    if (row)
        (void)snprintf(out, GUESS_MAX, "'%s'", row->name);
    return row;
}

bool guess_arch(const char *name, char out[GUESS_MAX]) {
    names all;
    const char *candidates[NAMES_MAX];
    char word[NAME_MAX_LENGTH];
    to_lower(name, word);
    if (guess_without_letter(word, out))
        return true;
    list_names(&all);
    if (guess_longer(&all, word, out))
        return true;
    for (size_t i = 0; i < all.count; i++)
        candidates[i] = all.lower[i];
    const char *best = strlen(word) > 3 ? suggest(word, candidates, all.count) : NULL;
    for (size_t i = 0; best && i < all.count; i++)
        if (candidates[i] == best)
            (void)snprintf(out, GUESS_MAX, "'%s'", all.written[i]);
    return best;
}
