/* SPDX-License-Identifier: MIT */
/*
 * Builds a compiler's command line: chips, options, the source, and words that an earlier attempt
 * asked for.
 */
#include "compiler_call.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "text_buffer.h"
#include "tool.h"

enum { PATH_BYTES = 4096, CHIP_BYTES = 64, FIRST_WITH_FEATURES = 90 };

/* A path that begins with '-' would be taken for an option. */
static char *as_file(const char *path, char named[PATH_BYTES]) {
    (void)snprintf(named, PATH_BYTES, "%s%.4000s", path[0] == '-' ? "./" : "", path);
    return named;
}

static bool has_features(const compiler_words *words) {
    return LIST_FIND(words->list, words->count, COMPILER_FEATURES);
}

/* The option for a chip, with its specific features if the compiler asked for them. */
static const char *put_chip(const compiler_call *call, size_t i, const compiler_words *words,
                            char text[CHIP_BYTES]) {
    const char *number = call->chips[i] + strlen("sm_");
    const char *letter =
        has_features(words) && atoi(number) >= FIRST_WITH_FEATURES ? COMPILER_FEATURES : "";
    if (call->chip_count == 1)
        (void)snprintf(text, CHIP_BYTES, "-arch=sm_%.8s%s", number, letter);
    else
        (void)snprintf(text, CHIP_BYTES, "-gencode=arch=compute_%.8s%s,code=sm_%.8s%s", number,
                       letter, number, letter);
    return text;
}

/* *said: the compiler's messages, which the caller frees. */
static smp_status call_once(const compiler_call *call, const compiler_words *words, char **said,
                            smp_error *error) {
    char tool[PATH_BYTES], named[PATH_BYTES], chips[COMPILER_CHIPS_MAX][CHIP_BYTES], *text;
    const char *argv[COMPILER_OPTIONS_MAX + COMPILER_CHIPS_MAX + COMPILER_WORDS_MAX + 16] = {tool};
    size_t length, used = 1;
    smp_status status = smp_tool_find(call->tool, tool, sizeof(tool), error);
    *said = NULL;
    if (status != SMP_OK)
        return status;
    for (size_t i = 0; i < call->chip_count; i++)
        argv[used++] = put_chip(call, i, words, chips[i]);
    for (size_t i = 0; i < call->count; i++)
        argv[used++] = call->options[i];
    argv[used++] = "-o";
    argv[used++] = call->to;
    argv[used++] = as_file(call->source, named);
    for (uint32_t i = 0; i < words->count; i++)
        if (strcmp(words->list[i], COMPILER_FEATURES) != 0)
            argv[used++] = words->list[i];
    status = smp_tool_run_said((char *const *)(uintptr_t)argv, &text, &length, said, error);
    free(text);
    return status;
}

static void note_words(const compiler_call *call, const compiler_words *words) {
    char text[1024], chip[CHIP_BYTES];
    text_buffer out = TEXT_BUFFER(text);
    for (size_t i = 0; has_features(words) && i < call->chip_count; i++)
        note_add(call->notes, "compiled with %s, because %s asks for it",
                 put_chip(call, i, words, chip), call->tool);
    for (uint32_t i = 0; i < words->count; i++)
        if (strcmp(words->list[i], COMPILER_FEATURES) != 0)
            text_join(&out, " ", strchr(words->list[i], ' ') ? "'%s'" : "%s", words->list[i]);
    if (text[0] != '\0')
        note_add(call->notes, "assumed, because %s asks for it: -- %s", call->tool, text);
}

/* Repeats the call as long as it asks for something new. */
smp_status compiler_call_run(const compiler_call *call, smp_error *error) {
    compiler_words words = {0};
    smp_status status = SMP_E_READ;
    for (bool is_again = true; is_again;) {
        char *said;
        status = call_once(call, &words, &said, error);
        is_again = status == SMP_E_READ && compiler_words_add(&words, call->tool, said, call->path);
        if (status == SMP_E_READ && !is_again && call->notes)
            compiler_said_show(call->tool, said, call->notes, error);
        free(said);
    }
    if (status == SMP_OK && words.count > 0)
        note_words(call, &words);
    compiler_words_clear(&words);
    return status;
}
