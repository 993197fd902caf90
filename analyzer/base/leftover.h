/* SPDX-License-Identifier: MIT */
/*
 * leftover.h: what must not outlive us: temporary files and folders, and programs that we started.
 * The handler of new_file.h ends and removes them when a signal ends us; programs also end with us
 * where nothing can be handled (SIGKILL), by the kernel.
 */
#ifndef SMP_LEFTOVER_H
#define SMP_LEFTOVER_H

#include <sys/types.h>

/* From now on the file, or folder with files, goes when a signal ends us. Where there is no room
 * for more it stays. */
void leftover_add(const char *path);
/* It is gone, or is somebody else's. */
void leftover_drop(const char *path);

/* In a child process, before it becomes another program: `signal_number` is sent to it when the
 * thread that started it ends, whatever ended that. `parent` is our process. Calls only what a
 * handler may. */
void leftover_tie(pid_t parent, int signal_number);
/* The processes of this group, which we started, end when a signal ends us. */
void leftover_add_group(pid_t group);
void leftover_drop_group(pid_t group);

/* Ends the groups (SIGTERM; what does not end in half a second, SIGKILL) and removes the files.
 * Calls only what a handler may. */
void leftover_end(void);

#endif
