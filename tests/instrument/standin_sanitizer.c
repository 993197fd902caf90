/* SPDX-License-Identifier: MIT */
/*
 * A Compute Sanitizer API without a GPU: device memory is the host's, and the test calls the
 * subscriber. What was asked of it can be read by the test.
 */
#define _GNU_SOURCE
#include "standin_sanitizer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

standin_sanitizer standin_state = {.driver = PTHREAD_MUTEX_INITIALIZER};

#define API __attribute__((visibility("default")))

/* As memory and streams do; the driver's own lock is not that of one thread alone. */
static void wait_for_driver(void) {
    __sync_fetch_and_add(&standin_state.driver_awaited, 1);
    pthread_mutex_lock(&standin_state.driver);
    pthread_mutex_unlock(&standin_state.driver);
    __sync_fetch_and_sub(&standin_state.driver_awaited, 1);
}

API int sanitizerSubscribe(void **subscriber, san_callback callback, void *user) {
    (void)user;
    if (standin_state.is_busy)
        return SAN_ERROR_MAX_LIMIT_REACHED;
    *subscriber = &standin_state;
    standin_state.callback = callback;
    return SAN_SUCCESS;
}

API int sanitizerEnableCallback(uint32_t enable, void *subscriber, int domain, uint32_t id) {
    (void)subscriber;
    if (domain == SAN_DOMAIN_LAUNCH && id == SAN_LAUNCH_BEGIN)
        standin_state.sees_launches = enable != 0;
    if (domain == SAN_DOMAIN_GRAPHS && id == SAN_GRAPHS_NODE_LAUNCH_BEGIN)
        standin_state.sees_nodes = enable != 0;
    if (domain == SAN_DOMAIN_DRIVER && id == SAN_LAUNCH_KERNEL)
        standin_state.sees_calls = enable != 0;
    const bool is_green = domain == SAN_DOMAIN_SYNCHRONIZE && id == SAN_GREEN_SYNCHRONIZED;
    return is_green && !standin_state.is_later ? 1 : SAN_SUCCESS;
}

API int sanitizerAddPatchesFromFile(const char *path, void *context) {
    (void)path, (void)context;
    return SAN_SUCCESS;
}

API int sanitizerPatchInstructions(int instruction, void *module, const char *function) {
    (void)module, (void)function;
    standin_state.patched |= UINT64_C(1) << instruction;
    return SAN_SUCCESS;
}

/* Takes its time, if somebody looks. */
static void change_patches(void) {
    for (int i = 0; i < standin_state.change_moments; i++) {
        standin_state.overlaps += standin_state.launching > 0;
        usleep(20);
    }
}

API int sanitizerPatchModule(void *module) {
    (void)module;
    change_patches();
    standin_state.modules_patched++;
    return SAN_SUCCESS;
}

API int sanitizerUnpatchModule(void *module) {
    (void)module;
    change_patches();
    standin_state.modules_unpatched++;
    return SAN_SUCCESS;
}

API int sanitizerSetLaunchCallbackData(void *launch, void *function, void *stream,
                                       const void *data) {
    (void)launch, (void)function, (void)stream;
    standin_state.launch_data = data;
    return SAN_SUCCESS;
}

API int sanitizerGetFunctionPcAndSize(void *module, const char *name, uint64_t *pc,
                                      uint64_t *bytes) {
    const bool is_own = module == standin_state.own_module;
    if (standin_state.is_lazy ||
        (standin_state.own_module && is_own != (strcmp(name, "other") == 0)))
        return 1;
    *pc = STANDIN_PC + (strcmp(name, "other") == 0 ? STANDIN_CODE_BYTES : 0);
    *bytes = STANDIN_CODE_BYTES;
    return SAN_SUCCESS;
}

API int sanitizerAlloc(void *context, void **memory, size_t bytes) {
    (void)context;
    *memory = aligned_alloc(TABLE_ALIGNMENT,
                            (bytes + TABLE_ALIGNMENT - 1) & ~(size_t)(TABLE_ALIGNMENT - 1));
    standin_state.table = *memory;
    return *memory ? SAN_SUCCESS : 7;
}

API int sanitizerAllocHost(void *context, void **memory, size_t bytes) {
    (void)context;
    *memory = malloc(bytes);
    standin_state.ring = *memory;
    return *memory ? SAN_SUCCESS : 7;
}

API int sanitizerFree(void *context, void *memory) {
    (void)context;
    free(memory);
    return SAN_SUCCESS;
}

API int sanitizerMemset(void *memory, int value, size_t bytes, void *stream) {
    (void)stream;
    memset(memory, value, bytes);
    return SAN_SUCCESS;
}

API int sanitizerMemcpyHostToDeviceAsync(void *to, void *from, size_t bytes, void *stream) {
    (void)stream;
    memcpy(to, from, bytes);
    return SAN_SUCCESS;
}

/* On a GPU what lies between variables can be read; here it may be a sanitizer's. */
__attribute__((no_sanitize("address"))) static void copy_all(char *to, const volatile char *from,
                                                             size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        to[i] = from[i];
}

API int sanitizerMemcpyDeviceToHost(void *to, void *from, size_t bytes, void *stream) {
    (void)stream;
    wait_for_driver();
    if (standin_state.has_faulted)
        return 999;
    copy_all(to, from, bytes);
    const size_t at = (uintptr_t)from - (uintptr_t)standin_state.watched;
    standin_state.reads += at < standin_state.watched_bytes;
    return SAN_SUCCESS;
}

API int sanitizerStreamSynchronize(void *stream) {
    (void)stream;
    wait_for_driver();
    if (standin_state.not_ready == 0)
        return SAN_SUCCESS;
    standin_state.not_ready--;
    return 600;
}

API int sanitizerGetResultString(int result, const char **text) {
    *text = result == 0 ? "no error" : "stand-in error";
    return SAN_SUCCESS;
}
