/* SPDX-License-Identifier: MIT */
/*
 * What changes nothing here but that programs may ask for: attributes of streams and of kernels'
 * nodes, other devices, descriptions of channels.
 */
#include <string.h>

#include "runtime.h"

RT_EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes);

typedef struct channel {
    int x, y, z, w, kind;
} channel;

RT_EXPORT channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind);

/* Windows of the L2 cache, priorities and the like: no figure depends on them. */
RT_CALL(cudaStreamSetAttribute(cudaStream_t stream, int attribute,
                               const cudaLaunchAttributeValue *value),
        rt_stream_of(stream) && attribute > 0 && value ? cudaSuccess : cudaErrorInvalidValue);
RT_CALL(cudaStreamGetAttribute(cudaStream_t stream, int attribute, cudaLaunchAttributeValue *value),
        RT_WHERE(rt_stream_of(stream) && attribute > 0 && value, memset(value, 0, sizeof *value),
                 cudaErrorInvalidValue));
RT_CALL(cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from),
        rt_stream_of(to) && rt_stream_of(from) ? cudaSuccess : cudaErrorInvalidResourceHandle);

static rt_launch *launch_of(cudaGraphNode_t node, int attribute, const void *value) {
    const bool is_fine = attribute > 0 && value && rt_node_is(node, RT_WORK_LAUNCH);
    return is_fine ? &node->work.launch : NULL;
}

RT_FUNCTION(cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, int attribute,
                                            const cudaLaunchAttributeValue *value)) {
    rt_enter();
    rt_launch *launch = launch_of(node, attribute, value);
    if (launch && attribute == cudaLaunchAttributeClusterDimension)
        launch->cluster = value->clusterDim;
    if (launch && attribute == cudaLaunchAttributeCooperative)
        launch->is_cooperative = value->cooperative != 0;
    return rt_leave(launch ? cudaSuccess : cudaErrorInvalidValue);
}

RT_FUNCTION(cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, int attribute,
                                            cudaLaunchAttributeValue *value)) {
    rt_enter();
    const rt_launch *launch = launch_of(node, attribute, value);
    if (launch)
        memset(value, 0, sizeof *value);
    if (launch && attribute == cudaLaunchAttributeClusterDimension)
        value->clusterDim = launch->cluster;
    if (launch && attribute == cudaLaunchAttributeCooperative)
        value->cooperative = launch->is_cooperative;
    return rt_leave(launch ? cudaSuccess : cudaErrorInvalidValue);
}

/* There is one device. */
RT_CALL(cudaDeviceEnablePeerAccess(int peer, unsigned flags), cudaErrorInvalidDevice);
RT_CALL(cudaDeviceDisablePeerAccess(int peer), cudaErrorInvalidDevice);
RT_CALL(cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to),
        cudaErrorInvalidDevice);

/* Only device code of other kinds asks for variables of the host. */
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes) {
    (void)handle, (void)name, (void)host, (void)bytes;
}

channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return (channel){x, y, z, w, kind};
}
