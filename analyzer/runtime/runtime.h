/* SPDX-License-Identifier: MIT */
/*
 * A CUDA runtime without a GPU. A program that is linked with the shared runtime library loads this
 * one instead. Its kernels run in the emulator, in the program's own process, and a profile says
 * what their accesses cost (SMP_RUNTIME_FOLDER).
 *
 * All work is done at once, in the order of the calls, which a GPU might have chosen as well. One
 * lock protects everything. Device memory has addresses that the host cannot read, as on a GPU; its
 * bytes lie elsewhere.
 */
#pragma once

#include <stdbool.h>

#include "beside.h"
#include "cuda_face.h"
#include "emulate.h"
#include "kept_launch.h"
#include "texture.h"

/* The libraries of the versions (libcudart) call these functions of the driver's (libcuda). */
#pragma GCC visibility push(default)

/* ---- runtime_state.c: the lock, errors, the device ---- */

/* Each function of the interface is one expression between these two (interface.h). */
void rt_enter(void);
cudaError_t rt_leave(cudaError_t result); /* returns `result`, as cudaGetLastError will */
/* The same for the driver's functions, which do not change the runtime's last error. */
cudaError_t rt_enter_quietly(void);
void rt_leave_quietly(cudaError_t before);
bool rt_is_used(void); /* whether the program called the runtime */

/* runtime_state.c: lists of objects whose addresses are handles. Each object begins with the
 * pointer to the next; `first` is the address of the pointer to the first object. */
void *rt_list_add(void *first, size_t bytes); /* a new object of zeros; NULL if out of memory */
bool rt_list_has(const void *first, const void *object);
bool rt_list_remove(void *first,
                    const void *object); /* the caller frees it; false if it is not there */

/* The error of a kernel that every later call returns, too. cudaSuccess: none. */
cudaError_t rt_broken(void);
void rt_break(cudaError_t error);

/* The emulated GPU. */
typedef struct rt_device {
    const char *name; /* of the product whose figures these are */
    uint8_t cc;       /* 90 */
    uint16_t multiprocessors;
    uint32_t memory_mib, l2_kib, clock_mhz, memory_clock_mhz, bus_bits;
} rt_device;

const rt_device *rt_device_played(void);
/* Registers code of the program at `data`, which stays valid. The first code decides which GPU is
 * emulated. */
void rt_note_code(const void *data);
const smp_arch *rt_arch(void);
smp_emu_memory *rt_memory(void);

/* runtime_note.c: the folder for the parts of the report, or NULL. */
const char *rt_folder(void);
/* The path of a new file PROCESS.KIND. It may exist already: before an exec() this process was
 * another program. */
void rt_own_path(const char *kind, char *path, size_t size);
/* Adds a line to PROCESS.KIND in that folder; without a folder, to standard error. */
void rt_leave_line(const char *kind, const char *text);
/* A note for the report, one line. Each text appears once. */
void rt_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, and the report lists it as not supported. */
cudaError_t rt_refuse(const char *function, const char *why);
/* A note that is no reason why no kernel was counted. */
void rt_aside(const char *text);

/* runtime_device.c: the limits that cudaDeviceSetLimit sets: the heap for malloc() in kernels, and
 * printf. */
size_t rt_heap_bytes(void);
uint64_t rt_printf_bytes(void);
uint32_t rt_stack_bytes(void); /* 0: the default */
/* runtime_device.c: fills the struct cudaDeviceProp of that version of the interface. */
enum { RT_PROPERTIES_13_BYTES = 1008, RT_PROPERTIES_12_BYTES = 1032, RT_PROPERTIES_11_BYTES = 728 };
cudaError_t rt_device_properties(void *out, int device, unsigned version);

/* ---- runtime_profile.c ---- */

typedef struct rt_repeat rt_repeat; /* runtime_repeat.c */

/* Adds the figures and findings of a launch to the profile; empties *kernel. `repeat`: what
 * rt_repeat_find found for it. */
void rt_profile_add(const smp_function *function, const smp_emulation *done,
                    smp_kernel_profile *kernel, rt_repeat *repeat);
/* Moves the contents of another profile into this one. */
void rt_profile_merge(smp_profile *one);
void rt_profile_changed(void);
/* Reports a race between a copy and a launch. */
void rt_profile_race(const smp_beside_race *race, bool writes);
void rt_profile_write(void);
/* From now on launches are only counted (runtime_sample.c): the report says so. */
void rt_profile_sampled(void);
/* Writes the profile and ends the trace. `why`: why they are incomplete, or NULL. The caller holds
 * the lock. */
void rt_leave_all(const char *why);

/* ---- runtime_stop.c ---- */

/* The exit status of a process that reached its time limit, as with timeout(1). */
enum { RT_STOPPED_STATUS = 124 };

/* The flag that stops a launch (smp_launch.stop). */
const volatile int *rt_stop(void);
/* Whether the time for whole launches is over: a running launch was stopped then, and later ones
 * are only sampled. */
bool rt_stop_samples(void);
/* Called before and after a launch. During a launch, a signal that would end the process only stops
 * the launch. The second function then ends the process, and also if the time is over. */
void rt_launch_begins(void);
void rt_launch_ended(void);

/* ---- runtime_memory.c ---- */

/* Kinds of the emulator's arrays; 0: it is none of the program's. */
typedef enum rt_memory_kind {
    RT_DEVICE = 1,
    RT_HOST,
    RT_MANAGED,
    RT_REGISTERED,
    RT_MAPPED, /* device memory whose bytes driver_virtual.c owns; RT_DEVICE in an rt_range */
} rt_memory_kind;

/* cudaErrorMemoryAllocation if there is no memory. `name` is for findings; NULL for a number. */
cudaError_t rt_allocate(void **out, size_t bytes, rt_memory_kind kind, const char *name);
/* Allocates device memory at an address that was freed, for a node that runs again. If the memory
 * was not freed, it stays. */
cudaError_t rt_allocate_again(void *address, size_t bytes);
/* Frees device or managed memory. */
cudaError_t rt_free(void *address);
/* Memory that the program maps itself (driver_virtual.c). rt_take_memory takes bytes of the GPU's
 * memory (false: there are not enough) or gives them back. rt_reserve returns addresses at a
 * multiple of `step`, or 0. rt_map makes `host` device memory at `address`; rt_unmap ends it. */
bool rt_take_memory(size_t bytes, bool takes);
uint64_t rt_reserve(size_t bytes, size_t step);
bool rt_map(uint64_t address, size_t bytes, uint8_t *host);
void rt_unmap(uint64_t address);
/* Where the host finds `bytes` at the program's `address`: device addresses are translated, others
 * are returned as they are. NULL: not all of it is allocated. */
uint8_t *rt_bytes(const void *address, size_t bytes);
bool rt_was_device(const void *address); /* device memory, freed or not, begins there */
bool rt_is_device(const void *address);
typedef struct rt_range {
    void *address;
    size_t bytes;
    rt_memory_kind kind;
} rt_range;
/* Finds the allocation that contains `address`; false if there is none. */
bool rt_range_of(const void *address, rt_range *out);

/* ---- runtime_module.c ---- */

typedef struct rt_module rt_module;

enum { RT_RANGES_MAX = 32 };

typedef struct rt_kernel {
    struct rt_kernel *next;
    rt_module *module;
    const void *host; /* NULL: known by name only */
    char *name;
    const smp_function *function; /* NULL: not resolved yet */
    uint32_t dynamic_shared_max;  /* as set; 0 if not set */
    int carveout, non_portable_cluster;
    uint32_t required_cluster[3];
    uint64_t launches;
    uint64_t ranges[RT_RANGES_MAX]; /* hashes of the ranges that it was launched in */
    unsigned range_count, callers;  /* launches whose caller was determined */
    /* runtime_sample.c: the launch by which later ones are scaled (kernel NULL: none); `begun`: its
     * blocks that ran before it was stopped, which count instead of launches, since none ran whole
     */
    smp_kept_launch sampled;
    uint64_t begun;
} rt_kernel;

/* How many blocks of this size a multiprocessor holds. */
uint32_t rt_resident(const rt_kernel *kernel, uint32_t threads, size_t shared_bytes);
/* A kernel by its handle or the address of its host function; disassembles its code. NULL, with the
 * error in *result: there is none. */
rt_kernel *rt_kernel_find(const void *function, cudaError_t *result);
cudaError_t rt_function_attributes(struct cudaFuncAttributes *out, const void *function);
/* The assembler's messages go into the report; the program's buffers for them stay empty. */
void rt_empty_logs(unsigned count, const int *options, void **values);
/* The code, and where its variables are. */
const smp_code *rt_module_code(const rt_module *module);
const smp_emu_module *rt_module_loaded(const rt_module *module);
/* `bytes` of a variable, by its host address, from `offset` on; they must be inside. */
cudaError_t rt_symbol_part(const void *host, size_t offset, size_t bytes, void **out);

/* ---- runtime_code.c ---- */

/* Opens machine code for a device (0: the newest that can be emulated) from what compilers leave in
 * a program: a cubin, a container, PTX. The caller closes *code. */
cudaError_t rt_code_open(const void *data, size_t size, uint32_t device_cc, smp_code **code);
/* The size of such data in bytes; 0 if its kind is unknown. */
size_t rt_code_size(const void *data);

/* ---- runtime_work.c: what streams do, now or in a graph ---- */

typedef enum rt_work_kind {
    RT_WORK_NONE,
    RT_WORK_LAUNCH,
    RT_WORK_COPY,
    RT_WORK_SET,
    RT_WORK_HOST,
    RT_WORK_RECORD,
    RT_WORK_WAIT,
    RT_WORK_GRAPH,
    RT_WORK_ALLOCATE,
    RT_WORK_FREE,
} rt_work_kind;

typedef struct rt_launch {
    const void *function;
    dim3 grid, block, cluster;
    uint32_t dynamic_shared_bytes;
    bool is_cooperative;
    bool is_early;       /* it may begin before the launch in front has ended */
    uint8_t *parameters; /* owned */
    uint32_t parameter_bytes;
    void **pointers; /* owned: to each parameter, if the program asked for them; else NULL */
} rt_launch;

/* runtime_left.c: records what memory holds after a launch, on request. */
void rt_left_write(const rt_kernel *kernel, const smp_launch *launch, bool is_whole);

/* ---- runtime_repeat.c ---- */

/* A hash of 128 bits. */
void rt_hash(const void *bytes, size_t size, uint64_t out[2]);
/* What is known of launches like this one; NULL if all of them are run. */
rt_repeat *rt_repeat_find(const rt_kernel *kernel, const rt_launch *launch, bool is_counted);
/* Counts a launch that would do nothing new; false if it must be run. */
bool rt_repeat_counts(rt_repeat *repeat);
/* The figures of launches counted in this way, one kind at a time; false after the last. */
bool rt_repeat_take(smp_profile *out);
/* Forgets the counts, which belong to another process. */
void rt_repeat_forget(void);
/* Call after the run; `profile` is of this launch alone. */
void rt_repeat_took(rt_repeat *repeat, const smp_emulation *done, smp_profile *profile);

/* A box of bytes: rows of `width` bytes, `height` rows, `depth` layers. */
typedef struct rt_box {
    const void *at;
    size_t pitch, layer; /* bytes from row to row, from layer to layer */
} rt_box;

typedef struct rt_work {
    rt_work_kind kind;
    union {
        rt_launch launch;
        struct {
            rt_box to, from;
            struct cudaExtent extent;
            int direction;
            struct cudaMemcpy3DParms as_given;
        } copy;
        struct {
            rt_box to;
            struct cudaExtent extent;
            unsigned value, element_bytes;
            struct cudaMemsetParams as_given;
        } set;
        struct cudaHostNodeParams host;
        cudaEvent_t event;
        cudaGraph_t graph; /* owned */
        struct {
            void *address;
            size_t bytes;
        } memory;
    };
} rt_work;

/* Does the work now. */
cudaError_t rt_work_run(const rt_work *work);
/* Does the work now, or adds it to the graph that the stream is captured into. Takes `work`. */
cudaError_t rt_work_submit(cudaStream_t stream, rt_work *work);
void rt_work_clear(rt_work *work);
cudaError_t rt_work_copy(const rt_work *from, rt_work *out);

/* ---- runtime_array.c, runtime_texture.c ---- */

enum { RT_ARRAY_LAYERED = 1, RT_ARRAY_SURFACE = 2, RT_ARRAY_CUBE = 4, RT_ARRAY_GATHER = 8 };

typedef struct rt_array {
    struct rt_array *next;
    uint8_t *bytes;
    size_t width, height, depth; /* texels; 0: no such dimension; depth: layers or faces, too */
    size_t pitch, layer;         /* bytes from row to row, from layer to layer */
    unsigned flags;              /* RT_ARRAY_... */
    emu_channel_kind kind;
    uint8_t channels, channel_bytes;
    uint32_t element_bytes;
} rt_array;

rt_array *rt_array_of(void *handle); /* NULL if there is no such array */
/* Makes an array of the shape and format of `wanted`. */
cudaError_t rt_array_make(const rt_array *wanted, rt_array **out);
cudaError_t rt_array_free(void *handle);
/* Takes kind, channels and their bytes from a cudaChannelFormatDesc. */
cudaError_t rt_array_format(const void *description, rt_array *out);
/* The part of an array that a copy of this extent (bytes, rows, layers) reads or writes. */
cudaError_t rt_array_box(void *handle, size_t x_bytes, size_t y, size_t z,
                         const struct cudaExtent *extent, rt_box *out);

/* All textures and surfaces, for a launch, or NULL. */
const emu_texture_list *rt_textures(void);
/* The memory of a texture or surface, in either interface: an array, `width` bytes, or rows of
 * `width` texels. */
enum { RT_RESOURCE_ARRAY, RT_RESOURCE_MIPMAPPED, RT_RESOURCE_LINEAR, RT_RESOURCE_PITCH };
typedef struct rt_resource {
    int type;
    void *at;        /* or the array */
    rt_array format; /* kind, channels and their bytes; unused for an array */
    size_t width, height, pitch;
} rt_resource;

/* The program's own descriptions, which it may ask for again. */
typedef struct rt_described {
    const void *resource;
    size_t resource_bytes;
    const void *texture; /* NULL: a surface */
    size_t texture_bytes;
} rt_described;

/* Creates objects. `wanted` says how a texture reads. */
cudaError_t rt_texture_create(const rt_resource *of, emu_texture *wanted, const rt_described *by,
                              unsigned long long *out);
/* `from` is the program's description, of a type that begins as rt_resource does. */
cudaError_t rt_surface_create(const void *from, size_t bytes, unsigned long long *out);
cudaError_t rt_object_describe(unsigned long long handle, bool is_surface, bool wants_texture,
                               void *out, size_t bytes);
/* Ends the objects of an array that is freed. */
void rt_objects_forget(const rt_array *array);

/* runtime_launch.c */
cudaError_t rt_launch_make(const void *function, dim3 grid, dim3 block, size_t shared_bytes,
                           void **arguments, rt_work *out);
cudaError_t rt_launch_run(const rt_launch *launch);
/* Whether the last launch let the next one begin (griddepcontrol.launch_dependents). */
bool rt_launch_lets_next_begin(void);
/* runtime_keep.c: whether the kernel matches --kernel. */
bool rt_keep_name_fits(const smp_function *function);
/* Whether --launches counts a launch of a kernel that was launched `before` times; `fallback`: how
 * many it counts by default. */
bool rt_launch_is_counted(uint64_t before, uint64_t fallback);
/* For programs: 1 at the beginning of a part that `--launches marked` counts, -1 at its end. */
__attribute__((visibility("default"))) void smemprobe_look(int more);
bool rt_keep_is_wanted(const rt_kernel *kernel);
void rt_keep_write(const rt_kernel *kernel, const smp_kept_launch *kept);

/* runtime_sample.c: counts a launch without its figures, and keeps the first one of a kernel.
 * `done`: what was found, if it was begun. */
void rt_sample_skip(rt_kernel *kernel, const smp_launch *launch, const smp_emulation *done);
/* Of a launch that was stopped because the time for whole ones is over: false if too little of it
 * ran for figures, so that it is skipped. Otherwise its blocks count. */
bool rt_sample_stopped(rt_kernel *kernel, const smp_launch *launch, const smp_emulation *done,
                       smp_kernel_profile *profile);

/* runtime_live.c: progress for a terminal: what was counted. */
void rt_live_show(const smp_profile *profile);
/* runtime_caller.c: records the line of a Python program that launches the kernel. */
void rt_caller_note(rt_kernel *kernel);
/* runtime_keep.c: whether the thread is in the NVTX ranges whose launches are counted. */
bool rt_ranges_fit(void);
/* runtime_caller.c: records the ranges in which the kernel is launched. */
void rt_ranges_note(rt_kernel *kernel);

/* The trace for the kernel's next launch, or NULL. */
smp_trace_writer *rt_trace(const rt_kernel *kernel);
/* After the launch. */
void rt_trace_took(const smp_emulation *done, smp_status status);
/* At the end of the process. */
void rt_trace_end(void);
/* runtime_copy.c */
cudaError_t rt_copy_run(const rt_work *work);
/* One side of a copy: an array, or memory whose layers have `rows` rows of `pitch` bytes. */
typedef struct rt_side {
    bool is_array;
    void *array;
    const void *memory;
    size_t x_bytes, y, z, pitch, rows;
} rt_side;

cudaError_t rt_copy_sides(const rt_side *to, const rt_side *from, struct cudaExtent extent,
                          int direction, rt_work *out);
/* Submits the work if it was made; else returns why it was not. */
cudaError_t rt_submit_made(cudaError_t made, cudaStream_t stream, rt_work *work);
cudaError_t rt_copy_from_parameters(const struct cudaMemcpy3DParms *parameters, rt_work *out);
cudaError_t rt_copy_make(void *to, const void *from, size_t bytes, int direction, rt_work *out);
/* A variable, given by the address of its symbol, is the target or the source; `other` is the other
 * side. */
cudaError_t rt_copy_symbol(bool is_target, const void *symbol, size_t offset, const void *other,
                           size_t bytes, int direction, rt_work *out);
cudaError_t rt_set_run(const rt_work *work);
cudaError_t rt_set_from_parameters(const struct cudaMemsetParams *parameters, rt_work *out);

/* ---- runtime_stream.c, runtime_capture.c ---- */

/* Nodes that the next node depends on. */
typedef struct rt_nodes {
    cudaGraphNode_t *list;
    size_t count;
} rt_nodes;

/* Each once; false if out of memory. */
bool rt_nodes_add(rt_nodes *nodes, const cudaGraphNode_t *more, size_t count);
void rt_nodes_clear(rt_nodes *nodes);

typedef struct rt_capture {
    struct rt_capture *next;
    cudaGraph_t graph;
    cudaStream_t origin;
    unsigned long long id;
    int mode;
    bool is_invalid, is_own_graph;
} rt_capture;

/* runtime_order.c: for each stream, the last piece of work that comes before. */
typedef struct rt_clock {
    uint32_t *of, count;
} rt_clock;

struct rt_stream {
    struct rt_stream *next;
    unsigned flags;
    int priority;
    unsigned long long id;
    rt_capture *capture; /* NULL: work is done at once */
    rt_nodes tail;       /* its next node depends on these */
    /* For --races: its index in clocks (0: none yet), the clock after its work, the clock before
     * its last work, which let the next one begin; indices of the branches of graphs. */
    uint32_t order, lanes_used;
    rt_clock clock, before, lanes;
    bool lets_next_begin;
};

struct rt_event {
    struct rt_event *next;
    unsigned flags;
    bool is_recorded;
    double time_ms;
    rt_capture *capture; /* recorded in it; NULL: in none */
    rt_nodes nodes;
    rt_clock clock;
};

/* The stream of a handle, also of the default streams; NULL if there is no such stream. */
cudaStream_t rt_stream_of(cudaStream_t handle);
cudaStream_t rt_streams(void); /* the list of all that were created */
bool rt_event_is_known(cudaEvent_t event);
cudaError_t rt_event_record(cudaEvent_t event);

/* ---- runtime_order.c: what orders work, where races are looked for; else nothing is done ---- */

typedef struct rt_order_streams {
    cudaStream_t legacy, per_thread;
    const cudaStream_t *made; /* the list of those that were created */
} rt_order_streams;

/* From now on several streams may run at the same time. */
void rt_order_begin(const rt_order_streams *all);
void rt_streams_run_together(void); /* runtime_stream.c: the same */
void rt_clock_clear(rt_clock *clock);
/* Work of the stream begins; `is_early`: perhaps before the previous launch ends. The second: it
 * was a launch that lets the next one begin early. */
void rt_order_work(cudaStream_t stream, bool is_early);
void rt_order_launched(cudaStream_t stream, bool lets_next_begin);
/* The running work, for smp_launch; NULL if nothing may run at the same time. */
smp_beside *rt_order_beside(void);
const smp_beside_work *rt_order_now(void);
/* The host waits: for a stream, all of them, or an event. */
void rt_order_host_waits(cudaStream_t stream);
void rt_order_host_waits_for_all(void);
void rt_order_host_waits_for(cudaEvent_t event);
/* The same, for a copy in the default stream, whose result this is. */
cudaError_t rt_order_done(cudaError_t result);
/* An event is recorded, in a stream or by a node that runs; a stream waits for it. */
void rt_order_record(cudaEvent_t event, cudaStream_t stream);
void rt_order_record_now(cudaEvent_t event);
void rt_order_wait(cudaStream_t stream, cudaEvent_t event);
/* A stream writes a word in memory, or has waited for one. */
void rt_order_word(cudaStream_t stream, bool writes);
/* The running work copies from or to these bytes; true if that is a race. */
bool rt_order_touch(const rt_box *box, const struct cudaExtent *extent, bool writes,
                    smp_beside_race *out);
/* Memory at this address is free. */
void rt_order_freed(uint64_t address);
/* A graph begins in a stream, one of its nodes does, and it ends. */
void rt_order_graph(cudaStream_t stream, cudaGraph_t graph);
void rt_order_node(cudaGraphNode_t node);
void rt_order_graph_ends(cudaGraph_t graph);

bool rt_stream_is_capturing(cudaStream_t handle);
/* Adds `work` to the graph that the stream is captured into, behind its last nodes. */
cudaError_t rt_stream_capture(cudaStream_t handle, rt_work *work);
/* The error of a call that waits, or uses the default stream, during a capture. */
cudaError_t rt_capture_forbids(cudaStream_t handle, bool waits);
cudaError_t rt_capture_info(cudaStream_t handle, int *status, unsigned long long *id,
                            cudaGraph_t *graph, const cudaGraphNode_t **nodes, size_t *count);
cudaError_t rt_capture_info_edges(cudaStream_t handle, int *status, unsigned long long *id,
                                  cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                                  const void **edges, size_t *count);
cudaError_t rt_capture_update(cudaStream_t handle, const cudaGraphNode_t *nodes, size_t count,
                              unsigned flags);
cudaError_t rt_capture_record(cudaStream_t stream, cudaEvent_t event);
cudaError_t rt_capture_wait(cudaStream_t stream, cudaEvent_t event);

/* ---- Graphs: runtime_graph.c, runtime_node.c, runtime_exec.c ---- */

struct rt_node {
    struct rt_node *next;
    cudaGraph_t graph;
    rt_work work;
    rt_nodes after;               /* depends on */
    const struct rt_node *origin; /* of a copy: the node that it was made from */
    bool is_disabled, is_done;
    /* For --races, while its graph runs: its lane, and clocks like those of a stream. */
    bool is_followed;
    uint32_t lane;
    rt_clock before, clock;
};

struct rt_graph {
    struct rt_graph *next;
    struct rt_node *nodes; /* in creation order */
};

bool rt_graph_is_known(cudaGraph_t graph);
bool rt_node_is_known(cudaGraphNode_t node);
cudaGraph_t rt_graph_make(void);
/* Takes `work`; the new node depends on `count` others. */
cudaError_t rt_graph_add(cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                         rt_work *work, cudaGraphNode_t *out);
cudaError_t rt_graph_run(cudaGraph_t graph);
cudaError_t rt_graph_copy(cudaGraph_t graph, cudaGraph_t *out);
/* The node of a copy that was made from `origin`. NULL: none. */
cudaGraphNode_t rt_graph_counterpart(cudaGraph_t copy, const struct rt_node *origin);
/* Whether `node` is `later` or comes before it. */
bool rt_graph_precedes(cudaGraphNode_t node, cudaGraphNode_t later);
void rt_graph_free(cudaGraph_t graph);
/* Lists for the program, with room for *count nodes; *count becomes how many there are. */
cudaError_t rt_graph_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                           size_t *count);
cudaError_t rt_graph_dependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count);
cudaError_t rt_graph_dependents(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count);
cudaError_t rt_graph_change_edges(const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                  size_t count, bool adds);
/* runtime_exec.c: the node of an executable graph that was made from `node`, or NULL. */
cudaGraphNode_t rt_exec_node(cudaGraphExec_t exec, cudaGraphNode_t node);
/* The result of an update, for the program. */
typedef struct rt_exec_update_result {
    int result;
    cudaGraphNode_t wrong, from;
} rt_exec_update_result;
cudaError_t rt_exec_update(cudaGraphExec_t exec, cudaGraph_t graph, rt_exec_update_result *out);

#pragma GCC visibility pop
