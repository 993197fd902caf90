/* SPDX-License-Identifier: MIT */
/* Whole text files end with a NUL, whatever lay in their memory before. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"
#include "text_file.h"

START_TEST(a_nul_follows_the_text) {
    static const struct {
        const char *file, *text;
    } rows[] = {
        {"", ""}, {"a\n", "a\n"}, {"\xef\xbb\xbf", ""}, {"\xef\xbb\xbf#define A", "#define A"}};
    char path[] = "/tmp/smemprobe_text.XXXXXX", *text;
    size_t length;
    smp_error error;
    const int file = mkstemp(path);
    const size_t size = strlen(rows[_i].file);
    ck_assert(file >= 0 && write(file, rows[_i].file, size) == (ssize_t)size && close(file) == 0);
    ck_assert_int_eq(smp_text_read(path, &text, &length, &error), SMP_OK);
    ck_assert_uint_eq(length, strlen(rows[_i].text));
    ck_assert(memcmp(text, rows[_i].text, length + 1) == 0);
    free(text);
    ck_assert_int_eq(unlink(path), 0);
}
END_TEST

int main(void) {
    return SUITE("text_file", TEST_EACH(a_nul_follows_the_text, 4));
}
