/* SPDX-License-Identifier: MIT */
/*
 * A machine instruction's 128 bits as the text that nvdisasm prints of them, without it.
 *
 * word_forms.inc has what is known: per opcode the bits that its text depends on, and the text of
 * each value of them that was seen, learned from nvdisasm and held against it (tests/words). A word
 * whose bits have another value is not known: no guess is made of it.
 */
#ifndef SMP_WORD_TEXT_H
#define SMP_WORD_TEXT_H

#include "smp_model.h"

typedef struct smp_word {
    uint64_t low, high;
} smp_word;

/* Is any code of this compute capability (90) known? */
bool smp_word_knows(uint32_t cc);

/* "@P0 BRA 0x160", without blanks at the end, for the word at `offset_bytes` of its section;
 * targets are offsets there. False: not known, or no room in `size` bytes. */
bool smp_word_text(uint32_t cc, smp_word word, uint32_t offset_bytes, char *out, size_t size);

#endif
