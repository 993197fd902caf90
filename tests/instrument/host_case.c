/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "host_case.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

#define RESERVED 0 /* no driver: nothing is known of what the system keeps */

static char folder[] = "/tmp/smp-inject-XXXXXX";
char path[64];
standin_sanitizer *standin;
standin_driver *driver;
void (*look)(int more);

void make_folder(void) {
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/dump", folder);
    setenv("SMP_INSTRUMENT_DUMP", path, 1);
    setenv("SMP_INSTRUMENT_SANITIZER", SMP_STANDIN_SANITIZER, 1);
    setenv("SMP_INSTRUMENT_PATCH", "/dev/null", 1);
    setenv("SMP_INSTRUMENT_WATCHDOG", "0", 1);
}

void remove_folder(void) {
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
}

void load_driver(void) {
    void *cuda = dlopen(SMP_STANDIN_DRIVER, RTLD_NOW);
    ck_assert_msg(cuda, "%s", dlerror());
    driver = dlsym(cuda, "standin_driver_state");
}

static void start_with(bool is_later) {
    int (*initialize)(void);
    void *api = dlopen(SMP_STANDIN_SANITIZER, RTLD_NOW);
    void *library = dlopen(SMP_INSTRUMENT_LIBRARY, RTLD_NOW);
    ck_assert_msg(api && library, "%s", dlerror());
    standin = dlsym(api, "standin_state");
    standin->is_later = is_later;
    void *symbol = dlsym(library, "InitializeInjection");
    memcpy(&initialize, &symbol, sizeof initialize);
    ck_assert_int_eq(initialize(), 1);
    symbol = dlsym(library, "smemprobe_look");
    ck_assert_ptr_nonnull(symbol);
    memcpy(&look, &symbol, sizeof look);
}

void start(void) {
    start_with(false);
}

void start_later(void) {
    start_with(true);
}

void call(int domain, uint32_t id, const void *data) {
    if (domain == SAN_DOMAIN_LAUNCH && !standin->sees_launches)
        return;
    if (domain == SAN_DOMAIN_DRIVER && id == SAN_LAUNCH_KERNEL && !standin->sees_calls)
        return;
    standin->callback(NULL, domain, id, data);
}

void load_module_at(void *module) {
    san_module_data data = {
        .context = &standin->table, .module = module, .cubin = "\177ELF, or so", .cubin_bytes = 12};
    call(SAN_DOMAIN_RESOURCE, SAN_MODULE_LOADED, &data);
}

void load_module(void) {
    load_module_at(path);
}

void unload_module(void) {
    call(SAN_DOMAIN_RESOURCE, SAN_MODULE_UNLOAD_STARTING,
         &(san_module_data){.context = &standin->table, .module = path});
}

void make_context(void) {
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_CREATION_FINISHED,
         &(san_context_data){.context = &standin->table});
    load_module();
}

void launch_blocks_of(void *module, const char *name, uint32_t blocks) {
    call(SAN_DOMAIN_LAUNCH, SAN_LAUNCH_BEGIN,
         &(san_launch_data){.context = &standin->table,
                            .module = module,
                            .function = (void *)(uintptr_t)name,
                            .function_name = name,
                            .grid = {blocks, 1, 1},
                            .block = {128, 1, 1}});
}

void launch_of(void *module, const char *name) {
    launch_blocks_of(module, name, 7);
}

void launch(const char *name) {
    launch_of(path, name);
}

void synchronize(void) {
    call(SAN_DOMAIN_SYNCHRONIZE, SAN_CONTEXT_SYNCHRONIZED,
         &(san_synchronize_data){.context = &standin->table});
}

/* What the patch writes: one load of shared memory, known 5 times on one multiprocessor and 6 on
 * another, and 3 requests more that found no entry. */
void run_kernel(void) {
    instrument_table *table = standin->table;
    uint32_t what = TABLE_WHAT(SMP_INSTRUMENT_SHARED, SMP_INSTRUMENT_READ, 2, 0, 0);
    table->head.site_count = 1;
    table->head.entry_count = 1;
    table->head.worst_count = 1;
    table->sites[1] = (table_site){.pc = STANDIN_PC + 0x40,
                                   .what = what,
                                   .shared_bytes = 512,
                                   .ways = 3,
                                   .order = UINT64_C(3) << 32 | 9};
    table->sites[1].sums[2] = (table_sums){.requests = 3, .lanes = 6, .wavefronts = 9, .ideal = 3};
    table->entries[1] = (table_entry){.pc = STANDIN_PC + 0x40,
                                      .what = what,
                                      .lanes = 3,
                                      .offset = {RESERVED, RESERVED + 128},
                                      .count = {5, 6},
                                      .price = {.wavefronts = 2, .ideal = 1, .ways = 2},
                                      .site = 1};
    table->worst[0] = (table_worst){.order = UINT64_C(3) << 32 | 9,
                                    .site = 1,
                                    .lanes = 7,
                                    .price = {.wavefronts = 3, .ideal = 1, .ways = 3},
                                    .offset = {0, 128, 256}};
}

smp_instrument_dump read_back(void) {
    smp_instrument_dump dump;
    smp_error error;
    smp_status status = smp_instrument_read(path, &dump, &error);
    ck_assert_msg(status == SMP_OK, "%s", error.message);
    return dump;
}
