/* SPDX-License-Identifier: MIT */
/*
 * Decides which flags of a build are taken. nvcc passes words to a shell in double quotes, so a
 * word is taken only if no byte of it is special there.
 */
#include "compile_flags.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "list.h"

enum { WORD_BYTES = 8192 };

typedef enum flag_kind {
    FLAG_ALONE,
    FLAG_VALUE,    /* the next word, or after '=' */
    FLAG_STANDARD, /* the same: c++17 */
    FLAG_LANGUAGE, /* the same: only cu */
    FLAG_FOLDER,   /* the same: a path */
    FLAG_FILE,     /* the same: a path, or a name to look for in the folders */
    FLAG_LEFT      /* ignored together with its value, the next word */
} flag_kind;

typedef struct flag_row {
    const char *name; /* with one '-'; two mean the same */
    const char *as;   /* passed to nvcc, followed by the value */
    flag_kind kind;
    bool is_joined; /* the value may be in the same word */
} flag_row;

/* clang-format off */
static const flag_row rows[] = {
    {"-define-macro", "-D", FLAG_VALUE, false},
    {"-undefine-macro", "-U", FLAG_VALUE, false},
    {"-include-path", "-I", FLAG_FOLDER, false},
    {"-system-include", "-isystem=", FLAG_FOLDER, false},
    {"-pre-include", "-include=", FLAG_FILE, false},
    {"-isystem", "-isystem=", FLAG_FOLDER, false},
    {"-include", "-include=", FLAG_FILE, false},
    {"-std", "-std=", FLAG_STANDARD, false},
    {"-x", "-x=", FLAG_LANGUAGE, false},
    {"-ftz", "-ftz=", FLAG_VALUE, false},
    {"-fmad", "-fmad=", FLAG_VALUE, false},
    {"-prec-div", "-prec-div=", FLAG_VALUE, false},
    {"-prec-sqrt", "-prec-sqrt=", FLAG_VALUE, false},
    {"-maxrregcount", "-maxrregcount=", FLAG_VALUE, false},
    {"-expt-relaxed-constexpr", "--expt-relaxed-constexpr", FLAG_ALONE, false},
    {"-expt-extended-lambda", "--expt-extended-lambda", FLAG_ALONE, false},
    {"-extended-lambda", "--extended-lambda", FLAG_ALONE, false},
    {"-use_fast_math", "--use_fast_math", FLAG_ALONE, false},
    {"-Xcompiler", "", FLAG_LEFT, false}, {"-compiler-options", "", FLAG_LEFT, false},
    {"-Xptxas", "", FLAG_LEFT, false},    {"-Xcudafe", "", FLAG_LEFT, false},
    {"-Xlinker", "", FLAG_LEFT, false},   {"-Xclang", "", FLAG_LEFT, false},
    {"-ccbin", "", FLAG_LEFT, false},     {"-compiler-bindir", "", FLAG_LEFT, false},
    {"-optf", "", FLAG_LEFT, false},      {"-options-file", "", FLAG_LEFT, false},
    {"-o", "", FLAG_LEFT, false},         {"-output-file", "", FLAG_LEFT, false},
    {"-MF", "", FLAG_LEFT, false},        {"-MT", "", FLAG_LEFT, false},
    {"-MQ", "", FLAG_LEFT, false},
    {"-D", "-D", FLAG_VALUE, true},
    {"-U", "-U", FLAG_VALUE, true},
    {"-I", "-I", FLAG_FOLDER, true},
};
/* clang-format on */

void compile_flags_push(compile_flags *to, const char *word) {
    char *copy = strdup(word);
    if (copy && LIST_ROOM(to->list, to->count)) {
        to->list[to->count++] = copy;
        return;
    }
    free(copy);
    to->has_failed = true;
}

void compile_flags_clear(compile_flags *flags) {
    for (size_t i = 0; i < flags->count; i++)
        free(flags->list[i]);
    free(flags->list);
    *flags = (compile_flags){0};
}

/* ---- Words that mean nothing to a shell ---- */

/* Whether the text has only letters, digits, non-ASCII bytes and those in `also`. */
static bool has_only(const char *text, size_t length, const char *also) {
    return EVERY(one, text, length,
                 isalnum((unsigned char)*one) || (unsigned char)*one >= 128 || strchr(also, *one));
}

/* Whether it is a value, or NAME="text", without special characters of a shell. */
static bool is_plain_value(const char *value) {
    static const char bytes[] = "_+-=.,/:@%~()<>*";
    const char *string = strstr(value, "=\"");
    const size_t length = strlen(value);
    if (!string || length < 3 || value[length - 1] != '"' || string + 2 == value + length)
        return has_only(value, length, bytes);
    return has_only(value, (size_t)(string - value), bytes) &&
           has_only(string + 2, (size_t)(value + length - 1 - (string + 2)), "_+-=.,/:@%");
}

static bool is_plain_path(const char *path) {
    return path[0] != '\0' && has_only(path, strlen(path), "_+-=./:@%~() ");
}

/* ---- One flag ---- */

/* Returns FOLDER/VALUE, or the bare name of a missing file, which the compiler searches for. */
static const char *absolute(const flag_row *row, const char *value, const char *folder,
                            char out[WORD_BYTES]) {
    struct stat info;
    if (value[0] == '/' || value[0] == '\0')
        return value;
    const int length = snprintf(out, WORD_BYTES, "%s/%s", folder, value);
    if (length >= WORD_BYTES)
        return "";
    return row->kind == FLAG_FILE && stat(out, &info) != 0 ? value : out;
}

/* Writes the standard; nvcc has no GNU dialects. */
static bool put_standard(const char *value, char out[WORD_BYTES]) {
    const char *year = strstr(value, "++");
    (void)snprintf(out, WORD_BYTES, "c%.16s", year ? year : "");
    return (strncmp(value, "c++", 3) == 0 || strncmp(value, "gnu++", 5) == 0) &&
           has_only(out, strlen(out), "+");
}

static void take(compile_flags *to, const flag_row *row, const char *value, const char *folder) {
    char whole[WORD_BYTES], word[WORD_BYTES + 32];
    bool is_taken = value[0] != '-';
    if (row->kind == FLAG_FOLDER || row->kind == FLAG_FILE) {
        value = absolute(row, value, folder, whole);
        is_taken = is_taken && is_plain_path(value);
    } else if (row->kind == FLAG_STANDARD) {
        is_taken = put_standard(value, whole);
        value = whole;
    } else if (row->kind == FLAG_LANGUAGE) {
        is_taken = strcmp(value, "cu") == 0;
    } else {
        is_taken = is_taken && is_plain_value(value) && (value[0] || row->kind == FLAG_ALONE);
    }
    (void)snprintf(word, sizeof word, "%s%s", row->as, value);
    if (is_taken && to->count < COMPILE_FLAGS_MAX)
        compile_flags_push(to, word);
    else if (to->left_out++ == 0)
        (void)snprintf(to->first_left_out, sizeof to->first_left_out, "%.60s", word);
}

/* Finds the row of a word. *value is the value in the same word, or NULL. */
static const flag_row *find_row(const char *word, const char **value) {
    word += word[0] == '-' && word[1] == '-';
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t length = strlen(rows[i].name);
        if (strncmp(word, rows[i].name, length) != 0)
            continue;
        const char *behind = word + length;
        *value = behind[0] == '\0' ? NULL : rows[i].is_joined ? behind : behind + 1;
        if (behind[0] == '\0' || rows[i].is_joined ||
            (behind[0] == '=' && rows[i].kind != FLAG_ALONE))
            return &rows[i];
    }
    return NULL;
}

void compile_flags_take(compile_flags *to, const compile_flags *words, const char *folder) {
    for (size_t i = 0; i < words->count; i++) {
        const char *value = NULL;
        const flag_row *row = find_row(words->list[i], &value);
        if (!row)
            continue;
        if (row->kind == FLAG_ALONE)
            value = "";
        else if (!value && i + 1 < words->count)
            value = words->list[++i];
        if (value && row->kind != FLAG_LEFT)
            take(to, row, value, folder);
    }
}

/* ---- Words of a command line ---- */

/* Copies the word at `at` to `out` and returns its end. */
static const char *cut_word(const char *at, char *out) {
    char quote = '\0';
    for (; *at && (quote || !isspace((unsigned char)*at)); at++) {
        if (*at == quote) {
            quote = '\0';
        } else if (!quote && (*at == '"' || *at == '\'')) {
            quote = *at;
        } else {
            const bool is_escape =
                *at == '\\' && at[1] && (!quote || (quote == '"' && strchr("\\\"$`", at[1])));
            at += is_escape;
            *out++ = *at;
        }
    }
    *out = '\0';
    return at;
}

void compile_flags_split(compile_flags *to, const char *command) {
    char *word = malloc(strlen(command) + 1);
    to->has_failed |= !word;
    while (word && *command) {
        if (isspace((unsigned char)*command)) {
            command++;
            continue;
        }
        command = cut_word(command, word);
        compile_flags_push(to, word);
    }
    free(word);
}
