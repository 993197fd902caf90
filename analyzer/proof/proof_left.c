/* SPDX-License-Identifier: MIT */
/* Reads and compares what programs left. */
#define _POSIX_C_SOURCE 200809L
#include "proof_left.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"

void proof_left_clear(proof_left *left) {
    for (uint32_t i = 0; i < left->launch_count; i++) {
        free(left->launches[i].kernel);
        free(left->launches[i].parameters);
    }
    for (uint32_t i = 0; i < left->array_count; i++)
        free(left->arrays[i].name);
    free(left->launches);
    free(left->arrays);
    free(left->printed);
    free(left->varies);
    *left = (proof_left){.launches = NULL};
}

/* ---- The file ---- */

static bool take_launch(const char *line, proof_left *out) {
    unsigned whole, seen;
    int name = 0;
    if (!LIST_ROOM(out->launches, out->launch_count))
        return false;
    proof_launch *one = &out->launches[out->launch_count];
    *one = (proof_launch){.first = out->array_count};
    if (sscanf(line, "launch %u %u %u %u %u %u %u %u %u %u %u %u %n", &one->registers,
               &one->local_bytes, &one->shared_bytes, &one->dynamic_bytes, &one->grid[0],
               &one->grid[1], &one->grid[2], &one->block[0], &one->block[1], &one->block[2], &whole,
               &seen, &name) != 12 ||
        name == 0)
        return false;
    one->is_whole = whole;
    one->is_seen = seen;
    one->kernel = strdup(line + name);
    out->launch_count++;
    return one->kernel;
}

static bool take_values(const char *line, proof_left *out) {
    const char *digits = strchr(line, ' ');
    proof_launch *one = out->launch_count > 0 ? &out->launches[out->launch_count - 1] : NULL;
    if (!one || one->parameters || !digits || !(one->parameters = malloc(strlen(digits))))
        return false;
    for (digits++; sscanf(digits, "%2hhx", &one->parameters[one->parameter_bytes]) == 1;
         digits += 2)
        one->parameter_bytes++;
    return *digits == '\0';
}

static bool take_array(const char *line, proof_left *out) {
    int name = 0;
    if (out->launch_count == 0 || !LIST_ROOM(out->arrays, out->array_count))
        return false;
    proof_array *one = &out->arrays[out->array_count];
    *one = (proof_array){.name = NULL};
    if (sscanf(line, "array %" SCNu64 " %" SCNu64 " %" SCNx64 " %" SCNx64 " %n", &one->size_bytes,
               &one->used_bytes, &one->hash[0], &one->hash[1], &name) != 4 ||
        name == 0)
        return false;
    one->name = strdup(line + name);
    out->array_count++;
    out->launches[out->launch_count - 1].count++;
    return one->name;
}

/* Reads the grouped hash of the preceding array. */
static bool take_ordered(const char *line, proof_left *out) {
    proof_array *one = out->array_count > 0 ? &out->arrays[out->array_count - 1] : NULL;
    return one && sscanf(line, "ordered %" SCNu64 " %" SCNx64 " %" SCNx64, &one->ordered_bytes,
                         &one->ordered[0], &one->ordered[1]) == 3;
}

bool proof_left_read(const char *path, proof_left *out) {
    char *line = NULL;
    size_t room = 0;
    bool is_fine = true;
    FILE *file = fopen(path, "r");
    while (is_fine && file && getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        is_fine = line[0] == 'l'   ? take_launch(line, out)
                  : line[0] == 'v' ? take_values(line, out)
                  : line[0] == 'o' ? take_ordered(line, out)
                                   : take_array(line, out);
    }
    free(line);
    if (file)
        (void)fclose(file);
    return is_fine;
}

/* ---- Memory ---- */

/* Whether the bytes are equal, or the structs, which the later version may keep in groups. */
static bool arrays_equal(const proof_array *p, const proof_array *q) {
    const size_t size = sizeof p->hash;
    return (p->size_bytes == q->size_bytes && memcmp(p->hash, q->hash, size) == 0) ||
           (p->size_bytes == q->ordered_bytes && memcmp(p->hash, q->ordered, size) == 0);
}

static bool launches_equal(const proof_left *a, const proof_left *b, uint32_t number,
                           uint64_t *bytes, char why[PROOF_WHY]) {
    const proof_launch *x = &a->launches[number], *y = &b->launches[number];
    if (strcmp(x->kernel, y->kernel) != 0 || memcmp(x->grid, y->grid, sizeof x->grid) != 0 ||
        memcmp(x->block, y->block, sizeof x->block) != 0 || x->is_whole != y->is_whole) {
        (void)snprintf(why, PROOF_WHY, "launch %" PRIu32 " differs: %.60s, %.60s before",
                       number + 1, y->kernel, x->kernel);
        return false;
    }
    for (uint32_t i = 0; i < x->count || i < y->count; i++) {
        const proof_array *p = &a->arrays[x->first + i], *q = &b->arrays[y->first + i];
        if (i >= x->count || i >= y->count || !arrays_equal(p, q)) {
            const bool is_longer = i < x->count && i < y->count && p->size_bytes != q->size_bytes;
            (void)snprintf(why, PROOF_WHY, "%.80s: %s %.60s, launch %" PRIu32, x->kernel,
                           is_longer ? "different size of" : "different values in",
                           i < x->count ? p->name : q->name, number + 1);
            return false;
        }
        *bytes += p->used_bytes;
    }
    return true;
}

bool proof_left_equal(const proof_left *before, const proof_left *after, uint64_t *bytes,
                      char why[PROOF_WHY]) {
    if (before->launch_count != after->launch_count) {
        (void)snprintf(why, PROOF_WHY, "%" PRIu32 " launches instead of %" PRIu32,
                       after->launch_count, before->launch_count);
        return false;
    }
    for (uint32_t i = 0; i < before->launch_count; i++)
        if (!launches_equal(before, after, i, bytes, why))
            return false;
    return true;
}

/* ---- What is printed ---- */

static const char blanks[] = " \t\r\n";

/* Returns the length of the next word and moves *at after it; 0 at the end. */
static size_t next_word(const char **at) {
    *at += strspn(*at, blanks);
    const size_t length = strcspn(*at, blanks);
    *at += length;
    return length;
}

static bool words_equal(const char *x, size_t a, const char *y, size_t b) {
    return a == b && memcmp(x - a, y - b, a) == 0;
}

bool proof_printed_equal(const proof_left *before, const proof_left *after, char why[PROOF_WHY]) {
    const char *x = before->printed, *y = after->printed;
    if (!x || !y || before->is_free)
        return true;
    for (size_t i = 0;; i++) {
        const size_t a = next_word(&x), b = next_word(&y);
        if (a == 0 && b == 0)
            return true;
        if (words_equal(x, a, y, b) ||
            (before->varies && i < before->word_count && before->varies[i] && a > 0 && b > 0))
            continue;
        (void)snprintf(why, PROOF_WHY, "it prints \"%.*s\" instead of \"%.*s\"",
                       (int)(b < 60 ? b : 60), y - b, (int)(a < 60 ? a : 60), x - a);
        return false;
    }
}

static size_t count_words(const char *text) {
    size_t count = 0;
    while (next_word(&text) > 0)
        count++;
    return count;
}

proof_printed proof_left_printed(const proof_left *left) {
    proof_printed out = {.words = left->printed ? count_words(left->printed) : 0,
                         .is_free = left->is_free};
    for (size_t i = 0; left->varies && i < left->word_count; i++)
        out.varying += left->varies[i];
    return out;
}

bool proof_printed_vary(proof_left *left, const proof_left *again) {
    const char *x = left->printed, *y = again->printed;
    if (!x || !y)
        return true;
    left->word_count = count_words(x);
    left->is_free = count_words(y) != left->word_count;
    if (left->is_free || left->word_count == 0)
        return true;
    if (!left->varies && !(left->varies = calloc(left->word_count, sizeof *left->varies)))
        return false;
    for (size_t i = 0; i < left->word_count; i++) {
        const size_t a = next_word(&x), b = next_word(&y);
        left->varies[i] |= !words_equal(x, a, y, b);
    }
    return true;
}
