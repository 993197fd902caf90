/* SPDX-License-Identifier: MIT */
/*
 * NVIDIA's command-line tools: where they are, and what they print.
 */
#pragma once

#include "smp_model.h"

/* The full path of nvdisasm, nvcc or ptxas, from the first that has it of
 *   PATH, CUDA_HOME/bin, CUDA_PATH/bin,
 *   the toolkits in /usr/local/cuda, /opt/cuda, /usr/lib/nvidia-cuda-toolkit and /usr/local/cuda-*,
 *   .cuda/bin and .disassemblers/bin of our own source tree, where the program lies in its build,
 *   Triton's folder and NVIDIA's wheels, in the packages of SMEMPROBE_SITE (which our Python
 * package sets), of the Python that smemprobe was installed for, and of the first python3 in PATH
 * (also where its link leads, and what pyenv keeps behind its own). Never from the current folder,
 * nor from one above it. SMP_E_READ with how to get it where there is none. `path` holds `size`
 * bytes. */
smp_status smp_tool_find(const char *name, char *path, size_t size, smp_error *error);
/* Whether what reads machine code is there and, where it is asked, what compiles. */
smp_status smp_tools_find(bool compiles, smp_error *error);

/* Asks is_wanted of FOLDER/NAME in each of these folders, until it says yes; false: it never did.
 */
typedef bool (*smp_tool_is)(const char *path, void *user);
bool smp_tool_search(const char *name, smp_tool_is is_wanted, void *user);

/* Runs argv[0] (a path) with an empty input; *out (malloc'ed, NUL-terminated) is what it printed.
 * SMP_E_READ with the first line of its complaint where its exit status is not 0. */
smp_status smp_tool_run(char *const argv[], char **out, size_t *length, smp_error *error);
/* The same; after failure *said (malloc'ed, or NULL) is all of its complaint. */
smp_status smp_tool_run_said(char *const argv[], char **out, size_t *length, char **said,
                             smp_error *error);

/* All of it, whatever signals come between; false: errno says why. */
bool smp_tool_write_all(int file, const void *bytes, size_t size);

/* A file of `size` bytes in TMPDIR whose name ends in `suffix`; the caller removes it by
 * smp_tool_file_remove, a signal that ends us does, too. */
smp_status smp_tool_file(const void *bytes, size_t size, const char *suffix, char *path,
                         size_t path_size, smp_error *error);
void smp_tool_file_remove(const char *path);

/* All that comes out of an open file, malloc'ed and NUL-terminated; SMP_E_READ (errno says why, and
 * what came until then is in *out) or SMP_E_MEMORY. */
smp_status smp_tool_drain(int file, char **out, size_t *length);

/* Reads a whole file, malloc'ed and NUL-terminated. */
smp_status smp_tool_read(const char *path, char **out, size_t *length, smp_error *error);
