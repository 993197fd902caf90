/* SPDX-License-Identifier: MIT */
/* The words that options take, from a table or listed here. */
#include "ask.h"

#include <string.h>

#include "say.h"
#include "smp_kernels.h"
#include "write_format.h"

typedef struct words_row {
    smp_option option;
    const char *words;
} words_row;

static const words_row fixed[] = {
    {OPTION_EMIT, SMP_CODE_FORMATS},
    {OPTION_COLOR, "auto always never"},
    {OPTION_THEME, "light dark auto"},
    {OPTION_WITNESS, "counters clocks both auto"},
    {OPTION_BANK_MODE, "4 8"},
    {OPTION_WIDTH, "1 2 4 8 16"},
    {OPTION_SPACE, "pad xor linear rotate pad+xor"},
    {OPTION_MEMORY, "shared global local all"},
    {OPTION_CHILDREN, "all none"},
    {OPTION_DEVICES, "all"},
};

/* Adds a name once; families share names of variants. */
static void add(text_buffer *out, const char *name) {
    const size_t length = strlen(name);
    for (const char *at = out->text; (at = strstr(at, name)); at += length) {
        const bool begins = at == out->text || at[-1] == ' ';
        if (begins && (at[length] == ' ' || at[length] == '\0'))
            return;
    }
    text_add(out, "%s%s", out->length > 0 ? " " : "", name);
}

static void add_archs(text_buffer *out) {
    size_t count;
    const smp_arch *rows = smp_archs(&count);
    for (size_t i = 0; i < count; i++)
        add(out, rows[i].name);
    add(out, "all");
}

static void add_ops(text_buffer *out) {
    size_t count;
    const smp_op_row *rows = smp_ops(&count);
    for (size_t i = 0; i < count; i++)
        add(out, rows[i].name);
}

static void add_types(text_buffer *out) {
    for (int i = 0; i < SMP_ELEMENT_COUNT; i++)
        add(out, smp_element_info((smp_element)i)->name);
}

static void add_variants(text_buffer *out) {
    size_t count;
    const smp_kernel_family *const *families = smp_kernel_families(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t v = 0; v < families[i]->variant_count; v++)
            add(out, families[i]->variants[v].name);
    }
}

/* The words of an option with a fixed set, or NULL. */
static const char *fixed_words(smp_option option) {
    const words_row *row = FIND(one, fixed, sizeof fixed / sizeof fixed[0], one->option == option);
    return row ? row->words : NULL;
}

smp_status ask_word(const arguments *args, smp_option option, unsigned *out, smp_error *error) {
    const char *given = last_value(args, option), *words = fixed_words(option);
    char expected[SMP_FORMATS_TEXT_MAX];
    unsigned index = 0;
    if (!given)
        return SMP_OK;
    for (const char *at = words; *at != '\0'; index++) {
        const size_t length = strcspn(at, " ");
        if (strlen(given) == length && strncmp(given, at, length) == 0) {
            *out = index;
            return SMP_OK;
        }
        at += length + strspn(at + length, " ");
    }
    return usage_error(error, "--%s %.40s: expected %s", option_rows[option].name, given,
                       smp_formats_text(words, " or ", expected));
}

const char *option_values(const command_row *command, smp_option option,
                          char room[OPTION_VALUES_MAX]) {
    text_buffer out = text_buffer_over(room, OPTION_VALUES_MAX);
    room[0] = '\0';
    const char *words = fixed_words(option);
    if (words)
        return words;
    if (option == OPTION_FORMAT)
        return command && command->formats ? command->formats : "";
    if (option == OPTION_ARCH)
        add_archs(&out);
    else if (option == OPTION_OP)
        add_ops(&out);
    else if (option == OPTION_TYPE)
        add_types(&out);
    else if (option == OPTION_VARIANTS)
        add_variants(&out);
    return room;
}
