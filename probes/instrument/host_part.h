/* SPDX-License-Identifier: MIT */
/*
 * Shared declarations of the library inside somebody else's program. Every callback and the
 * watchdog hold one lock. Nothing here prints, exits, or makes the program's own CUDA calls fail.
 *
 * Callbacks run while the driver holds locks of its own. So calls that may wait for the driver
 * (memory, patches, modules) are made without our lock: see host_outside.
 */
#pragma once

#include <pthread.h>
#include <regex.h>

#include "instrument_record.h"
#include "instrument_table.h"
#include "sanitizer_face.h"

enum {
    CALLERS_MAX = 4, /* launches of a kernel whose callers are recorded */
    RANGES_MAX = 8,  /* NVTX ranges recorded per kernel */
    /* of the driver: a mode of captures, and the result of a query */
    CAPTURE_RELAXED = 2,
    NOT_READY = 600,
};

/* The first parameters of a kernel in which its launches may differ. */
enum { PARAMETERS_MAX = 24 };
typedef struct host_parameter {
    uint16_t place, bytes, offset; /* index in the list of parameters; size; place if packed */
} host_parameter;
typedef struct host_parameters {
    host_parameter list[PARAMETERS_MAX];
    uint8_t count;
} host_parameters;

/* A grid and block in which graphs launch a kernel. */
enum { NODE_SHAPES = 8, NODE_TRIES = 16 };
typedef struct host_node_shape {
    uint32_t grid[3], block[3];
    uint8_t kind;    /* of its launches; 0 if several have this grid and block */
    bool is_kept;    /* a launch was kept in place of a look */
    bool is_settled; /* its launches only have to be counted */
    uint8_t tries;   /* to keep one: after NODE_TRIES none will be */
} host_node_shape;

typedef struct host_function {
    void *handle;  /* CUfunction; NULL if not a kernel */
    int32_t index; /* index of its record */
    uint64_t pc, code_bytes;
    const void *called;         /* the handle that the program's calls use; NULL if unknown */
    bool is_wanted;             /* by SMP_INSTRUMENT_KERNELS */
    bool has_shared;            /* it has shared memory of its own, or may have */
    host_parameters parameters; /* of budgeted runs */
    host_node_shape nodes[NODE_SHAPES];
    uint32_t node_count;
    uint32_t kinds;           /* of its launches so far */
    bool adds_none_in_graphs; /* host_graph_adds_none, as of `graph_changes` */
    uint32_t graph_changes;
    uint64_t graph_launch;       /* host_leave_graph() of its last launch by a graph */
    bool is_seen_in_graph;       /* that one, and so all of the same graph's launch, are observed */
    uint32_t callers;            /* launches whose callers were recorded */
    uint64_t ranges[RANGES_MAX]; /* hashes of the recorded NVTX ranges */
    uint32_t range_count;
    smp_instrument_state state;
} host_function;

/* A variable of a module; read only if launches are kept. */
typedef struct host_variable {
    uint32_t symbol;  /* its index in the cubin's symbol table */
    bool is_constant; /* it lies in constant bank 3, at offset `value` */
    char *name;
    uint64_t address, bytes;          /* address 0: the driver does not know the name */
    uint64_t value, home, home_bytes; /* offset in its section, which is at `home` of the cubin;
                                         home 0: all zeros */
} host_variable;

typedef struct host_variables {
    host_variable *list;
    size_t count;
} host_variables;

typedef struct host_module {
    void *handle;  /* NULL once unloaded */
    int32_t index; /* index of its record; SMP_INSTRUMENT_NONE if not written */
    const char *cubin;
    size_t cubin_bytes;
    char *copy;      /* our copy of the cubin, or NULL */
    char *code_file; /* the cubin in the folder of a kept launch, or NULL */
    uint64_t fingerprint;
    char **device_functions; /* names of functions that are not kernels */
    size_t device_function_count;
    bool is_patched, has_device_functions;
    bool has_variables;
    host_variables variables;
    bool is_in_table; /* unloaded, but the table still has counts at its addresses */
    uint32_t leaves;  /* how often its patches were removed */
    double patching;  /* seconds that this took to patch when it was last; 0: it never was */
    host_function *functions;
    size_t function_count;
} host_module;

typedef struct host_stream host_stream;
typedef struct host_trace host_trace;

typedef struct host_context {
    struct host_context *next;
    void *handle; /* NULL once destroyed */
    int32_t index;
    void *memory;            /* the table's memory on the GPU; NULL if the allocation failed */
    instrument_table *table; /* the same once it is initialised; NULL: nothing is observed */
    host_trace *trace;       /* host_trace.c; NULL if nothing is traced */
    uint64_t trace_address;  /* address of its trace_control on the GPU, once that is initialised */
    bool is_untraced;        /* the trace could not be set up */
    bool has_patches, is_without_table_told;
    uint32_t epoch, reserved_bytes, multiprocessors;
    uint64_t launches;
    uint64_t looks, looks_written; /* launches with patches: now, and at the last snapshot */
    host_stream *streams;          /* host_streams.c; NULL until the first launch */
    bool is_untold;                /* some launch's end can never be determined */
    double leave_wait, leave_at;   /* seconds: how long to wait for it, and not before then */
    double leave_tried;            /* when it was last asked for without waiting */
    host_module *modules;
    size_t module_count;
    int patched; /* number of modules with patches */
    /* Duration of the last snapshot, when it ended, and, with a budget, when the next may be made.
     */
    double snapshot_seconds, snapshot_at, snapshot_due;
    uint64_t reads, written; /* snapshots begun; number of the last one written */
    uint32_t readers;
    bool is_emptied; /* the table is being cleared */
    bool is_stale;   /* the table has counts of unloaded modules */
    bool has_failed;
} host_context;

typedef struct host_settings {
    uint64_t launches_max; /* UINT64_MAX for all */
    double overhead;       /* multiple of the program's own time; 0 for no limit */
    bool is_marked;        /* observe only between calls of smemprobe_look */
    bool is_timed;         /* kernels are timed, nothing is patched */
    bool has_kernels;
    regex_t kernels;
    const char *nvtx;      /* regular expression of NVTX ranges to observe; NULL for all */
    const char *spaces;    /* comma-separated words of SAN_PATCH_LIST */
    bool is_shared_only;   /* only words about shared memory */
    const char *capture;   /* folder for kept launches; NULL: none are kept */
    bool is_sampling;      /* launches too heavy to observe are kept */
    uint64_t captures_max; /* per kernel */
    double watchdog_seconds;
    char patch[4096];
    char trace[4096]; /* trace file of each context; empty: no trace */
} host_settings;

typedef struct inject {
    pthread_mutex_t lock;
    host_settings settings;
    instrument_writer writer;
    san_face san;
    host_context *contexts; /* list; entries never move */
    int32_t context_count;
    double launched_at, synchronized_at; /* seconds; 0 for never */
    bool is_stuck_told;
    bool is_patching;         /* a thread changes patches: no other may begin a launch */
    int calls;                /* launch calls in progress */
    int captures;             /* streams being captured into graphs */
    void *subscriber;         /* of the API */
    bool is_later;            /* the API has the later layouts of sanitizer_face.h */
    bool knows_graph_changes; /* it tells of all calls that change instantiated graphs */
    int looks; /* marked parts of the program that are in progress (smemprobe_look) */
    int process;
} inject;

/* host_state.c */
extern inject attach;
void host_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
double host_now(void);
/* Returns the process's age in seconds; 0 if unknown. */
double host_age(void);
/* Release and retake the lock. Anything it guards may change in between, except that contexts stay.
 */
void host_outside(void);
void host_inside(void);
/* Appends a zeroed element to a list and returns it; NULL if out of memory. The list may move. */
void *host_grow(void **list, size_t *count, size_t bytes);
/* Returns the text of a result code of the Sanitizer API. */
const char *host_result(int result);

/* host_state.c: both return NULL if the handle is unknown. */
host_context *host_find_context(const void *handle);
host_module *host_find_module(host_context *context, const void *handle);
/* Hashes the beginning of a module's code. */
uint64_t host_fingerprint(const char *bytes, size_t count);
/* Returns false if the driver has freed the module's code. */
bool host_is_still_there(const host_module *module);
/* True if SMP_INSTRUMENT_KERNELS matches the name. */
bool host_is_wanted(const char *name);

/* True if SMP_INSTRUMENT_OVERHEAD limits what is looked at. */
bool host_is_budgeted(void);
/* True if no launch is observed: code is never patched. */
bool host_only_counts(void);
/* True if code is patched for some of its launches. */
bool host_is_limited(void);
/* Enables or disables a callback. Only called in a callback. */
void host_enable(bool is_enabled, int domain, uint32_t id);

/* host_library_entry.c */
/* Called by the observed program: 1 where a part that `--launches marked` counts begins, -1 where
 * it ends. */
__attribute__((visibility("default"))) void smemprobe_look(int more);

/* host_library.c: fills attach.san and the path of the patch; on failure writes a note and returns
 * false. */
bool host_open(void);
/* Opens a library of the toolkit: the file `wanted` if not empty, else the first one called `name`.
 * NULL on failure; dlerror() says why. */
void *host_find_library(const char *wanted, const char *name);
/* Stores the function's address in *function; if there is none, writes a note and returns false. */
bool host_find(void *library, const char *name, void *function);

/* host_time.c: starts timing kernels; on failure writes a note and returns false. */
bool host_time_begin(void);
/* Writes the times of all finished kernels. */
void host_time_end(void);

/* host_driver_calls.c: stores the address of a driver function in *function; false if there is
 * none. */
bool host_driver_function(const char *name, void *function);
/* The driver's functions for events. */
typedef struct host_events {
    int (*exchange)(int *), (*create)(void **, unsigned), (*record)(void *, void *),
        (*query)(void *), (*elapsed)(float *, void *, void *), (*capturing)(void *, int *);
} host_events;
/* Returns NULL if one of them is missing. */
const host_events *host_find_events(void);
/* The launch that a driver call makes. */
typedef struct host_call {
    const void *function; /* the program's handle; NULL for a graph */
    const void *graph;
    void *stream;
    bool is_of_thread; /* stream NULL means the thread's own stream */
    bool is_cooperative;
    uint32_t grid[3], block[3], cluster[3], shared_bytes;
    void **values, **extra;
} host_call;
/* Returns false if the call launches nothing. */
bool host_read_call(uint32_t id, const void *parameters, host_call *out);
/* Returns the mangled name of the kernel that a driver call launches; NULL if unknown. The driver
 * is asked first: the API gives wrong names for kernels of libraries (seen with CUDA 13.0). Called
 * without the lock. */
const char *host_call_name(const san_api_data *data, const void *function);
/* Reads a device's attributes and name from the driver; "?" if it has no name. */
void host_device(int device, instrument_context_record *record, char name[256]);
/* Makes a context current for this thread until host_leave; false on failure. Memory can only be
 * read in the current context. */
bool host_enter(void *context);
void host_leave(void);

/* host_module.c */
void host_add_context(void *handle, int device);
void host_add_module(const san_module_data *data);
void host_drop_module(const san_module_data *data);
/* `is_node`: a graph launches it. */
void host_launch(const san_launch_data *launch, bool is_node);

/* host_leave.c */
/* Puts the requested patches into a module. Called without the lock. Returns a result code of the
 * API. */
int host_patch_module(void *module);
/* A driver call that may launch something begins or ends. */
void host_leave_call(uint32_t id, const san_api_data *data);
/* The same for a launch that only has to be counted; false if it is not one. */
bool host_leave_quiet_call(uint32_t id, const san_api_data *data);
bool host_leave_quiet_launch(void);
/* A launch begins, of a function whose module has or had patches. */
void host_leave_launch(host_context *context, host_function *function);
/* The program has waited for work: takes patches out if nothing runs. Releases the lock meanwhile.
 */
void host_leave_synchronized(host_context *context);
/* True if the thread's call loads this module and should find it patched. */
bool host_leave_is_look(const host_context *context, const host_module *module);
/* Returns the number of the thread's call if it launches a graph, else 0. */
uint64_t host_leave_graph(void);
/* True if the thread's launch adds no dynamic shared memory. */
bool host_leave_adds_none(void);
/* Keeps other threads from launching and waits until everything launched has ended; false if that
 * takes too long. */
bool host_leave_wait(host_context *context);

/* host_seen.c: `more` (1, -1 or 0) calls are in progress whose launch, or whose graph's nodes, must
 * be seen. */
void host_see_call(bool is_graph, int more);
/* Makes all launches seen from now on if the call launches in a way that is not followed. */
void host_follow_unknown(uint32_t id);
/* Counts the streams that are captured. */
void host_follow_capture(uint32_t id, const san_api_data *data);
/* True if the call, which has ended, failed. */
bool host_has_failed(const san_api_data *data);

/* host_trace.c: sets up a trace if one is requested. False if that fails; a note says so on the
 * last try. */
bool host_trace_begin(host_context *context, bool is_last_try);
/* New code may be loaded at old addresses from here on. */
void host_trace_mark(host_context *context);
void host_trace_end(host_context *context);

/* host_python.c: records the Python line that launches the function, for its first launches, if the
 * process runs Python. */
void host_note_caller(host_function *function);

/* host_live.c, only while somebody reads the live page: a function's name, and the worst site of a
 * snapshot. */
void host_live_name(int32_t function, const char *name);
void host_live_worst(const smp_instrument_site *sites, size_t count);

/* host_ranges.c: true if launches in the thread's current NVTX ranges are to be observed. */
bool host_is_inside_ranges(void);
/* Returns a hash of the thread's current ranges; 0 if there are none. */
uint64_t host_ranges_hash(void);
/* Records the ranges in which the function is launched. */
void host_note_ranges(host_function *function);

/* host_cubin.c */
/* Returns false if only shared memory is observed and the kernel has none except what a launch
 * adds. */
/* True if kernels of the module launch kernels themselves. */
bool host_module_nests(const host_module *module);
host_parameters host_module_parameters(const host_module *module, const char *kernel);
bool host_module_has_shared(const host_context *context, const host_module *module,
                            const char *kernel);
/* True if the module's code has a kernel of that name, loaded or not. */
bool host_module_has_kernel(const host_module *module, const char *kernel);
/* Lists the functions of a cubin that are not kernels. */
size_t host_device_functions(const char *cubin, size_t bytes, char ***names);

/* host_snapshot.c: zeroes the context's table at `memory`, except the settings that the patch
 * reads. Called without the lock. Returns a result code of the API. */
int host_clear_table(const host_context *context, void *memory);
/* Reads the GPU's table and writes a snapshot, if one is due or if it `must` be written. */
void host_snapshot(host_context *context, void *stream_handle, bool must);
/* The same, and clears the table, if it has counts at addresses that new code may take. */
void host_next_epoch(host_context *context);
