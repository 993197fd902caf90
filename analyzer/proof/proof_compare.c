/* SPDX-License-Identifier: MIT */
/* Compares what two runs left. */
#define _GNU_SOURCE /* mincore */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "leftover.h"
#include "list.h"
#include "proof.h"
#include "tool.h"

void proof_clear(proof_run *run) {
    for (uint32_t i = 0; i < run->count; i++) {
        free(run->kernels[i].name);
        free(run->kernels[i].launch);
        smp_emu_memory_clear(&run->kernels[i].memory);
    }
    free(run->kernels);
    smp_profile_clear(&run->profile);
    proof_left_clear(&run->left);
    smp_code_close(run->code);
    if (run->program)
        smp_tool_file_remove(run->program);
    free(run->program);
    free(run->copy);
    if (run->kept)
        scratch_folder_remove(run->kept);
    free(run->kept);
    memset(run, 0, sizeof *run);
}

void proof_kernel_fit(proof_kernel *of, const smp_arch *arch, uint32_t threads) {
    of->resident = smp_resident_blocks(arch, threads, of->shared_bytes, of->registers);
}

bool proof_is_stuck(const smp_profile_finding *one) {
    return one->kind == SMP_FINDING_BARRIER && one->missing && !one->is_note;
}

bool proof_is_race(const smp_profile_finding *one) {
    return proof_is_stuck(one) || (one->kind == SMP_FINDING_RACE && !one->is_note);
}

const smp_profile_finding *proof_first_error(const proof_run *run, bool is_for_races) {
    return FIND(one, run->profile.findings, run->profile.finding_count,
                !one->is_note &&
                    (is_for_races ? !proof_is_race(one) : one->kind != SMP_FINDING_RACE));
}

uint32_t proof_races(const proof_run *run) {
    uint32_t count = 0;
    EACH(const smp_profile_finding, one, run->profile.findings, run->profile.finding_count)
        count += proof_is_race(one);
    return count;
}

const proof_kernel *proof_kernel_find(const proof_run *run, const char *name) {
    return LIST_FIND(run->kernels, run->count, name);
}

/* Returns which pages were touched; NULL counts all. */
static unsigned char *touched(const uint8_t *bytes, uint64_t size, size_t page) {
    unsigned char *out = malloc((size_t)(size / page) + 2);
    const uintptr_t from = (uintptr_t)bytes / page * page;
    if (out && mincore((void *)from, (size_t)((uintptr_t)bytes + size - from), out) == 0)
        return out;
    free(out);
    return NULL;
}

uint64_t proof_touched_bytes(const smp_emu_array *array) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *pages = array->bytes ? touched(array->bytes, array->size_bytes, page) : NULL;
    const uint64_t before = array->bytes ? (uintptr_t)array->bytes % page : 0;
    uint64_t count = pages ? (before + array->size_bytes + page - 1) / page : 0, end;
    while (count > 0 && !(pages[count - 1] & 1))
        count--;
    free(pages);
    end = count * page > before ? count * page - before : 0;
    return !pages || end > array->size_bytes ? array->size_bytes : end;
}

proof_pages proof_pages_of(const uint8_t *x, const uint8_t *y, uint64_t size) {
    proof_pages out = {.x = x, .y = y, .size = size, .page = (size_t)sysconf(_SC_PAGESIZE)};
    out.left = touched(x, size, out.page);
    out.right = touched(y, size, out.page);
    return out;
}

/* Whether any of these bytes (at most one page) were touched. */
static bool is_touched(const unsigned char *pages, const uint8_t *bytes, uint64_t at, uint64_t size,
                       size_t page) {
    const uint64_t from = at + (uintptr_t)bytes % page;
    return !pages || ((pages[from / page] | pages[(from + size - 1) / page]) & 1);
}

bool proof_pages_next(proof_pages *of) {
    for (of->at += of->bytes; of->at < of->size; of->at += of->bytes) {
        const uint64_t rest = of->size - of->at;
        of->bytes = rest < of->page ? rest : of->page;
        if (is_touched(of->left, of->x, of->at, of->bytes, of->page) ||
            is_touched(of->right, of->y, of->at, of->bytes, of->page))
            return true;
    }
    return false;
}

void proof_pages_clear(proof_pages *of) {
    free(of->left);
    free(of->right);
}

/* Bytes up to the last one that is not 0, rounded up to whole words. */
static uint64_t used_bytes(const uint8_t *bytes, uint64_t size) {
    uint64_t used = size;
    while (used > 0 && bytes[used - 1] == 0)
        used--;
    return used + 7 < size ? (used + 7) / 8 * 8 : size;
}

/* NULL means zeros. Trailing zeros are compared but not counted, because an array may be larger
 * than needed. */
static bool arrays_equal(const smp_emu_array *a, const smp_emu_array *b, uint64_t *compared) {
    const uint8_t *x = a->bytes ? a->bytes : b->bytes, *y = b->bytes ? b->bytes : a->bytes;
    if (a->size_bytes != b->size_bytes)
        return false;
    if (!x || x == y)
        return !x || used_bytes(x, a->size_bytes) == 0;
    proof_pages pages = proof_pages_of(x, y, a->size_bytes);
    bool is_equal = true;
    uint64_t used = 0;
    while (is_equal && proof_pages_next(&pages)) {
        is_equal = memcmp(x + pages.at, y + pages.at, (size_t)pages.bytes) == 0;
        const uint64_t here = used_bytes(x + pages.at, pages.bytes);
        used = here > 0 ? pages.at + here : used;
    }
    *compared += used;
    proof_pages_clear(&pages);
    return is_equal;
}

/* Whether it is the file name that assert() stores, which differs in a copy. */
static bool is_text(const char *name) {
    return name && strncmp(name, "$str", 4) == 0;
}

static bool kernels_equal(const proof_kernel *a, const proof_kernel *b, uint64_t *bytes,
                          char why[PROOF_WHY]) {
    if (a->blocks_run != b->blocks_run || a->memory.count != b->memory.count) {
        (void)snprintf(why, PROOF_WHY, "%.80s ran differently", a->name);
        return false;
    }
    for (uint32_t i = 0; i < a->memory.count; i++)
        if (!is_text(a->memory.arrays[i].name) &&
            !arrays_equal(&a->memory.arrays[i], &b->memory.arrays[i], bytes)) {
            (void)snprintf(why, PROOF_WHY, "%.80s: different values in %.60s", a->name,
                           a->memory.arrays[i].name);
            return false;
        }
    return true;
}

bool proof_equal(const proof_run *before, const proof_run *after, uint64_t *bytes,
                 char why[PROOF_WHY]) {
    *bytes = 0;
    if (before->exit_status != after->exit_status) {
        (void)snprintf(why, PROOF_WHY, "the exit status is %d instead of %d", after->exit_status,
                       before->exit_status);
        return false;
    }
    if (before->count != after->count) {
        (void)snprintf(why, PROOF_WHY, "different kernels ran");
        return false;
    }
    for (uint32_t i = 0; i < before->count; i++) {
        const proof_kernel *same = strcmp(before->kernels[i].name, after->kernels[i].name) == 0
                                       ? &after->kernels[i]
                                       : proof_kernel_find(after, before->kernels[i].name);
        if (!same) {
            (void)snprintf(why, PROOF_WHY, "%.80s did not run", before->kernels[i].name);
            return false;
        }
        if (!kernels_equal(&before->kernels[i], same, bytes, why))
            return false;
    }
    return proof_left_equal(&before->left, &after->left, bytes, why) &&
           proof_printed_equal(&before->left, &after->left, why);
}
