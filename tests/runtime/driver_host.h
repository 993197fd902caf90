/* SPDX-License-Identifier: MIT */
/*
 * The CUDA driver as programs in C see it that are compiled without a toolkit: the documented
 * functions that they call.
 */
#pragma once

#include <stdbool.h>

#include "cuda_face.h"

typedef int CUresult, CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct drv_context *CUcontext;

CUresult cuInit(unsigned flags);
CUresult cuGetErrorName(CUresult code, const char **out);
CUresult cuGetErrorString(CUresult code, const char **out);
CUresult cuDriverGetVersion(int *version);
CUresult cuDeviceGet(CUdevice *out, int ordinal);
CUresult cuDeviceGetAttribute(int *value, int number, CUdevice device);
CUresult cuDeviceGetName(char *name, int length, CUdevice device);
CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext *out);
CUresult cuCtxPushCurrent_v2(CUcontext context);
CUresult cuCtxPopCurrent_v2(CUcontext *out);
CUresult cuCtxSynchronize(void);
CUresult cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                             int *found);
CUresult cuGetExportTable(const void **table, const void *id);
CUresult cuMulticastCreate(void *handle, const void *properties);

typedef struct CUmemAllocationProp {
    int type, handle_types, location_type, location_id;
    void *handle_data;
    unsigned char flags[8];
} CUmemAllocationProp;
typedef struct CUmemAccessDesc {
    int location_type, location_id, flags;
} CUmemAccessDesc;
CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *p, int option);
CUresult cuMemCreate(unsigned long long *handle, size_t bytes, const CUmemAllocationProp *p,
                     unsigned long long flags);
CUresult cuMemRelease(unsigned long long handle);
CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr wish,
                             unsigned long long flags);
CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes);
CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, unsigned long long handle,
                  unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes);
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *list,
                        size_t count);
CUresult cuMemGetAccess(unsigned long long *flags, const void *location, CUdeviceptr address);
CUresult cuMemRetainAllocationHandle(unsigned long long *handle, void *address);
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *p, unsigned long long handle);

CUresult cuModuleLoad(cudaLibrary_t *out, const char *path);
CUresult cuModuleLoadData(cudaLibrary_t *out, const void *image);
CUresult cuModuleUnload(cudaLibrary_t module);
CUresult cuModuleGetFunction(cudaKernel_t *out, cudaLibrary_t module, const char *name);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, cudaLibrary_t module,
                              const char *name);
CUresult cuLinkCreate_v2(unsigned count, int *options, void **values, void **out);
CUresult cuLinkAddFile_v2(void *state, int type, const char *path, unsigned count, int *options,
                          void **values);
CUresult cuLinkComplete(void *state, void **cubin, size_t *size);
CUresult cuLinkDestroy(void *state);

CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes);
CUresult cuMemFree_v2(CUdeviceptr address);
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes);
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes);
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count);
CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                          size_t height);
CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address);
CUresult cuPointerGetAttribute(void *out, int attribute, CUdeviceptr address);

CUresult cuFuncGetAttribute(int *out, int attribute, cudaKernel_t function);
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, cudaKernel_t function,
                                          size_t (*shared_of)(int), size_t shared_bytes, int limit);
CUresult cuLaunchKernel(cudaKernel_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        cudaStream_t stream, void **arguments, void **extra);
CUresult cuStreamCreate(cudaStream_t *out, unsigned flags);
CUresult cuStreamDestroy_v2(cudaStream_t stream);
CUresult cuStreamBeginCapture_v2(cudaStream_t stream, int mode);
CUresult cuStreamEndCapture(cudaStream_t stream, cudaGraph_t *out);
CUresult cuStreamWriteValue32_v2(cudaStream_t stream, CUdeviceptr address, uint32_t value,
                                 unsigned flags);
CUresult cuStreamWaitValue32_v2(cudaStream_t stream, CUdeviceptr address, uint32_t value,
                                unsigned flags);
CUresult cuGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph,
                                     unsigned long long flags);
CUresult cuGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
