/* SPDX-License-Identifier: MIT */
/*
 * Runs a program with our library inside: its environment, its dumps, and the resulting profiles.
 * The program keeps its input, output and exit status.
 */
#define _GNU_SOURCE /* scandir, strcasestr */
#include "profile_instrumented.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code_cache.h"
#include "instrument_library.h"
#include "leftover.h"
#include "linked_runtime.h"
#include "list.h"
#include "live_line.h"
#include "profile_filter.h"
#include "profile_join.h"
#include "seconds.h"
#include "text_file.h"
#include "visible_text.h"

enum { KERNELS_MAX = 1000 };

/* ---- What stands in the way ---- */

/* True if there is a driver: on a server or desktop, in a container, on WSL or a Jetson. */
static bool has_driver(void) {
    static const char *const paths[] = {"/proc/driver/nvidia/version",
                                        "/sys/module/nvidia/version",
                                        "/dev/nvidiactl",
                                        "/dev/dxg",
                                        "/dev/nvhost-gpu",
                                        "/dev/nvgpu"};
    const char *root = getenv("SMP_SYSTEM_ROOT");
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char path[SCRATCH_PATH_BYTES];
        (void)snprintf(path, sizeof path, "%s%s", root ? root : "", paths[i]);
        if (access(path, F_OK) == 0)
            return true;
    }
    return false;
}

static smp_status check_others(const char *program, smp_error *error) {
    static const char *const profilers[] = {
        "ncu", "nsys", "nsys-launcher", "nvprof", "compute-sanitizer", "cuda-memcheck"};
    const char *other = getenv("CUDA_INJECTION64_PATH"), *loaded = getenv("LD_PRELOAD");
    if (other && other[0] != '\0')
        return smp_error_set(error, SMP_E_PROFILER_BUSY, -1,
                             "another profiler is attached (CUDA_INJECTION64_PATH=%.100s); run "
                             "one at a time",
                             other);
    /* Set by ncu and compute-sanitizer for the programs that they start. */
    if (getenv("NV_NSIGHT_INJECTION_PORT_BASE") || getenv("NV_SANITIZER_INJECTION_PORT_BASE"))
        return smp_error_set(
            error, SMP_E_PROFILER_BUSY, -1,
            "another profiler is attached (%s started this one); run one at a time",
            getenv("NV_NSIGHT_INJECTION_PORT_BASE") ? "Nsight Compute" : "compute-sanitizer");
    if (loaded && strcasestr(loaded, "injection"))
        return smp_error_set(error, SMP_E_PROFILER_BUSY, -1,
                             "another profiler is attached (LD_PRELOAD=%.100s); run one at a time",
                             loaded);
    for (size_t i = 0; i < sizeof profilers / sizeof profilers[0]; i++) {
        if (strcmp(smp_base_name(program), profilers[i]) == 0)
            return smp_error_set(error, SMP_E_PROFILER_BUSY, -1,
                                 "%s is a profiler itself; run one at a time, and give the program "
                                 "to this one: smemprobe profile -- PROGRAM",
                                 profilers[i]);
    }
    return SMP_OK;
}

smp_status profile_instrumented_check(char *const argv[], smp_error *error) {
    char library[SCRATCH_PATH_BYTES];
    smp_status status = check_others(argv[0], error);
    if (status != SMP_OK)
        return status;
    if (!smp_instrument_library(library))
        return smp_error_set(
            error, SMP_E_NOT_BUILT, -1,
            "profile needs libsmemprobe_instrument.so, which this build lacks: "
            "packages and wheels bring it; from source: script/bootstrap --cuda, "
            "then script/run profile; without a GPU: emulate, or profile --no-gpu");
    if (!has_driver())
        return smp_error_set(error, SMP_E_NO_GPU, -1,
                             "no NVIDIA driver, so %.60s was not run; without a GPU: "
                             "smemprobe profile --no-gpu -- PROGRAM, or smemprobe emulate",
                             argv[0]);
    return SMP_OK;
}

/* ---- What it is told ---- */

/* Sets the variables that make a program write its dumps to `folder`. */
static smp_status prepare(const instrumented_job *job, const char *folder, child_variables *to,
                          smp_error *error) {
    char library[SCRATCH_PATH_BYTES], cache[SMP_CACHE_PATH_BYTES];
    if (job->kernels && strlen(job->kernels) > KERNELS_MAX)
        return smp_error_set(error, SMP_E_USAGE, -1, "--kernel: longer than 1000 bytes");
    if (!smp_instrument_library(library))
        library[0] = '\0';
    child_set(to, "CUDA_INJECTION64_PATH=%s", library);
    child_set(to, "SMP_INSTRUMENT_DUMP=%s/dump", folder);
    child_set(to, "SMP_INSTRUMENT_SPACES=%s", job->memory);
    if (job->launches)
        child_set(to, "SMP_INSTRUMENT_LAUNCHES=%.40s", job->launches);
    if (job->overhead > 0)
        child_set(to, "SMP_INSTRUMENT_OVERHEAD=%.6g", job->overhead);
    if (job->overhead > 0 && smp_code_cache_folder(cache))
        child_set(to, "SMP_INSTRUMENT_KNOWN=%s/looks", cache);
    if (job->sample)
        child_set(to, "SMP_INSTRUMENT_SAMPLE=%s", job->sample);
    if (job->kernels)
        child_set(to, "SMP_INSTRUMENT_KERNELS=%s", job->kernels);
    if (job->nvtx)
        child_set(to, "SMP_INSTRUMENT_NVTX=%.4000s", job->nvtx);
    child_set(to, "NVTX_INJECTION64_PATH=%s", library);
    if (job->trace)
        child_set(to, "SMP_INSTRUMENT_TRACE=%s/.trace", folder);
    if (job->is_timed)
        child_set(to, "SMP_INSTRUMENT_TIME=1");
    return job->is_timed ? SMP_OK
                         : capture_folder_set(job->capture, "SMP_INSTRUMENT_CAPTURE", to, error);
}

/* ---- What it saw ---- */

/* Returns the process with that number again, if it executed another program. */
static instrumented_process *process_of(instrumented_processes *all, uint64_t process) {
    for (size_t i = 0; i < all->count; i++) {
        if (all->list[i].process == process)
            return &all->list[i];
    }
    if (!LIST_ROOM(all->list, all->count))
        return NULL;
    all->list[all->count].process = process;
    return &all->list[all->count++];
}

/* Adds a process's dump to its profile, and its requests to the trace. */
static smp_status take_process(const instrumented_job *job, const smp_instrument_dump *dump,
                               smp_profile *profile, smp_error *without, smp_error *error) {
    smp_op *ops = job->trace ? calloc(dump->site_count + 1, sizeof *ops) : NULL;
    if (job->trace && !ops)
        return smp_error_memory(error);
    smp_status status = smp_profile_join(dump, profile, ops, without, error);
    if (status == SMP_OK && job->trace)
        status = trace_file_take_process(job->trace, dump, ops, error);
    free(ops);
    return status;
}

/* Counts are written when the program waits for the GPU, and when it ends by exit(). */
static void note_uncounted(const instrumented_job *job, const smp_instrument_dump *dump) {
    const char *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < dump->function_count && !dump->ended; i++) {
        const smp_instrument_function *function = &dump->functions[i];
        if (!function->is_kernel || function->state.launches > 0 ||
            function->state.launches_skipped > 0)
            continue;
        first = first ? first : function->name;
        count++;
    }
    if (count > 0)
        note_add(job->notes,
                 "process %llu: it ended right after its last launches (_exit, a signal): %zu "
                 "kernel%s launched there %s not counted, such as %.100s",
                 (unsigned long long)dump->process, count, count == 1 ? "" : "s",
                 count == 1 ? "was" : "were", first);
}

static smp_status take_dump(const instrumented_job *job, const char *path,
                            instrumented_processes *out, smp_error *without, smp_error *error) {
    smp_instrument_dump dump = {0};
    smp_error own = {.message = ""};
    smp_status status = smp_instrument_read(path, &dump, error);
    if (status != SMP_OK)
        return status;
    dump.has_local = strcmp(job->memory, "local") == 0 || strcmp(job->memory, "all") == 0;
    if (dump.spent_ms * 1e-3 > out->spent)
        out->spent = dump.spent_ms * 1e-3;
    dump.has_unseen = job->overhead > 0 && !job->kernels;
    const bool is_own = dump.process == (uint64_t)out->end.process;
    for (size_t i = 0; i < dump.note_count; i++)
        note_add(job->notes, "process %llu: %s", (unsigned long long)dump.process, dump.notes[i]);
    if (!job->is_timed)
        note_uncounted(job, &dump);
    if ((is_own || !job->own_only) && job->is_timed) {
        status = smp_times_add(&out->times, &dump, error);
    } else if (is_own || !job->own_only) {
        instrumented_process *process = process_of(out, dump.process);
        status = process ? take_process(job, &dump, &process->profile, &own, error)
                         : smp_error_memory(error);
        if (own.message[0] != '\0')
            *without = own;
    }
    smp_instrument_clear(&dump);
    return status;
}

static smp_status take_dumps(const instrumented_job *job, const char *folder,
                             instrumented_processes *out, smp_error *without, smp_error *error) {
    struct dirent **names = NULL;
    const int count = scandir(folder, &names, smp_is_visible, alphasort);
    smp_status status = SMP_OK;
    for (int i = 0; i < count; i++) {
        char path[SCRATCH_PATH_BYTES + 300];
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        if (status == SMP_OK)
            status = take_dump(job, path, out, without, error);
        free(names[i]);
    }
    free(names);
    return status;
}

/* Guesses from the program's file why nothing was observed. */
static const char *why_nothing(const char *program) {
    linked_runtime linked;
    linked_runtime_read(program, "", &linked);
    if (linked.is_32_bit)
        return "it is a program of 32 bits, and CUDA has no driver for these";
    if (linked.is_static)
        return "it is linked statically (-static), so it cannot load the driver";
    if (linked.kind == LINKED_NONE)
        return "there is no CUDA in it, and in what it started";
    return "it ended before it asked for a GPU, or works on the CPU";
}

static void warn(const instrumented_job *job, const instrumented_processes *seen,
                 const smp_error *without) {
    uint32_t kernels = 0;
    for (size_t i = 0; i < seen->count; i++)
        kernels += seen->list[i].profile.kernel_count;
    if (seen->count == 0)
        note_add(job->notes, "nothing to show: %.200s used no CUDA driver: %s", job->argv[0],
                 why_nothing(job->argv[0]));
    else if (kernels == 0)
        note_add(job->notes, "no kernel was observed: the program launched none, or ended right "
                             "after its launches (_exit, a signal)");
    if (without->message[0] != '\0')
        note_add(job->notes, "no machine instructions and source lines: %s", without->message);
}

smp_status profile_instrumented_run(const instrumented_job *job, instrumented_processes *out,
                                    smp_error *error) {
    char folder[SCRATCH_PATH_BYTES] = "";
    child_variables variables = {.count = 0};
    smp_error without = {.message = ""};
    memset(out, 0, sizeof *out);
    smp_status status = scratch_folder_make(folder, error);
    if (status == SMP_OK)
        status = prepare(job, folder, &variables, error);
    const double begun = seconds_now();
    if (status == SMP_OK) {
        if (!job->is_timed)
            live_line_begin(folder, &variables);
        status = child_run(job->argv, &variables,
                           job->is_timed || job->is_again ? "/dev/null" : NULL, &out->end, error);
        live_line_end();
    }
    out->ran = seconds_now() - begun;
    if (status == SMP_OK)
        status = take_dumps(job, folder, out, &without, error);
    if (status == SMP_OK && !job->is_timed)
        warn(job, out, &without);
    for (size_t i = 0; status == SMP_OK && i < out->count; i++) {
        smp_profile_note_end(&out->list[i].profile, (uint64_t)out->end.process, out->end.signal,
                             true);
        if (strcmp(job->memory, "all") != 0)
            status = smp_profile_name_memory(&out->list[i].profile, job->memory, error);
    }
    child_variables_clear(&variables);
    scratch_folder_remove(folder);
    return status;
}

void profile_instrumented_clear(instrumented_processes *processes) {
    for (size_t i = 0; i < processes->count; i++)
        smp_profile_clear(&processes->list[i].profile);
    smp_times_clear(&processes->times);
    free(processes->list);
    processes->list = NULL;
    processes->count = 0;
}
