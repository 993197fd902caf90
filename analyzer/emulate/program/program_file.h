/* SPDX-License-Identifier: MIT */
/*
 * What is given to be emulated, as machine code: CUDA C++ (nvcc is called), PTX (ptxas), a cubin,
 * or a program, a library or an object with code inside.
 */
#pragma once

#include "disassembly.h"
#include "note.h"

typedef struct smp_program_file {
    const char *path;
    const char *original;     /* of a copy elsewhere, whose project has its headers; NULL: path */
    const char *const *flags; /* of the compiler */
    uint32_t flag_count;
    const char *const *arguments; /* of a program with a main */
    uint32_t argument_count;
    const smp_arch *arch; /* to compile for, or whose code to take; NULL: sm_90, or what there is */
    const char *kernel;   /* as in the launch: of a template, that instance is compiled */
    const note_sink *notes; /* told what the compiler says before the last line; NULL: nobody */
} smp_program_file;

/* Flags end at a "--", behind which arguments stand. SMP_E_USAGE: the first flag can be none, nor a
 * file, so it was meant for the program. */
smp_status smp_program_split_words(smp_program_file *file, smp_error *error);
/* SMP_E_READ: one line that says what failed and what to do. */
smp_status smp_program_open(const smp_program_file *file, smp_code **out, smp_error *error);
/* The same of a source with the instance file->kernel of a template, "k<32>". */
smp_status smp_program_instantiate(const smp_program_file *file, smp_code **out, smp_error *error);
/* Whether the file is machine code of one architecture, with nothing to choose from. */
bool smp_program_is_cubin(const char *path);
/* Architectures of a lower compute capability have machine code that is not read here. */
enum { EMULATED_CC_LEAST = 75 };
/* A source that has a main as a program in TMPDIR, linked with the shared runtime, with the lines
 * of its source; for these architectures, or sm_90. It goes by smp_tool_file_remove. The same
 * status. */
smp_status smp_program_link(const smp_program_file *file, const smp_arch *archs, size_t arch_count,
                            char *program, size_t size, smp_error *error);
/* Leaves those of the list that nvcc compiles for and whose code can be emulated. */
smp_status smp_program_keep_archs(smp_arch *archs, size_t *count, smp_error *error);
/* A file of PTX, by ptxas, for "sm_90"; the same status. */
smp_status smp_program_assemble(const char *path, const char *arch, smp_code **out,
                                smp_error *error);
