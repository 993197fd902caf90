/* SPDX-License-Identifier: MIT */
/*
 * Keeps launches for later (profile --capture). SMP_RUNTIME_CAPTURE is the folder.
 * SMP_RUNTIME_LAUNCHES says how many launches of each kernel (default 1), or "marked": those inside
 * a part that the program marks with smemprobe_look. SMP_RUNTIME_KERNELS is a regular expression
 * for the names of kernels; SMP_RUNTIME_NVTX one for the NVTX ranges that launches are in: others
 * run, and are not counted.
 */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "emulate.h"
#include "nvtx_ranges.h"
#include "runtime.h"

bool rt_keep_name_fits(const smp_function *function) {
    const char *expression = getenv("SMP_RUNTIME_KERNELS");
    regex_t pattern;
    if (!expression || regcomp(&pattern, expression, REG_EXTENDED | REG_NOSUB) != 0)
        return !expression;
    const bool fits =
        regexec(&pattern, function->name, 0, NULL, 0) == 0 ||
        (function->demangled && regexec(&pattern, function->demangled, 0, NULL, 0) == 0);
    regfree(&pattern);
    return fits;
}

static int looks; /* marked parts of the program that have not ended */

void smemprobe_look(int more) {
    __atomic_add_fetch(&looks, more, __ATOMIC_RELAXED);
}

bool rt_ranges_fit(void) {
    return nvtx_ranges_fit(getenv("SMP_RUNTIME_NVTX"));
}

bool rt_launch_is_counted(uint64_t before, uint64_t fallback) {
    const char *launches = getenv("SMP_RUNTIME_LAUNCHES");
    if (!rt_ranges_fit())
        return false;
    if (launches && strcmp(launches, "marked") == 0)
        return __atomic_load_n(&looks, __ATOMIC_RELAXED) > 0;
    return before < (launches ? strtoull(launches, NULL, 10) : fallback);
}

bool rt_keep_is_wanted(const rt_kernel *kernel) {
    return getenv("SMP_RUNTIME_CAPTURE") && rt_launch_is_counted(kernel->launches, 1) &&
           rt_keep_name_fits(kernel->function);
}

static bool has_objects(const smp_function *function) {
    return ANY(one, function->linked, function->linked_count, smp_emu_object_of(one));
}

void rt_keep_write(const rt_kernel *kernel, const smp_kept_launch *kept) {
    const char *folder = getenv("SMP_RUNTIME_CAPTURE");
    char path[KEPT_PATH_BYTES];
    const int error = smp_kept_put_new(folder, kept, path);
    if (error != 0)
        rt_note("%.160s: %s", folder, strerror(error));
    else if (has_objects(kernel->function))
        rt_note(
            "kept in %s, without textures and surfaces: a launch that uses one cannot be run again",
            path);
    else
        rt_note("kept in %s", path);
}
