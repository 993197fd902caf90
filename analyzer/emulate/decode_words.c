/* SPDX-License-Identifier: MIT */
/*
 * An instruction's text, cut into opcode, modifiers and operands.
 */
#include <string.h>

#include "decode.h"

bool has_modifier(const decoder *d, const char *modifier) {
    for (unsigned i = 0; i < d->modifier_count; i++)
        if (!(d->modifiers_taken >> i & 1) && strcmp(d->modifiers[i], modifier) == 0)
            return true;
    return false;
}

bool take(decoder *d, const char *modifier) {
    for (unsigned i = 0; i < d->modifier_count; i++)
        if (!(d->modifiers_taken >> i & 1) && strcmp(d->modifiers[i], modifier) == 0) {
            d->modifiers_taken |= 1u << i;
            return true;
        }
    return false;
}

unsigned take_one(decoder *d, const char *const *names, unsigned fallback) {
    for (unsigned i = 0; names[i] != NULL; i++)
        if (take(d, names[i]))
            return i;
    return fallback;
}

bool has_operand(const decoder *d) {
    return d->operand_next < d->operand_count;
}

const char *peek_operand(const decoder *d) {
    return has_operand(d) ? d->operands[d->operand_next] : "";
}

const char *next_operand(decoder *d) {
    if (has_operand(d))
        return d->operands[d->operand_next++];
    d->is_unknown = true;
    return "";
}

static bool add_word(char words[][WORD_BYTES], unsigned *count, const char *text, size_t length) {
    if (*count >= WORDS_MAX || length >= WORD_BYTES)
        return false;
    memcpy(words[*count], text, length);
    words[*count][length] = '\0';
    ++*count;
    return true;
}

static bool split_opcode(decoder *d, const char *text) {
    size_t length = strcspn(text, ".");
    if (length >= sizeof(d->base))
        return false;
    memcpy(d->base, text, length);
    d->base[length] = '\0';
    for (text += length; *text == '.'; text += length) {
        length = strcspn(++text, ".");
        if (!add_word(d->modifiers, &d->modifier_count, text, length))
            return false;
    }
    return true;
}

/* ".reuse" is about the register cache, and means nothing. */
static void forget_reuse(char *operand) {
    for (char *at; (at = strstr(operand, ".reuse")) != NULL;)
        memmove(at, at + 6, strlen(at + 6) + 1);
}

/* At commas; blanks around them and at the end do not count. */
static bool split_operands(decoder *d, const char *text) {
    while (*text != '\0') {
        while (*text == ' ' || *text == ',')
            text++;
        size_t length = strcspn(text, ",");
        size_t used = length;
        while (used > 0 && text[used - 1] == ' ')
            used--;
        if (used == 0)
            break;
        if (!add_word(d->operands, &d->operand_count, text, used))
            return false;
        forget_reuse(d->operands[d->operand_count - 1]);
        text += length;
    }
    return true;
}

bool split_instruction_words(decoder *d) {
    return split_opcode(d, d->instruction->opcode) && split_operands(d, d->instruction->operands);
}
