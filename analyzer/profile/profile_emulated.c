/* SPDX-License-Identifier: MIT */
/*
 * Runs a program with analyzer/runtime/ instead of the CUDA runtime, and collects what that leaves:
 * profiles with findings, notes, and refused calls.
 */
#define _XOPEN_SOURCE 700
#include "profile_emulated.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "instrument_library.h"
#include "leftover.h"
#include "linked_runtime.h"
#include "live_line.h"
#include "text_file.h"

enum { TEXT_BYTES = 3 * SCRATCH_PATH_BYTES };

#define SECOND_NS UINT64_C(1000000000)

/* Our runtimes, newest first; each in a folder named by its version, beside the driver. */
static const char *const versions[][2] = {
    {"13", "libcudart.so.13"},
    {"12", "libcudart.so.12"},
    {"11", "libcudart.so.11.0"},
};

enum { VERSIONS = sizeof versions / sizeof versions[0] };

/* Returns the folder of a runtime; NULL if there is none of this name. */
static const char *folder_of(const char *library) {
    for (unsigned i = 0; i < VERSIONS; i++)
        if (strcmp(library, versions[i][1]) == 0)
            return versions[i][0];
    return NULL;
}

/* ---- What it is told ---- */

static smp_status check_linked(const char *word, const linked_runtime *linked, smp_error *error) {
    if (linked->kind == LINKED_STATIC && !linked->library[0] && !linked->uses_driver)
        return smp_error_set(
            error, SMP_E_READ, -1,
            "%.80s has the CUDA runtime inside and is stripped, and no libcudart_static.a of a "
            "toolkit here is of its version; for --no-gpu set CUDA_HOME to that toolkit (11, 12 or "
            "13), leave the program's symbols, or link it with nvcc -cudart shared (CMake: "
            "CMAKE_CUDA_RUNTIME_LIBRARY=Shared)",
            word);
    return linked->kind != LINKED_SHARED || folder_of(linked->library)
               ? SMP_OK
               : smp_error_set(error, SMP_E_READ, -1,
                               "%.80s is linked with %.40s; for --no-gpu there are the runtimes of "
                               "CUDA 11, 12 and 13",
                               word, linked->library);
}

static void set_libraries(const linked_runtime *linked, const char *runtimes, const char *archives,
                          child_variables *to) {
    char text[TEXT_BYTES] = "";
    (void)snprintf(text, sizeof text, "%.4000s", runtimes);
    for (unsigned i = 0; i < VERSIONS; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), ":%.4000s/%s", runtimes,
                       versions[i][0]);
    child_set_in_front(to, "LD_LIBRARY_PATH", text);
    const bool is_inside = linked->kind == LINKED_STATIC && linked->library[0];
    const bool has_runtime = is_inside || linked->kind == LINKED_SHARED;
    const bool looks_later = archives[0] && linked->opens_libraries && !linked->is_static;
    const bool looks_inside = is_inside || looks_later || (archives[0] && linked->uses_libraries);
    text[0] = '\0';
    /* The runtime comes first: some of its functions have namesakes in the driver. */
    if (is_inside || (linked->has_rpath && linked->kind == LINKED_SHARED))
        (void)snprintf(text, sizeof text, "%.4000s/%s/%s:", runtimes, folder_of(linked->library),
                       linked->library);
    if (is_inside || (linked->has_rpath && (has_runtime || linked->uses_driver)))
        (void)snprintf(text + strlen(text), sizeof text - strlen(text),
                       "%.4000s/libcuda.so.1:", runtimes);
    if (looks_inside)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text),
                       "%.4000s/libsmemprobe_static.so:", runtimes);
    if (!text[0])
        return;
    text[strlen(text) - 1] = '\0';
    child_set_in_front(to, "LD_PRELOAD", text);
    child_set(to, "SMP_RUNTIME_STATIC=%s", is_inside ? linked->library : "");
    child_set(to, "SMP_RUNTIME_ARCHIVES=%.8000s", archives);
    if (!looks_later)
        return;
    (void)snprintf(text, sizeof text, "%.4000s/libsmemprobe_later.so", runtimes);
    child_set_in_front(to, "LD_AUDIT", text);
    child_set(to, "SMP_RUNTIME_LATER=1");
}

/* Stores the folder of our runtimes, if they are built. */
static bool find_runtimes(char path[SCRATCH_PATH_BYTES]) {
    static const char newest[] = "/13/libcudart.so.13";
    if (!scratch_find_beside("", "runtime/13/libcudart.so.13", path))
        return false;
    path[strlen(path) - strlen(newest)] = '\0';
    return true;
}

/* The time limit starts now: the program's processes know when they have to end. */
static void set_limits(const emulated_job *job, child_variables *to) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t start = (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
    if (job->launches)
        child_set(to, "SMP_RUNTIME_LAUNCHES=%s", job->launches);
    if (job->run.block_limit > 0)
        child_set(to, "SMP_RUNTIME_LIMIT=%llu:%llu", (unsigned long long)job->run.block_limit,
                  (unsigned long long)job->run.launch_limit);
    if (job->run.stack_bytes > 0)
        child_set(to, "SMP_RUNTIME_STACK=%u", (unsigned)job->run.stack_bytes);
    if (job->left)
        child_set(to, "SMP_RUNTIME_LEFT=%s", job->left);
    if (job->grouped && job->grouped[0] != '\0')
        child_set(to, "SMP_RUNTIME_GROUPED=%s", job->grouped);
    if (job->run.races)
        child_set(to, "SMP_RUNTIME_RACES=1");
    if (job->has_budget)
        child_set(to, "SMP_RUNTIME_UNTIL=%" PRIu64, start + job->budget_seconds * SECOND_NS);
    if (job->has_budget && job->sample) {
        child_set(to, "SMP_RUNTIME_WHOLE=%" PRIu64,
                  start + job->budget_seconds * SECOND_NS / 4 * 3);
        child_set(to, "SMP_RUNTIME_SAMPLE=%s", job->sample);
    }
}

static smp_status prepare(const emulated_job *job, char folder[SCRATCH_PATH_BYTES],
                          child_variables *to, smp_error *error) {
    linked_runtime linked;
    char self[SCRATCH_PATH_BYTES], runtimes[SCRATCH_PATH_BYTES], archives[ARCHIVES_BYTES];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    linked_runtime_archives(job->argv[0], archives);
    linked_runtime_read(job->argv[0], archives, &linked);
    if (check_linked(job->argv[0], &linked, error))
        return error->status;
    if (!find_runtimes(runtimes))
        return smp_error_set(error, SMP_E_READ, -1,
                             "--no-gpu needs the folder runtime/ of the build, or "
                             "lib/smemprobe/runtime/ where it is installed; from source: "
                             "script/run profile builds it");
    if (capture_folder_set(job->capture, "SMP_RUNTIME_CAPTURE", to, error) ||
        scratch_folder_make(folder, error))
        return error->status;
    if (job->arch)
        child_set(to, "SMP_RUNTIME_ARCH=%.40s", job->arch);
    set_limits(job, to);
    if (job->kernels) /* kept and traced are of these */
        child_set(to, "SMP_RUNTIME_KERNELS=%.4000s", job->kernels);
    if (job->nvtx)
        child_set(to, "SMP_RUNTIME_NVTX=%.4000s", job->nvtx);
    child_set(to, "NVTX_INJECTION64_PATH=%s/libcuda.so.1", runtimes);
    if (job->trace->writer)
        child_set(to, "SMP_RUNTIME_TRACE=1");
    set_libraries(&linked, runtimes, archives, to);
    child_set(to, "SMP_RUNTIME_FOLDER=%s", folder);
    child_set(to, "SMP_TOOLS_BESIDE=%.*s", length > 0 ? (int)length : 0, self);
    return SMP_OK;
}

/* ---- What it left ---- */

static smp_status take_profile(const emulated_job *job, const char *path, smp_profile *out,
                               smp_error *error) {
    smp_profile one = {0};
    smp_profile_loss loss;
    FILE *file = fopen(path, "rb");
    if (!file)
        return smp_error_set(error, SMP_E_READ, -1, "%.160s cannot be read", path);
    smp_status status = smp_profile_read(file, &one, &loss, error);
    (void)fclose(file);
    if (status == SMP_OK)
        job->lost(path, &loss);
    if (status == SMP_OK)
        status = smp_profile_merge(out, &one, error);
    smp_profile_clear(&one);
    return status;
}

/* Notes the lines of a file, joining those that begin with a blank to the previous one. Returns the
 * number of notes. */
static unsigned say_lines(const emulated_job *job, const char *path) {
    char line[4096];
    unsigned count = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        job->say(line);
        count += line[0] != ' ';
    }
    if (file)
        (void)fclose(file);
    return count;
}

static smp_status take_counts(const emulated_job *job, const char *path, emulated_program *out,
                              smp_error *error) {
    if (smp_name_ends(path, ".smptrace"))
        return trace_file_take(job->trace, path, error);
    if (smp_name_ends(path, ".smprof"))
        return take_profile(job, path, &out->profile, error);
    if (smp_name_ends(path, ".stopped"))
        out->is_stopped = true;
    else if (smp_name_ends(path, ".sampled"))
        out->is_sampled = true;
    else
        out->has_lines |= !smp_name_ends(path, ".asides");
    return SMP_OK;
}

static void take_lines(const emulated_job *job, const char *path, emulated_program *out) {
    if (smp_name_ends(path, ".smptrace") || smp_name_ends(path, ".smprof") ||
        smp_name_ends(path, ".stopped") || smp_name_ends(path, ".sampled"))
        return;
    const unsigned lines = say_lines(job, path);
    if (smp_name_ends(path, ".refused"))
        out->refused += lines;
}

/* That no kernel was launched comes first, so that its cause is the last line. */
static smp_status take_all(const emulated_job *job, const char *name, emulated_program *out,
                           smp_error *error) {
    DIR *folder = opendir(name);
    const struct dirent *entry;
    char path[SCRATCH_PATH_BYTES + 300];
    smp_status status = SMP_OK;
    for (unsigned pass = 0; folder && status == SMP_OK && pass < 2; pass++) {
        if (pass == 1 && out->has_lines && out->profile.kernel_count == 0)
            job->say("no launch of a kernel was counted:");
        rewinddir(folder);
        while (status == SMP_OK && (entry = readdir(folder))) {
            if (entry->d_name[0] == '.')
                continue;
            (void)snprintf(path, sizeof path, "%s/%s", name, entry->d_name);
            if (pass == 0)
                status = take_counts(job, path, out, error);
            else
                take_lines(job, path, out);
        }
    }
    if (folder)
        (void)closedir(folder);
    return status;
}

static smp_status run(const emulated_job *job, const char *folder, child_variables *variables,
                      emulated_program *out, smp_error *error) {
    if (!job->output) /* it is not one of many */
        live_line_begin(folder, variables);
    const smp_status status = child_run(job->argv, variables, job->output, &out->end, error);
    live_line_end();
    if (status == SMP_OK && out->end.runs_on)
        job->say("a process that the program started runs on: what it launches is not counted; let "
                 "the program wait for it");
    return status;
}

smp_status profile_emulated_run(const emulated_job *job, emulated_program *out, smp_error *error) {
    char folder[SCRATCH_PATH_BYTES] = "";
    child_variables variables = {.count = 0};
    *out = (emulated_program){.refused = 0};
    const bool has_failed = prepare(job, folder, &variables, error) ||
                            run(job, folder, &variables, out, error) ||
                            take_all(job, folder, out, error);
    smp_profile_note_end(&out->profile, (uint64_t)out->end.process, out->end.signal, false);
    child_variables_clear(&variables);
    scratch_folder_remove(folder);
    return has_failed ? error->status : SMP_OK;
}

smp_status profile_emulated_run_archs(emulated_job *job, const smp_arch *archs, size_t count,
                                      emulated_program *out, smp_error *error) {
    smp_status status = SMP_OK;
    for (size_t i = 0; i < (count > 0 ? count : 1) && status == SMP_OK; i++) {
        emulated_program one;
        job->arch = count > 0 ? archs[i].name : NULL;
        status = profile_emulated_run(job, &one, error);
        if (status == SMP_OK)
            status = smp_profile_merge(&out->profile, &one.profile, error);
        smp_profile_clear(&one.profile);
        out->refused += one.refused;
        out->has_lines |= one.has_lines;
        out->is_stopped |= one.is_stopped;
        out->is_sampled |= one.is_sampled;
        out->end = one.end;
        if (one.end.exit_status != 0)
            break;
    }
    return status;
}
