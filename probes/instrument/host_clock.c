/* SPDX-License-Identifier: MIT */
/* Sums of times by kind of work. */
#include "host_clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "host_part.h"

static bool is_asked;
static struct {
    double seconds, most;
    unsigned long count;
} works[WORK_KINDS];

void host_clock_start(void) {
    const char *asked = getenv("SMP_INSTRUMENT_OVERHEAD_NOTE");
    is_asked = asked && *asked != '\0';
}

double host_clock(void) {
    return is_asked ? host_now() : 0;
}

void host_clock_add(host_work work, double begun) {
    if (!is_asked)
        return;
    const double seconds = host_now() - begun;
    works[work].seconds += seconds;
    works[work].count++;
    if (seconds > works[work].most)
        works[work].most = seconds;
}

void host_clock_end(void) {
    static const char *const names[WORK_KINDS] = {
#define NAME(work, name) [WORK_##work] = name,
        HOST_WORK_LIST(NAME)
#undef NAME
    };
    char text[2048];
    size_t length = 0;
    if (!is_asked)
        return;
    for (int i = 0; i < WORK_KINDS && length < sizeof text; i++)
        if (works[i].count > 0)
            length += (size_t)snprintf(text + length, sizeof text - length,
                                       "%s%s %.2f ms (%lu, at most %.2f)", length > 0 ? "; " : "",
                                       names[i], works[i].seconds * 1e3, works[i].count,
                                       works[i].most * 1e3);
    host_note("own time: %s; file of %.1f MiB", text, (double)attach.writer.end / (1 << 20));
}
