/* SPDX-License-Identifier: MIT */
/* Runs kept launches again and compares their results. */
#include "kept_replay.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "budget.h"
#include "kept_launch.h"
#include "text_file.h"

enum { PATH_BYTES = 4096 };

bool emulate_is_kept(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static const char *printable(const smp_kept_launch *kept) {
    return kept->demangled ? kept->demangled : kept->kernel;
}

/* Notes the word with the first wrong byte, its value and the expected one. */
static void note_difference(const note_sink *notes, const smp_kept_launch *kept,
                            const smp_emu_memory *memory, uint32_t array, uint64_t byte) {
    const smp_kept_array *of = &kept->arrays[array];
    const uint8_t *wanted = of->after ? of->after : of->before;
    const uint64_t start = byte / 4 * 4,
                   size = of->size_bytes - start < 4 ? of->size_bytes - start : 4;
    uint32_t is = 0, was = 0;
    memcpy(&is, smp_emu_memory_find(memory, of->address)->bytes + start, size);
    if (wanted)
        memcpy(&was, wanted + start, size);
    float is_number, was_number;
    memcpy(&is_number, &is, 4);
    memcpy(&was_number, &was, 4);
    note_add(notes,
             "%.200s: memory differs from what was kept: %.80s (memory-%u), byte %llu: "
             "0x%08x (%g), kept 0x%08x (%g)",
             printable(kept), of->name, array, (unsigned long long)start, is, (double)is_number,
             was, (double)was_number);
}

static smp_status run_one(const char *folder, const kept_replay *how, smp_profile *profile,
                          kept_sums *sums, smp_error *error) {
    kept_open r = {.code = NULL};
    const smp_arch *arch = how->arch;
    smp_emulation done;
    uint32_t array;
    uint64_t byte;
    smp_status status = kept_open_read(folder, false, &r, error);
    for (uint32_t i = 0; status == SMP_OK && i < r.kept.array_count; i++)
        if (r.kept.arrays[i].is_unread)
            status =
                smp_error_set(error, SMP_E_SYNTAX, -1, "%.120s: memory-%u was not kept", folder, i);
    if (status == SMP_OK) {
        sums->cc = smp_code_cc(r.code);
        status = kept_open_arch(&r, &arch, error);
    }
    smp_kernel_profile *kernel = status == SMP_OK ? smp_profile_add_kernel(profile) : NULL;
    if (status == SMP_OK && !kernel)
        status = smp_error_memory(error);
    smp_launch launch = kept_open_launch(&r, arch);
    launch.run = how->run;
    launch.output = stderr;
    launch.trace = how->trace;
    if (status == SMP_OK)
        status = smp_emulate(r.code, r.function, &r.memory, &launch, kernel, &done, error);
    if (status == SMP_OK) {
        sums->trace_rows += done.trace_rows;
        sums->trace_left_out += done.trace_left_out;
    }
    char of[512] = "";
    emulate_end end = {.of = of,
                       .why = "a capture does not keep",
                       .not_seen = "which was not kept",
                       .is_judged_before = how->is_judged_again,
                       .notes = how->notes};
    if (status == SMP_OK) {
        (void)snprintf(of, sizeof of, "%.200s: launch of %.200s", folder, printable(&r.kept));
        status = emulate_take_end(&end, r.function, &done, profile, error);
    }
    sums->refused += end.is_refused;
    sums->stopped += end.is_stopped;
    if (status == SMP_OK && done.is_whole && smp_kept_differs(&r.kept, &r.memory, &array, &byte)) {
        note_difference(how->notes, &r.kept, &r.memory, array, byte);
        sums->differ++;
    }
    kept_open_clear(&r);
    return status;
}

smp_status emulate_kept(const char *folder, const kept_replay *how, smp_profile *profile,
                        kept_sums *sums, smp_error *error) {
    char path[PATH_BYTES];
    struct dirent **entries;
    smp_status status = SMP_OK;
    unsigned ran = 0;
    (void)snprintf(path, sizeof path, "%.3900s/launch.json", folder);
    if (access(path, F_OK) == 0)
        return run_one(folder, how, profile, sums, error);
    const int count = scandir(folder, &entries, smp_is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        (void)snprintf(path, sizeof path, "%.3700s/%s/launch.json", folder, entries[i]->d_name);
        if (status == SMP_OK && access(path, F_OK) == 0) {
            *strrchr(path, '/') = '\0';
            status = run_one(path, how, profile, sums, error);
            ran++;
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (status == SMP_OK && ran == 0)
        status = smp_error_set(
            error, SMP_E_READ, -1,
            "%.160s: no kept launch (launch.json, as profile --capture writes it)", folder);
    return status;
}
