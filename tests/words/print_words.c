/* SPDX-License-Identifier: MIT */
/*
 * print_words <WORDS: the text of each 16 bytes of the input as sm_90 code, "-" where it is not
 * known; for prove.py.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "word_text.h"

int main(void) {
    unsigned char bytes[16];
    char text[512];
    for (uint32_t offset = 0; fread(bytes, 1, sizeof(bytes), stdin) == sizeof(bytes);
         offset += 16) {
        smp_word word;
        memcpy(&word.low, bytes, 8);
        memcpy(&word.high, bytes + 8, 8);
        puts(smp_word_text(90, word, offset, text, sizeof(text)) ? text : "-");
    }
    return 0;
}
