/* SPDX-License-Identifier: MIT */
/*
 * test_instrument_budget.c: with SMP_INSTRUMENT_OVERHEAD, launches are looked at as far as time
 * allows: with an API and a driver that are not there. One process a case.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host_case.h"
#include "nvtx_user.h"
#include "suite.h"

static char one_module, one_stream;
static float bare = 0.001f, patched = 1; /* milliseconds of a launch */

static void start_empty(const char *overhead) {
    setenv("SMP_INSTRUMENT_OVERHEAD", overhead, 1);
    load_driver();
    start();
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_CREATION_FINISHED,
         &(san_context_data){.context = &standin->table});
}

static void start_with(const char *overhead) {
    start_empty(overhead);
    load_module_at(&one_module);
}

static uint32_t added_bytes; /* of shared memory, by a launch */
static void **values;        /* parameters of launches */
static int result;           /* of calls that launch */
static const char *said;     /* the API's name of what they launch; NULL: the right one */

static void enter(const char *name, uint32_t blocks, int site) {
    san_launch_kernel parameters = {.function = (void *)(uintptr_t)name,
                                    .grid = {blocks, 1, 1},
                                    .block = {128, 1, 1},
                                    .shared_bytes = added_bytes,
                                    .stream = &one_stream,
                                    .values = values};
    call(SAN_DOMAIN_DRIVER, SAN_LAUNCH_KERNEL,
         &(san_api_data){.site = site,
                         .parameters = &parameters,
                         .result = &result,
                         .symbol_name = said ? said : name,
                         .context = &standin->table});
}

/* A stream begins or ends to be captured, with that result. */
static void capture(uint32_t id, int ended) {
    san_api_data data = {.context = &standin->table, .result = &ended};
    data.site = SAN_API_ENTER;
    call(SAN_DOMAIN_DRIVER, id, &data);
    data.site = SAN_API_EXIT;
    call(SAN_DOMAIN_DRIVER, id, &data);
}

/* True if it was looked at. */
static bool launch_blocks(const char *name, uint32_t blocks) {
    standin->launch_data = NULL;
    enter(name, blocks, SAN_API_ENTER);
    launch_blocks_of(&one_module, name, blocks);
    enter(name, blocks, SAN_API_EXIT);
    driver->milliseconds = standin->launch_data ? patched : bare;
    return standin->launch_data;
}

static bool replay_of(const char *name) {
    san_launch_graph parameters = {.graph = path, .stream = &one_stream};
    san_api_data data = {.parameters = &parameters, .context = &standin->table};
    standin->launch_data = NULL;
    data.site = SAN_API_ENTER;
    call(SAN_DOMAIN_DRIVER, SAN_LAUNCH_GRAPH, &data);
    call(SAN_DOMAIN_GRAPHS, SAN_GRAPHS_NODE_LAUNCH_BEGIN,
         &(san_graph_node_data){.node_type = SAN_NODE_KERNEL,
                                .launch = {.context = &standin->table,
                                           .module = &one_module,
                                           .function = (void *)(uintptr_t)name,
                                           .function_name = name,
                                           .grid = {7, 1, 1},
                                           .block = {128, 1, 1}}});
    data.site = SAN_API_EXIT;
    call(SAN_DOMAIN_DRIVER, SAN_LAUNCH_GRAPH, &data);
    return standin->launch_data;
}

static bool replay(void) {
    return replay_of("kernel");
}

/* Where no launch is to be looked at, no code is touched. */
START_TEST(code_is_patched_when_it_is_looked_at) {
    start_with("1.2");
    ck_assert_int_eq(standin->modules_patched, 0);
    ck_assert(launch_blocks("kernel", 1));
    ck_assert_int_eq(standin->modules_patched, 1);
    ck_assert(!launch_blocks("other", 1000000));
    ck_assert_int_eq(standin->modules_unpatched, 1);
}
END_TEST

/* As the API of CUDA 13.0 names kernels of libraries. */
START_TEST(a_wrong_name_is_put_right) {
    setenv("SMP_INSTRUMENT_KERNELS", "^kern", 1);
    start_with("1.2");
    driver->is_naming = true;
    said = "h";
    ck_assert(launch_blocks("kernel", 1));
    ck_assert(!launch_blocks("other", 1));
}
END_TEST

/* The launch after a look that the program has waited for may be timed. */
START_TEST(a_wait_takes_patches_out) {
    start_with("1.2");
    ck_assert(launch_blocks("kernel", 1));
    driver->is_busy = true;
    driver->busy_stream = &one_stream;
    synchronize();
    ck_assert_int_eq(standin->modules_unpatched, 0);
    driver->is_busy = false;
    synchronize();
    ck_assert_int_eq(standin->modules_unpatched, 1);
    ck_assert(!launch_blocks("kernel", 1));
    ck_assert_int_eq(standin->modules_unpatched, 1);
}
END_TEST

/* What is large runs by itself first: then it is known what a look costs. */
START_TEST(what_is_large_waits_for_its_turn) {
    start_with("1.2");
    ck_assert(!launch_blocks("kernel", 1000000));
    ck_assert(!launch_blocks("kernel", 1000000)); /* the program may time this one */
    ck_assert_int_eq(standin->modules_patched, 0);
    ck_assert(launch_blocks("kernel", 1000000));
    ck_assert_int_eq(standin->modules_patched, 1);
    bare = 500;
    ck_assert(!launch_blocks("heavy", 1000001) && !launch_blocks("heavy", 1000001) &&
              !launch_blocks("heavy", 1000001));
}
END_TEST

START_TEST(a_shape_of_its_own_has_its_turn) {
    start_with("1.2");
    ck_assert(launch_blocks("kernel", 1));
    for (int i = 0; i < 1000; i++)
        launch_blocks("kernel", 1);
    ck_assert(!launch_blocks("kernel", 1));
    ck_assert(launch_blocks("kernel", 2));
}
END_TEST

/* A graph has the registers that its kernels had without patches. */
START_TEST(graphs_run_without_patches) {
    start_with("1.2");
    ck_assert(!replay());
    ck_assert(!replay());
    ck_assert_int_eq(standin->modules_patched, 0);
    ck_assert(launch_blocks("kernel", 1));
    ck_assert_int_eq(standin->modules_patched, 1);
    ck_assert(!replay());
    ck_assert_int_eq(standin->modules_unpatched, 1);
}
END_TEST

/* Into the module's place, with code that is one. */
static void load_code(const char *name) {
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

/* A kernel without shared memory, of which only that is looked at: seen at no price, unless its
 * launch adds some. */
START_TEST(what_shares_nothing_is_left_alone) {
    start_empty("1.2");
    load_code("/programs/idle.cubin");
    for (int i = 0; i < 6; i++) {
        added_bytes = i == 4 ? 1024 : 0;
        (void)launch_blocks("_Z4idlev", 1);
        ck_assert_int_eq(standin->modules_patched, i < 4 ? 0 : 1);
        ck_assert_int_eq(standin->modules_unpatched, 0);
    }
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_DESTROY_STARTING,
         &(san_context_data){.context = &standin->table});
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.function_count, 1);
    ck_assert_uint_eq(dump.functions[0].launches, 6);
    ck_assert_uint_eq(dump.functions[0].launches_skipped, 0);
    smp_instrument_clear(&dump);
}
END_TEST

/* Strides are arguments: some are looked at, others count as one of these. */
START_TEST(other_arguments_have_their_turn) {
    int columns = 32, rows = 32, looks = 0;
    void *memory = NULL, *list[] = {&memory, &memory, &columns, &rows};
    start_empty("1.2");
    load_code("/programs/transpose.cubin");
    values = list;
    for (int i = 0; i < 1000; i++)
        launch_blocks("_Z9transposePfPKfii", 1);
    memory = &columns;
    ck_assert(!launch_blocks("_Z9transposePfPKfii", 1));
    for (columns = 33; columns < 133; columns++)
        looks += launch_blocks("_Z9transposePfPKfii", 1);
    ck_assert(looks >= 7 && looks < 16); /* SHAPE_KINDS with the first */
}
END_TEST

START_TEST(nested_launches_are_told) {
    start_empty("1.2");
    load_code("/programs/nested.cubin");
    (void)launch_blocks("_Z5outerPi", 1);
    smp_instrument_dump dump = read_back();
    ck_assert_str_eq(dump.note_count == 1 ? dump.notes[0] : "",
                     "kernels that kernels launch (dynamic parallelism) are not observed");
    smp_instrument_clear(&dump);
}
END_TEST

/* Nor is it kept, if only a graph launches it. */
START_TEST(what_shares_nothing_in_a_graph_is_seen) {
    static const struct {
        const void *function;
        uint32_t grid[3], block[3], shared_bytes;
        void **values, **extra;
        const void *kernel, *context;
    } node = {"_Z4idlev", {7, 1, 1}, {128, 1, 1}, 0, NULL, NULL, NULL, NULL};
    const void *arguments[3] = {NULL, "graph", NULL};
    setenv("SMP_INSTRUMENT_SAMPLE", "/nowhere", 1);
    start_empty("1.2");
    load_code("/programs/idle.cubin");
    driver->is_naming = true;
    driver->module = &one_module;
    driver->node = &node;
    driver->node_bytes = sizeof node;
    call(SAN_DOMAIN_DRIVER, SAN_INSTANTIATE_FLAGS,
         &(san_api_data){.parameters = arguments, .context = &standin->table});
    for (int i = 0; i < 5; i++)
        ck_assert(!replay_of(node.function));
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_DESTROY_STARTING,
         &(san_context_data){.context = &standin->table});
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.functions[0].launches, 5);
    ck_assert_uint_eq(dump.functions[0].launches_skipped, 0);
    ck_assert_uint_eq(dump.functions[0].blocks, 35);
    smp_instrument_clear(&dump);
}
END_TEST

/* The module is there, the kernel is loaded by its first launch: that can be looked at. */
START_TEST(code_that_loads_late_is_looked_at) {
    start_empty("1.2");
    load_code("/programs/idle.cubin");
    added_bytes = 1024;
    standin->is_lazy = true;
    enter("_Z4idlev", 1, SAN_API_ENTER);
    ck_assert_int_eq(standin->modules_patched, 1);
    standin->is_lazy = false;
    launch_of(&one_module, "_Z4idlev");
    enter("_Z4idlev", 1, SAN_API_EXIT);
    ck_assert_ptr_nonnull(standin->launch_data);
}
END_TEST

/* After a wait in vain nothing is waited for, but a look is had where nothing runs. */
START_TEST(an_idle_moment_after_a_wait_in_vain_is_used) {
    start_with("1.2");
    ck_assert(!launch_blocks("kernel", 1000000));
    driver->busy_stream = &one_stream;
    driver->is_busy = true;
    ck_assert(!launch_blocks("other", 1));
    driver->is_busy = false;
    usleep(3000);
    ck_assert(launch_blocks("third", 1));
}
END_TEST

/* Cooperative groups use what the system reserves, of which no section tells. */
START_TEST(reserved_memory_is_looked_at) {
    start_empty("1.2");
    load_code("/sass/warp_tiles.80.cubin");
    ck_assert(launch_blocks("two_warps", 1));
    ck_assert_int_eq(standin->modules_patched, 1);
}
END_TEST

/* A launch that is only written into a graph is none. */
START_TEST(what_is_captured_is_no_launch) {
    start_with("1.2");
    driver->is_capturing = 1;
    enter("kernel", 1, SAN_API_ENTER);
    enter("kernel", 1, SAN_API_EXIT);
    ck_assert_int_eq(driver->recorded, 0);
    ck_assert_int_eq(standin->modules_patched, 0);
}
END_TEST

/* A kernel that does not end: that is waited for once, for a moment, and the program goes on. */
START_TEST(what_never_ends_is_left_alone) {
    start_with("1.2");
    ck_assert(!launch_blocks("kernel", 1000000));
    driver->busy_stream = &one_stream;
    driver->is_busy = true;
    const int before = driver->queries;
    ck_assert(!launch_blocks("other", 1));
    const int waited = driver->queries - before;
    ck_assert_int_gt(waited, 10);
    ck_assert_int_eq(standin->modules_patched, 0);
    for (int i = 0; i < 20; i++)
        ck_assert(!launch_blocks("other", 1));
    ck_assert_int_lt(driver->queries - before,
                     2 * waited + 2 * 20); /* two for each launch's time */
    driver->is_busy = false;
}
END_TEST

/* Launches of every size, so that patches come and go. */
static void *launch_many(void *first) {
    static const char *const names[] = {"kernel", "other", "third", "fourth"};
    for (uint32_t i = 0; i < 400; i++) {
        const char *name = names[(i + *(const uint32_t *)first) % 4];
        const uint32_t blocks = i % 3 == 0 ? 1 + i : 1000000 + i % 7;
        enter(name, blocks, SAN_API_ENTER);
        __sync_fetch_and_add(&standin->launching, 1);
        launch_of(&one_module, name);
        usleep(20);
        __sync_fetch_and_sub(&standin->launching, 1);
        enter(name, blocks, SAN_API_EXIT);
    }
    return NULL;
}

/* What runs while its code is changed may do anything. */
START_TEST(no_patches_change_while_a_thread_launches) {
    pthread_t threads[4];
    const uint32_t first[] = {0, 1, 2, 3};
    start_with("1000");
    driver->milliseconds = 0.01f;
    driver->query_us = 30;
    standin->change_moments = 10;
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, launch_many, (void *)(uintptr_t)&first[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_gt(standin->modules_patched, 2);
    ck_assert_int_gt(standin->modules_unpatched, 2);
    ck_assert_int_eq(standin->overlaps, 0);
}
END_TEST

/* True if the child looked at its first launch of so many blocks, or, if not `at_once`, at a later
 * one. How many more it looks at goes by the time that has passed. */
static bool looks_at(const char *known, uint32_t blocks, bool at_once) {
    const pid_t child = fork();
    int status = 0;
    if (child == 0) {
        unsigned seen = 0;
        setenv("SMP_INSTRUMENT_KNOWN", known, 1);
        start_with("1.2");
        for (unsigned i = 0; i < 3; i++)
            seen |= (unsigned)launch_blocks("kernel", blocks) << i;
        exit(seen != 0 && (seen & 1) == at_once ? 0 : 1);
    }
    return waitpid(child, &status, 0) == child && status == 0;
}

/* What a large launch costs is known from the run before; of another size it is not. */
START_TEST(what_was_light_is_looked_at_at_once) {
    char known[80];
    (void)snprintf(known, sizeof known, "%.60s.looks", path);
    ck_assert(looks_at(known, 1000000, false));
    ck_assert(looks_at(known, 1000000, true));
    ck_assert(looks_at(known, 1000001, false));
    FILE *file = fopen(known, "w"); /* as if it were another's, or damaged */
    ck_assert(file && fputs("nothing", file) > 0 && fclose(file) == 0);
    ck_assert(looks_at(known, 1000000, false));
}
END_TEST

/* A kernel of which one shape was seen and a larger one was not, in a process that ends. */
START_TEST(what_is_scaled_by_another_shape_is_told) {
    const pid_t child = fork();
    if (child == 0) {
        start_with("1.2");
        bare = 500;
        const bool is_seen = launch_blocks("kernel", 1),
                   is_other_seen = launch_blocks("kernel", 1000000);
        exit(is_seen && !is_other_seen ? 0 : 1);
    }
    int status = 0;
    ck_assert(waitpid(child, &status, 0) == child && status == 0);
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.note_count, 1);
    ck_assert_str_eq(dump.notes[0],
                     "1 kernel was also launched with other grids, blocks or arguments "
                     "that were not looked at: what is scaled rests on the others");
    smp_instrument_clear(&dump);
}
END_TEST

START_TEST(all_launches_are_counted_and_timed) {
    start_with("1.2");
    int seen = 0;
    for (int i = 0; i < 100; i++)
        seen += launch_blocks("kernel", 1000000);
    run_kernel();
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_DESTROY_STARTING,
         &(san_context_data){.context = &standin->table});
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.function_count, 1);
    const smp_instrument_function *function = &dump.functions[0];
    ck_assert_uint_eq(function->launches, (unsigned)seen);
    ck_assert_uint_eq(function->launches + function->launches_skipped, 100);
    ck_assert_uint_eq(function->blocks_skipped, 1000000 * function->launches_skipped);
    ck_assert_uint_ge(function->timed, 3);
    ck_assert_uint_eq(function->nanoseconds, 100 * 1000);
    smp_instrument_clear(&dump);
}
END_TEST

static uint64_t skipped_of(const smp_instrument_dump *dump, const char *name, uint64_t *launches) {
    for (size_t i = 0; i < dump->function_count; i++)
        if (strcmp(dump->functions[i].name, name) == 0) {
            *launches = dump->functions[i].launches;
            return dump->functions[i].launches_skipped;
        }
    return *launches = 0;
}

/* Launches in a row of kernels that were looked at: the driver is hardly asked, and none is lost.
 */
START_TEST(settled_launches_are_only_counted) {
    enum { MANY = 20000 };
    uint64_t seen = 0, all = 0;
    start_with("1.2");
    for (int i = 0; i < 100; i++)
        seen += launch_blocks("kernel", 1);
    const int asked = driver->asked_capturing;
    for (int i = 0; i < MANY; i++)
        seen += launch_blocks("kernel", 1);
    ck_assert_int_lt(driver->asked_capturing - asked, MANY / 20);
    ck_assert(launch_blocks("kernel", 2)); /* a new shape is looked at all the same */
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_DESTROY_STARTING,
         &(san_context_data){.context = &standin->table});
    smp_instrument_dump dump = read_back();
    const uint64_t skipped = skipped_of(&dump, "kernel", &all);
    ck_assert_uint_eq(all, seen + 1);
    ck_assert_uint_eq(all + skipped, MANY + 101);
    ck_assert_uint_eq(dump.functions[0].blocks_skipped, skipped);
    smp_instrument_clear(&dump);
}
END_TEST

/* The callback of launches, which costs as much as those of a call, is off while launches are only
 * counted, and on for good once the program launches in a way that is not known. */
START_TEST(settled_launches_are_not_seen) {
    start_with("1.2");
    ck_assert(standin->sees_launches);
    for (int i = 0; i < 100; i++)
        (void)launch_blocks("kernel", 1);
    ck_assert(!standin->sees_launches);
    enter("other", 1, SAN_API_ENTER);
    ck_assert(standin->sees_launches);
    enter("other", 1, SAN_API_EXIT);
    ck_assert(!standin->sees_launches);
    call(SAN_DOMAIN_DRIVER, SAN_LAUNCH_GRID, &(san_api_data){.site = SAN_API_ENTER});
    (void)launch_blocks("kernel", 1);
    ck_assert(standin->sees_launches);
}
END_TEST

/* If even counting takes longer than is allowed, it ends, and a note says so. */
START_TEST(counting_ends_where_it_takes_too_long) {
    start_with("1.000001");
    for (int i = 0; i < 100000 && standin->sees_calls; i++)
        (void)launch_blocks("kernel", 1000000);
    ck_assert(!standin->sees_calls && !standin->sees_launches);
    smp_instrument_dump dump = read_back();
    ck_assert_uint_ge(dump.note_count, 1);
    ck_assert_msg(strstr(dump.notes[0], "launches were counted for the first "), "%s",
                  dump.notes[0]);
    smp_instrument_clear(&dump);
}
END_TEST

/* In a range, too: the driver is hardly asked, and a new range is written down. */
START_TEST(settled_launches_know_their_ranges) {
    enum { MANY = 5000 };
    start_with("1.2");
    ck_assert(nvtx_load(SMP_INSTRUMENT_LIBRARY));
    nvtx.push("sort");
    for (int i = 0; i < 100; i++)
        (void)launch_blocks("kernel", 1);
    const int asked = driver->asked_capturing;
    for (int i = 0; i < MANY; i++)
        (void)launch_blocks("kernel", 1);
    ck_assert_int_lt(driver->asked_capturing - asked, MANY / 5);
    nvtx.push("merge");
    (void)launch_blocks("kernel", 1);
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.functions[0].range_count, 2);
    ck_assert_str_eq(dump.functions[0].ranges[1], "sort/merge");
    smp_instrument_clear(&dump);
}
END_TEST

/* A settled launch that is captured into a graph is none; a kernel without shared memory counts as
 * seen, however often. */
START_TEST(settled_launches_are_counted_as_what_they_are) {
    uint64_t launches = 0;
    start_empty("1.2");
    load_code("/programs/idle.cubin");
    for (int i = 0; i < 5000; i++)
        (void)launch_blocks("_Z4idlev", 1);
    capture(SAN_CAPTURE_V2, 0);
    for (int i = 0; i < 10; i++) {
        enter("_Z4idlev", 1, SAN_API_ENTER);
        enter("_Z4idlev", 1, SAN_API_EXIT);
    }
    capture(SAN_CAPTURE_END, 0);
    capture(SAN_CAPTURE_V2, 1); /* fails: nothing is captured */
    result = 1;                 /* nor launched */
    enter("_Z4idlev", 1, SAN_API_ENTER);
    enter("_Z4idlev", 1, SAN_API_EXIT);
    result = 0;
    added_bytes = 1024;
    (void)launch_blocks("_Z4idlev", 1);
    ck_assert_int_eq(standin->modules_patched, 1);
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_DESTROY_STARTING,
         &(san_context_data){.context = &standin->table});
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(skipped_of(&dump, "_Z4idlev", &launches), 0);
    ck_assert_uint_eq(launches, 5001);
    ck_assert_uint_eq(dump.launches, 5001);
    smp_instrument_clear(&dump);
}
END_TEST

/* Code is unloaded while a settled launch begins: the launch takes the long way, as what it is and
 * not as the one before it. */
START_TEST(a_settled_launch_may_take_the_long_way) {
    static char other_module;
    uint64_t launches = 0;
    start_empty("1.2");
    load_code("/programs/idle.cubin");
    (void)launch_blocks("_Z4idlev", 1);
    load_module_at(&other_module);
    for (int i = 1; i < 100; i++)
        (void)launch_blocks("_Z4idlev", 1);
    launch_of(&other_module, "other");
    added_bytes = 1024;
    (void)launch_blocks("_Z4idlev", 1000000);
    added_bytes = 0;
    enter("_Z4idlev", 1, SAN_API_ENTER);
    call(SAN_DOMAIN_RESOURCE, SAN_MODULE_UNLOAD_STARTING,
         &(san_module_data){.context = &standin->table, .module = &other_module});
    launch_blocks_of(&one_module, "_Z4idlev", 1);
    enter("_Z4idlev", 1, SAN_API_EXIT);
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_DESTROY_STARTING,
         &(san_context_data){.context = &standin->table});
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(skipped_of(&dump, "_Z4idlev", &launches), 1);
    ck_assert_uint_eq(launches, 101);
    smp_instrument_clear(&dump);
}
END_TEST

int main(void) {
    return SUITE_IN(
        make_folder, remove_folder, "instrument_budget", TEST(code_is_patched_when_it_is_looked_at),
        TEST(a_wrong_name_is_put_right), TEST(a_wait_takes_patches_out),
        TEST(what_is_large_waits_for_its_turn), TEST(a_shape_of_its_own_has_its_turn),
        TEST(other_arguments_have_their_turn), TEST(nested_launches_are_told),
        TEST(graphs_run_without_patches), TEST(what_shares_nothing_is_left_alone),
        TEST(what_shares_nothing_in_a_graph_is_seen), TEST(code_that_loads_late_is_looked_at),
        TEST(an_idle_moment_after_a_wait_in_vain_is_used), TEST(reserved_memory_is_looked_at),
        TEST(what_is_captured_is_no_launch), TEST(what_never_ends_is_left_alone),
        TEST(no_patches_change_while_a_thread_launches), TEST(what_was_light_is_looked_at_at_once),
        TEST(what_is_scaled_by_another_shape_is_told), TEST(all_launches_are_counted_and_timed),
        TEST(settled_launches_are_only_counted), TEST(settled_launches_are_not_seen),
        TEST(counting_ends_where_it_takes_too_long), TEST(settled_launches_know_their_ranges),
        TEST(settled_launches_are_counted_as_what_they_are),
        TEST(a_settled_launch_may_take_the_long_way));
}
