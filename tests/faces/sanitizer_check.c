/* SPDX-License-Identifier: MIT */
/*
 * Our declarations against those of the installed Compute Sanitizer API. Compiled where its headers
 * are; holds no code.
 */
#include <sanitizer.h>

#include <generated_cuda_meta.h> /* behind it: needs what that declares */

#include "sanitizer_face.h"

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours)
#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #ours)
#define SAME_PLACE(ours, member, theirs, other) \
    _Static_assert(offsetof(ours, member) == offsetof(theirs, other), #ours "." #member)

/* Of structs to which 13.1 and 13.4 add members behind ours. */
#define NO_LARGER(ours, theirs) _Static_assert(sizeof(ours) <= sizeof(theirs), #ours)
/* A member is where one of our two layouts has it. */
#define EITHER_PLACE(ours, later, member, theirs, other)                                         \
    _Static_assert(                                                                              \
        (sizeof(theirs) == sizeof(ours) && offsetof(theirs, other) == offsetof(ours, member)) || \
            (sizeof(theirs) == sizeof(later) &&                                                  \
             offsetof(theirs, other) == offsetof(later, member)),                                \
        #ours "." #member)

#define CHECK_CODE(ours, number, theirs) SAME(ours, theirs);
SAN_CODE_LIST(CHECK_CODE)
#define CHECK_PATCH(number, function, word, theirs) SAME(number, SANITIZER_INSTRUCTION_##theirs);
SAN_PATCH_LIST(CHECK_PATCH)

EITHER_PLACE(san_context_data, san_context_data_later, device, Sanitizer_ResourceContextData,
             device);
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
NO_LARGER(san_synchronize_data, Sanitizer_SynchronizeData);
SAME_PLACE(san_synchronize_data, stream_handle, Sanitizer_SynchronizeData, hStream);
EITHER_PLACE(san_synchronize_data, san_stream_data_later, stream, Sanitizer_ResourceStreamData,
             stream);
SAME_SIZE(san_launch_graph, cuGraphLaunch_params);
SAME_PLACE(san_launch_graph, stream, cuGraphLaunch_params, hStream);
NO_LARGER(san_launch_data, Sanitizer_LaunchData);
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
