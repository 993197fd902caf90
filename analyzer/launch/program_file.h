/* SPDX-License-Identifier: MIT */
/*
 * Turns a file into machine code: CUDA C++ (by nvcc), PTX (by ptxas), a cubin, or a program,
 * library or object that contains code.
 */
#pragma once

#include "disassembly.h"
#include "note.h"

typedef struct smp_program_file {
    const char *path;
    const char *original; /* `path` is a copy of this file, whose project has its headers; NULL: it
                             is no copy */
    const char *const *flags; /* for the compiler */
    uint32_t flag_count;
    const char *const *arguments; /* for a program with a main */
    uint32_t argument_count;
    const smp_arch *arch; /* chip to compile for or to select; NULL: sm_90, or the best available */
    const char *kernel;   /* as in the launch; an instance of a template is compiled */
    const note_sink *notes; /* receives the compiler's messages except the last line; may be NULL */
} smp_program_file;

/* Splits the words after "--" into flags and, after a second "--", arguments. SMP_E_USAGE: the
 * first word is neither a flag nor a file, so it was meant for the program. */
smp_status smp_program_split_words(smp_program_file *file, smp_error *error);
/* SMP_E_READ: one line that says what failed and what to do. */
smp_status smp_program_open(const smp_program_file *file, smp_code **out, smp_error *error);
/* The same for a source with the instance file->kernel of a template, "k<32>". */
smp_status smp_program_instantiate(const smp_program_file *file, smp_code **out, smp_error *error);
/* True if the file is machine code of a single architecture. */
bool smp_program_is_cubin(const char *path);
/* Code of lower compute capabilities cannot be read. */
enum { EMULATED_CC_LEAST = 75 };
/* Builds a source with a main as a program in TMPDIR, with the shared runtime and line information,
 * for these architectures or sm_90. Remove it by smp_tool_file_remove. The same status. */
smp_status smp_program_link(const smp_program_file *file, const smp_arch *archs, size_t arch_count,
                            char *program, size_t size, smp_error *error);
/* Keeps the architectures that nvcc compiles for and whose code can be emulated. */
smp_status smp_program_keep_archs(smp_arch *archs, size_t *count, smp_error *error);
/* Assembles a PTX file by ptxas for "sm_90"; the same status. */
smp_status smp_program_assemble(const char *path, const char *arch, smp_code **out,
                                smp_error *error);
