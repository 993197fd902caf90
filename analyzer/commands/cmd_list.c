/* SPDX-License-Identifier: MIT */
/* list: prints the tables that the program is built from, with sources and evidence. */
#include <string.h>

#include "fact_tables.h"
#include "output.h"
#include "say.h"
#include "write_format.h"

static const smp_option options[] = {OUTPUT_OPTIONS};

static const char *word(size_t index, const char **summary) {
    if (index >= FACT_TABLES)
        return NULL;
    *summary = fact_tables[index].about;
    return fact_tables[index].name;
}

static smp_status find_table(const arguments *args, const smp_table **out, smp_error *error) {
    const char *names[FACT_TABLES];
    const char *name = args->positional_count ? args->positional[0] : "";
    for (unsigned i = 0; i < FACT_TABLES; i++) {
        names[i] = fact_tables[i].name;
        if (strcmp(name, fact_tables[i].name) == 0) {
            *out = &fact_tables[i];
            return SMP_OK;
        }
    }
    return wrong_word("list", "table", name, names, FACT_TABLES, error);
}

static int run(const arguments *args) {
    const smp_table *table = NULL;
    size_t count;
    smp_error error;
    output out;
    if (find_table(args, &table, &error))
        return complain(&error);
    if (args->positional_count > 1)
        return complain_of(SMP_E_USAGE,
                           "list shows one table at a time, but '%.40s' was also given",
                           args->positional[1]);
    if (output_open(args, &out, &error))
        return complain(&error);
    const command_row *const *commands = command_rows(&count);
    fact_tables_begin(commands, count);
    smp_format_row_of(out.format)->table(out.stream, table);
    return output_end(&out, SMP_OK, NULL, 0);
}

const command_row command_list = {
    .name = "list",
    .summary = "list architectures, operations, counters and more",
    .usage = "TABLE [OPTIONS]",
    COMMAND_OPTIONS(options),
    .formats = SMP_FORMATS(SMP_TABLE_FORMS),
    .word = word,
    .run = run,
};
