/* SPDX-License-Identifier: MIT */
/*
 * The functions of CUPTI's Profiler Host API that the probe calls, declared for C, since CUPTI's
 * header includes a C++ one. Unused fields must be zero; struct_size is the whole size.
 * cupti_host_check.cu compares every layout with the installed header.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct smp_host smp_host;

enum { SMP_HOST_RANGE_PROFILER = 0 };

typedef struct smp_host_initialize {
    size_t struct_size;
    void *priv;
    int profiler_type;
    const char *chip_name;
    const uint8_t *counter_availability;
    smp_host *host; /* out */
} smp_host_initialize;

typedef struct smp_host_deinitialize {
    size_t struct_size;
    void *priv;
    smp_host *host;
} smp_host_deinitialize;

typedef struct smp_host_add_metrics {
    size_t struct_size;
    void *priv;
    smp_host *host;
    const char **names;
    size_t count;
} smp_host_add_metrics;

typedef struct smp_host_config_size {
    size_t struct_size;
    void *priv;
    smp_host *host;
    size_t bytes; /* out */
} smp_host_config_size;

typedef struct smp_host_config {
    size_t struct_size;
    void *priv;
    smp_host *host;
    size_t bytes;
    uint8_t *image;
} smp_host_config;

typedef struct smp_host_evaluate {
    size_t struct_size;
    void *priv;
    smp_host *host;
    const uint8_t *data;
    size_t data_bytes;
    size_t range;
    const char **names;
    size_t count;
    double *values; /* out */
} smp_host_evaluate;
