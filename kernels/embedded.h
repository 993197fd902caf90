/* SPDX-License-Identifier: MIT */
/* Text files that are compiled into the program, so that it needs no data folder. */
#pragma once

#include <stddef.h>

/* `text` ends with a NUL that `length` does not count. */
struct smp_embedded {
    const char *name; /* file name without folder */
    const char *text;
    size_t length;
};

/* kernels/families/<name>.smp */
extern const struct smp_embedded smp_script_files[];
extern const size_t smp_script_file_count;

/* probes/recorded/<name>.txt */
extern const struct smp_embedded smp_recorded_files[];
extern const size_t smp_recorded_file_count;

/* plots/<name>.gp */
extern const struct smp_embedded smp_plot_files[];
extern const size_t smp_plot_file_count;

/* analyzer/write/html: the page, with its style and program put in. */
extern const struct smp_embedded smp_page_files[];
extern const size_t smp_page_file_count;

/* analyzer/commands/help/<name>.txt */
extern const struct smp_embedded smp_help_files[];
extern const size_t smp_help_file_count;

/* docs/reference/language.md and launch.md */
extern const struct smp_embedded smp_topic_files[];
extern const size_t smp_topic_file_count;
