/* SPDX-License-Identifier: MIT */
/*
 * Compiler flags recorded by a build. Only flags on our list are taken: those that give a source
 * its meaning and start no program.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "program_file.h"

enum { COMPILE_FLAGS_MAX = 512 };

typedef struct compile_flags {
    char **list; /* one word each, malloc'ed */
    size_t count;
    bool has_failed; /* out of memory; the list is incomplete */
    size_t left_out; /* number of listed flags whose value was refused */
    char first_left_out[80];
} compile_flags;

/* Adds a copy of `word`. */
void compile_flags_push(compile_flags *to, const char *word);
/* Adds those of `words` that are on our list, up to COMPILE_FLAGS_MAX, with paths made absolute by
 * `folder`. A flag whose value means something to a shell, or is not a path, is counted as left
 * out. Other words are ignored. */
void compile_flags_take(compile_flags *to, const compile_flags *words, const char *folder);
/* Adds the words of a command line as a shell would split them; nothing is expanded or run. */
void compile_flags_split(compile_flags *to, const char *command);
void compile_flags_clear(compile_flags *flags);

/* ---- compile_database.c ---- */

/* Puts the flags that a build gives the source in front of file->flags; file->notes is told which,
 * and where they come from. They are those of the first entry for it in compile_commands.json, or
 * in a build* folder's, of its folder or one above, up to the root of its git repository. Files of
 * options that its words name (nvcc's --options-file, @FILE) are read. Nothing is run. The flags
 * lie in *room, which the caller clears after file's last use, also after failure. */
smp_status compile_database_use(smp_program_file *file, compile_flags *room, smp_error *error);
