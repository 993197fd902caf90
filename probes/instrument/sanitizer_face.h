/* SPDX-License-Identifier: MIT */
/*
 * The part of the Compute Sanitizer API (CUDA 12.0 and later) that the library uses, declared for C
 * without the toolkit. Driver handles are pointers. sanitizer_check.c compares all of it with the
 * headers if they are installed.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Its constants: our name, value, its name. */
#define SAN_CODE_LIST(X)                                                                          \
    X(SAN_SUCCESS, 0, SANITIZER_SUCCESS)                                                          \
    X(SAN_ERROR_MAX_LIMIT_REACHED, 10, SANITIZER_ERROR_MAX_LIMIT_REACHED)                         \
    X(SAN_DOMAIN_DRIVER, 1, SANITIZER_CB_DOMAIN_DRIVER_API)                                       \
    X(SAN_DOMAIN_RESOURCE, 3, SANITIZER_CB_DOMAIN_RESOURCE)                                       \
    X(SAN_DOMAIN_SYNCHRONIZE, 4, SANITIZER_CB_DOMAIN_SYNCHRONIZE)                                 \
    X(SAN_DOMAIN_LAUNCH, 5, SANITIZER_CB_DOMAIN_LAUNCH)                                           \
    X(SAN_DOMAIN_GRAPHS, 10, SANITIZER_CB_DOMAIN_GRAPHS)                                          \
    X(SAN_CONTEXT_CREATION_FINISHED, 3, SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED)        \
    X(SAN_CONTEXT_DESTROY_STARTING, 4, SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)          \
    X(SAN_STREAM_DESTROY_STARTING, 7, SANITIZER_CBID_RESOURCE_STREAM_DESTROY_STARTING)            \
    X(SAN_MODULE_LOADED, 9, SANITIZER_CBID_RESOURCE_MODULE_LOADED)                                \
    X(SAN_MODULE_UNLOAD_STARTING, 10, SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING)             \
    X(SAN_DEVICE_ALLOC, 11, SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC)                          \
    X(SAN_DEVICE_FREE, 12, SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE)                            \
    X(SAN_HOST_ALLOC, 13, SANITIZER_CBID_RESOURCE_HOST_MEMORY_ALLOC)                              \
    X(SAN_HOST_FREE, 14, SANITIZER_CBID_RESOURCE_HOST_MEMORY_FREE)                                \
    X(SAN_ALLOC_ASYNC, 15, SANITIZER_CBID_RESOURCE_MEMORY_ALLOC_ASYNC)                            \
    X(SAN_FREE_ASYNC, 16, SANITIZER_CBID_RESOURCE_MEMORY_FREE_ASYNC)                              \
    X(SAN_STREAM_SYNCHRONIZED, 1, SANITIZER_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED)                 \
    X(SAN_CONTEXT_SYNCHRONIZED, 2, SANITIZER_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED)               \
    X(SAN_LAUNCH_BEGIN, 1, SANITIZER_CBID_LAUNCH_BEGIN)                                           \
    X(SAN_GRAPHS_NODE_LAUNCH_BEGIN, 4, SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN)                   \
    X(SAN_NODE_KERNEL, 0, CU_GRAPH_NODE_TYPE_KERNEL)                                              \
    X(SAN_API_ENTER, 0, SANITIZER_API_ENTER)                                                      \
    X(SAN_API_EXIT, 1, SANITIZER_API_EXIT)                                                        \
    X(SAN_END_STREAM, 127, SANITIZER_CBID_DRIVER_API_cuStreamDestroy)                             \
    X(SAN_END_STREAM_V2, 326, SANITIZER_CBID_DRIVER_API_cuStreamDestroy_v2)                       \
    X(SAN_LAUNCH_OLD, 115, SANITIZER_CBID_DRIVER_API_cuLaunch)                                    \
    X(SAN_LAUNCH_GRID, 116, SANITIZER_CBID_DRIVER_API_cuLaunchGrid)                               \
    X(SAN_LAUNCH_GRID_ASYNC, 117, SANITIZER_CBID_DRIVER_API_cuLaunchGridAsync)                    \
    X(SAN_LAUNCH_KERNEL, 307, SANITIZER_CBID_DRIVER_API_cuLaunchKernel)                           \
    X(SAN_LAUNCH_KERNEL_PTSZ, 442, SANITIZER_CBID_DRIVER_API_cuLaunchKernel_ptsz)                 \
    X(SAN_LAUNCH_COOPERATIVE, 477, SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel)           \
    X(SAN_LAUNCH_COOPERATIVE_PTSZ, 478, SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel_ptsz) \
    X(SAN_LAUNCH_MANY, 480, SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernelMultiDevice)       \
    X(SAN_CAPTURE, 495, SANITIZER_CBID_DRIVER_API_cuStreamBeginCapture)                           \
    X(SAN_CAPTURE_PTSZ, 496, SANITIZER_CBID_DRIVER_API_cuStreamBeginCapture_ptsz)                 \
    X(SAN_CAPTURE_END, 497, SANITIZER_CBID_DRIVER_API_cuStreamEndCapture)                         \
    X(SAN_CAPTURE_END_PTSZ, 498, SANITIZER_CBID_DRIVER_API_cuStreamEndCapture_ptsz)               \
    X(SAN_LAUNCH_GRAPH, 514, SANITIZER_CBID_DRIVER_API_cuGraphLaunch)                             \
    X(SAN_LAUNCH_GRAPH_PTSZ, 515, SANITIZER_CBID_DRIVER_API_cuGraphLaunch_ptsz)                   \
    X(SAN_CAPTURE_V2, 539, SANITIZER_CBID_DRIVER_API_cuStreamBeginCapture_v2)                     \
    X(SAN_CAPTURE_V2_PTSZ, 540, SANITIZER_CBID_DRIVER_API_cuStreamBeginCapture_v2_ptsz)           \
    X(SAN_LAUNCH_KERNEL_EX, 652, SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx)                      \
    X(SAN_LAUNCH_KERNEL_EX_PTSZ, 653, SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx_ptsz)            \
    X(SAN_CAPTURE_GRAPH, 720, SANITIZER_CBID_DRIVER_API_cuStreamBeginCaptureToGraph)              \
    X(SAN_CAPTURE_GRAPH_PTSZ, 721, SANITIZER_CBID_DRIVER_API_cuStreamBeginCaptureToGraph_ptsz)    \
    X(SAN_GRAPH_END, 516, SANITIZER_CBID_DRIVER_API_cuGraphExecDestroy)                           \
    X(SAN_GRAPH_CHILD, 586, SANITIZER_CBID_DRIVER_API_cuGraphExecChildGraphNodeSetParams)         \
    X(SAN_GRAPH_ENABLED, 650, SANITIZER_CBID_DRIVER_API_cuGraphNodeSetEnabled)                    \
    X(SAN_GRAPH_NODE_ANY, 714, SANITIZER_CBID_DRIVER_API_cuGraphExecNodeSetParams)                \
    X(SAN_INSTANTIATE, 513, SANITIZER_CBID_DRIVER_API_cuGraphInstantiate)                         \
    X(SAN_GRAPH_NODE, 538, SANITIZER_CBID_DRIVER_API_cuGraphExecKernelNodeSetParams)              \
    X(SAN_GRAPH_UPDATE, 561, SANITIZER_CBID_DRIVER_API_cuGraphExecUpdate)                         \
    X(SAN_INSTANTIATE_V2, 578, SANITIZER_CBID_DRIVER_API_cuGraphInstantiate_v2)                   \
    X(SAN_INSTANTIATE_FLAGS, 643, SANITIZER_CBID_DRIVER_API_cuGraphInstantiateWithFlags)          \
    X(SAN_INSTANTIATE_PARAMETERS, 656, SANITIZER_CBID_DRIVER_API_cuGraphInstantiateWithParams)    \
    X(SAN_INSTANTIATE_PARAMETERS_PTSZ, 657,                                                       \
      SANITIZER_CBID_DRIVER_API_cuGraphInstantiateWithParams_ptsz)                                \
    X(SAN_GRAPH_NODE_V2, 692, SANITIZER_CBID_DRIVER_API_cuGraphExecKernelNodeSetParams_v2)        \
    X(SAN_GRAPH_UPDATE_V2, 696, SANITIZER_CBID_DRIVER_API_cuGraphExecUpdate_v2)                   \
    X(SAN_MEMORY_MODULE, 1, SANITIZER_MEMORY_FLAG_MODULE)                                         \
    X(SAN_MEMORY_MANAGED, 2, SANITIZER_MEMORY_FLAG_MANAGED)                                       \
    X(SAN_MEMORY_PINNED, 8, SANITIZER_MEMORY_FLAG_HOST_PINNED)                                    \
    X(SAN_ATTRIBUTE_COOPERATIVE, 2, CU_LAUNCH_ATTRIBUTE_COOPERATIVE)                              \
    X(SAN_ATTRIBUTE_CLUSTER, 4, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)

#define SAN_CODE(name, number, theirs) name = (number),
enum { SAN_CODE_LIST(SAN_CODE) };
#undef SAN_CODE

/* One row per patched instruction: its number, its function in device_calls.cuh or
 * device_count.cuh, the word that enables it, its name in the API (SANITIZER_INSTRUCTION_...). */
#define SAN_PATCH_LIST(X)                                                           \
    X(4, "smp_patch_shared", "shared", SHARED_MEMORY_ACCESS)                        \
    X(3, "smp_patch_global", "global", GLOBAL_MEMORY_ACCESS)                        \
    X(5, "smp_patch_local", "local", LOCAL_MEMORY_ACCESS)                           \
    X(17, "smp_patch_cluster", "cluster", REMOTE_SHARED_MEMORY_ACCESS)              \
    X(19, "smp_patch_matrix", "matrix", MATRIX_MEMORY_ACCESS)                       \
    X(14, "smp_patch_copy", "copy", MEMCPY_ASYNC)                                   \
    X(23, "smp_patch_warpgroup_mma", "other", WARPGROUP_MMA_ASYNC)                  \
    X(26, "smp_patch_async_store", "other", ASYNC_STORE)                            \
    X(27, "smp_patch_async_reduction", "other", ASYNC_REDUCTION)                    \
    X(30, "smp_patch_bulk_to_shared", "other", BULK_COPY_GLOBAL_TO_SHARED)          \
    X(32, "smp_patch_memset_shared", "other", MEMSET_SHARED)                        \
    X(35, "smp_patch_bulk_to_global", "other", BULK_COPY_SHARED_TO_GLOBAL)          \
    X(36, "smp_patch_bulk_shared", "other", BULK_COPY_SHARED_TO_SHARED)             \
    X(37, "smp_patch_bulk_reduce_global", "other", BULK_REDUCTION_SHARED_TO_GLOBAL) \
    X(38, "smp_patch_bulk_reduce_shared", "other", BULK_REDUCTION_SHARED_TO_SHARED)

/* Of domain SAN_DOMAIN_SYNCHRONIZE; only an API that tells of green contexts (13.1 and later) lets
 * it be enabled. It has the later layouts of contexts and streams. */
#define SAN_GREEN_SYNCHRONIZED 3
/* Of domain SAN_DOMAIN_DRIVER, 13.1 and later: cuGraphLaunchWithArguments. */
#define SAN_LAUNCH_ARGUMENTS 819

typedef struct san_context_data {
    void *context;
    int device;
} san_context_data;

typedef struct san_context_data_later {
    void *context, *green;
    int device;
} san_context_data_later;

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

/* A driver call. */
typedef struct san_api_data {
    int site;
    const char *function_name;
    const void *parameters, *result;
    const char *symbol_name; /* mangled name of a launched kernel */
    void *context;
} san_api_data;

/* Parameters of cuLaunchKernel; of cuLaunchCooperativeKernel, without `extra`; of cuLaunchKernelEx.
 */
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

typedef struct san_launch_kernel_ex {
    const san_launch_config *config;
    void *function, **values, **extra;
} san_launch_kernel_ex;

/* Parameters of cuGraphLaunch. */
typedef struct san_launch_graph {
    void *graph, *stream;
} san_launch_graph;

/* A stream that was synchronized, or is destroyed. */
typedef struct san_synchronize_data {
    void *context, *stream, *stream_handle;
} san_synchronize_data;

/* A stream that is destroyed. */
typedef struct san_stream_data_later {
    void *context, *green, *stream, *stream_handle;
} san_stream_data_later;

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
