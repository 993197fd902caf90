/* SPDX-License-Identifier: MIT */
/*
 * NVTX as a program uses it, without its headers. The library that
 * NVTX_INJECTION64_PATH names fills in the functions; without one they are NULL.
 */
#pragma once

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct nvtx_message {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t type; /* 1: text; 3: registered */
    const void *text;
} nvtx_message;

static struct {
    uint64_t (*start)(const char *name);
    void (*end)(uint64_t id);
    int (*push)(const char *name);
    int (*pop)(void);
    int (*push_in)(void *domain, const nvtx_message *message);
    int (*pop_in)(void *domain);
    void *(*register_in)(void *domain, const char *text);
    void *(*make_domain)(const char *name);
} nvtx;

static void *nvtx_core[16] = {
    [5] = &nvtx.start, [7] = &nvtx.end, [9] = &nvtx.push, [11] = &nvtx.pop};
static void *nvtx_core_2[16] = {
    [4] = &nvtx.push_in, [5] = &nvtx.pop_in, [10] = &nvtx.register_in, [12] = &nvtx.make_domain};

static int nvtx_table_of_module(unsigned module, void ***table, unsigned *count) {
    *table = module == 1 ? nvtx_core : module == 5 ? nvtx_core_2 : NULL;
    *count = *table ? 16 : 0;
    return !!*table;
}

static const void *nvtx_table_of(unsigned id) {
    static const struct {
        size_t size;
        int (*of_module)(unsigned, void ***, unsigned *);
    } callbacks = {sizeof callbacks, nvtx_table_of_module};
    return id == 1 ? &callbacks : NULL;
}

/* The first call of NVTX runs this. */
static inline int nvtx_load(const char *library) {
    int (*initialize)(const void *(*)(unsigned)) = NULL;
    void *handle = library ? dlopen(library, RTLD_LAZY) : NULL;
    void *symbol = handle ? dlsym(handle, "InitializeInjectionNvtx2") : NULL;
    memcpy(&initialize, &symbol, sizeof initialize);
    return initialize && initialize(nvtx_table_of);
}
