/* SPDX-License-Identifier: MIT */
/* Text piece by piece: whatever does not fit is cut, at every size. Lists element by element. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "suite.h"
#include "text_buffer.h"

/* A buffer of `size` bytes between two bytes that must not change. */
START_TEST(what_does_not_fit_is_cut) {
    static const char whole[] = "one, two, 3; four";
    const size_t size = (size_t)_i + 1, most = size - 1;
    char room[64];
    memset(room, '#', sizeof room);
    text_buffer out = text_buffer_over(room + 1, size);
    ck_assert_str_eq(room + 1, "");
    text_join(&out, ", ", "%s", "one");
    text_join(&out, ", ", "%s", "two");
    text_join(&out, ", ", "%d", 3);
    text_add(&out, "; %s", "four");
    size_t length = strlen(whole) < most ? strlen(whole) : most;
    ck_assert_uint_eq(out.length, length);
    ck_assert_uint_eq(strlen(room + 1), length);
    ck_assert(strncmp(room + 1, whole, length) == 0);
    ck_assert(room[0] == '#' && room[1 + size] == '#');
}
END_TEST

START_TEST(nothing_needs_no_separator) {
    char room[16];
    text_buffer out = TEXT_BUFFER(room);
    text_join(&out, ", ", "%s", "");
    text_join(&out, ", ", "%s", "a");
    text_join(&out, ", ", "%s", "");
    text_join(&out, ", ", "%s", "b");
    ck_assert_str_eq(room, "a, , b");
}
END_TEST

START_TEST(words_are_quoted_for_a_shell) {
    char room[64];
    text_buffer out = TEXT_BUFFER(room);
    text_add_word(&out, "--arch=sm_80");
    text_add_word(&out, "a b.cu");
    text_add_word(&out, "");
    text_add_word(&out, "it's");
    text_add_word(&out, "k<<<1,2>>>(n)");
    ck_assert_str_eq(room, "--arch=sm_80 'a b.cu' '' 'it'\\''s' 'k<<<1,2>>>(n)'");
}
END_TEST

START_TEST(lists_grow_by_zeroed_elements) {
    typedef struct pair {
        uint32_t number;
        char text[9];
    } pair;
    pair *all = NULL;
    for (uint32_t count = 0; count < 1000; count++) {
        ck_assert(LIST_ROOM(all, count));
        ck_assert(all[count].number == 0 && all[count].text[8] == 0);
        memset(&all[count], 0xff, sizeof *all);
        all[count].number = count;
    }
    for (uint32_t i = 0; i < 1000; i++)
        ck_assert(all[i].number == i && all[i].text[8] == (char)0xff);
    pair *const before = all;
    ck_assert(!list_room(&all, SIZE_MAX / 16 + 1, sizeof *all) && all == before);
    free(all);
}
END_TEST

int main(void) {
    return SUITE("text_buffer", TEST_EACH(what_does_not_fit_is_cut, 40),
                 TEST(nothing_needs_no_separator), TEST(words_are_quoted_for_a_shell),
                 TEST(lists_grow_by_zeroed_elements));
}
