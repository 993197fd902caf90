/* SPDX-License-Identifier: MIT */
/*
 * live_page.c: the writing side. A child of fork() has a page of its own.
 */
#define _GNU_SOURCE
#include "live_page.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static live_page *open_page(pid_t process) {
    char path[4096];
    const char *begin = getenv("SMP_LIVE");
    if (begin == NULL ||
        snprintf(path, sizeof path, "%s%ld", begin, (long)process) >= (int)sizeof path)
        return NULL;
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    void *page = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof(live_page)) == 0)
        page = mmap(NULL, sizeof(live_page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        (void)close(file);
    return page == MAP_FAILED ? NULL : page;
}

live_page *live_page_own(void) {
    static live_page *page;
    static pid_t owner;
    const pid_t self = getpid();
    if (owner != self) {
        owner = self;
        page = open_page(self);
    }
    return page;
}

void live_page_launch(const char *kernel, int is_looked_at) {
    live_page *page = live_page_own();
    if (page == NULL)
        return;
    page->launches++;
    page->looked += is_looked_at != 0;
    (void)snprintf(page->kernel, sizeof page->kernel, "%s", kernel != NULL ? kernel : "?");
}
