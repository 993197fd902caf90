/* SPDX-License-Identifier: MIT */
/*
 * profile: runs a program with our library inside it, and shows what its accesses cost. The program
 * keeps its input, output and exit status.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "cli.h"
#include "profile_count.h"
#include "profile_emulated.h"
#include "profile_join.h"
#include "profile_show.h"

static const smp_option options[] = {OPTION_MEMORY,       OPTION_LAUNCHES, OPTION_VERIFY,
                                     OPTION_NO_GPU,       OPTION_ARCH,     OPTION_LIMIT,
                                     PROFILE_SHOW_OPTIONS};

static const option_words words[] = {
    {OPTION_ARCH, "with --no-gpu: the GPU to play, sm_80 to sm_90 (default: the code's)"},
    {OPTION_LIMIT, "with --no-gpu: warp instructions of a block (default 1000000000)"},
    PROFILE_SHOW_WORDS,
    {OPTION_HELP, NULL}};

/* What one run looks at: with both kinds of patches some programs fault
 * (probes/attach/FINDINGS.md). */
static const char *const memories[] = {"shared", "global", "local"};

enum { MEMORIES = sizeof memories / sizeof memories[0] };

enum { PATH_MAX_BYTES = 4096, VARIABLE_MAX = PATH_MAX_BYTES + 64 };

/* What the library is told, and where it leaves what it saw. */
typedef struct attachment {
    char folder[PATH_MAX_BYTES];
    char injection[VARIABLE_MAX], dump[VARIABLE_MAX], kernels[1024], launches[64];
    char spaces[64];
    const char *environment[6];
} attachment;

/* ---- The library ------------------------------------------------------------------------- */

/* Beside the program (a build folder), or where it is installed. */
static bool find_library(char path[PATH_MAX_BYTES]) {
    static const char *const places[] = {"", "/probes/attach", "/../lib/smemprobe", "/../lib"};
    char program[PATH_MAX_BYTES];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    const char *wanted = getenv("SMEMPROBE_ATTACH");
    if (wanted && wanted[0] != '\0')
        return snprintf(path, PATH_MAX_BYTES, "%s", wanted) < PATH_MAX_BYTES &&
               access(path, R_OK) == 0;
    if (length <= 0)
        return false;
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const int size =
            snprintf(path, PATH_MAX_BYTES, "%s%s/libsmemprobe_attach.so", program, places[i]);
        if (size < PATH_MAX_BYTES && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

static smp_status make_folder(attachment *out, smp_error *error) {
    const char *base = getenv("TMPDIR");
    (void)snprintf(out->folder, sizeof out->folder, "%.3900s/smemprobe.XXXXXX",
                   base && base[0] ? base : "/tmp");
    if (mkdtemp(out->folder))
        return SMP_OK;
    const int cause = errno;
    smp_status status = smp_error_set(error, SMP_E_WRITE, -1, "%.120s: cannot be made: %s",
                                      out->folder, strerror(cause));
    out->folder[0] = '\0';
    return status;
}

/* `memory` is one of `memories`. */
static smp_status prepare(const arguments *args, const char *memory, attachment *out,
                          smp_error *error) {
    char library[PATH_MAX_BYTES];
    const char *launches = last_value(args, OPTION_LAUNCHES);
    const char *kernels = last_value(args, OPTION_KERNEL);
    const char *other = getenv("CUDA_INJECTION64_PATH");
    unsigned count = 0;
    uint64_t limit;
    memset(out, 0, sizeof *out);
    if (other && other[0] != '\0')
        return smp_error_set(error, SMP_E_PROFILER_BUSY, -1,
                             "another profiler is attached (CUDA_INJECTION64_PATH=%.100s); run "
                             "one at a time",
                             other);
    if (!find_library(library))
        return smp_error_set(error, SMP_E_NOT_BUILT, -1,
                             "profile needs libsmemprobe_attach.so, which this build has not "
                             "(script/bootstrap --cuda, then build); without a GPU: emulate");
    if (launches) {
        smp_status status = number_parse(launches, "launches", INT64_MAX, &limit, error);
        if (status != SMP_OK)
            return status;
        (void)snprintf(out->launches, sizeof out->launches, "SMP_ATTACH_LAUNCHES=%.40s", launches);
        out->environment[count++] = out->launches;
    }
    if (kernels) {
        if (strlen(kernels) > 1000)
            return smp_error_set(error, SMP_E_USAGE, -1, "--kernel: longer than 1000 bytes");
        (void)snprintf(out->kernels, sizeof out->kernels, "SMP_ATTACH_KERNELS=%s", kernels);
        out->environment[count++] = out->kernels;
    }
    smp_status status = make_folder(out, error);
    (void)snprintf(out->injection, sizeof out->injection, "CUDA_INJECTION64_PATH=%s", library);
    (void)snprintf(out->dump, sizeof out->dump, "SMP_ATTACH_DUMP=%s/%%h.%%p", out->folder);
    out->environment[count++] = out->injection;
    out->environment[count++] = out->dump;
    (void)snprintf(out->spaces, sizeof out->spaces, "SMP_ATTACH_SPACES=%s",
                   strcmp(memory, memories[0]) == 0 ? "" : memory);
    out->environment[count] = out->spaces;
    return status;
}

/* ---- What it saw --------------------------------------------------------------------------- */

static smp_status take_dump(const char *path, smp_profile *out, smp_error *without,
                            smp_error *error) {
    smp_attach_dump dump = {0};
    smp_status status = smp_attach_read(path, &dump, error);
    if (status != SMP_OK)
        return status;
    for (size_t i = 0; i < dump.note_count; i++)
        fprintf(stderr, "smemprobe: process %llu: %s\n", (unsigned long long)dump.process,
                dump.notes[i]);
    status = smp_profile_join(&dump, out, without, error);
    smp_attach_clear(&dump);
    return status;
}

static smp_status take_dumps(const attachment *from, smp_profile *out, smp_error *without,
                             smp_error *error) {
    DIR *folder = opendir(from->folder);
    smp_status status = SMP_OK;
    const struct dirent *entry;
    without->message[0] = '\0';
    while (folder && status == SMP_OK && (entry = readdir(folder))) {
        char path[PATH_MAX_BYTES + 300];
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", from->folder, entry->d_name);
        status = take_dump(path, out, without, error);
    }
    if (folder)
        (void)closedir(folder);
    return status;
}

static void remove_folder(const attachment *from) {
    DIR *folder = from->folder[0] != '\0' ? opendir(from->folder) : NULL;
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char path[PATH_MAX_BYTES + 300];
        (void)snprintf(path, sizeof path, "%s/%s", from->folder, entry->d_name);
        if (entry->d_name[0] != '.')
            (void)unlink(path);
    }
    if (folder)
        (void)closedir(folder);
    if (from->folder[0] != '\0')
        (void)rmdir(from->folder);
}

/* How the process that we started ended, where that is why something was not seen. */
static void note_end(smp_profile *profile, const child_end *end) {
    char text[600];
    for (uint32_t i = 0; end->signal != 0 && i < profile->run_count; i++) {
        smp_run *run = &profile->runs[i];
        if (run->process != (uint64_t)end->process)
            continue;
        (void)snprintf(text, sizeof text, "killed by signal %d (%s)%s%s", end->signal,
                       strsignal(end->signal), run->ended ? "; " : "",
                       run->ended ? run->ended : "");
        char *copy = strdup(text);
        if (copy) {
            free(run->ended);
            run->ended = copy;
        }
    }
}

static void warn(const smp_profile *profile, const smp_error *without) {
    if (profile->run_count == 0)
        fputs("smemprobe: the program used no CUDA driver, so there is nothing to show (a program "
              "of 32 bits, or one that started no kernel?)\n",
              stderr);
    else if (profile->kernel_count == 0)
        fputs("smemprobe: the program ran no kernel\n", stderr);
    if (without->message[0] != '\0')
        fprintf(stderr, "smemprobe: no machine instructions and source lines: %s\n",
                without->message);
}

/* Says of each run what it looked at; a second run of the same launches adds none. */
static smp_status name_memory(smp_profile *profile, const char *memory, bool is_second,
                              smp_error *error) {
    for (uint32_t i = 0; i < profile->run_count; i++) {
        profile->runs[i].memory = strdup(memory);
        if (!profile->runs[i].memory)
            return smp_error_memory(error);
    }
    for (uint32_t i = 0; is_second && i < profile->kernel_count; i++)
        profile->kernels[i].launches = profile->kernels[i].launches_skipped = 0;
    return SMP_OK;
}

/* One run of the program, its figures added to *out. */
static smp_status run_once(const arguments *args, char *const argv[], const char *memory,
                           bool is_second, smp_profile *out, child_end *end, smp_error *error) {
    attachment attached = {.folder = ""};
    smp_profile one = {0};
    smp_error without = {.message = ""};
    smp_status status = prepare(args, memory, &attached, error);
    if (status == SMP_OK)
        status = child_run(argv, attached.environment, is_second, end, error);
    if (status == SMP_OK)
        status = take_dumps(&attached, &one, &without, error);
    if (status == SMP_OK) {
        note_end(&one, end);
        warn(&one, &without);
        status = name_memory(&one, memory, is_second, error);
    }
    if (status == SMP_OK)
        status = smp_profile_merge(out, &one, error);
    smp_profile_clear(&one);
    remove_folder(&attached);
    return status;
}

/* --memory, as a mask of `memories`: the first if it is not given. */
static smp_status ask_memory(const arguments *args, uint32_t *out, smp_error *error) {
    const char *given = last_value(args, OPTION_MEMORY);
    *out = 1;
    if (!given)
        return SMP_OK;
    *out = strcmp(given, "all") == 0 ? (1u << MEMORIES) - 1 : 0;
    for (unsigned i = 0; i < MEMORIES; i++)
        *out |= strcmp(given, memories[i]) == 0 ? 1u << i : 0;
    return *out != 0
               ? SMP_OK
               : smp_error_set(error, SMP_E_USAGE, -1,
                               "--memory %.40s: expected shared, global, local or all", given);
}

static smp_status ask(const arguments *args, profile_show *how, uint32_t *memory,
                      smp_error *error) {
    const char *path = last_value(args, OPTION_OUTPUT);
    smp_status status = profile_show_ask(args, how, error);
    if (status == SMP_OK)
        status = ask_memory(args, memory, error);
    if (status == SMP_OK && args->positional_count == 0)
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "profile needs a program: smemprobe profile -- COMMAND [ARGS]");
    if (status == SMP_OK && has(args, OPTION_VERIFY) &&
        (how->filter.file || how->filter.first_line > 0))
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "--verify compares whole kernels: not with --file or --line");
    if (status == SMP_OK && !has(args, OPTION_NO_GPU) &&
        (has(args, OPTION_ARCH) || has(args, OPTION_LIMIT)))
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "--arch and --limit are about --no-gpu; a GPU is what it is");
    return status == SMP_OK && path ? output_check(args, path, error) : status;
}

static int show(const arguments *args, const profile_show *how, smp_profile *profile,
                char *const argv[]) {
    if (profile->run_count == 0)
        return 0;
    const int status = profile_show_run(args, how, profile, stderr);
    if (!has(args, OPTION_VERIFY) || profile->kernel_count == 0)
        return status;
    const int verified = profile_count(argv, profile);
    return status != 0 ? status : verified;
}

static int run(const arguments *args) {
    smp_error error;
    profile_show how = {0};
    smp_profile profile = {0};
    child_end first = {0}, end;
    uint32_t memory = 0, done = 0;
    char *argv[POSITIONALS_MAX + 1];
    smp_status status = ask(args, &how, &memory, &error);
    if (status != SMP_OK) {
        profile_show_clear(&how);
        return complain(&error);
    }
    for (unsigned i = 0; i < args->positional_count; i++)
        argv[i] = (char *)(uintptr_t)args->positional[i];
    argv[args->positional_count] = NULL;
    if (has(args, OPTION_NO_GPU))
        return profile_emulated(args, &how, argv);
    for (unsigned i = 0; status == SMP_OK && i < MEMORIES; i++) {
        if ((memory >> i & 1) == 0)
            continue;
        status = run_once(args, argv, memories[i], done > 0, &profile, &end, &error);
        if (status == SMP_OK && done++ == 0)
            first = end;
    }
    const int shown = status == SMP_OK ? show(args, &how, &profile, argv) : complain(&error);
    profile_show_clear(&how);
    smp_profile_clear(&profile);
    return first.exit_status != 0 ? first.exit_status : shown;
}

const command_row command_profile = {
    .name = "profile",
    .summary = "runs a program and shows what its memory accesses cost, by source line",
    .usage = "[OPTIONS] -- COMMAND [ARGS]",
    COMMAND_OPTIONS(options),
    .words = words,
    .formats = PROFILE_SHOW_FORMATS,
    .examples = "  smemprobe profile -- ./app input.dat           the report goes to stderr\n"
                "  smemprobe profile -o run.smprof -- python3 train.py\n"
                "  smemprobe profile --memory all -- ./app        three runs: global and local "
                "memory, too\n"
                "  smemprobe profile --kernel sgemm --launches 3 -- ./app\n"
                "  smemprobe profile --max-ways 2 -- ./tests      a gate: exit status 1\n"
                "  smemprobe profile --verify -- ./app            again, under the counters\n"
                "  smemprobe profile --no-gpu -- ./app            on the CPU; the app is linked "
                "with\n"
                "                                                 nvcc -cudart shared\n",
    .run = run,
};
