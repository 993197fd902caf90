/* SPDX-License-Identifier: MIT */
/*
 * Launches that would do again what they did: programs that measure themselves launch one kernel
 * many times. Where a launch left all memory as it was, the next one with the same arguments and
 * the same memory would, too, and cost the same; it is not run, and its figures are added once
 * more. Memory is compared by a hash of 128 bits, and only where that takes much less time than the
 * launch; SMP_RUNTIME_REPEAT, "always" or "never", decides in place of the time.
 */
#include <stdlib.h>
#include <string.h>

#include "profile_file.h"
#include "runtime.h"

enum { WAYS = 4, WORD = sizeof(uint64_t), MOST = 256 };
#define FACTOR 0x9e3779b97f4a7c15ull
#define SECONDS_LEAST 0.005
#define BYTES_A_SECOND 3e8 /* less than a tenth of the hashing speed */

typedef struct state {
    uint64_t half[2];
} state;

/* A launch as requested, and its last run. */
struct rt_repeat {
    rt_repeat *next;
    const rt_kernel *kernel;
    rt_launch launch; /* with its own parameters */
    double seconds;
    bool has_state, is_counted;
    state before;
    uint64_t again; /* launches since then that were skipped */
    char *figures;  /* a profile file of a run that did not change memory, or NULL */
    size_t figure_bytes;
};

static rt_repeat *repeats;
static unsigned count;

/* ---- All memory ---- */

static uint64_t turn(uint64_t x, unsigned by) {
    return x << by | x >> (64 - by);
}

static void mix(uint64_t ways[WAYS], const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    uint64_t word[WAYS];
    for (; size > 0; at += sizeof word) {
        const size_t part = size < sizeof word ? size : sizeof word;
        if (part < sizeof word)
            memset(word, 0, sizeof word);
        memcpy(word, at, part);
        for (unsigned w = 0; w < WAYS; w++)
            ways[w] = turn((ways[w] ^ word[w]) * FACTOR, 29);
        size -= part;
    }
}

static void end(uint64_t ways[WAYS], uint64_t out[2]) {
    mix(ways, (const uint64_t[WAYS]){ways[1], ways[2], ways[3], ways[0]}, sizeof(uint64_t[WAYS]));
    out[0] = ways[0] ^ turn(ways[1], 17);
    out[1] = ways[2] ^ turn(ways[3], 41);
}

void rt_hash(const void *bytes, size_t size, uint64_t out[2]) {
    uint64_t ways[WAYS] = {1, 2, 3, 4};
    mix(ways, bytes, size);
    end(ways, out);
}

/* For an array behind a texture; device memory is an array of the emulator. */
static uint64_t texture_bytes(const emu_texture *of) {
    return of->is_used && of->bytes ? of->layer_bytes * (of->layers > 0 ? of->layers : of->size[2])
                                    : 0;
}

static state state_now(const rt_kernel *kernel) {
    uint64_t ways[WAYS] = {1, 2, 3, kernel->function->code_hash};
    const smp_emu_memory *memory = rt_memory();
    EACH(const smp_emu_array, array, memory->arrays, memory->count) {
        const uint64_t place[2] = {array->address, array->size_bytes};
        mix(ways, place, sizeof place);
        if (array->bytes)
            mix(ways, array->bytes, array->size_bytes);
    }
    const emu_texture_list *textures = rt_textures();
    for (uint32_t i = 0; textures && i < textures->count; i++) {
        mix(ways, &textures->list[i], sizeof textures->list[i]);
        mix(ways, textures->list[i].bytes, texture_bytes(&textures->list[i]));
    }
    state out;
    end(ways, out.half);
    return out;
}

static uint64_t memory_bytes(void) {
    const smp_emu_memory *memory = rt_memory();
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < memory->count; i++)
        bytes += memory->arrays[i].bytes ? memory->arrays[i].size_bytes : 0;
    const emu_texture_list *textures = rt_textures();
    for (uint32_t i = 0; textures && i < textures->count; i++)
        bytes += texture_bytes(&textures->list[i]);
    return bytes;
}

static bool is_worth(const rt_repeat *last) {
    const char *told = getenv("SMP_RUNTIME_REPEAT");
    if (told)
        return last->seconds > 0 && strcmp(told, "always") == 0;
    return last->seconds > SECONDS_LEAST && (double)memory_bytes() < last->seconds * BYTES_A_SECOND;
}

/* ---- Launches that were asked for ---- */

static bool is_same(const rt_launch *a, const rt_launch *b) {
    return memcmp(&a->grid, &b->grid, sizeof a->grid) == 0 &&
           memcmp(&a->block, &b->block, sizeof a->block) == 0 &&
           memcmp(&a->cluster, &b->cluster, sizeof a->cluster) == 0 &&
           a->dynamic_shared_bytes == b->dynamic_shared_bytes &&
           a->is_cooperative == b->is_cooperative && a->parameter_bytes == b->parameter_bytes &&
           memcmp(a->parameters, b->parameters, a->parameter_bytes) == 0;
}

static rt_repeat *make(const rt_kernel *kernel, const rt_launch *launch) {
    uint8_t *parameters = count < MOST ? malloc(launch->parameter_bytes + 1u) : NULL;
    rt_repeat *made = parameters ? rt_list_add(&repeats, sizeof *made) : NULL;
    if (!made) {
        free(parameters);
        return NULL;
    }
    count++;
    memcpy(parameters, launch->parameters, launch->parameter_bytes);
    made->kernel = kernel;
    made->launch = *launch;
    made->launch.parameters = parameters;
    made->launch.pointers = NULL;
    return made;
}

/* Figures that must still be added remain, without a kernel. */
static void drop_figures(rt_repeat *repeat) {
    rt_repeat *left = repeat->again > 0 ? rt_list_add(&repeats, sizeof *left) : NULL;
    if (left) {
        left->figures = repeat->figures;
        left->figure_bytes = repeat->figure_bytes;
        left->again = repeat->again;
    } else {
        if (repeat->again > 0)
            rt_note("out of memory for the profile; figures are missing");
        free(repeat->figures);
    }
    repeat->figures = NULL;
    repeat->again = 0;
}

rt_repeat *rt_repeat_find(const rt_kernel *kernel, const rt_launch *launch, bool is_counted) {
    rt_repeat *found = repeats;
    if (rt_keep_is_wanted(kernel))
        return NULL;
    while (found && (found->kernel != kernel || !is_same(&found->launch, launch)))
        found = found->next;
    if (!found)
        found = make(kernel, launch);
    if (!found)
        return NULL;
    const state before = found->before;
    found->has_state = is_worth(found);
    if (found->has_state)
        found->before = state_now(kernel);
    if (!found->has_state || found->is_counted != is_counted ||
        memcmp(&before, &found->before, sizeof before) != 0)
        drop_figures(found);
    found->is_counted = is_counted;
    return found;
}

bool rt_repeat_counts(rt_repeat *repeat) {
    if (!repeat || !repeat->figures)
        return false;
    rt_note("launches that repeat an earlier one, with the same arguments and memory, are not run "
            "again: its figures are added again");
    repeat->again++;
    return true;
}

static bool read_figures(const rt_repeat *repeat, smp_profile *out) {
    smp_profile_loss loss;
    smp_error error;
    FILE *file = fmemopen(repeat->figures, repeat->figure_bytes, "rb");
    const bool is_read = file && smp_profile_read(file, out, &loss, &error) == SMP_OK;
    if (file)
        (void)fclose(file);
    if (!is_read)
        smp_profile_clear(out);
    return is_read;
}

bool rt_repeat_take(smp_profile *out) {
    rt_repeat *r = repeats;
    while (r && (r->again == 0 || !read_figures(r, out)))
        r = r->next;
    if (!r)
        return false;
    smp_profile_multiply(out, r->again);
    r->again = 0;
    if (!r->kernel && rt_list_remove(&repeats, r)) {
        free(r->figures);
        free(r);
    }
    return true;
}

void rt_repeat_forget(void) {
    for (rt_repeat *r = repeats; r; r = r->next)
        r->again = 0;
}

void rt_repeat_took(rt_repeat *repeat, const smp_emulation *done, smp_profile *profile) {
    smp_error error;
    if (!repeat)
        return;
    repeat->seconds = done->seconds;
    drop_figures(repeat);
    if (!repeat->has_state || !done->is_whole || done->finding_count > 0 ||
        done->unknown_executed > 0 || done->output_bytes > 0)
        return;
    const state after = state_now(repeat->kernel);
    if (memcmp(&after, &repeat->before, sizeof after) != 0)
        return;
    FILE *file = open_memstream(&repeat->figures, &repeat->figure_bytes);
    const bool is_written = file && smp_profile_sort(profile, &error) == SMP_OK &&
                            smp_profile_write(file, profile, &error) == SMP_OK;
    if ((file && fclose(file) != 0) || !is_written)
        drop_figures(repeat);
}
