/* SPDX-License-Identifier: MIT */
/*
 * With SMP_INSTRUMENT_OVERHEAD, launches are looked at as far as time allows: with an API and a
 * driver that are not there. One process a case.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch_case.h"
#include "suite.h"

static char own_module;

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

static bool launch_other(uint32_t blocks) {
    standin->launch_data = NULL;
    enter("other", blocks, SAN_API_ENTER);
    launch_blocks_of(&own_module, "other", blocks);
    enter("other", blocks, SAN_API_EXIT);
    driver->milliseconds = standin->launch_data ? patched : bare;
    return standin->launch_data;
}

/* Code that took long to patch is not patched again soon, whatever other code takes. */
START_TEST(slow_code_waits) {
    start_with("100"); /* a busy machine takes much longer */
    usleep(50000);     /* of the program's own time, so that there is room for all looks */
    load_module_at(&own_module);
    standin->own_module = &own_module;
    standin->change_moments = 300;
    patched = 0.01f;
    ck_assert(launch_blocks("kernel", 1));
    standin->change_moments = 0;
    synchronize();
    for (uint32_t i = 1; i < 13; i++) {
        ck_assert_msg(launch_other(i), "%u", i);
        synchronize();
    }
    for (int i = 0; i < 2; i++)
        ck_assert(!launch_blocks("kernel", 1000000) && !launch_other(1000000));
    ck_assert(!launch_blocks("kernel", 1000000));
    ck_assert(launch_other(1000000));
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
    ck_assert_uint_eq(dump.functions[0].state.launches, 6);
    ck_assert_uint_eq(dump.functions[0].state.launches_skipped, 0);
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
    ck_assert_uint_eq(dump.functions[0].state.launches, 5);
    ck_assert_uint_eq(dump.functions[0].state.launches_skipped, 0);
    ck_assert_uint_eq(dump.functions[0].state.blocks, 35);
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
    ck_assert_int_gt(waited, 1);
    ck_assert_int_eq(standin->modules_patched, 0);
    for (int i = 0; i < 20; i++)
        ck_assert(!launch_blocks("other", 1));
    ck_assert_int_lt(driver->queries - before, 2 * waited + 20); /* one for each launch */
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

static size_t count_sites(void) {
    smp_instrument_dump dump = read_back();
    const size_t count = dump.site_count;
    smp_instrument_clear(&dump);
    return count;
}

/* Reading a full table takes tens of milliseconds: not while the program is young, if it need not
 * be. */
START_TEST(a_full_table_waits) {
    start_with("1.2");
    ck_assert(launch_blocks("kernel", 1));
    run_kernel();
    standin->table->head.entry_count = TABLE_ENTRIES;
    synchronize();
    ck_assert_uint_eq(count_sites(), 0);
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_DESTROY_STARTING,
         &(san_context_data){.context = &standin->table});
    ck_assert_uint_eq(count_sites(), 1);
}
END_TEST

int main(void) {
    return SUITE_IN(
        make_folder, remove_folder, "instrument_budget", TEST(code_is_patched_when_it_is_looked_at),
        TEST(a_full_table_waits), TEST(slow_code_waits), TEST(a_wrong_name_is_put_right),
        TEST(a_wait_takes_patches_out), TEST(what_is_large_waits_for_its_turn),
        TEST(a_shape_of_its_own_has_its_turn), TEST(other_arguments_have_their_turn),
        TEST(nested_launches_are_told), TEST(graphs_run_without_patches),
        TEST(what_shares_nothing_is_left_alone), TEST(what_shares_nothing_in_a_graph_is_seen),
        TEST(code_that_loads_late_is_looked_at), TEST(an_idle_moment_after_a_wait_in_vain_is_used),
        TEST(reserved_memory_is_looked_at), TEST(what_is_captured_is_no_launch),
        TEST(what_never_ends_is_left_alone), TEST(no_patches_change_while_a_thread_launches),
        TEST(what_was_light_is_looked_at_at_once));
}
