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
RT_FUNCTION(cudaStreamSetAttribute(cudaStream_t stream, int attribute,
                                   const cudaLaunchAttributeValue *value)) {
    RT_DO(rt_stream_of(stream) && attribute > 0 && value ? cudaSuccess : cudaErrorInvalidValue);
}

RT_FUNCTION(cudaStreamGetAttribute(cudaStream_t stream, int attribute,
                                   cudaLaunchAttributeValue *value)) {
    rt_enter();
    const bool is_fine = rt_stream_of(stream) && attribute > 0 && value;
    if (is_fine)
        memset(value, 0, sizeof *value);
    return rt_leave(is_fine ? cudaSuccess : cudaErrorInvalidValue);
}

RT_FUNCTION(cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)) {
    RT_DO(rt_stream_of(to) && rt_stream_of(from) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

static rt_launch *launch_of(cudaGraphNode_t node, int attribute, const void *value) {
    const bool is_fine =
        attribute > 0 && value && rt_node_is_known(node) && node->work.kind == RT_WORK_LAUNCH;
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
RT_FUNCTION(cudaDeviceEnablePeerAccess(int peer, unsigned flags)) {
    (void)peer, (void)flags;
    RT_DO(cudaErrorInvalidDevice);
}

RT_FUNCTION(cudaDeviceDisablePeerAccess(int peer)) {
    (void)peer;
    RT_DO(cudaErrorInvalidDevice);
}

RT_FUNCTION(cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to)) {
    (void)value, (void)attribute, (void)from, (void)to;
    RT_DO(cudaErrorInvalidDevice);
}

/* Only device code of other kinds asks for variables of the host. */
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t bytes) {
    (void)handle, (void)name, (void)host, (void)bytes;
}

channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return (channel){x, y, z, w, kind};
}
