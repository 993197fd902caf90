/* SPDX-License-Identifier: MIT */
/*
 * compile_commands.json, which builds write: what a source is compiled with.
 */
#pragma once

#include "compile_flags.h"
#include "program_file.h"

/* Puts the flags that a build gives the source in front of file->flags; file->notes is told which,
 * and where they come from. They are those of the first entry for it in compile_commands.json, or
 * in a build* folder's, of its folder or one above, up to the root of its git repository. Files of
 * options that its words name (nvcc's --options-file, @FILE) are read. Nothing is run. The flags
 * lie in *room, which the caller clears after file's last use, also after failure. */
smp_status compile_database_use(smp_program_file *file, compile_flags *room, smp_error *error);
