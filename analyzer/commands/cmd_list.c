/* SPDX-License-Identifier: MIT */
/* list: prints the tables that the program is built from, with sources and evidence. */
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

static int run(const arguments *args) {
    size_t count, table;
    smp_error error;
    output out;
    if (word_find("list", "table", word, args->positional_count ? args->positional[0] : "", &table,
                  &error))
        return complain(&error);
    if (args->positional_count > 1)
        return complain_of(SMP_E_USAGE,
                           "list shows one table at a time, but '%.40s' was also given",
                           args->positional[1]);
    if (output_open(args, &out, &error))
        return complain(&error);
    const command_row *const *commands = command_rows(&count);
    fact_tables_begin(commands, count);
    smp_format_row_of(out.format)->table(out.stream, &fact_tables[table]);
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
