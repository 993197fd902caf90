/* SPDX-License-Identifier: MIT */
/* Command lines of builds, and the flags that are taken from them. */
#include <stdlib.h>
#include <string.h>

#include "compile_flags.h"
#include "suite.h"
#include "text_buffer.h"

typedef struct flag_row {
    const char *command, *taken; /* '|' between words */
} flag_row;

/* clang-format off */
static const flag_row rows[] = {
    {"nvcc -std=c++17 -O3 -c a.cu -o a.o", "-std=c++17"},
    {"nvcc --std c++20 -x cu -arch=sm_80", "-std=c++20|-x=cu"},
    {"nvcc -std=gnu++17 -xc++ -x cuda", "-std=c++17"},
    {"nvcc -std='c++17;id'", ""},
    {"nvcc -Iinc -I inc -I/abs --include-path=more -I../up", "-I/b/inc|-I/b/inc|-I/abs|-I/b/more|-I/b/../up"},
    {"nvcc -isystem /s -isystem=s --system-include s", "-isystem=/s|-isystem=/b/s|-isystem=/b/s"},
    {"nvcc -I \"a b\" -Ia\\ b", "-I/b/a b|-I/b/a b"},
    {"nvcc -include config.h -include=/abs/x.h --pre-include -ccbin", "-include=config.h|-include=/abs/x.h"},
    {"nvcc -DA -D B=2 -DS=\\\"1.0\\\" -UA --define-macro=C", "-DA|-DB=2|-DS=\"1.0\"|-UA|-DC"},
    {"nvcc --expt-relaxed-constexpr -expt-extended-lambda -use_fast_math -maxrregcount=32 -maxrregcount 64",
     "--expt-relaxed-constexpr|--expt-extended-lambda|--use_fast_math|-maxrregcount=32|-maxrregcount=64"},
    {"nvcc -ccbin /evil/g++ --compiler-bindir=/evil -Xcompiler -B/evil -Xcompiler=-fplugin=/evil.so", ""},
    {"nvcc -Xcompiler -DHOST -ccbin -DX --options-file -DY -o -DZ -Xptxas -DP", ""},
    {"nvcc --options-file flags.rsp -optf flags.rsp -dlink -dryrun -G -MD -MF a.d -gencode arch=compute_80,code=sm_80", ""},
    {"nvcc '-DA=$(touch x)' '-DA=`touch x`' '-DA=\\' '-DA=\"a\";touch x\"' '-DA=\"' '-DA=a\";b' '-DA=1 -fplugin=x' '-DA=\"a>b\"'", ""},
    {"nvcc '-I/a$(touch x)' '-I/a\"b' '-I`x`' -I -D", ""},
    {"nvcc -DX=$(touch x) -DY=1", "-DY=1"},
    {"nvcc -D -I", ""},
    {"nvcc '-I", ""},
    {"nvcc -DA=\\", ""},
    {"nvcc -D", ""},
    {"", ""},
};
/* clang-format on */

START_TEST(takes_what_is_on_the_list) {
    char text[1024];
    text_buffer out = TEXT_BUFFER(text);
    compile_flags words = {0}, taken = {0};
    compile_flags_split(&words, rows[_i].command);
    compile_flags_take(&taken, &words, "/b");
    for (size_t i = 0; i < taken.count; i++)
        text_join(&out, "|", "%s", taken.list[i]);
    ck_assert_msg(strcmp(text, rows[_i].taken) == 0, "%s: %s, expected %s", rows[_i].command, text,
                  rows[_i].taken);
    ck_assert(!words.has_failed && !taken.has_failed);
    compile_flags_clear(&words);
    compile_flags_clear(&taken);
}
END_TEST

/* No command of a build, however long, makes a call that cannot be made. */
START_TEST(is_bounded) {
    compile_flags words = {0}, taken = {0};
    for (int i = 0; i < 3 * COMPILE_FLAGS_MAX; i++)
        compile_flags_push(&words, "-DA");
    compile_flags_take(&taken, &words, "/b");
    ck_assert_uint_eq(taken.count, COMPILE_FLAGS_MAX);
    compile_flags_clear(&words);
    compile_flags_clear(&taken);
}
END_TEST

int main(void) {
    return SUITE("compile_flags", TEST_EACH(takes_what_is_on_the_list, COUNT_OF(rows)),
                 TEST(is_bounded));
}
