/* SPDX-License-Identifier: MIT */
/*
 * Text piece by piece: whatever does not fit is cut, at every size.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "suite.h"
#include "text_buffer.h"

/* Of `size` bytes, between two that must stay. */
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

int main(void) {
    Suite *suite = suite_create("text_buffer");
    TCase *tests = tcase_create("text_buffer");
    tcase_add_loop_test(tests, what_does_not_fit_is_cut, 0, 40);
    tcase_add_test(tests, nothing_needs_no_separator);
    suite_add_tcase(suite, tests);
    return suite_run(suite);
}
