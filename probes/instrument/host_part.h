/* SPDX-License-Identifier: MIT */
/*
 * host_part.h: the library inside somebody else's program. One lock is held in every callback and
 * in the watchdog; nothing here prints, exits, or lets the program's own CUDA calls fail.
 *
 * A callback comes while the driver holds locks of its own. So nothing that may wait for the driver
 * (memory, patches, modules) is called with our lock held: see host_outside.
 */
#pragma once

#include <pthread.h>
#include <regex.h>

#include "instrument_record.h"
#include "instrument_table.h"
#include "sanitizer_face.h"

enum {
    CALLERS_MAX = 4, /* launches of a kernel of which it is asked who made them */
    RANGES_MAX = 8,  /* NVTX ranges of a kernel that are written down */
};

typedef struct host_function {
    void *handle;  /* CUfunction; NULL: not a kernel */
    int32_t index; /* its record */
    uint64_t pc, code_bytes;
    const void *called;          /* what the program names in its calls; NULL: not known */
    bool is_wanted;              /* by SMP_INSTRUMENT_KERNELS */
    bool has_shared;             /* memory of its own, or that is not known */
    uint32_t callers;            /* launches of which that was asked */
    uint64_t ranges[RANGES_MAX]; /* hashes of NVTX ranges that were written down */
    uint32_t range_count;
    instrument_state state;
} host_function;

/* A module's variables, where launches are kept. */
typedef struct host_variable {
    uint32_t symbol;  /* its number in the cubin */
    bool is_constant; /* in bank 3, at `value` of its `home_bytes` */
    char *name;
    uint64_t address, bytes;          /* address 0: the driver has none of that name */
    uint64_t value, home, home_bytes; /* its section, as an offset in the cubin; 0: zeros */
} host_variable;

typedef struct host_variables {
    host_variable *list;
    size_t count;
} host_variables;

typedef struct host_module {
    void *handle;  /* NULL: unloaded */
    int32_t index; /* its record; SMP_INSTRUMENT_NONE: not written */
    const char *cubin;
    size_t cubin_bytes;
    char *copy; /* of it; NULL: none was made */
    uint64_t fingerprint;
    char **device_functions; /* names of functions that are no kernels */
    size_t device_function_count;
    bool is_patched, has_device_functions;
    bool has_variables;
    host_variables variables;
    bool is_in_table; /* unloaded, but the table has counts of it, by its addresses */
    uint32_t leaves;  /* how often its patches were taken away */
    host_function *functions;
    size_t function_count;
} host_module;

typedef struct host_stream host_stream;
typedef struct host_trace host_trace;

typedef struct host_context {
    struct host_context *next;
    void *handle; /* NULL: destroyed */
    int32_t index;
    void *memory;            /* on the GPU; NULL: none could be had */
    instrument_table *table; /* the same once it is ready; NULL: nothing is looked at */
    host_trace *trace;       /* host_trace.c; NULL: none */
    uint64_t trace_address;  /* of its trace_control on the GPU, once it is ready */
    bool is_untraced;        /* it could not be had */
    bool has_patches, is_without_table_told;
    uint32_t epoch, reserved_bytes, multiprocessors;
    uint64_t launches;
    uint64_t looks, looks_written; /* launches with patches; when the last snapshot began */
    host_stream *streams;          /* host_leave.c; NULL: none yet */
    bool is_untold;                /* code was launched, and when it ends is not known */
    double leave_wait, leave_at;   /* seconds: how long to wait for it, and not before then */
    double leave_tried;            /* when it was last asked for without waiting */
    host_module *modules;
    size_t module_count;
    int patched;                          /* modules that have patches */
    double snapshot_seconds, snapshot_at; /* how long the last one took, and when it ended */
    uint64_t reads, written;              /* snapshots begun; the last of these in the file */
    uint32_t readers;
    bool is_emptied; /* just now */
    bool is_stale;   /* the table has counts of modules that are unloaded */
    bool has_failed;
} host_context;

typedef struct host_settings {
    uint64_t launches_max; /* UINT64_MAX: all */
    double overhead;       /* times the program's own time; 0: no limit */
    bool is_marked;        /* only launches while smemprobe_look says so */
    bool is_timed;         /* and nothing patched */
    bool is_timed_too;     /* beside the patches */
    bool has_kernels;
    regex_t kernels;
    const char *nvtx;      /* only launches in these ranges: a regular expression; NULL: all */
    const char *spaces;    /* words with commas between them */
    bool is_shared_only;   /* of these: all are about shared memory */
    const char *capture;   /* a folder; NULL: launches are not kept */
    bool is_sampling;      /* those are kept that may be too heavy to be looked at */
    uint64_t captures_max; /* of each kernel */
    double watchdog_seconds;
    char patch[4096];
    char trace[4096]; /* a file for each context; empty: nothing is traced */
} host_settings;

typedef struct inject {
    pthread_mutex_t lock;
    host_settings settings;
    instrument_writer writer;
    san_face san;
    host_context *contexts; /* they stay where they are */
    int32_t context_count;
    double launched_at, synchronized_at; /* seconds; 0: never */
    bool is_stuck_told;
    bool is_patching; /* some thread changes patches: no other begins a call that launches */
    int calls;        /* that launch, in which threads are */
    int looks;        /* parts of the program that are marked and not over (smemprobe_look) */
    int process;
} inject;

/* host_state.c */
extern inject attach;
void host_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
double host_now(void);
/* Between these two the lock is not held; what it guards may be another afterwards, except that
 * contexts stay. */
void host_outside(void);
void host_inside(void);
/* One more element of a list, of zeros; NULL: out of memory. The list may move. */
void *host_grow(void **list, size_t *count, size_t bytes);
/* The text of a result of the Sanitizer API. */
const char *host_result(int result);

/* host_state.c: NULL: not known. */
host_context *host_find_context(const void *handle);
host_module *host_find_module(host_context *context, const void *handle);
/* Of the beginning of a module's code. */
uint64_t host_fingerprint(const char *bytes, size_t count);
/* False: the driver has taken its code away. */
bool host_is_still_there(const host_module *module);
/* True if the name is one of those to be looked at. */
bool host_is_wanted(const char *name);

/* host_library_entry.c */
/* For the program that is looked at: 1 where a part begins that `--launches marked` is to count, -1
 * where it ends. */
__attribute__((visibility("default"))) void smemprobe_look(int more);

/* host_library.c: fills attach.san and the path of the patch; false: a note says why. */
bool host_open(void);
/* A library of the toolkit: `wanted` if that is not empty, else where there is one of the name.
 * NULL: dlerror() says why. */
void *host_find_library(const char *wanted, const char *name);
/* Puts the function's address into *function; false: a note says that there is none. */
bool host_find(void *library, const char *name, void *function);

/* host_time.c: kernels are timed from now on; false: a note says why not. */
bool host_time_begin(void);
/* Writes the times of all kernels that have ended. */
void host_time_end(void);

/* host_driver_calls.c: puts a function of the driver into *function; false: there is none. */
bool host_driver_function(const char *name, void *function);
/* What a call of the driver's interface launches. */
typedef struct host_call {
    const void *function; /* as the program names it; NULL: a graph */
    const void *graph;
    void *stream;
    bool is_of_thread; /* NULL is the thread's own stream */
    bool is_cooperative;
    uint32_t grid[3], block[3], shared_bytes;
    void **values, **extra;
} host_call;
/* False: it launches nothing. */
bool host_read_call(uint32_t id, const void *parameters, host_call *out);
/* What the driver says of a device; "?" where it says nothing. */
void host_device(int device, instrument_context_record *record, char name[256]);
/* Makes a context the thread's current one, until host_leave; false: it is not. Only of the
 * current one memory can be read. */
bool host_enter(void *context);
void host_leave(void);

/* host_module.c */
void host_add_context(const san_context_data *data);
void host_add_module(const san_module_data *data);
void host_drop_module(const san_module_data *data);
void host_launch(const san_launch_data *launch);

/* host_leave.c */
/* Puts the patches that are asked for into a module; without the lock. A result of the API. */
int host_patch_module(void *module);
/* A call of the driver's interface begins or ends; it may launch something. */
void host_leave_call(uint32_t id, const san_api_data *data);
/* The same, and its launch, for launches that only have to be counted; false: not one of these. */
bool host_leave_quiet_call(uint32_t id, const san_api_data *data);
bool host_leave_quiet_launch(const san_launch_data *launch);
/* What a launch runs: a function of a module that has patches, or had some. */
void host_leave_launch(host_context *context, host_function *function);
/* True if the thread's call is to find patches in this module, which it loads. */
bool host_leave_is_look(const host_context *context, const host_module *module);
/* True if what the thread's call launches adds no shared memory to that of its kernel. */
bool host_leave_adds_none(void);
/* Waits until all that was launched has ended, while no other thread begins a call that launches;
 * false: it did not in time. */
bool host_leave_wait(host_context *context);

/* host_trace.c: where a trace is asked for. False: it cannot be had yet; on the last try a note
 * says that there is none. */
bool host_trace_begin(host_context *context, bool is_last_try);
/* Code may come to lie where other code was. */
void host_trace_mark(host_context *context);
void host_trace_end(host_context *context);

/* host_python.c: writes down which line of a Python program launches the function, if there is a
 * Python; of the function's first launches only. */
void host_note_caller(host_function *function);

/* host_live.c, where somebody reads the live page: the name of a function; what a snapshot has. */
void host_live_name(int32_t function, const char *name);
void host_live_worst(const smp_instrument_site *sites, size_t count);

/* host_ranges.c: true if the thread is in NVTX ranges whose launches are to be seen. */
bool host_is_inside_ranges(void);
/* Tells the thread's ranges from others; 0 in none. */
uint64_t host_ranges_hash(void);
/* Writes down in which ranges the function is launched. */
void host_note_ranges(host_function *function);

/* host_cubin.c */
/* False: a block of the module's kernel has no shared memory but what its launch adds, and nothing
 * else is looked at. */
bool host_module_has_shared(const host_context *context, const host_module *module,
                            const char *kernel);
/* True if the module's code has a kernel of that name, loaded or not. */
bool host_module_has_kernel(const host_module *module, const char *kernel);
/* Names of the functions of a cubin that are no kernels. */
size_t host_device_functions(const char *cubin, size_t bytes, char ***names);

/* host_snapshot.c: zeroes the table at `memory` of the context, but for what the patch has to
 * know; without the lock. A result of the API. */
int host_clear_table(const host_context *context, void *memory);
/* Reads the GPU's table and writes what it says, if it is time for that or if
 * it `must` be. */
void host_snapshot(host_context *context, void *stream_handle, bool must);
/* The same, and empties the table, if it has counts by addresses where other code may come to lie.
 */
void host_next_epoch(host_context *context);
