/* SPDX-License-Identifier: MIT */
/*
 * inject.h: the library inside somebody else's program. One lock is held in every callback and in
 * the watchdog; nothing here prints, exits, or lets the program's own CUDA calls fail.
 *
 * A callback comes while the driver holds locks of its own. So nothing that may wait for the driver
 * (memory, patches, modules) is called with our lock held: see inject_outside.
 */
#ifndef SMP_INJECT_H
#define SMP_INJECT_H

#include <pthread.h>
#include <regex.h>

#include "attach_record.h"
#include "attach_table.h"
#include "sanitizer_face.h"

enum { CALLERS_MAX = 4 /* launches of a kernel of which it is asked who made them */ };

typedef struct inject_function {
    void *handle;  /* CUfunction; NULL: not a kernel */
    int32_t index; /* its record */
    uint64_t pc, code_bytes;
    const void *called; /* what the program names in its calls; NULL: not known */
    bool is_wanted;     /* by SMP_ATTACH_KERNELS */
    uint32_t callers;   /* launches of which that was asked */
    attach_state state;
} inject_function;

/* A module's variables, where launches are kept. */
typedef struct inject_variable {
    uint32_t symbol;  /* its number in the cubin */
    bool is_constant; /* in bank 3, at `value` of its `home_bytes` */
    char *name;
    uint64_t address, bytes;          /* address 0: the driver has none of that name */
    uint64_t value, home, home_bytes; /* its section, as an offset in the cubin; 0: zeros */
} inject_variable;

typedef struct inject_variables {
    inject_variable *list;
    size_t count;
} inject_variables;

typedef struct inject_module {
    void *handle;  /* NULL: unloaded */
    int32_t index; /* its record; SMP_ATTACH_NONE: not written */
    const char *cubin;
    size_t cubin_bytes;
    char *copy; /* of it; NULL: none was made */
    uint64_t fingerprint;
    char **device_functions; /* names of functions that are no kernels */
    size_t device_function_count;
    bool is_patched, has_device_functions;
    bool has_variables;
    inject_variables variables;
    bool is_in_table; /* unloaded, but the table has counts of it, by its addresses */
    uint32_t leaves;  /* how often its patches were taken away */
    inject_function *functions;
    size_t function_count;
} inject_module;

typedef struct inject_stream inject_stream;
typedef struct inject_trace inject_trace;

typedef struct inject_context {
    struct inject_context *next;
    void *handle; /* NULL: destroyed */
    int32_t index;
    void *memory;           /* on the GPU; NULL: none could be had */
    attach_table *table;    /* the same once it is ready; NULL: nothing is looked at */
    inject_trace *trace;    /* inject_trace.c; NULL: none */
    uint64_t trace_address; /* of its trace_control on the GPU, once it is ready */
    bool is_untraced;       /* it could not be had */
    bool has_patches, is_without_table_told;
    uint32_t epoch, reserved_bytes, multiprocessors;
    uint64_t launches;
    inject_stream *streams;      /* inject_leave.c; NULL: none yet */
    bool is_untold;              /* code was launched, and when it ends is not known */
    double leave_wait, leave_at; /* seconds: how long is waited for it, and not before then */
    inject_module *modules;
    size_t module_count;
    double snapshot_seconds, snapshot_at; /* how long the last one took, and when it ended */
    uint64_t reads, written;              /* snapshots begun; the last of these in the file */
    uint32_t readers;
    bool is_emptied; /* just now */
    bool is_stale;   /* the table has counts of modules that are unloaded */
    bool has_failed;
} inject_context;

typedef struct inject_settings {
    uint64_t launches_max; /* UINT64_MAX: all */
    bool is_marked;        /* only launches while smemprobe_look says so */
    bool is_timed;         /* and nothing patched */
    bool has_kernels;
    regex_t kernels;
    const char *spaces;    /* words with commas between them */
    const char *capture;   /* a folder; NULL: launches are not kept */
    uint64_t captures_max; /* of each kernel */
    double watchdog_seconds;
    char patch[4096];
    char trace[4096]; /* a file for each context; empty: nothing is traced */
} inject_settings;

typedef struct inject {
    pthread_mutex_t lock;
    inject_settings settings;
    attach_writer writer;
    san_face san;
    inject_context *contexts; /* they stay where they are */
    int32_t context_count;
    double launched_at, synchronized_at; /* seconds; 0: never */
    bool is_stuck_told, is_watched;
    bool is_patching; /* some thread changes patches: no other begins a call that launches */
    int calls;        /* that launch, in which threads are */
    int looks;        /* parts of the program that are marked and not over (smemprobe_look) */
    int process;
} inject;

/* inject_state.c */
extern inject attach;
void inject_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
double inject_now(void);
/* Between these two the lock is not held; what it guards may be another afterwards, except that
 * contexts stay. */
void inject_outside(void);
void inject_inside(void);
/* The text of a result of the Sanitizer API. */
const char *inject_result(int result);

/* inject_find.c: NULL: not known. */
inject_context *inject_find_context(const void *handle);
inject_module *inject_find_module(inject_context *context, const void *handle);
/* Of the beginning of a module's code. */
uint64_t inject_fingerprint(const char *bytes, size_t count);
/* False: the driver has taken its code away. */
bool inject_is_still_there(const inject_module *module);
/* True if the name is one of those to be looked at. */
bool inject_is_wanted(const char *name);

/* inject.c */
/* For the program that is looked at: 1 where a part begins that `--launches marked` is to count, -1
 * where it ends. */
__attribute__((visibility("default"))) void smemprobe_look(int more);

/* inject_library.c: fills attach.san and the path of the patch; false: a note says why. */
bool inject_open(void);
/* A library of the toolkit: `wanted` if that is not empty, else where there is one of the name.
 * NULL: dlerror() says why. */
void *inject_find_library(const char *wanted, const char *name);
/* Puts the function's address into *function; false: a note says that there is none. */
bool inject_find(void *library, const char *name, void *function);

/* inject_time.c: kernels are timed from now on; false: a note says why not. */
bool inject_time_begin(void);
/* Writes the times of all kernels that have ended. */
void inject_time_end(void);

/* inject_driver.c: a function of the driver, or NULL. */
void *inject_driver_symbol(const char *name);
/* What the driver says of a device; "?" where it says nothing. */
void inject_device(int device, attach_context_record *record, char name[256]);
/* Makes a context the thread's current one, until inject_leave; false: it is not. Only of the
 * current one memory can be read. */
bool inject_enter(void *context);
void inject_leave(void);

/* inject_module.c */
void inject_add_context(const san_context_data *data);
void inject_add_module(const san_module_data *data);
void inject_drop_module(const san_module_data *data);
void inject_launch(const san_launch_data *launch);

/* inject_patch.c: puts the patches that are asked for into a module; without the lock. A result of
 * the API. */
int inject_patch_module(void *module);

/* inject_leave.c */
/* A call of the driver's interface begins or ends; it may launch something. */
void inject_leave_call(uint32_t id, const san_api_data *data);
/* What a launch runs: a function of a module that has patches, or had some. */
void inject_leave_launch(inject_context *context, inject_function *function);
/* A stream goes. */
void inject_leave_stream(inject_context *context, const void *stream);

/* inject_trace.c: where a trace is asked for. False: it cannot be had yet; on the last try a note
 * says that there is none. */
bool inject_trace_begin(inject_context *context, bool is_last_try);
/* Code may come to lie where other code was. */
void inject_trace_mark(inject_context *context);
void inject_trace_end(inject_context *context);

/* inject_python.c: writes down which line of a Python program launches the function, if there is a
 * Python; of the function's first launches only. */
void inject_note_caller(inject_function *function);

/* inject_symbols.c: names of the functions of a cubin that are no kernels. */
size_t inject_device_functions(const char *cubin, size_t bytes, char ***names);

/* inject_snapshot.c: zeroes the table at `memory` of the context, but for what the patch has to
 * know; without the lock. A result of the API. */
int inject_clear_table(const inject_context *context, void *memory);
/* Reads the GPU's table and writes what it says, if it is time for that or if
 * it `must` be. */
void inject_snapshot(inject_context *context, void *stream_handle, bool must);
/* The same, and empties the table, if it has counts by addresses where other code may come to lie.
 */
void inject_next_epoch(inject_context *context);

#endif
