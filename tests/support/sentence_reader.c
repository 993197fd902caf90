/* SPDX-License-Identifier: MIT */
/*
 * Matches rows with text, slot by slot; what can be read in several ways is read
 * by the row that comes first and lets the rest be read, too.
 */
#include "sentence_reader.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *const *rows;
    size_t row_count;
    claim *claims;
    size_t count;
} reader;

static bool read_claims(reader *in, const char *at);

static uint64_t of_digits(const char *at, size_t count) {
    uint64_t out = 0;
    for (size_t i = 0; i < count; i++)
        out = out * 10 + (uint64_t)(at[i] - '0');
    return out;
}

/* "7", "512", "1,024" or "1024". */
static bool read_number(const char **at, uint64_t *out) {
    static const char digits[] = "0123456789";
    const char *end = *at;
    const size_t length = strspn(end, digits);
    if (length == 0 || (length > 1 && *end == '0'))
        return false;
    *out = of_digits(end, length);
    for (end += length; length < 4 && *end == ',' && strspn(end + 1, digits) == 3; end += 4)
        *out = *out * 1000 + of_digits(end + 1, 3);
    *at = end;
    return true;
}

static bool read_word(const char **at, const char *word) {
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

/* "5" or "4-7". */
static bool read_run(const char **at, uint64_t *first, uint64_t *last) {
    if (!read_number(at, first))
        return false;
    *last = *first;
    if (**at != '-')
        return true;
    ++*at;
    return read_number(at, last) && *last > *first;
}

static bool read_banks(const char **at, claim_slot *out) {
    uint64_t last;
    bool is_one = !read_word(at, "banks ");
    if ((is_one && !read_word(at, "bank ")) || !read_run(at, &out->number, &last))
        return false;
    out->count = last - out->number + 1;
    return is_one == (out->count == 1);
}

static unsigned count_lanes(uint32_t lanes) {
    unsigned count = 0;
    for (; lanes != 0; lanes &= lanes - 1)
        count++;
    return count;
}

/* Runs in ascending order that do not touch. */
static bool read_lanes(const char **at, claim_slot *out) {
    uint64_t first, last = 0;
    bool is_one = !read_word(at, "lanes "), is_cut = false;
    if (is_one && !read_word(at, "lane "))
        return false;
    out->lanes = 0;
    do {
        uint64_t before = last;
        const char *here = *at;
        if (out->lanes != 0 && read_word(&here, "... (")) {
            *at = here;
            is_cut = read_number(at, &out->count) && read_word(at, " lanes)");
            return is_cut && out->count > count_lanes(out->lanes);
        }
        if (out->lanes != 0 && (*here < '0' || *here > '9')) {
            *at -= 2; /* the comma belongs to the sentence */
            break;
        }
        if (!read_run(at, &first, &last) || last > 31 || (out->lanes != 0 && first <= before + 1))
            return false;
        for (uint64_t lane = first; lane <= last; lane++)
            out->lanes |= 1u << lane;
    } while (read_word(at, ", "));
    out->count = count_lanes(out->lanes);
    return is_one == (out->count == 1);
}

static bool read_real(const char **at, claim_slot *out, bool has_decimal) {
    char *end;
    const char *digits = *at + (**at == '-');
    size_t whole = strspn(digits, "0123456789");
    size_t more = digits[whole] == '.' ? strspn(digits + whole + 1, "0123456789") : 0;
    if (whole == 0 || (has_decimal ? more != 1 : false))
        return false;
    out->real = strtod(*at, &end);
    *at = digits + whole + (has_decimal ? 2 : 0);
    return true;
}

static bool read_slot(char kind, const char **at, claim_slot *out) {
    switch (kind) {
    case 'n':
        return read_number(at, &out->number);
    case 'b':
        return read_banks(at, out);
    case 'l':
        return read_lanes(at, out);
    case 'e':
        return read_real(at, out, false);
    case 'f':
        return read_real(at, out, true);
    default:
        return false;
    }
}

static bool read_choice(const char *mark, const char *end, bool is_one, const char **at) {
    const char *bar = memchr(mark, '|', (size_t)(end - mark));
    const char *from = is_one ? mark + 1 : bar + 1, *to = is_one ? bar : end;
    if (!bar || strncmp(*at, from, (size_t)(to - from)) != 0)
        return false;
    *at += to - from;
    return true;
}

/* Matches what is left of a row, then reads what is behind it. */
static bool read_row(reader *in, const char *row, const char *at, claim_slot *slot, uint64_t last) {
    while (*row != '\0' && *row != '{') {
        if (*row++ != *at++)
            return false;
    }
    if (*row == '\0')
        return read_claims(in, at);
    const char *end = strchr(row, '}');
    if (end != row + 2)
        return read_choice(row, end, last == 1, &at) && read_row(in, end + 1, at, slot, last);
    if (row[1] != 't') {
        if (!read_slot(row[1], &at, slot))
            return false;
        last = row[1] == 'n' ? slot->number : row[1] == 'b' ? slot->count : last;
        return read_row(in, end + 1, at, slot + 1, last);
    }
    slot->text = at;
    for (slot->length = strlen(at); slot->length > 0; slot->length--) {
        if (read_row(in, end + 1, at + slot->length, slot + 1, last))
            return true;
    }
    return false;
}

static bool read_claims(reader *in, const char *at) {
    if (*at == '\0')
        return in->count > 0;
    if (in->count == CLAIMS_MAX)
        return false;
    claim *next = &in->claims[in->count++];
    for (size_t i = 0; i < in->row_count; i++) {
        memset(next, 0, sizeof *next);
        next->row = i;
        if (read_row(in, in->rows[i], at, next->slots, 0))
            return true;
    }
    in->count--;
    return false;
}

size_t claims_read(const char *const *rows, size_t row_count, const char *text,
                   claim claims[CLAIMS_MAX]) {
    reader in = {rows, row_count, claims, 0};
    return read_claims(&in, text) ? in.count : 0;
}
