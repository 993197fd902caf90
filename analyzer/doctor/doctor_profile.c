/* SPDX-License-Identifier: MIT */
/* What profile and emulate need, and how to fix each gap. */
#include "doctor.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "code_cache.h"
#include "instrument_dump.h"
#include "instrument_library.h"
#include "tool.h"

enum { SECONDS_MAX = 30, NOTE_MAX = 340 };

/* In a child process: loads the library as CUDA would. */
static void load(const char *library, const char *dump) {
    int (*initialize)(void);
    (void)alarm(SECONDS_MAX);
    if (setenv("SMP_INSTRUMENT_DUMP", dump, 1) != 0 ||
        setenv("SMP_INSTRUMENT_WATCHDOG", "0", 1) != 0)
        _exit(1);
    void *handle = dlopen(library, RTLD_NOW);
    void *symbol = handle ? dlsym(handle, "InitializeInjection") : NULL;
    memcpy(&initialize, &symbol, sizeof initialize);
    if (initialize)
        (void)initialize();
    _exit(initialize ? 0 : 1);
}

/* Puts the first problem that the library finds into `note`, or "". */
static void try_library(const char *library, char note[NOTE_MAX]) {
    char folder[SCRATCH_PATH_BYTES], path[SCRATCH_PATH_BYTES + 8];
    smp_instrument_dump dump = {0};
    smp_error error;
    int status = 1;
    (void)snprintf(note, NOTE_MAX, "cannot create a folder in TMPDIR: set it to a writable one");
    if (scratch_folder_make(folder, &error) != SMP_OK)
        return;
    (void)snprintf(path, sizeof path, "%s/dump", folder);
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        load(library, path);
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
        (void)snprintf(note, NOTE_MAX, "%.150s cannot be loaded: reinstall or rebuild it", library);
    else if (smp_instrument_read(path, &dump, &error) == SMP_OK)
        (void)snprintf(note, NOTE_MAX, "%s", dump.note_count > 0 ? dump.notes[0] : "");
    smp_instrument_clear(&dump);
    scratch_folder_remove(folder);
}

/* The first ": " outside parentheses, or NULL. */
static const char *joint_of(const char *note) {
    int depth = 0;
    for (; *note != '\0'; note++) {
        depth += (*note == '(') - (*note == ')');
        if (depth == 0 && note[0] == ':' && note[1] == ' ')
            return note;
    }
    return NULL;
}

/* "cause: cure". */
static void add_gap(doctor *out, const char *note) {
    const char *cure = joint_of(note);
    doctor_part *part = doctor_add(out, "profile", DOCTOR_GAP, "%.*s",
                                   cure ? (int)(cure - note) : (int)strlen(note), note);
    if (cure)
        doctor_fix(part, cure + 2);
}

bool doctor_add_profile(doctor *out, bool has_card, bool has_driver) {
    char library[SCRATCH_PATH_BYTES], note[NOTE_MAX];
    const char *other = getenv("CUDA_INJECTION64_PATH");
    if (!smp_instrument_library(library)) {
        doctor_part *part = doctor_add(out, "profile", has_card ? DOCTOR_GAP : DOCTOR_NONE,
                                       "libsmemprobe_instrument.so is not built%s",
                                       has_card ? "" : ", not needed without a GPU");
        if (has_card)
            doctor_fix(part, "a package that was built with CUDA has it; from source: "
                             "script/bootstrap --cuda && script/run");
        return false;
    }
    if (!has_driver) {
        (void)doctor_add(out, "profile", DOCTOR_NONE, "built; needs a GPU and its driver");
        return false;
    }
    if (other && other[0] != '\0') {
        doctor_fix(doctor_add(out, "profile", DOCTOR_GAP,
                              "another profiler is attached (CUDA_INJECTION64_PATH=%.200s)", other),
                   "unset CUDA_INJECTION64_PATH");
        return false;
    }
    try_library(library, note);
    if (note[0] != '\0')
        add_gap(out, note);
    else
        (void)doctor_add(out, "profile", DOCTOR_OK, "%.300s", library);
    return note[0] == '\0';
}

/* Adds one of NVIDIA's tools; false if it is missing. */
static bool add_tool(doctor *out, const char *name, const char *without, const char *fix) {
    char tool[SCRATCH_PATH_BYTES];
    smp_error error;
    const bool is_there = smp_tool_find(name, tool, sizeof tool, &error) == SMP_OK;
    if (is_there)
        (void)doctor_add(out, name, DOCTOR_OK, "%.300s", tool);
    else
        doctor_fix(doctor_add(out, name, DOCTOR_GAP, "not found: %s", without), fix);
    return is_there;
}

static bool add_compiler(doctor *out) {
    char nvcc[SCRATCH_PATH_BYTES];
    smp_error error;
    const bool is_complete = smp_compiler_find(nvcc, sizeof nvcc, &error) == SMP_OK;
    if (!is_complete && smp_tool_find("nvcc", nvcc, sizeof nvcc, &error) == SMP_OK)
        doctor_fix(doctor_add(out, "nvcc", DOCTOR_GAP,
                              "lacks a C++ compiler: FILE.cu is answered from its source text"),
                   "apt-get install g++, or name another in NVCC_CCBIN");
    else
        (void)add_tool(out, "nvcc", "FILE.cu is answered from its source text",
                       "pip install nvidia-cuda-nvcc nvidia-cuda-crt nvidia-cuda-runtime "
                       "nvidia-nvvm, or the CUDA toolkit, with its bin in PATH; from source: "
                       "script/bootstrap --cuda");
    return is_complete;
}

doctor_tools doctor_add_tools(doctor *out) {
    smp_code_cache_state cache;
    smp_error error;
    const doctor_tools found = {
        .compiler = add_compiler(out),
        .disassembler =
            add_tool(out, "nvdisasm", "profile and emulate cannot read machine code",
                     "pip install nvidia-cuda-nvdisasm, or the CUDA toolkit, with its bin in PATH; "
                     "from source: script/bootstrap --disassemblers")};
    if (smp_code_cache_look(&cache, &error) != SMP_OK)
        doctor_fix(doctor_add(out, "its cache", DOCTOR_GAP, "%.300s", error.message),
                   "set it to a number, or unset it");
    else if (cache.folder[0] == '\0')
        (void)doctor_add(out, "its cache", DOCTOR_NONE, "off");
    else
        (void)doctor_add(out, "its cache", DOCTOR_OK,
                         "%.200s, %" PRIu64 " function%s, %.1f of %" PRIu64 " MiB", cache.folder,
                         cache.entries, cache.entries == 1 ? "" : "s",
                         (double)cache.bytes / (1 << 20), cache.limit_bytes >> 20);
    return found;
}
