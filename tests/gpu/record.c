/* SPDX-License-Identifier: MIT */
/*
 * record.c: writes the recorded measurements that the library is built with. `record FOLDER`
 * measures strides 0 to 64 of every width, loads and stores, and every kernel variant at a few
 * sizes, on the first GPU, into FOLDER/<chip>-stride.txt and FOLDER/<chip>-kernels.txt.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_access.h"
#include "smp_probes.h"

enum { STRIDES = 65, WIDTHS = 5 };

static FILE *open_record(const char *folder, const char *name, const smp_device *device) {
    char path[512], command[600];
    snprintf(path, sizeof path, "%s/sm%d%d-%s.txt", folder, device->cc_major, device->cc_minor,
             name);
    snprintf(command, sizeof command, "tests/gpu/record (%s)", name);
    FILE *out = fopen(path, "w");
    if (!out)
        perror(path);
    else
        smp_record_write_header(out, device, command);
    return out;
}

static smp_status record_strides(smp_probe *probe, smp_op op, const char *name, FILE *out,
                                 smp_error *error) {
    smp_access accesses[WIDTHS * STRIDES];
    uint64_t counts[WIDTHS * STRIDES];
    for (uint32_t i = 0; i < WIDTHS * STRIDES; i++) {
        const uint32_t width = 1u << i / STRIDES, stride = i % STRIDES;
        accesses[i] = gpu_stride_access(op, width, 0, stride * width);
    }
    smp_status status =
        smp_measure_many(probe, accesses, WIDTHS * STRIDES, counts, NULL, NULL, NULL, error);
    if (status != SMP_OK)
        return status;
    status = smp_record_write_counter(out, smp_counter_of(op)->metric);
    for (uint32_t i = 0; i < WIDTHS * STRIDES && status == SMP_OK; i++) {
        char key[64];
        const smp_record_field field = {"wavefronts", (double)counts[i]};
        snprintf(key, sizeof key, "--op %s --width %u --stride %u", name, 1u << i / STRIDES,
                 (unsigned)(i % STRIDES));
        status = smp_record_write_row(out, key, &field, 1);
    }
    return status;
}

static smp_status record_kernel(smp_probe *probe, const smp_kernel_variant *variant,
                                smp_kernel_size size, FILE *out, smp_error *error) {
    smp_kernel_result result;
    char key[96];
    smp_status status = smp_measure_kernel(probe, variant, size, &result, error);
    if (status != SMP_OK)
        return status;
    const smp_record_field fields[] = {
        {"wavefronts_ld", (double)result.wavefronts_ld},
        {"wavefronts_st", (double)result.wavefronts_st},
        {"sectors_ld", (double)result.sectors_ld},
        {"sectors_st", (double)result.sectors_st},
        {"time_us", result.time_us},
        {"time_spread_us", result.time_spread_us},
        {"copy_us", result.copy_us},
        {"runs", result.runs},
    };
    snprintf(key, sizeof key, "%s %s %ux%u", variant->family, variant->name, (unsigned)size.rows,
             (unsigned)size.columns);
    return smp_record_write_row(out, key, fields, sizeof fields / sizeof fields[0]);
}

static smp_status record_kernels(smp_probe *probe, FILE *out, smp_error *error) {
    static const smp_kernel_size sizes[] = {{4096, 4096}, {2048, 1536}, {1000, 777}};
    size_t count = 0;
    const smp_kernel_variant *variants = smp_kernel_variants(&count);
    char counters[512];
    snprintf(counters, sizeof counters, "%s %s %s %s", smp_counter_of(SMP_LD_SHARED)->metric,
             smp_counter_of(SMP_ST_SHARED)->metric, smp_counter_of(SMP_LD_GLOBAL)->metric,
             smp_counter_of(SMP_ST_GLOBAL)->metric);
    smp_status status = smp_record_write_counter(out, counters);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t i = 0; i < count && status == SMP_OK; i++)
            status = record_kernel(probe, &variants[i], sizes[s], out, error);
    return status;
}

static smp_status record_all(smp_probe *probe, const char *folder, smp_error *error) {
    const smp_device *device = smp_probe_device(probe);
    FILE *strides = open_record(folder, "stride", device);
    FILE *kernels = open_record(folder, "kernels", device);
    smp_status status = strides && kernels ? SMP_OK : SMP_E_WRITE;
    if (status == SMP_OK)
        status = record_strides(probe, SMP_LD_SHARED, "ld", strides, error);
    if (status == SMP_OK)
        status = record_strides(probe, SMP_ST_SHARED, "st", strides, error);
    if (status == SMP_OK)
        status = record_kernels(probe, kernels, error);
    if (strides && fclose(strides) != 0)
        status = SMP_E_WRITE;
    if (kernels && fclose(kernels) != 0)
        status = SMP_E_WRITE;
    return status;
}

int main(int argc, char **argv) {
    smp_probe *probe = NULL;
    smp_error error = {0};
    if (argc != 2) {
        fputs("usage: record FOLDER\n", stderr);
        return 2;
    }
    smp_status status = smp_probe_open(0, &probe, &error);
    if (status == SMP_OK)
        status = record_all(probe, argv[1], &error);
    if (status != SMP_OK)
        fprintf(stderr, "record: %s\n",
                error.message[0] ? error.message : smp_status_message(status));
    smp_probe_close(probe);
    return smp_status_exit(status);
}
