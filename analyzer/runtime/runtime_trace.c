/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace of all accesses of counted launches, PROCESS.smptrace in the folder
 * SMP_RUNTIME_FOLDER, if SMP_RUNTIME_TRACE is set. A note at the end says what a trace cannot hold.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime.h"

enum { PATH_BYTES = 4096 };

static FILE *file;
static smp_trace_writer *writer;
static pid_t owner; /* the process that opened it; a child of fork() leaves it to its parent */
static uint64_t left_out;

static void forget(void) {
    if (file)
        (void)fclose(file);
    smp_trace_writer_free(writer);
    writer = NULL;
    file = NULL;
}

static void open_own(void) {
    char path[PATH_BYTES];
    rt_own_path("smptrace", path, sizeof path);
    file = fopen(path, "wb");
    if (file) /* without a buffer, which a child of fork() would write again */
        (void)setvbuf(file, NULL, _IONBF, 0);
    writer = file ? smp_trace_writer_new(file) : NULL;
    if (!writer)
        rt_note("the trace cannot be written");
}

smp_trace_writer *rt_trace(const rt_kernel *kernel) {
    if (!getenv("SMP_RUNTIME_TRACE") || !getenv("SMP_RUNTIME_FOLDER") ||
        !rt_launch_is_counted(kernel->launches, UINT64_MAX) || !rt_keep_name_fits(kernel->function))
        return NULL;
    if (owner != getpid()) {
        if (owner != 0)
            forget();
        owner = getpid();
        left_out = 0;
        open_own();
    }
    return writer;
}

void rt_trace_took(const smp_emulation *done, smp_status status) {
    left_out += done->trace_left_out;
    if (status == SMP_E_WRITE)
        forget(); /* which ends the file */
}

void rt_trace_end(void) {
    smp_error error;
    if (!writer || owner != getpid())
        return;
    if (smp_trace_finish(writer, &error) != SMP_OK)
        rt_note("%s", error.message);
    if (left_out > 0)
        rt_note("%" PRIu64 " accesses are not in the trace: local memory, or instructions without "
                "an operation of a trace",
                left_out);
    forget();
}
