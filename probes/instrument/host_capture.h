/* SPDX-License-Identifier: MIT */
/*
 * host_capture.h: launches that are kept to be run again elsewhere, where SMP_INSTRUMENT_CAPTURE
 * names a folder: a launch's code, parameters and all memory that it can reach are read before it
 * and, when it has ended, after it. What can wait for the driver is done without the lock.
 */
#pragma once

#include "host_cubin.h"
#include "host_part.h"

/* ---- host_memory.c: allocations, under the lock ---- */

typedef struct host_range {
    uint64_t address, bytes;
    uint32_t flags; /* SAN_MEMORY_... */
} host_range;

void host_memory_change(uint32_t id, const san_memory_data *data);
/* The allocation that the address is in, or NULL; valid while the lock is held. */
const host_range *host_memory_find(uint64_t address);
/* For so many bytes that are read soon, to be freed; NULL: there is no room. */
char *host_memory_room(uint64_t bytes);
/* Without the lock: copies memory of a GPU, or of the host that a GPU sees, behind what the stream
 * has to do; false: it could not be read. */
bool host_memory_read(const host_range *from, void *stream_handle, void *to);

/* ---- host_capture.c: a thread's launches ---- */

typedef struct capture_array {
    host_range range;
    char name[64];
    char *before, *after; /* before NULL: not read; after NULL: as before */
} capture_array;

typedef struct capture_launch {
    char *kernel;
    char *cubin;
    size_t cubin_bytes;
    uint32_t grid[3], block[3], cluster[3], shared_bytes;
    bool is_cooperative;
    char *parameters;
    uint32_t parameter_bytes;
    capture_array *arrays;
    size_t array_count;
    host_variables variables;
    uint64_t constants; /* address of bank 3; 0: none */
    uint64_t bytes;     /* of all arrays */
} capture_launch;

/* A call of the driver's interface begins or ends. */
void host_capture_call(uint32_t id, const san_api_data *data);
/* The launch that the thread's call has begun, of which `before` were seen already; the call may
 * have been refused. */
void host_capture_begin(host_context *context, const san_launch_data *launch, uint64_t before);
/* A launch by a graph, which is not kept. */
void host_capture_graph(void);
/* At the end: says so where nothing was kept. */
void host_capture_end(void);
/* Handles of functions may come to mean others. */
void host_capture_forget(void);

/* ---- host_cubin.c ---- */

void host_variables_list(const cubin_image *image, host_variables *out);
/* Without the lock: asks the driver where they are. */
void host_variables_find(void *module, host_variables *variables);
bool host_variables_copy(const host_variables *from, host_variables *out);
void host_variables_clear(host_variables *variables);

/* ---- host_kept.c: the folder, in the form of kept_writer.h ---- */

enum { KEPT_PATH_BYTES = 4096 };

/* Without the lock: a new folder, whose name it gives, or why there is none (errno). */
int host_kept_write(const capture_launch *launch, char path[KEPT_PATH_BYTES]);
