/* SPDX-License-Identifier: MIT */
/*
 * Two tables that a signal handler reads: a slot is claimed by an atomic exchange, and filled
 * before it is marked as full.
 */
#define _GNU_SOURCE /* vfork */
#include "leftover.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 16, PATH_SIZE = 4096, WAITS = 50, WAIT_NS = 10000000 };
enum { FREE, TAKEN, FULL };

static struct file_slot {
    atomic_int state;
    char path[PATH_SIZE];
} files[SLOTS];

static _Atomic pid_t groups[SLOTS];

/* ---- Files ---- */

void leftover_add(const char *path) {
    const size_t length = strlen(path);
    for (unsigned i = 0; i < SLOTS && length < PATH_SIZE; i++) {
        int expected = FREE;
        if (!atomic_compare_exchange_strong(&files[i].state, &expected, TAKEN))
            continue;
        memcpy(files[i].path, path, length + 1);
        atomic_store(&files[i].state, FULL);
        return;
    }
}

void leftover_drop(const char *path) {
    for (unsigned i = 0; i < SLOTS; i++)
        if (atomic_load(&files[i].state) == FULL && strcmp(files[i].path, path) == 0) {
            atomic_store(&files[i].state, FREE);
            return;
        }
}

/* Runs rm, since functions that read folders are not async-signal-safe. */
static void remove_folder(const char *path) {
    const pid_t child = fork();
    if (child == 0) {
        (void)execl("/bin/rm", "rm", "-rf", "--", path, (char *)NULL);
        _exit(127);
    }
    if (child > 0)
        (void)waitpid(child, NULL, 0);
}

/* ---- Programs ---- */

void leftover_tie(pid_t parent, int signal_number) {
    (void)prctl(PR_SET_PDEATHSIG, signal_number);
    if (getppid() != parent) /* it ended before the call above */
        _exit(128 + signal_number);
}

void leftover_add_group(pid_t group) {
    for (unsigned i = 0; i < SLOTS; i++) {
        pid_t expected = 0;
        if (atomic_compare_exchange_strong(&groups[i], &expected, group))
            return;
    }
}

void leftover_drop_group(pid_t group) {
    for (unsigned i = 0; i < SLOTS; i++) {
        pid_t expected = group;
        if (atomic_compare_exchange_strong(&groups[i], &expected, 0))
            return;
    }
}

static void end_group(pid_t group) {
    const struct timespec moment = {.tv_nsec = WAIT_NS};
    (void)kill(-group, SIGTERM);
    bool is_there = true;
    for (unsigned i = 0; i < WAITS && is_there; i++) {
        (void)waitpid(-group, NULL, WNOHANG);
        is_there = kill(-group, 0) == 0;
        if (is_there)
            (void)nanosleep(&moment, NULL);
    }
    if (is_there)
        (void)kill(-group, SIGKILL);
}

void leftover_stop_groups(void) {
    for (unsigned i = 0; i < SLOTS; i++) {
        const pid_t group = atomic_load(&groups[i]);
        if (group > 0)
            (void)kill(-group, SIGTERM);
    }
}

void leftover_end(void) {
    struct stat about;
    for (unsigned i = 0; i < SLOTS; i++) {
        const pid_t group = atomic_load(&groups[i]);
        if (group > 0)
            end_group(group);
    }
    for (unsigned i = 0; i < SLOTS; i++) {
        if (atomic_load(&files[i].state) != FULL || lstat(files[i].path, &about) != 0)
            continue;
        if (S_ISDIR(about.st_mode))
            remove_folder(files[i].path);
        else
            (void)unlink(files[i].path);
    }
}
