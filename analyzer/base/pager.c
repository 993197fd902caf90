/* SPDX-License-Identifier: MIT */
/* The pager. The shell runs it, since PAGER may be a command with options. */
#include "style.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *name_of_pager(void) {
    static const char *const names[] = {"SMEMPROBE_PAGER", "PAGER"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value)
            return value;
    }
    return system("command -v less >/dev/null 2>&1") == 0 ? "less" : "";
}

/* What git sets: quit where all fits, colours as they are, no clearing. */
static void set_options(const char *first) {
    char options[80];
    (void)snprintf(options, sizeof options, first ? "FRX +/%s" : "FRX", first);
    (void)setenv("LESS", options, 0);
    (void)setenv("LV", "-c", 0);
}

FILE *pager_open(const char *first) {
    if (!isatty(STDOUT_FILENO))
        return NULL;
    const char *pager = name_of_pager();
    if (pager[0] == '\0' || strcmp(pager, "cat") == 0)
        return NULL;
    set_options(first);
    (void)fflush(stdout);
    (void)signal(SIGPIPE, SIG_IGN); /* who quits early has seen enough */
    return popen(pager, "w");
}

smp_status pager_close(FILE *pager, smp_error *error) {
    const int end = pclose(pager);
    if (end != -1 && WIFEXITED(end) && (WEXITSTATUS(end) == 126 || WEXITSTATUS(end) == 127))
        return smp_error_set(error, SMP_E_WRITE, -1,
                             "the pager could not be run; PAGER=cat avoids it");
    return SMP_OK;
}
