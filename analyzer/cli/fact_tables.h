/* SPDX-License-Identifier: MIT */
/* What `list` shows: architectures, operations, kernels, counters, formats, charts. */
#pragma once

#include "command.h"
#include "write_table.h"

enum { FACT_TABLES = 7 };
extern const smp_table fact_tables[FACT_TABLES];
/* Sets the program's commands, which the table of formats lists. */
void fact_tables_begin(const command_row *const *commands, size_t count);
