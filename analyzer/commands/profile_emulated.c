/* SPDX-License-Identifier: MIT */
/*
 * A program that was linked with the shared CUDA runtime, run with analyzer/runtime/ in its place,
 * and what that leaves: profiles with what was found, notes, and what it had to refuse.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "profile_emulated.h"
#include "command.h"
#include "number.h"
#include "say.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ask.h"
#include "capture_folder.h"
#include "child.h"
#include "emulate_kept.h"
#include "linked_runtime.h"
#include "profile_file.h"
#include "scratch_folder.h"
#include "trace_file.h"

enum { VARIABLE_BYTES = 3 * SCRATCH_PATH_BYTES };
enum { STATUS_STOPPED = 124 /* of a process whose time was over */ };

/* Our runtimes, newest first; each in a folder of its version's number, beside the driver. */
static const char *const versions[] = {"13", "12"};

enum { VERSIONS = sizeof versions / sizeof versions[0] };

typedef struct setting {
    char folder[SCRATCH_PATH_BYTES], runtimes[SCRATCH_PATH_BYTES];
    char path[VARIABLE_BYTES], preload[VARIABLE_BYTES], out[VARIABLE_BYTES], tools[VARIABLE_BYTES];
    char arch[64], launches[64], limit[64], until[64], capture[CAPTURE_VARIABLE_BYTES],
        kernels[VARIABLE_BYTES];
    const char *environment[15];
    unsigned count;
} setting;

static void set(setting *to, const char *variable) {
    to->environment[to->count++] = variable;
    to->environment[to->count] = NULL;
}

/* "NAME=FIRST:what NAME was". */
static void put_in_front(const char *name, const char *first, char out[VARIABLE_BYTES]) {
    const char *before = getenv(name);
    (void)snprintf(out, VARIABLE_BYTES, "%s=%s%s%s", name, first, before && before[0] ? ":" : "",
                   before ? before : "");
}

static smp_status check_linked(const char *word, const linked_runtime *linked, smp_error *error) {
    if (linked->kind == LINKED_STATIC && !linked->uses_driver)
        return smp_error_set(
            error, SMP_E_READ, -1,
            "%.80s has the CUDA runtime inside, which talks to a driver; for --no-gpu link it with "
            "nvcc -cudart shared (CMake: CMAKE_CUDA_RUNTIME_LIBRARY=Shared)",
            word);
    for (unsigned i = 0; linked->kind == LINKED_SHARED && i < VERSIONS; i++)
        if (strcmp(linked->library + strlen("libcudart.so."), versions[i]) == 0)
            return SMP_OK;
    return linked->kind != LINKED_SHARED
               ? SMP_OK
               : smp_error_set(error, SMP_E_READ, -1,
                               "%.80s is linked with %.40s; for --no-gpu there are the runtimes of "
                               "CUDA 12 and 13",
                               word, linked->library);
}

/* --arch as the name of a row that can be played. */
static smp_status ask_device(const arguments *args, setting *out, smp_error *error) {
    smp_arch arch;
    bool all;
    if (!has(args, OPTION_ARCH))
        return SMP_OK;
    smp_status status = ask_arch(args, &arch, &all, error);
    if (status == SMP_OK && all)
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "--arch all: a program runs on one GPU; name one");
    (void)snprintf(out->arch, sizeof out->arch, "SMP_RUNTIME_ARCH=%.40s", arch.name);
    if (status == SMP_OK)
        set(out, out->arch);
    return status;
}

static smp_status ask_count(const arguments *args, smp_option option, const char *variable,
                            char text[64], setting *out, smp_error *error) {
    uint64_t value;
    if (!has(args, option))
        return SMP_OK;
    if (option == OPTION_LAUNCHES && strcmp(last_value(args, option), "marked") == 0) {
        set(out, "SMP_RUNTIME_LAUNCHES=marked");
        return SMP_OK;
    }
    smp_status status =
        number_parse(last_value(args, option), option_rows[option].name, INT64_MAX, &value, error);
    (void)snprintf(text, 64, "%s=%llu", variable, (unsigned long long)value);
    if (status == SMP_OK)
        set(out, text);
    return status;
}

static smp_status ask_limit(const arguments *args, setting *out, smp_error *error) {
    emulate_limits limits = {0};
    if (!has(args, OPTION_LIMIT))
        return SMP_OK;
    const smp_status status = emulate_ask_limits(last_value(args, OPTION_LIMIT), &limits, error);
    (void)snprintf(out->limit, sizeof out->limit, "SMP_RUNTIME_LIMIT=%llu:%llu",
                   (unsigned long long)limits.block, (unsigned long long)limits.launch);
    if (status == SMP_OK)
        set(out, out->limit);
    return status;
}

/* --budget, from now on; the processes of the program know the time at which they end. */
static smp_status ask_budget(const arguments *args, setting *out, smp_error *error) {
    enum { BUDGET_MOST = 1000000000 };
    struct timespec now;
    uint64_t seconds;
    if (!has(args, OPTION_BUDGET))
        return SMP_OK;
    const smp_status status =
        number_parse(last_value(args, OPTION_BUDGET), "budget", BUDGET_MOST, &seconds, error);
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)snprintf(out->until, sizeof out->until, "SMP_RUNTIME_UNTIL=%llu%09ld",
                   (unsigned long long)now.tv_sec + (unsigned long long)seconds, now.tv_nsec);
    if (status == SMP_OK)
        set(out, out->until);
    return status;
}

static smp_status ask_capture(const arguments *args, setting *out, smp_error *error) {
    const smp_status status = capture_folder_ask(args, "SMP_RUNTIME_CAPTURE", out->capture, error);
    if (out->capture[0] != '\0')
        set(out, out->capture);
    return status;
}

/* What is kept and traced is of these kernels. */
static void set_kernels(const arguments *args, setting *out) {
    const char *kernels = last_value(args, OPTION_KERNEL);
    if (!kernels)
        return;
    (void)snprintf(out->kernels, sizeof out->kernels, "SMP_RUNTIME_KERNELS=%.4000s", kernels);
    set(out, out->kernels);
}

static void set_libraries(const linked_runtime *linked, setting *out) {
    char text[VARIABLE_BYTES] = "";
    (void)snprintf(text, sizeof text, "%.4000s", out->runtimes);
    for (unsigned i = 0; i < VERSIONS; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), ":%.4000s/%s",
                       out->runtimes, versions[i]);
    put_in_front("LD_LIBRARY_PATH", text, out->path);
    set(out, out->path);
    if (!linked->has_rpath || (linked->kind != LINKED_SHARED && !linked->uses_driver))
        return;
    (void)snprintf(text, sizeof text, "%.4000s/libcuda.so.1", out->runtimes);
    if (linked->kind == LINKED_SHARED)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), ":%.4000s/%s/%s",
                       out->runtimes, linked->library + strlen("libcudart.so."), linked->library);
    put_in_front("LD_PRELOAD", text, out->preload);
    set(out, out->preload);
}

/* The folder of our runtimes, if they are built. */
static bool find_runtimes(char path[SCRATCH_PATH_BYTES]) {
    static const char newest[] = "/13/libcudart.so.13";
    if (!scratch_find_beside("", "runtime/13/libcudart.so.13", path))
        return false;
    path[strlen(path) - strlen(newest)] = '\0';
    return true;
}

static smp_status prepare(const arguments *args, const char *word, setting *out, smp_error *error) {
    linked_runtime linked;
    char self[SCRATCH_PATH_BYTES];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    linked_runtime_read(word, &linked);
    smp_status status = check_linked(word, &linked, error);
    if (status == SMP_OK && !find_runtimes(out->runtimes))
        status = smp_error_set(error, SMP_E_READ, -1,
                               "--no-gpu needs the folder runtime/ of the build, or "
                               "lib/smemprobe/runtime/ where it is installed; from source: "
                               "script/run profile builds it");
    if (status == SMP_OK)
        status = ask_device(args, out, error);
    if (status == SMP_OK)
        status =
            ask_count(args, OPTION_LAUNCHES, "SMP_RUNTIME_LAUNCHES", out->launches, out, error);
    if (status == SMP_OK)
        status = ask_limit(args, out, error);
    if (status == SMP_OK)
        status = ask_budget(args, out, error);
    if (status == SMP_OK)
        status = ask_capture(args, out, error);
    if (status == SMP_OK)
        status = scratch_folder_make(out->folder, error);
    set_kernels(args, out);
    if (has(args, OPTION_TRACE))
        set(out, "SMP_RUNTIME_TRACE=1");
    set_libraries(&linked, out);
    (void)snprintf(out->out, sizeof out->out, "SMP_RUNTIME_FOLDER=%s", out->folder);
    (void)snprintf(out->tools, sizeof out->tools, "SMP_TOOLS_BESIDE=%.*s",
                   length > 0 ? (int)length : 0, self);
    set(out, out->out);
    set(out, out->tools);
    return status;
}

/* ---- What it left ---- */

static bool ends_in(const char *text, const char *ending) {
    const size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static smp_status take_profile(const char *path, smp_profile *out, smp_error *error) {
    smp_profile one = {0};
    smp_profile_loss loss;
    FILE *file = fopen(path, "rb");
    if (!file)
        return smp_error_set(error, SMP_E_READ, -1, "%.160s cannot be read", path);
    smp_status status = smp_profile_read(file, &one, &loss, error);
    (void)fclose(file);
    if (status == SMP_OK)
        profile_show_loss(path, &loss);
    if (status == SMP_OK)
        status = smp_profile_merge(out, &one, error);
    smp_profile_clear(&one);
    return status;
}

/* Lines of a file, on stderr; how many there are that do not begin with a blank. */
static unsigned say_lines(const char *path) {
    char line[4096];
    unsigned count = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        say_line("%s%s", line[0] == ' ' ? "" : "smemprobe: ", line);
        count += line[0] != ' ';
    }
    if (file)
        (void)fclose(file);
    return count;
}

typedef struct left_behind {
    smp_profile profile;
    unsigned refused;
    bool has_lines;
    bool is_stopped; /* when its time was over */
} left_behind;

static smp_status take_counts(const char *path, left_behind *out, trace_file *trace,
                              smp_error *error) {
    if (ends_in(path, ".smptrace"))
        return trace_file_take(trace, path, error);
    if (ends_in(path, ".smprof"))
        return take_profile(path, &out->profile, error);
    if (ends_in(path, ".stopped"))
        out->is_stopped = true;
    else
        out->has_lines = true;
    return SMP_OK;
}

static void take_lines(const char *path, left_behind *out) {
    if (ends_in(path, ".smptrace") || ends_in(path, ".smprof") || ends_in(path, ".stopped"))
        return;
    const unsigned lines = say_lines(path);
    if (ends_in(path, ".refused"))
        out->refused += lines;
}

/* Where no kernel was launched, that comes first, so that its cause is the last line. */
static smp_status take_all(const setting *from, left_behind *out, trace_file *trace,
                           smp_error *error) {
    DIR *folder = opendir(from->folder);
    const struct dirent *entry;
    char path[SCRATCH_PATH_BYTES + 300];
    smp_status status = SMP_OK;
    for (unsigned pass = 0; folder && status == SMP_OK && pass < 2; pass++) {
        if (pass == 1 && out->has_lines && out->profile.kernel_count == 0)
            say_line("smemprobe: no launch of a kernel was counted:");
        rewinddir(folder);
        while (status == SMP_OK && (entry = readdir(folder))) {
            if (entry->d_name[0] == '.')
                continue;
            (void)snprintf(path, sizeof path, "%s/%s", from->folder, entry->d_name);
            if (pass == 0)
                status = take_counts(path, out, trace, error);
            else
                take_lines(path, out);
        }
    }
    if (folder)
        (void)closedir(folder);
    return status;
}

static void note_end(smp_profile *profile, const child_end *end) {
    char text[200];
    for (uint32_t i = 0; end->signal != 0 && i < profile->run_count; i++) {
        if (profile->runs[i].process != (uint64_t)end->process)
            continue;
        (void)snprintf(text, sizeof text, "killed by signal %d (%s)", end->signal,
                       strsignal(end->signal));
        free(profile->runs[i].ended);
        profile->runs[i].ended = strdup(text);
    }
}

static int show(const arguments *args, const profile_show *how, left_behind *left) {
    if (left->profile.kernel_count == 0 && !left->has_lines)
        say_line(
            "smemprobe: no kernel was launched through the shared CUDA runtime or the driver (a "
            "program that has the runtime inside, or one without kernels?)");
    const int status = profile_show_run(args, how, &left->profile, stderr);
    return left->refused > 0 ? STATUS_REFUSED : status;
}

static smp_status check_options(const arguments *args, smp_error *error) {
    static const smp_option alien[] = {OPTION_VERIFY, OPTION_TIMED};
    for (unsigned i = 0; i < sizeof alien / sizeof alien[0]; i++)
        if (has(args, alien[i]))
            return smp_error_set(error, SMP_E_USAGE, -1, "--%s is about a GPU: not with --no-gpu",
                                 option_rows[alien[i]].name);
    const char *memory = last_value(args, OPTION_MEMORY);
    return !memory || strcmp(memory, "all") == 0
               ? SMP_OK
               : smp_error_set(error, SMP_E_USAGE, -1,
                               "--memory %.20s: --no-gpu sees all kinds of memory in one run",
                               memory);
}

int profile_emulated(const arguments *args, const profile_show *how, char *const argv[]) {
    smp_error error, closing;
    trace_file trace = {.writer = NULL};
    setting to = {.folder = ""};
    left_behind left = {.refused = 0};
    child_end end = {0};
    smp_status status = check_options(args, &error);
    if (status == SMP_OK)
        status = prepare(args, argv[0], &to, &error);
    if (status == SMP_OK)
        status = child_run(argv, to.environment, false, &end, &error);
    if (status == SMP_OK)
        status = trace_file_open(args, &trace, &error);
    if (status == SMP_OK)
        status = take_all(&to, &left, &trace, &error);
    if (status == SMP_OK)
        status = trace_file_close(&trace, true, &error);
    else
        (void)trace_file_close(&trace, false, &closing);
    note_end(&left.profile, &end);
    const int shown = status == SMP_OK ? show(args, how, &left) : complain(&error);
    smp_profile_clear(&left.profile);
    scratch_folder_remove(to.folder);
    const bool is_asked = left.is_stopped && end.exit_status == STATUS_STOPPED;
    return end.exit_status != 0 && !is_asked ? end.exit_status : shown;
}
