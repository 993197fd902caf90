/* SPDX-License-Identifier: MIT */
/*
 * sanitizer_check.c: our declarations against those of the installed Compute Sanitizer API.
 * Compiled where its headers are; holds no code.
 */
#include <sanitizer.h>

#include <generated_cuda_meta.h> /* behind it: needs what that declares */

#include "sanitizer_face.h"

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)
#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #ours)
#define SAME_PLACE(ours, member, theirs, other) \
    _Static_assert(offsetof(ours, member) == offsetof(theirs, other), #ours "." #member)

SAME(SAN_SUCCESS, SANITIZER_SUCCESS);
SAME(SAN_ERROR_MAX_LIMIT_REACHED, SANITIZER_ERROR_MAX_LIMIT_REACHED);
SAME(SAN_DOMAIN_RESOURCE, SANITIZER_CB_DOMAIN_RESOURCE);
SAME(SAN_DOMAIN_SYNCHRONIZE, SANITIZER_CB_DOMAIN_SYNCHRONIZE);
SAME(SAN_DOMAIN_LAUNCH, SANITIZER_CB_DOMAIN_LAUNCH);
SAME(SAN_DOMAIN_GRAPHS, SANITIZER_CB_DOMAIN_GRAPHS);
SAME(SAN_CONTEXT_CREATION_FINISHED, SANITIZER_CBID_RESOURCE_CONTEXT_CREATION_FINISHED);
SAME(SAN_CONTEXT_DESTROY_STARTING, SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
SAME(SAN_MODULE_LOADED, SANITIZER_CBID_RESOURCE_MODULE_LOADED);
SAME(SAN_MODULE_UNLOAD_STARTING, SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
SAME(SAN_DOMAIN_DRIVER, SANITIZER_CB_DOMAIN_DRIVER_API);
SAME(SAN_DEVICE_ALLOC, SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC);
SAME(SAN_DEVICE_FREE, SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE);
SAME(SAN_HOST_ALLOC, SANITIZER_CBID_RESOURCE_HOST_MEMORY_ALLOC);
SAME(SAN_HOST_FREE, SANITIZER_CBID_RESOURCE_HOST_MEMORY_FREE);
SAME(SAN_ALLOC_ASYNC, SANITIZER_CBID_RESOURCE_MEMORY_ALLOC_ASYNC);
SAME(SAN_FREE_ASYNC, SANITIZER_CBID_RESOURCE_MEMORY_FREE_ASYNC);
SAME(SAN_MEMORY_MODULE, SANITIZER_MEMORY_FLAG_MODULE);
SAME(SAN_MEMORY_MANAGED, SANITIZER_MEMORY_FLAG_MANAGED);
SAME(SAN_MEMORY_PINNED, SANITIZER_MEMORY_FLAG_HOST_PINNED);
SAME(SAN_API_ENTER, SANITIZER_API_ENTER);
SAME(SAN_API_EXIT, SANITIZER_API_EXIT);
SAME(SAN_LAUNCH_KERNEL, SANITIZER_CBID_DRIVER_API_cuLaunchKernel);
SAME(SAN_LAUNCH_KERNEL_PTSZ, SANITIZER_CBID_DRIVER_API_cuLaunchKernel_ptsz);
SAME(SAN_LAUNCH_COOPERATIVE, SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel);
SAME(SAN_LAUNCH_COOPERATIVE_PTSZ, SANITIZER_CBID_DRIVER_API_cuLaunchCooperativeKernel_ptsz);
SAME(SAN_LAUNCH_KERNEL_EX, SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx);
SAME(SAN_LAUNCH_KERNEL_EX_PTSZ, SANITIZER_CBID_DRIVER_API_cuLaunchKernelEx_ptsz);
SAME(SAN_LAUNCH_GRAPH, SANITIZER_CBID_DRIVER_API_cuGraphLaunch);
SAME(SAN_LAUNCH_GRAPH_PTSZ, SANITIZER_CBID_DRIVER_API_cuGraphLaunch_ptsz);
SAME(SAN_STREAM_DESTROY_STARTING, SANITIZER_CBID_RESOURCE_STREAM_DESTROY_STARTING);
SAME(SAN_STREAM_SYNCHRONIZED, SANITIZER_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED);
SAME(SAN_CONTEXT_SYNCHRONIZED, SANITIZER_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED);
SAME(SAN_LAUNCH_BEGIN, SANITIZER_CBID_LAUNCH_BEGIN);
SAME(SAN_GRAPHS_NODE_LAUNCH_BEGIN, SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN);
SAME(SAN_NODE_KERNEL, CU_GRAPH_NODE_TYPE_KERNEL);

SAME(4, SANITIZER_INSTRUCTION_SHARED_MEMORY_ACCESS);
SAME(3, SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS);
SAME(5, SANITIZER_INSTRUCTION_LOCAL_MEMORY_ACCESS);
SAME(17, SANITIZER_INSTRUCTION_REMOTE_SHARED_MEMORY_ACCESS);
SAME(19, SANITIZER_INSTRUCTION_MATRIX_MEMORY_ACCESS);
SAME(14, SANITIZER_INSTRUCTION_MEMCPY_ASYNC);
SAME(23, SANITIZER_INSTRUCTION_WARPGROUP_MMA_ASYNC);
SAME(26, SANITIZER_INSTRUCTION_ASYNC_STORE);
SAME(27, SANITIZER_INSTRUCTION_ASYNC_REDUCTION);
SAME(30, SANITIZER_INSTRUCTION_BULK_COPY_GLOBAL_TO_SHARED);
SAME(32, SANITIZER_INSTRUCTION_MEMSET_SHARED);
SAME(35, SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_GLOBAL);
SAME(36, SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_SHARED);
SAME(37, SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_GLOBAL);
SAME(38, SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_SHARED);

SAME_SIZE(san_context_data, Sanitizer_ResourceContextData);
SAME_PLACE(san_context_data, device, Sanitizer_ResourceContextData, device);
SAME_SIZE(san_module_data, Sanitizer_ResourceModuleData);
SAME_PLACE(san_module_data, cubin_bytes, Sanitizer_ResourceModuleData, cubinSize);
SAME_PLACE(san_module_data, cubin, Sanitizer_ResourceModuleData, pCubin);
SAME_SIZE(san_memory_data, Sanitizer_ResourceMemoryData);
SAME_PLACE(san_memory_data, flags, Sanitizer_ResourceMemoryData, flags);
SAME_SIZE(san_api_data, Sanitizer_CallbackData);
SAME_PLACE(san_api_data, parameters, Sanitizer_CallbackData, functionParams);
SAME_PLACE(san_api_data, result, Sanitizer_CallbackData, functionReturnValue);
SAME_PLACE(san_api_data, symbol_name, Sanitizer_CallbackData, symbolName);
SAME_PLACE(san_api_data, context, Sanitizer_CallbackData, context);
SAME_SIZE(san_launch_kernel, cuLaunchKernel_params);
SAME_PLACE(san_launch_kernel, stream, cuLaunchKernel_params, hStream);
SAME_PLACE(san_launch_kernel, extra, cuLaunchKernel_params, extra);
SAME_PLACE(san_launch_kernel, values, cuLaunchCooperativeKernel_params, kernelParams);
SAME_SIZE(san_launch_kernel_ex, cuLaunchKernelEx_params);
SAME_PLACE(san_launch_kernel_ex, values, cuLaunchKernelEx_params, kernelParams);
SAME_PLACE(san_launch_config, shared_bytes, CUlaunchConfig, sharedMemBytes);
SAME_PLACE(san_launch_config, stream, CUlaunchConfig, hStream);
SAME_SIZE(san_launch_config, CUlaunchConfig);
SAME_PLACE(san_launch_config, attributes, CUlaunchConfig, attrs);
SAME_SIZE(san_launch_attribute, CUlaunchAttribute);
SAME_PLACE(san_launch_attribute, value, CUlaunchAttribute, value);
SAME(SAN_ATTRIBUTE_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
SAME_SIZE(san_synchronize_data, Sanitizer_SynchronizeData);
SAME_PLACE(san_synchronize_data, stream_handle, Sanitizer_SynchronizeData, hStream);
SAME_SIZE(san_synchronize_data, Sanitizer_ResourceStreamData);
SAME_PLACE(san_synchronize_data, stream, Sanitizer_ResourceStreamData, stream);
SAME_SIZE(san_launch_graph, cuGraphLaunch_params);
SAME_PLACE(san_launch_graph, stream, cuGraphLaunch_params, hStream);
SAME_SIZE(san_launch_data, Sanitizer_LaunchData);
SAME_PLACE(san_launch_data, function_name, Sanitizer_LaunchData, functionName);
SAME_PLACE(san_launch_data, grid, Sanitizer_LaunchData, gridDim_x);
SAME_PLACE(san_launch_data, cluster, Sanitizer_LaunchData, clusterDim_x);
SAME_PLACE(san_launch_data, grid_id, Sanitizer_LaunchData, gridId);
SAME_PLACE(san_launch_data, launch, Sanitizer_LaunchData, hLaunch);
SAME_PLACE(san_launch_data, api_stream_handle, Sanitizer_LaunchData, hApiStream);
SAME_SIZE(san_graph_node_data, Sanitizer_GraphNodeLaunchData);
SAME_PLACE(san_graph_node_data, node_type, Sanitizer_GraphNodeLaunchData, nodeType);
SAME_PLACE(san_graph_node_data, launch, Sanitizer_GraphNodeLaunchData, launchData);
SAME_PLACE(san_graph_node_data, is_upload, Sanitizer_GraphNodeLaunchData, isGraphUpload);
