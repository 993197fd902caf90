/* SPDX-License-Identifier: MIT */
/* The CUDA runtime: device memory is the host's, events are times of the stand-in's clock. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

/* Bytes that a copy moves in a microsecond. */
#define COPY_RATE 2e4

struct CUevent_st {
    double time_us;
};

static cudaError_t result(const char *function) {
    return (cudaError_t)standin_result(function);
}

const char *cudaGetErrorString(cudaError_t code) {
    switch (code) {
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorIllegalAddress:
        return "an illegal memory access was encountered";
    case cudaErrorLaunchFailure:
        return "unspecified launch failure";
    default:
        return "unknown error";
    }
}

cudaError_t cudaGetLastError(void) {
    return result("cudaGetLastError");
}

cudaError_t cudaGetDeviceCount(int *count) {
    *count = (int)standin_number("gpus", 1);
    return result("cudaGetDeviceCount");
}

static int current_device;

cudaError_t cudaGetDevice(int *device) {
    *device = current_device;
    return result("cudaGetDevice");
}

cudaError_t cudaSetDevice(int device) {
    current_device = device;
    return result("cudaSetDevice");
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
    const long cc = standin_number("cc", 90);
    (void)device;
    memset(properties, 0, sizeof *properties);
    (void)snprintf(properties->name, sizeof properties->name, "%s",
                   standin_text("name", "stand-in GPU"));
    properties->major = (int)(cc / 10);
    properties->minor = (int)(cc % 10);
    properties->multiProcessorCount = 4;
    return result("cudaGetDeviceProperties");
}

cudaError_t cudaDeviceSynchronize(void) {
    return result("cudaDeviceSynchronize");
}

cudaError_t cudaMalloc(void **address, size_t bytes) {
    const cudaError_t code = result("cudaMalloc");
    *address = code == cudaSuccess ? malloc(bytes) : NULL;
    return code == cudaSuccess && !*address ? cudaErrorMemoryAllocation : code;
}

cudaError_t cudaFree(void *address) {
    free(address);
    return result("cudaFree");
}

cudaError_t cudaMemset(void *address, int value, size_t bytes) {
    memset(address, value, bytes);
    return result("cudaMemset");
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    (void)kind;
    memcpy(to, from, bytes);
    return result("cudaMemcpy");
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    (void)kind, (void)stream;
    memcpy(to, from, bytes);
    standin_spend((double)bytes / COPY_RATE);
    return result("cudaMemcpyAsync");
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    *event = calloc(1, sizeof **event);
    return *event ? result("cudaEventCreate") : cudaErrorMemoryAllocation;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    free(event);
    return result("cudaEventDestroy");
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    (void)stream;
    event->time_us = standin_clock_us();
    return result("cudaEventRecord");
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
    *milliseconds = (float)((to->time_us - from->time_us) / 1e3);
    return result("cudaEventElapsedTime");
}
