/* SPDX-License-Identifier: MIT */
/* The codes that functions of both interfaces return: their names, and what they mean. */
#include "interface.h"

static const struct code {
    int number;
    const char *name, *driver_name, *text; /* driver_name: "" where the driver has no such code */
} codes[] = {
#define CODE(number, name, driver_name, text) {number, #name, #driver_name, text},
#include "cuda_codes.inc"
#undef CODE
};

static const struct code *find_code(int number) {
    return FIND(one, codes, sizeof codes / sizeof codes[0], one->number == number);
}

static const char unknown[] = "unrecognized error code";

RT_EXPORT const char *cudaGetErrorName(cudaError_t number) {
    const struct code *found = find_code(number);
    return found ? found->name : unknown;
}

RT_EXPORT const char *cudaGetErrorString(cudaError_t number) {
    const struct code *found = find_code(number);
    return found ? found->text : unknown;
}

/* Codes that only the driver has. */
enum { CUDA_ERROR_CONTEXT_ALREADY_CURRENT = 202, CUDA_ERROR_KEY_ROTATION = 916 };

static const char *driver_name_of(CUresult number) {
    const struct code *found = find_code(number);
    if (number == CUDA_ERROR_CONTEXT_ALREADY_CURRENT)
        return "CUDA_ERROR_CONTEXT_ALREADY_CURRENT";
    if (number == CUDA_ERROR_KEY_ROTATION)
        return "CUDA_ERROR_KEY_ROTATION";
    return found && found->driver_name[0] ? found->driver_name : NULL;
}

/* Without a lock and a context: these functions only name numbers. */
DRV_EXPORT(cuGetErrorName(CUresult number, const char **out)) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = driver_name_of(number);
    return *out ? cudaSuccess : cudaErrorInvalidValue;
}

DRV_EXPORT(cuGetErrorString(CUresult number, const char **out)) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = driver_name_of(number) ? cudaGetErrorString(number) : NULL;
    return *out ? cudaSuccess : cudaErrorInvalidValue;
}
