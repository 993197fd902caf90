/* SPDX-License-Identifier: MIT */
/*
 * Kept launches (kept_writer.h) on a GPU: memory as it was, the same machine code and parameters,
 * and what memory becomes against what was kept. Under `smemprobe profile` it counts what `emulate`
 * of the same folder says. Usage: replay_kept FOLDER...; 77 without a GPU.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gpu_launch.h"

enum { SKIPPED = 77 };

/* Bytes of an array that are not as kept. */
static smp_status count_wrong(const gpu_launch *of, uint32_t number, uint64_t *wrong,
                              uint64_t *first, smp_error *error) {
    const smp_kept_array *array = &of->kept->arrays[number];
    const uint8_t *wanted = array->after ? array->after : array->before;
    uint8_t *is = malloc(array->size_bytes + 1);
    *wrong = 0;
    if (!is)
        exit(1);
    const smp_status status = gpu_launch_get(of, number, is, error);
    for (uint64_t i = status == SMP_OK ? array->size_bytes : 0; i-- > 0;)
        if (is[i] != (wanted ? wanted[i] : 0)) {
            ++*wrong;
            *first = i;
        }
    free(is);
    return status;
}

static smp_status compare(const gpu_launch *of, const char *folder, bool *is_equal,
                          smp_error *error) {
    smp_status status = SMP_OK;
    for (uint32_t i = 0; i < of->kept->array_count && status == SMP_OK; i++) {
        const smp_kept_array *array = &of->kept->arrays[i];
        uint64_t wrong = 0, first = 0;
        if (array->address != of->kept->constants)
            status = count_wrong(of, i, &wrong, &first, error);
        if (wrong > 0)
            printf("%s: %llu of %llu bytes of %s differ, the first at %llu\n", folder,
                   (unsigned long long)wrong, (unsigned long long)array->size_bytes, array->name,
                   (unsigned long long)first);
        *is_equal = *is_equal && wrong == 0;
    }
    return status;
}

static bool run(gpu_driver *driver, const char *folder) {
    smp_kept_launch kept;
    smp_error error;
    bool is_equal = true;
    smp_status status = smp_kept_read(folder, &kept, &error);
    if (status == SMP_OK) {
        gpu_launch launch;
        status = gpu_launch_make(driver, &kept, &launch, &error);
        if (status == SMP_OK)
            status = gpu_launch_run(&launch, &error);
        if (status == SMP_OK)
            status = gpu_status(driver->wait(), kept.kernel, &error);
        if (status == SMP_OK)
            status = compare(&launch, folder, &is_equal, &error);
        if (status == SMP_OK && is_equal)
            printf("%s: memory as kept%s\n", folder,
                   launch.moved != 0 ? " (at other addresses)" : "");
        gpu_launch_clear(&launch);
        smp_kept_clear(&kept);
    }
    if (status != SMP_OK)
        fprintf(stderr, "replay_kept: %s: %s\n", folder, error.message);
    return status == SMP_OK && is_equal;
}

int main(int argc, char **argv) {
    gpu_driver driver;
    smp_error error;
    if (gpu_driver_open(&driver, &error) != SMP_OK) {
        printf("skipped: %s\n", error.message);
        return SKIPPED;
    }
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed += !run(&driver, argv[i]);
    gpu_driver_close(&driver);
    return failed > 0;
}
