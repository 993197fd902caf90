/* SPDX-License-Identifier: MIT */
/*
 * probe_cupti_survey.c: tries each part of a live measurement by itself, so that one that is
 * missing does not hide the others.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "probe_cupti.h"
#include "system.h"

/* Something short to measure: 32 lanes read neighbouring words. */
static smp_access try_access(void) {
    smp_access access = {.op = SMP_LD_SHARED, .width_bytes = 4, .active_mask = SMP_ALL_LANES};
    for (uint32_t lane = 0; lane < SMP_LANES; lane++)
        access.offset_bytes[lane] = 4 * lane;
    return access;
}

static void survey_driver(smp_survey *out) {
    int version, count;
    snprintf(out->toolkit, sizeof out->toolkit, "%d.%d", CUDART_VERSION / 1000,
             CUDART_VERSION % 1000 / 10);
    smp_status status = smp_driver_start(&version, &count, &out->driver);
    if (version > 0)
        snprintf(out->driver_cuda, sizeof out->driver_cuda, "%d.%d", version / 1000,
                 version % 1000 / 10);
    while (status == SMP_OK && (int)out->device_count < count &&
           out->device_count < SMP_SURVEY_MAX) {
        status = smp_device_describe((int)out->device_count, &out->devices[out->device_count],
                                     &out->driver);
        out->device_count += status == SMP_OK;
    }
}

static void survey_cupti(smp_survey *out) {
    smp_cupti cupti;
    uint32_t version = 0;
    if (smp_cupti_open(&cupti, &out->cupti) != SMP_OK)
        return;
    smp_cupti_path(&cupti, out->cupti_path, sizeof out->cupti_path);
    (void)cupti.version(&version);
    snprintf(out->cupti_version, sizeof out->cupti_version, "%u.%u.%u", version / 10000,
             version / 100 % 100, version % 100);
}

static smp_status try_counters(int device, smp_error *error) {
    const smp_access access = try_access();
    smp_probe *probe;
    uint64_t count;
    smp_status status = smp_probe_open(device, &probe, error);
    if (status == SMP_OK)
        status = smp_measure_many(probe, &access, 1, &count, NULL, NULL, NULL, error);
    smp_probe_close(probe);
    return status;
}

static smp_status try_clocks(int device, smp_error *error) {
    const smp_access access = try_access();
    void *scratch = NULL;
    double cycles;
    smp_status status = smp_cuda_status(cudaSetDevice(device), "selecting the GPU", error);
    if (status == SMP_OK)
        status = smp_cuda_status(cudaMalloc(&scratch, smp_access_scratch_bytes()),
                                 "memory on the GPU", error);
    if (status == SMP_OK)
        status = smp_access_clock(&access, scratch, &cycles, error);
    cudaFree(scratch);
    return status;
}

void smp_survey_take(int device, smp_survey *out) {
    memset(out, 0, sizeof *out);
    smp_system_survey(out);
    survey_driver(out);
    survey_cupti(out);
    if (out->driver.status != SMP_OK) {
        out->counters = out->clocks = out->driver;
        return;
    }
    (void)try_clocks(device, &out->clocks);
    (void)try_counters(device, &out->counters);
}
