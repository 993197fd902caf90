/* SPDX-License-Identifier: MIT */
/*
 * Functions whose parameters are those of version 11 of the interface, and those that only it has:
 * references to textures, which kernels of sm_90 and later cannot have.
 */
#include <string.h>

#include "interface.h"

#include "before_13.inc"

RT_CALL(cudaRuntimeGetVersion(int *version), RT_GIVE(version, 11080));
RT_CALL(cudaProfilerInitialize(const char *config, const char *out, int mode), cudaSuccess);

/* The struct of version 12 has more fields. */
enum { ATTRIBUTES_BYTES = 56, TEXTURE_BYTES = 68 };

static cudaError_t get_attributes(void *out, const void *function) {
    struct cudaFuncAttributes all;
    const cudaError_t result = rt_function_attributes(&all, function);
    return result != cudaSuccess ? result : RT_IF(out, memcpy(out, &all, ATTRIBUTES_BYTES));
}

RT_CALL(cudaFuncGetAttributes(void *out, const void *function), get_attributes(out, function));
RT_CALL(cudaGetTextureObjectTextureDesc(void *out, unsigned long long handle),
        rt_object_describe(handle, false, true, out, TEXTURE_BYTES));

RT_EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function,
                                                       unsigned version, unsigned long long flags,
                                                       int *found); /* driver_entry.c */
RT_CALL(cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags),
        cudaGetDriverEntryPointByVersion(name, function, 11080, flags, NULL));

RT_EXPORT cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph,
                                                    unsigned long long flags); /* runtime_exec.c */

static cudaError_t instantiate(cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphNode_t *wrong,
                               char *log, size_t bytes) {
    if (wrong)
        *wrong = NULL;
    if (log && bytes > 0)
        *log = '\0';
    return cudaGraphInstantiateWithFlags(out, graph, 0);
}

RT_FORWARD(cudaGraphInstantiate, instantiate, cudaGraphExec_t *, cudaGraph_t, cudaGraphNode_t *,
           char *, size_t);

static cudaError_t update(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *wrong,
                          int *how) {
    rt_exec_update_result result;
    const cudaError_t updated = rt_exec_update(exec, graph, &result);
    if (wrong)
        *wrong = result.wrong;
    if (how)
        *how = result.result;
    return updated;
}

RT_FORWARD(cudaGraphExecUpdate, update, cudaGraphExec_t, cudaGraph_t, cudaGraphNode_t *, int *);

/* ---- References to textures and surfaces ---- */

#define REFERENCES(name)                                                                         \
    RT_CALL(cuda##name(void), rt_refuse("cuda" #name, "references to textures and surfaces are " \
                                                      "not supported without a GPU; objects are"))
REFERENCES(BindSurfaceToArray);
REFERENCES(BindTexture);
REFERENCES(BindTexture2D);
REFERENCES(BindTextureToArray);
REFERENCES(BindTextureToMipmappedArray);
REFERENCES(CreateTextureObject_v2);
REFERENCES(GetSurfaceReference);
REFERENCES(GetTextureAlignmentOffset);
REFERENCES(GetTextureObjectTextureDesc_v2);
REFERENCES(GetTextureReference);
REFERENCES(UnbindTexture);

RT_EXPORT void __cudaRegisterSurface(void);
RT_EXPORT void __cudaRegisterTexture(void);
void __cudaRegisterSurface(void) {
}
void __cudaRegisterTexture(void) {
}
