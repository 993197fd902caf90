/* SPDX-License-Identifier: MIT */
/* The writing side. A forked child gets a page of its own. */
#define _GNU_SOURCE
#include "live_page.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static live_page *open_page(pid_t process) {
    char path[4096];
    const char *begin = getenv("SMP_LIVE");
    if (!begin || snprintf(path, sizeof path, "%s%ld", begin, (long)process) >= (int)sizeof path)
        return NULL;
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    void *page = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof(live_page)) == 0)
        page = mmap(NULL, sizeof(live_page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        (void)close(file);
    return page == MAP_FAILED ? NULL : page;
}

static live_page *own;
static bool is_open;

static void forget_page(void) {
    is_open = false;
}

/* Asking for the process number at each launch would cost more than everything else. */
live_page *live_page_own(void) {
    static bool is_watching;
    if (is_open)
        return own;
    if (!is_watching)
        is_watching = pthread_atfork(NULL, NULL, forget_page) == 0;
    is_open = true;
    return own = open_page(getpid());
}

void live_page_add(uint64_t launches, uint64_t looked) {
    live_page *page = live_page_own();
    if (!page)
        return;
    page->launches += launches;
    page->looked += looked;
}

void live_page_launch(const char *kernel, int is_looked_at) {
    live_page *page = live_page_own();
    if (!page)
        return;
    page->launches++;
    page->looked += is_looked_at != 0;
    if (kernel)
        (void)snprintf(page->kernel, sizeof page->kernel, "%s", kernel);
}
