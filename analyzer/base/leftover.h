/* SPDX-License-Identifier: MIT */
/*
 * What must not outlive this process: temporary files and folders, and programs that it
 * started. When a signal ends the process, the handler of new_file.h ends the programs and removes
 * the files. Where no handler runs (SIGKILL), the kernel ends the programs.
 */
#pragma once

#include <sys/types.h>

#include "smp_model.h"

/* From now on the file, or the folder with its files, is removed when a signal ends the process. If
 * the table is full it is not. */
void leftover_add(const char *path);
/* Forgets a path: it is gone, or another owner removes it. */
void leftover_drop(const char *path);

/* In a child process, before it runs another program: has the kernel send it `signal_number` when
 * the thread that started it ends for any reason. `parent` is the process that started it.
 * Async-signal-safe. */
void leftover_tie(pid_t parent, int signal_number);
/* Ends the processes of this group when a signal ends the process. */
void leftover_add_group(pid_t group);
void leftover_drop_group(pid_t group);
/* Asks all groups to end (SIGTERM): their work is no longer needed. Async-signal-safe. */
void leftover_stop_groups(void);

/* Ends the groups (SIGTERM; after half a second SIGKILL) and removes the files. Async-signal-safe.
 */
void leftover_end(void);

/* ---- scratch_folder.c ---- */

enum { SCRATCH_PATH_BYTES = 4096 };

/* Makes one in TMPDIR. If that fails: SMP_E_WRITE and an empty `path`. */
smp_status scratch_folder_make(char path[SCRATCH_PATH_BYTES], smp_error *error);
/* The same for files that are written while somebody waits: without TMPDIR in memory, if that has
 * room for so many bytes. */
smp_status scratch_folder_make_for(uint64_t bytes, char path[SCRATCH_PATH_BYTES], smp_error *error);
/* Removes it with its files and folders of files; does nothing if `path` is empty. */
void scratch_folder_remove(const char *path);

/* Finds the file or folder `name` beside the program, below `build_folder` in a build, or where the
 * program is installed. False: it is not there. */
bool scratch_find_beside(const char *build_folder, const char *name, char path[SCRATCH_PATH_BYTES]);
