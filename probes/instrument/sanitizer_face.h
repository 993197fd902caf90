/* SPDX-License-Identifier: MIT */
/*
 * sanitizer_face.h: what the library uses of the Compute Sanitizer API (CUDA 12.0 and later),
 * declared for C without the toolkit. Handles of the driver are pointers. sanitizer_check.c
 * compares all of it with the installed headers where there are any.
 */
#ifndef SMP_SANITIZER_FACE_H
#define SMP_SANITIZER_FACE_H

#include <stddef.h>
#include <stdint.h>

enum { SAN_SUCCESS = 0, SAN_ERROR_MAX_LIMIT_REACHED = 10 };

enum {
    SAN_DOMAIN_DRIVER = 1,
    SAN_DOMAIN_RESOURCE = 3,
    SAN_DOMAIN_SYNCHRONIZE = 4,
    SAN_DOMAIN_LAUNCH = 5,
    SAN_DOMAIN_GRAPHS = 10,
};

enum {
    SAN_CONTEXT_CREATION_FINISHED = 3,
    SAN_CONTEXT_DESTROY_STARTING = 4,
    SAN_STREAM_DESTROY_STARTING = 7,
    SAN_MODULE_LOADED = 9,
    SAN_MODULE_UNLOAD_STARTING = 10,
    SAN_DEVICE_ALLOC = 11,
    SAN_DEVICE_FREE = 12,
    SAN_HOST_ALLOC = 13,
    SAN_HOST_FREE = 14,
    SAN_ALLOC_ASYNC = 15,
    SAN_FREE_ASYNC = 16,
    SAN_STREAM_SYNCHRONIZED = 1,
    SAN_CONTEXT_SYNCHRONIZED = 2,
    SAN_LAUNCH_BEGIN = 1,
    SAN_GRAPHS_NODE_LAUNCH_BEGIN = 4,
    SAN_NODE_KERNEL = 0,
    SAN_API_ENTER = 0,
    SAN_API_EXIT = 1,
    SAN_LAUNCH_KERNEL = 307,
    SAN_LAUNCH_KERNEL_PTSZ = 442,
    SAN_LAUNCH_COOPERATIVE = 477,
    SAN_LAUNCH_COOPERATIVE_PTSZ = 478,
    SAN_LAUNCH_GRAPH = 514,
    SAN_LAUNCH_GRAPH_PTSZ = 515,
    SAN_LAUNCH_KERNEL_EX = 652,
    SAN_LAUNCH_KERNEL_EX_PTSZ = 653,
};

/* Of an allocation. */
enum { SAN_MEMORY_MODULE = 1, SAN_MEMORY_MANAGED = 2, SAN_MEMORY_PINNED = 8 };

/* One row a patched instruction: its number, its function in device_patch.cu, the word that
 * switches it.
 */
#define SAN_PATCH_LIST(X)                          \
    X(4, "smp_patch_shared", "shared")             \
    X(3, "smp_patch_global", "global")             \
    X(5, "smp_patch_local", "local")               \
    X(17, "smp_patch_cluster", "cluster")          \
    X(19, "smp_patch_matrix", "matrix")            \
    X(14, "smp_patch_copy", "copy")                \
    X(23, "smp_patch_warpgroup_mma", "other")      \
    X(26, "smp_patch_async_store", "other")        \
    X(27, "smp_patch_async_reduction", "other")    \
    X(30, "smp_patch_bulk_to_shared", "other")     \
    X(32, "smp_patch_memset_shared", "other")      \
    X(35, "smp_patch_bulk_to_global", "other")     \
    X(36, "smp_patch_bulk_shared", "other")        \
    X(37, "smp_patch_bulk_reduce_global", "other") \
    X(38, "smp_patch_bulk_reduce_shared", "other")

typedef struct san_context_data {
    void *context;
    int device;
} san_context_data;

typedef struct san_module_data {
    void *context, *module;
    size_t cubin_bytes;
    const char *cubin;
    void *library;
} san_module_data;

typedef struct san_memory_data {
    uint64_t address, bytes;
    void *context;
    int device;
    void *stream, *stream_handle, *pool;
    uint32_t flags, permissions;
    int visibility, source_device;
} san_memory_data;

/* Of a call of the driver's interface. */
typedef struct san_api_data {
    int site;
    const char *function_name;
    const void *parameters, *result;
    const char *symbol_name; /* of a launch: the kernel, mangled */
    void *context;
} san_api_data;

/* Its parameters: cuLaunchKernel; cuLaunchCooperativeKernel, which has not the last;
 * cuLaunchKernelEx. */
typedef struct san_launch_kernel {
    void *function;
    uint32_t grid[3], block[3], shared_bytes;
    void *stream, **values, **extra;
} san_launch_kernel;

typedef struct san_launch_attribute {
    int id;
    char pad[4];
    uint32_t value[16];
} san_launch_attribute;

typedef struct san_launch_config {
    uint32_t grid[3], block[3], shared_bytes;
    void *stream;
    const san_launch_attribute *attributes;
    uint32_t attribute_count;
} san_launch_config;

enum { SAN_ATTRIBUTE_COOPERATIVE = 2 };

typedef struct san_launch_kernel_ex {
    const san_launch_config *config;
    void *function, **values, **extra;
} san_launch_kernel_ex;

/* Of cuGraphLaunch. */
typedef struct san_launch_graph {
    void *graph, *stream;
} san_launch_graph;

/* Of a stream that is waited for, and of one that goes. */
typedef struct san_synchronize_data {
    void *context, *stream, *stream_handle;
} san_synchronize_data;

typedef struct san_launch_data {
    void *context, *stream, *stream_handle, *module, *function;
    const char *function_name;
    uint32_t grid[3], block[3], cluster[3];
    uint64_t grid_id;
    void *launch;
    int device;
    void *api_context, *api_stream, *api_stream_handle;
} san_launch_data;

typedef struct san_graph_node_data {
    void *graph_exec;
    uint32_t launch_id;
    void *node;
    int node_type;
    union {
        san_launch_data launch;
        uint64_t room[18];
    };
    uint32_t is_upload;
} san_graph_node_data;

typedef void (*san_callback)(void *user, int domain, uint32_t id, const void *data);

/* result, name, arguments */
#define SAN_FUNCTION_LIST(X)                                                                 \
    X(Subscribe, (void **subscriber, san_callback callback, void *user))                     \
    X(EnableCallback, (uint32_t enable, void *subscriber, int domain, uint32_t id))          \
    X(AddPatchesFromFile, (const char *path, void *context))                                 \
    X(PatchInstructions, (int instruction, void *module, const char *function))              \
    X(PatchModule, (void *module))                                                           \
    X(UnpatchModule, (void *module))                                                         \
    X(SetLaunchCallbackData, (void *launch, void *function, void *stream, const void *data)) \
    X(GetFunctionPcAndSize, (void *module, const char *name, uint64_t *pc, uint64_t *bytes)) \
    X(Alloc, (void *context, void **memory, size_t bytes))                                   \
    X(AllocHost, (void *context, void **memory, size_t bytes))                               \
    X(Free, (void *context, void *memory))                                                   \
    X(Memset, (void *memory, int value, size_t bytes, void *stream))                         \
    X(MemcpyHostToDeviceAsync, (void *to, void *from, size_t bytes, void *stream))           \
    X(MemcpyDeviceToHost, (void *to, void *from, size_t bytes, void *stream))                \
    X(StreamSynchronize, (void *stream))

typedef struct san_face {
#define SAN_FUNCTION(name, arguments) int(*name) arguments;
    SAN_FUNCTION_LIST(SAN_FUNCTION)
#undef SAN_FUNCTION
    int (*GetResultString)(int result, const char **text);
} san_face;

#endif
