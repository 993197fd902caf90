/* SPDX-License-Identifier: MIT */
/* Finds and runs NVIDIA's command-line tools. */
#pragma once

#include "smp_model.h"

/* Finds the full path of nvdisasm, nvcc or ptxas in the first of these places that has it:
 *   PATH, CUDA_HOME/bin, CUDA_PATH/bin,
 *   the toolkits in /usr/local/cuda, /opt/cuda, /usr/lib/nvidia-cuda-toolkit and /usr/local/cuda-*,
 *   .cuda/bin and .disassemblers/bin of our own source tree, if the program is in its build,
 *   Triton's folder and NVIDIA's wheels, in the packages of SMEMPROBE_SITE (which our Python
 *   package sets), of the Python that smemprobe was installed for, and of the first python3 in
 *   PATH (also of its link's target, and of those that pyenv manages).
 * Never in the current folder or one above it. SMP_E_READ with how to get the tool if it is
 * missing. `path` holds `size` bytes. */
smp_status smp_tool_find(const char *name, char *path, size_t size, smp_error *error);
/* Finds nvcc; SMP_E_READ also if nvcc lacks the C++ compiler that it calls. */
smp_status smp_compiler_find(char *path, size_t size, smp_error *error);
/* Checks that the disassembler and, if `compiles`, the compiler are installed. */
smp_status smp_tools_find(bool compiles, smp_error *error);

/* Calls is_wanted with FOLDER/NAME for each of these folders until it returns true; false if it
 * never does. */
typedef bool (*smp_tool_is)(const char *path, void *user);
bool smp_tool_search(const char *name, smp_tool_is is_wanted, void *user);

/* Runs argv[0] (a path) with empty input; *out (malloc'ed, NUL-terminated) is its output.
 * SMP_E_READ with the first line of its error messages if its exit status is not 0. */
smp_status smp_tool_run(char *const argv[], char **out, size_t *length, smp_error *error);
/* The same; after a failure *said (malloc'ed, or NULL) has all error messages. */
smp_status smp_tool_run_said(char *const argv[], char **out, size_t *length, char **said,
                             smp_error *error);

/* Writes everything, despite signals; false with errno set. */
bool smp_tool_write_all(int file, const void *bytes, size_t size);

/* Makes a file of `size` bytes whose name ends in `suffix`, in a folder of its own in TMPDIR: an
 * #include "NAME" of a source looks beside it first. smp_tool_file_remove, or a signal that ends
 * the process, removes both. */
smp_status smp_tool_file(const void *bytes, size_t size, const char *suffix, char *path,
                         size_t path_size, smp_error *error);
void smp_tool_file_remove(const char *path);

/* Reads an open file to its end, malloc'ed and NUL-terminated; SMP_E_READ (errno says why, *out has
 * what was read before) or SMP_E_MEMORY. */
smp_status smp_tool_drain(int file, char **out, size_t *length);

/* Reads a whole file, malloc'ed and NUL-terminated. */
smp_status smp_tool_read(const char *path, char **out, size_t *length, smp_error *error);
