/* SPDX-License-Identifier: MIT */
/* The state of the process: the lock, the last errors, the emulated GPU, the memory, lists. */
#define _GNU_SOURCE /* recursive mutex */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "interface.h"
#include "runtime.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static _Thread_local cudaError_t last_error;
static cudaError_t broken;
static smp_emu_memory memory;

void rt_enter(void) {
    (void)pthread_mutex_lock(&lock);
}

static bool is_used;
static _Thread_local unsigned quiet_depth;

bool rt_is_used(void) {
    return is_used;
}

cudaError_t rt_enter_quietly(void) {
    rt_enter();
    quiet_depth++;
    return last_error;
}

void rt_leave_quietly(cudaError_t before) {
    quiet_depth--;
    last_error = before;
    (void)pthread_mutex_unlock(&lock);
}

cudaError_t rt_leave(cudaError_t result) {
    is_used |= quiet_depth == 0;
    if (result == cudaSuccess)
        result = broken;
    if (result != cudaSuccess && result != cudaErrorNotReady)
        last_error = result;
    (void)pthread_mutex_unlock(&lock);
    return result;
}

cudaError_t rt_broken(void) {
    return broken;
}

void rt_break(cudaError_t error) {
    if (broken == cudaSuccess)
        broken = error;
}

smp_emu_memory *rt_memory(void) {
    return &memory;
}

/* ---- The device ---- */

/* One product of each generation that the emulator knows: T4, A100 80GB SXM, A10, Jetson AGX Orin
 * 64GB, L4, H200, B200, B300, Jetson AGX Thor, RTX 5090, DGX Spark; 8.8 is in none. Programs ask
 * for these numbers; no rule and no figure of a report depends on them. All are nominal. */
static const rt_device devices[] = {
    {"Tesla T4", 75, 40, 15360, 4096, 1590, 5001, 256},
    {"NVIDIA A100-SXM4-80GB", 80, 108, 81920, 40960, 1410, 1593, 5120},
    {"NVIDIA A10", 86, 72, 24576, 6144, 1695, 6251, 384},
    {"Orin", 87, 16, 65536, 4096, 1300, 3200, 256},
    {"a GPU of 8.8", 88, 16, 65536, 4096, 1300, 3200, 256},
    {"NVIDIA L4", 89, 58, 24576, 49152, 2040, 6251, 192},
    {"NVIDIA H200", 90, 132, 143360, 61440, 1980, 3201, 6144},
    {"NVIDIA B200", 100, 148, 184320, 129024, 1965, 3996, 8192},
    {"NVIDIA B300", 103, 148, 276480, 129024, 1965, 3996, 8192},
    {"NVIDIA Thor", 110, 20, 131072, 32768, 1575, 4266, 256},
    {"NVIDIA GeForce RTX 5090", 120, 170, 32768, 98304, 2407, 14001, 512},
    {"NVIDIA GB10", 121, 48, 131072, 24576, 2418, 4266, 256},
};

enum { DEVICES = sizeof devices / sizeof devices[0], CC_UNLESS_TOLD = 90 };

static const rt_device *device_of_cc(uint32_t cc) {
    return FIND(one, devices, DEVICES, one->cc == cc);
}

static const void *first_code; /* of all code that the program registered or loaded */

void rt_note_code(const void *data) {
    if (!first_code)
        first_code = data;
}

/* The compute capability of the first code; 0 before there is any. */
static uint32_t cc_of_code(void) {
    smp_code *code;
    if (!first_code || rt_code_open(first_code, rt_code_size(first_code), 0, &code) != cudaSuccess)
        return 0;
    const uint32_t cc = smp_code_cc(code);
    smp_code_close(code);
    return cc;
}

/* The GPU that SMP_RUNTIME_ARCH names, else the one that the program's code is compiled for. */
const rt_device *rt_device_played(void) {
    static const rt_device *played;
    if (played)
        return played;
    const char *told = getenv("SMP_RUNTIME_ARCH");
    const smp_arch *arch = told ? smp_arch_find(told) : NULL;
    played =
        arch ? device_of_cc(10u * arch->cc_major + arch->cc_minor) : device_of_cc(cc_of_code());
    if (!played)
        played = device_of_cc(CC_UNLESS_TOLD);
    return played;
}

const smp_arch *rt_arch(void) {
    const uint8_t cc = rt_device_played()->cc;
    return smp_arch_of_cc(cc / 10, cc % 10);
}

/* ---- The last error ---- */

RT_FUNCTION(cudaGetLastError(void)) {
    const cudaError_t error = last_error;
    last_error = broken;
    return error;
}

RT_FUNCTION(cudaPeekAtLastError(void)) {
    return last_error;
}

/* ---- Lists: each object begins with the pointer to the next ---- */

static void *next_of(const void *object) {
    void *next;
    memcpy(&next, object, sizeof next);
    return next;
}

static void set_next(void *object, const void *next) {
    memcpy(object, &next, sizeof next);
}

void *rt_list_add(void *first, size_t bytes) {
    void *made = calloc(1, bytes);
    if (made) {
        set_next(made, next_of(first));
        set_next(first, made);
    }
    return made;
}

bool rt_list_has(const void *first, const void *object) {
    const void *at = next_of(first);
    while (at && at != object)
        at = next_of(at);
    return at;
}

bool rt_list_remove(void *first, const void *object) {
    void *link = first;
    while (next_of(link) && next_of(link) != object)
        link = next_of(link);
    if (!next_of(link))
        return false;
    set_next(link, next_of(object));
    return true;
}
