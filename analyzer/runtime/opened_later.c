/* SPDX-License-Identifier: MIT */
/*
 * A library of its own, which the loader asks (LD_AUDIT): when a program opens libraries while it
 * runs, what static_runtime.c does is done once they are there, before their constructors run.
 * The loader keeps this library apart from the program's, so the function to call comes as a name
 * that static_runtime.c asks for: opened_later.h.
 */
#define _GNU_SOURCE
#include "opened_later.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

static void (*look)(void);

unsigned la_version(unsigned version) {
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag) {
    (void)cookie;
    (void)flag;
    if (strncmp(name, OPENED_LATER_NAME, strlen(OPENED_LATER_NAME)) != 0)
        return (char *)(uintptr_t)name;
    const uintptr_t address = strtoull(name + strlen(OPENED_LATER_NAME), NULL, 16);
    memcpy(&look, &address, sizeof look);
    return NULL;
}

void la_activity(uintptr_t *cookie, unsigned flag) {
    (void)cookie;
    if (flag == LA_ACT_CONSISTENT && look)
        look();
}
