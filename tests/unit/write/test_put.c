/* SPDX-License-Identifier: MIT */
/*
 * Numbers as texts: shares of a whole, and texts that a thread asks for while another
 * still uses its own, as two documents written at once do.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "profile_words.h"
#include "put.h"
#include "suite.h"

START_TEST(shares_are_never_rounded_to_none_or_all) {
    static const struct {
        uint64_t part, whole;
        const char *text;
    } rows[] = {{0, 0, "0 %"},   {0, 5, "0 %"},  {1, 1000, "under 1 %"}, {56, 16448, "under 1 %"},
                {1, 100, "1 %"}, {1, 3, "33 %"}, {99, 100, "99 %"},      {999, 1000, "over 99 %"},
                {7, 7, "100 %"}, {9, 7, "100 %"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        ck_assert_str_eq(smp_percent(rows[i].part, rows[i].whole), rows[i].text);
}
END_TEST

static void *ask_often(void *user) {
    const smp_frame frame = {.file = (char *)"other.cu", .line = 7};
    for (uint64_t i = 0; i < 16; i++)
        if (*count_text(i) == '\0' || *smp_frame_text(&frame) == '\0' ||
            *smp_percent(i, 99) == '\0')
            *(bool *)user = true;
    return NULL;
}

START_TEST(texts_belong_to_their_thread) {
    const smp_frame frame = {.file = (char *)"k.cu", .line = 12};
    const char *const number = count_text(1234567), *const place = smp_frame_text(&frame);
    const char *const share = smp_percent(1, 4);
    pthread_t other;
    bool is_empty = false;
    ck_assert(pthread_create(&other, NULL, ask_often, &is_empty) == 0);
    ck_assert(pthread_join(other, NULL) == 0 && !is_empty);
    ck_assert_str_eq(number, "1,234,567");
    ck_assert_str_eq(place, "k.cu:12");
    ck_assert_str_eq(share, "25 %");
}
END_TEST

START_TEST(a_diff_can_be_applied) {
    static const char patch[] = "-\tfloat t[32];\r\n+\tfloat\tt[33];\r\n-a\rb\x1b\n";
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    put_diff(out, patch, (smp_style){0});
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_str_eq(text, "-\tfloat t[32];\r\n+\tfloat\tt[33];\r\n-a\\x0db\\x1b\n");
    free(text);
}
END_TEST

/* In a file, too: the part around the name that the line is about. */
START_TEST(a_long_line_is_cut) {
    char line[4000], *text = NULL;
    size_t size;
    memset(line, 'x', sizeof line);
    memcpy(line + 3000, " tile[", 6);
    line[sizeof line - 1] = '\0';
    FILE *out = open_memstream(&text, &size);
    smp_cut_put(out, "  ", line, "tile");
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_uint_le(size, 512);
    ck_assert(strncmp(text, "  ...tile[x", 11) == 0);
    ck_assert_str_eq(text + size - 5, "x...\n");
    free(text);
}
END_TEST

int main(void) {
    return SUITE("put", TEST(a_long_line_is_cut), TEST(shares_are_never_rounded_to_none_or_all),
                 TEST(a_diff_can_be_applied), TEST(texts_belong_to_their_thread));
}
