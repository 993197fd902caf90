/* SPDX-License-Identifier: MIT */
/*
 * launch_case.c: launches as the stand-in for the API tells the library of them.
 */
#define _GNU_SOURCE
#include "launch_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

char one_module, one_stream;
float bare = 0.001f, patched = 1;
uint32_t added_bytes;
void **values, **extra;
uint32_t node_blocks = 7;
int result;
const char *said;

void start_empty(const char *overhead) {
    setenv("SMP_INSTRUMENT_OVERHEAD", overhead, 1);
    load_driver();
    start();
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_CREATION_FINISHED,
         &(san_context_data){.context = &standin->table});
}

void start_with(const char *overhead) {
    start_empty(overhead);
    load_module_at(&one_module);
}

void enter(const char *name, uint32_t blocks, int site) {
    san_launch_kernel parameters = {.function = (void *)(uintptr_t)name,
                                    .grid = {blocks, 1, 1},
                                    .block = {128, 1, 1},
                                    .shared_bytes = added_bytes,
                                    .stream = &one_stream,
                                    .values = values,
                                    .extra = extra};
    call(SAN_DOMAIN_DRIVER, SAN_LAUNCH_KERNEL,
         &(san_api_data){.site = site,
                         .parameters = &parameters,
                         .result = &result,
                         .symbol_name = said ? said : name,
                         .context = &standin->table});
}

void capture(uint32_t id, int ended) {
    san_api_data data = {.context = &standin->table, .result = &ended};
    data.site = SAN_API_ENTER;
    call(SAN_DOMAIN_DRIVER, id, &data);
    data.site = SAN_API_EXIT;
    call(SAN_DOMAIN_DRIVER, id, &data);
}

bool launch_blocks(const char *name, uint32_t blocks) {
    standin->launch_data = NULL;
    enter(name, blocks, SAN_API_ENTER);
    launch_blocks_of(&one_module, name, blocks);
    enter(name, blocks, SAN_API_EXIT);
    driver->milliseconds = standin->launch_data ? patched : bare;
    return standin->launch_data;
}

bool replay_of(const char *name) {
    san_launch_graph parameters = {.graph = path, .stream = &one_stream};
    san_api_data data = {.parameters = &parameters, .result = &result, .context = &standin->table};
    standin->launch_data = NULL;
    data.site = SAN_API_ENTER;
    call(SAN_DOMAIN_DRIVER, SAN_LAUNCH_GRAPH, &data);
    standin->nodes_seen += standin->sees_nodes;
    if (standin->sees_nodes && result == 0)
        call(SAN_DOMAIN_GRAPHS, SAN_GRAPHS_NODE_LAUNCH_BEGIN,
             &(san_graph_node_data){.node_type = SAN_NODE_KERNEL,
                                    .launch = {.context = &standin->table,
                                               .module = &one_module,
                                               .function = (void *)(uintptr_t)name,
                                               .function_name = name,
                                               .grid = {node_blocks, 1, 1},
                                               .block = {128, 1, 1}}});
    data.site = SAN_API_EXIT;
    call(SAN_DOMAIN_DRIVER, SAN_LAUNCH_GRAPH, &data);
    return standin->launch_data;
}

void change_graph(uint32_t id) {
    const void *arguments[3] = {path, NULL, NULL};
    san_api_data data = {.parameters = arguments, .context = &standin->table};
    data.site = SAN_API_ENTER;
    call(SAN_DOMAIN_DRIVER, id, &data);
    data.site = SAN_API_EXIT;
    call(SAN_DOMAIN_DRIVER, id, &data);
}

void load_code(const char *name) {
    static char cubin[1 << 14], file_name[256];
    (void)snprintf(file_name, sizeof file_name, SMP_DATA "%s", name);
    FILE *file = fopen(file_name, "rb");
    ck_assert_ptr_nonnull(file);
    const size_t bytes = fread(cubin, 1, sizeof cubin, file);
    (void)fclose(file);
    call(SAN_DOMAIN_RESOURCE, SAN_MODULE_LOADED,
         &(san_module_data){.context = &standin->table,
                            .module = &one_module,
                            .cubin = cubin,
                            .cubin_bytes = bytes});
}

uint64_t skipped_of(const smp_instrument_dump *dump, const char *name, uint64_t *launches) {
    for (size_t i = 0; i < dump->function_count; i++)
        if (strcmp(dump->functions[i].name, name) == 0) {
            *launches = dump->functions[i].state.launches;
            return dump->functions[i].state.launches_skipped;
        }
    return *launches = 0;
}
