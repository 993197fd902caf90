/* SPDX-License-Identifier: MIT */
/*
 * Launches kept to be run again elsewhere, if SMP_INSTRUMENT_CAPTURE names a folder. A launch's
 * code, parameters and all memory it can reach are read before it, and the memory again after it.
 * Calls that can wait for the driver are made without the lock.
 */
#pragma once

#include "host_cubin.h"
#include "host_part.h"
#include "kept_writer.h"

/* ---- host_memory.c: allocations, under the lock ---- */

typedef struct host_range {
    uint64_t address, bytes;
    uint32_t flags; /* SAN_MEMORY_... */
} host_range;

void host_memory_change(uint32_t id, const san_memory_data *data);
/* Returns the allocation that contains the address, or NULL. Valid while the lock is held. */
const host_range *host_memory_find(uint64_t address);
/* Allocates memory for `bytes` that are about to be read; the caller frees it. NULL if there is too
 * little. */
void *host_memory_room(uint64_t bytes);
/* Copies memory of a GPU, or host memory that a GPU can access, once the stream's work is done.
 * False if it cannot be read. Called without the lock. */
bool host_memory_read(const host_range *from, void *stream_handle, void *to);

/* ---- host_capture.c: a thread's launches ---- */

typedef struct capture_launch {
    smp_kept_launch of; /* its variables are set when it is written */
    host_variables variables;
    uint64_t bytes; /* sum over all arrays */
} capture_launch;

/* A driver call begins or ends. */
void host_capture_call(uint32_t id, const san_api_data *data);
/* The thread's call begins its launch; `before` launches of the function were observed. The call
 * may already have been rejected for keeping. */
void host_capture_begin(host_context *context, const san_launch_data *launch, uint64_t before);
/* Counts a launch by a graph, which is only kept in place of a look (host_capture_node). */
void host_capture_graph(void);
/* A graph launches the kernel: keeps its code, its parameters and the places of its arrays, once,
 * if launches are kept that cannot be looked at. Releases the lock meanwhile. */
void host_capture_node(host_context *context, const san_launch_data *launch,
                       host_function *function);
/* Called at the end: writes a note if nothing was kept. */
void host_capture_end(void);
/* The driver may reuse handles of functions from here on. */
void host_capture_forget(void);

/* ---- host_graphs.c: kernels of graphs, under the lock ---- */

typedef struct graph_kernel {
    char *name;
    const void *module;
    uint32_t grid[3], block[3], shared_bytes;
    uint8_t *parameters;
    uint32_t parameter_bytes;
    bool is_kept;
} graph_kernel;

/* A driver call begins that may instantiate or update a graph. Releases the lock meanwhile. */
void host_graph_call(uint32_t id, const san_api_data *data);
/* Returns the kernel of an instantiated graph, NULL if unknown. Valid while the lock is held. */
graph_kernel *host_graph_kernel(const char *name, const uint32_t grid[3], const uint32_t block[3],
                                const void *module);
/* True if some kernel of a graph is not kept yet. */
bool host_graph_is_open(void);
/* True if all graphs launch the function without dynamic shared memory. */
bool host_graph_adds_none(host_function *function, const char *name);

/* ---- host_cubin.c ---- */

void host_variables_list(const cubin_image *image, host_variables *out);
/* Asks the driver for the variables' addresses. Called without the lock. */
void host_variables_find(void *module, host_variables *variables);
bool host_variables_copy(const host_variables *from, host_variables *out);
void host_variables_clear(host_variables *variables);

/* ---- host_kept.c: the folder, in the form of kept_writer.h ---- */

/* Writes the launch to a new folder and stores its path; returns 0 or an errno. Called without the
 * lock. */
int host_kept_write(capture_launch *launch, char path[KEPT_PATH_BYTES]);
