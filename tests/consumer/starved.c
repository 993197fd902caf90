/* SPDX-License-Identifier: MIT */
/*
 * One request for memory after the other fails. Each function then says SMP_E_MEMORY or has its
 * answer, whether somebody wants the message or not. starved CUBIN FILE.smprof
 */
#define _GNU_SOURCE /* fmemopen */
#include <smemprobe.h>
#include <smp_machine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static _Thread_local long left; /* requests until the one that fails; 0: none fails */
static bool has_failed;

static bool fails(void) {
    if (left == 0 || --left > 0)
        return false;
    return has_failed = true;
}

void *malloc(size_t bytes) {
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    return fails() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes) {
    return fails() ? NULL : __libc_realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    void *out = NULL;
    return fails() || posix_memalign(&out, alignment, bytes) != 0 ? NULL : out;
}

static const char text[] = "shared float tile[32][32]\n"
                           "block 32x8\n"
                           "for j = 0:32:8\n"
                           "ld tile[threadIdx.x][threadIdx.y + j]\n"
                           "expect ways <= 32\n";

static char bytes[1 << 20], profile_bytes[1 << 20];
static size_t size, profile_size;

static smp_status lay_out(smp_error *error) {
    const smp_arch *arch = smp_arch_find("sm_90");
    smp_layout *layout = smp_layout_new();
    smp_totals totals;
    unsigned line;
    if (!layout)
        return SMP_E_MEMORY;
    smp_status status = smp_layout_add_lines(layout, text, strlen(text), &line, error);
    if (status == SMP_OK)
        status = smp_layout_evaluate(layout, arch, 0, &totals, &line, error);
    smp_layout_free(layout);
    return status;
}

static smp_status fix(smp_error *error) {
    const smp_fix_options options = {.archs = smp_arch_find("sm_90"), .arch_count = 1};
    smp_fix *found = NULL;
    unsigned line;
    const smp_status status = smp_fix_solve(text, strlen(text), &options, &found, &line, error);
    smp_fix_free(found);
    return status;
}

static smp_status load(smp_error *error) {
    smp_profile *profile = smp_profile_new();
    FILE *in = profile ? fmemopen(profile_bytes, profile_size, "rb") : NULL;
    const smp_status status = in ? smp_profile_load(profile, in, NULL, error) : SMP_E_MEMORY;
    if (in)
        fclose(in);
    smp_profile_free(profile);
    return status;
}

static smp_profile *loaded;

static smp_status show(smp_error *error) {
    FILE *out = fopen("/dev/null", "w");
    const smp_status status =
        out ? smp_profile_document(loaded, "json", NULL, out, error) : SMP_E_MEMORY;
    if (out)
        fclose(out);
    return status;
}

static smp_status judge(smp_error *error) {
    const smp_profile_bounds bounds = {.max_ways = 2, .max_excess = -1, .rules = "* * ways <= 2\n"};
    smp_profile_verdict verdict;
    return smp_profile_judge(loaded, &bounds, NULL, NULL, &verdict, error);
}

static smp_status emulate(smp_error *error) {
    const smp_machine_launch launch = {
        .text = "transpose<<<1, dim3(32,8)>>>(float[16384], float[16384], 128, 128)"};
    smp_profile *profile = smp_profile_new();
    smp_code *code = NULL;
    smp_status status = profile ? smp_machine_open(bytes, size, NULL, &code, error) : SMP_E_MEMORY;
    if (status == SMP_OK)
        status = smp_machine_run(code, &launch, NULL, profile, NULL, error);
    smp_machine_close(code);
    smp_profile_free(profile);
    return status;
}

typedef smp_status call_fn(smp_error *error);

/* Each request of the first `each`, then some. Once with enough of it: what a process loads stays.
 */
static int starve(const char *name, call_fn *call, long each) {
    if (call(NULL) != SMP_OK)
        return 1;
    for (long number = 1; number < 100000; number += number < each ? 1 : number / 8) {
        smp_error error = {.status = SMP_OK};
        has_failed = false;
        left = number;
        const smp_status status = call(number % 2 ? &error : NULL);
        left = 0;
        if (!has_failed) {
            printf("%s: %ld requests\n", name, number - 1);
            return status != SMP_OK;
        }
        if (status != SMP_OK && (status != SMP_E_MEMORY || (number % 2 && error.status != status &&
                                                            error.status != SMP_OK))) {
            printf("%s: request %ld: %s (%s)\n", name, number, smp_status_name(status),
                   error.message);
            return 1;
        }
    }
    return 1;
}

static size_t read_whole(const char *path, char *to) {
    FILE *in = fopen(path, "rb");
    const size_t length = in ? fread(to, 1, sizeof bytes, in) : 0;
    if (in)
        fclose(in);
    return length;
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    size = read_whole(argv[1], bytes);
    profile_size = read_whole(argv[2], profile_bytes);
    loaded = smp_profile_new();
    FILE *in = fmemopen(profile_bytes, profile_size, "rb");
    int failed = smp_profile_load(loaded, in, NULL, NULL) != SMP_OK;
    fclose(in);
    failed |= starve("a layout", lay_out, 200) | starve("a repair", fix, 200) |
              starve("a file", load, 30) | starve("a document", show, 30) |
              starve("a gate", judge, 30);
    if (argc > 3)
        failed |= starve("a launch", emulate, 30);
    smp_profile_free(loaded);
    return failed;
}
