/* SPDX-License-Identifier: MIT */
/*
 * test_instrument_counted.c: with SMP_INSTRUMENT_OVERHEAD, what is written of launches that were
 * not looked at: their number, their time, and what that may hide. With an API and a driver that
 * are not there; one process a case.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch_case.h"
#include "nvtx_user.h"
#include "suite.h"

static bool leaves_a_grid_out(void) {
    start_with("1.2");
    bare = 500;
    return launch_blocks("kernel", 1) && !launch_blocks("kernel", 1000000);
}

enum { POOL = 0x302000 }; /* begins here */

/* Launches the transpose with two values in the place of its first pointer. */
static bool leaves_arguments_out(uint64_t first, uint64_t second) {
    int side = 32;
    void *list[] = {&first, &first, &side, &side};
    start_empty("1.2");
    if (first == POOL)
        call(SAN_DOMAIN_RESOURCE, SAN_ALLOC_ASYNC,
             &(san_memory_data){.address = POOL, .bytes = 1 << 20});
    load_code("/programs/transpose.cubin");
    values = list;
    bool is_seen = false;
    for (int i = 0; i < 100; i++)
        is_seen |= launch_blocks("_Z9transposePfPKfii", 1);
    first = second;
    return is_seen && !launch_blocks("_Z9transposePfPKfii", 1);
}

static bool takes_pointers_for_alike(void) {
    return leaves_arguments_out(UINT64_C(0x7f0012340000), UINT64_C(0x7f0043210000));
}

static bool takes_a_pool_for_pointers(void) {
    setenv("SMP_INSTRUMENT_SAMPLE", "/nowhere", 1);
    return leaves_arguments_out(POOL, POOL + 4096);
}

/* What the launches leave out is told when their process ends. */
START_TEST(what_was_left_out_is_told) {
    static const struct {
        bool (*launch)(void);
        const char *note;
    } rows[] = {{leaves_a_grid_out, "1 kernel was also launched with other grids, blocks or "
                                    "arguments that were not looked at: what is scaled rests on "
                                    "the others"},
                {takes_pointers_for_alike, "1 kernel: no two launches with the same arguments "
                                           "were observed"},
                {takes_a_pool_for_pointers, "1 kernel: no two launches with the same arguments "
                                            "were observed"}};
    const pid_t child = fork();
    if (child == 0)
        exit(rows[_i].launch() ? 0 : 1);
    int status = 0;
    ck_assert(waitpid(child, &status, 0) == child && status == 0);
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.note_count, 1);
    ck_assert_msg(strncmp(dump.notes[0], rows[_i].note, strlen(rows[_i].note)) == 0, "%s",
                  dump.notes[0]);
    smp_instrument_clear(&dump);
}
END_TEST

/* The same if a launch passes its arguments in one piece, as cuBLAS does. */
START_TEST(packed_arguments_are_told_apart) {
    struct {
        uint64_t to, from;
        int32_t columns, rows;
    } packed = {1024, 0, 32, 32};
    size_t size = sizeof packed;
    void *list[] = {(void *)1, &packed, (void *)2, &size, NULL};
    unsigned used = 0;
    start_empty("1.2");
    load_code("/programs/transpose.cubin");
    extra = list;
    for (int i = 0; i < 100; i++)
        (void)launch_blocks("_Z9transposePfPKfii", 1);
    packed.rows = 64;
    (void)launch_blocks("_Z9transposePfPKfii", 1);
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_DESTROY_STARTING,
         &(san_context_data){.context = &standin->table});
    smp_instrument_dump dump = read_back();
    for (unsigned i = 0; i < SMP_INSTRUMENT_KINDS_MAX; i++)
        used += dump.functions[0].state.kind_blocks[i] > 0;
    ck_assert_uint_eq(used, 2);
    smp_instrument_clear(&dump);
}
END_TEST

static smp_instrument_dump end_and_read(void) {
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_DESTROY_STARTING,
         &(san_context_data){.context = &standin->table});
    return read_back();
}

/* Graphs that launch a kernel in two grids: each is counted by itself, so that none is scaled by
 * the other. */
START_TEST(grids_of_graphs_are_told_apart) {
    start_with("1.2");
    for (int i = 0; i < 4; i++) {
        node_blocks = i == 3 ? 8 : 7;
        (void)replay_of("kernel");
        change_graph(SAN_GRAPH_UPDATE_V2);
    }
    smp_instrument_dump dump = end_and_read();
    ck_assert_uint_eq(dump.functions[0].state.kind_blocks[1], 3 * 7);
    ck_assert_uint_eq(dump.functions[0].state.kind_blocks[2], 8);
    smp_instrument_clear(&dump);
}
END_TEST

/* A grid that is launched directly, too, is one kind. */
START_TEST(graphs_share_the_kinds_of_launches) {
    start_with("1.2");
    node_blocks = 7;
    for (int i = 0; i < 2; i++)
        (void)(i == _i ? replay_of("kernel") : launch_blocks("kernel", 7));
    smp_instrument_dump dump = end_and_read();
    ck_assert_uint_eq(dump.functions[0].state.kind_blocks[1], 2 * 7);
    smp_instrument_clear(&dump);
}
END_TEST

/* The nodes of a graph that was launched before are not asked for: they are counted again, as long
 * as no call may have changed the graph. */
START_TEST(known_graphs_are_counted_without_their_nodes) {
    static const uint32_t calls[] = {SAN_GRAPH_END,     SAN_GRAPH_UPDATE,  SAN_GRAPH_UPDATE_V2,
                                     SAN_GRAPH_NODE,    SAN_GRAPH_CHILD,   SAN_GRAPH_NODE_V2,
                                     SAN_GRAPH_ENABLED, SAN_GRAPH_NODE_ANY};
    enum { MANY = 200 };
    uint64_t launches = 0;
    start_with("1.2");
    (void)replay_of("kernel"); /* a new kernel takes the long way */
    (void)replay_of("kernel");
    const int asked = standin->nodes_seen;
    for (int i = 0; i < MANY; i++)
        (void)replay_of("kernel");
    ck_assert_int_le(standin->nodes_seen - asked, MANY / 50);
    change_graph(calls[_i]);
    node_blocks = 8;
    for (int i = 0; i < 3; i++)
        (void)replay_of("kernel");
    smp_instrument_dump dump = end_and_read();
    ck_assert_uint_eq(skipped_of(&dump, "kernel", &launches), MANY + 5);
    ck_assert_uint_eq(dump.functions[0].state.blocks_skipped, (MANY + 2) * 7 + 3 * 8);
    ck_assert_uint_eq(dump.functions[0].state.kind_blocks[1], (MANY + 2) * 7);
    ck_assert_uint_eq(dump.note_count, 0);
    smp_instrument_clear(&dump);
}
END_TEST

/* Even if none of their launches can be kept for a sample. */
START_TEST(graphs_that_cannot_be_kept_are_only_counted) {
    enum { MANY = 200 };
    uint64_t launches = 0;
    setenv("SMP_INSTRUMENT_SAMPLE", "/nowhere", 1);
    start_with("1.2");
    for (int i = 0; i < MANY; i++)
        (void)replay_of("kernel");
    ck_assert_int_le(standin->nodes_seen, 30);
    smp_instrument_dump dump = end_and_read();
    ck_assert_uint_eq(skipped_of(&dump, "kernel", &launches), MANY);
    smp_instrument_clear(&dump);
}
END_TEST

/* A launch that fails launched nothing, and teaches nothing. */
START_TEST(failed_graphs_are_not_counted) {
    uint64_t launches = 0;
    start_with("1.2");
    (void)replay_of("kernel");
    (void)replay_of("kernel");
    result = 1;
    (void)replay_of("kernel");
    result = 0;
    smp_instrument_dump dump = end_and_read();
    ck_assert_uint_eq(skipped_of(&dump, "kernel", &launches), 2);
    smp_instrument_clear(&dump);
}
END_TEST

/* A graph that the device changes is seen again now and then. */
START_TEST(graphs_that_change_unseen_are_told) {
    start_with("1.2");
    for (int i = 0; i < 200; i++) {
        node_blocks = i < 100 ? 7 : 8;
        (void)replay_of("kernel");
    }
    smp_instrument_dump dump = end_and_read();
    ck_assert_uint_eq(dump.note_count, 1);
    ck_assert_msg(strstr(dump.notes[0], "changes in a way that is not followed"), "%s",
                  dump.notes[0]);
    smp_instrument_clear(&dump);
}
END_TEST

/* The first looks at launches that are alike have kinds of their own, and share their blocks. */
START_TEST(looks_at_other_times_are_told_apart) {
    start_with("1.2");
    uint64_t kinds[2] = {0, 0}, all = 0;
    int looks = 0;
    patched = 0.01f;
    for (uint32_t i = 1; i < 30 && looks < 2; i++) {
        if (launch_blocks("kernel", 3))
            kinds[looks++] = (uintptr_t)standin->launch_data % TABLE_ALIGNMENT;
        usleep(1500);                    /* then times are asked for */
        (void)launch_blocks("other", i); /* leaves patches, so that a look costs little */
    }
    ck_assert(looks == 2 && kinds[0] != kinds[1]);
    smp_instrument_dump dump = end_and_read();
    const smp_instrument_function *of = &dump.functions[0];
    ck_assert_uint_eq(of->state.kind_first[kinds[1]], kinds[0]);
    ck_assert_uint_eq(of->state.kind_seen[kinds[0]], 3);
    ck_assert_uint_eq(of->state.kind_seen[kinds[1]], 3);
    for (unsigned i = 0; i < SMP_INSTRUMENT_KINDS_MAX; i++)
        all += of->state.kind_blocks[i];
    ck_assert_uint_eq(all, of->state.blocks + of->state.blocks_skipped);
    ck_assert_uint_ge(of->state.kind_blocks[kinds[1]], of->state.kind_blocks[kinds[0]] - 3);
    smp_instrument_clear(&dump);
}
END_TEST

/* A graph with a loop is told, whatever is observed: its body counts once. */
START_TEST(conditional_nodes_are_told) {
    static const char *const rows[][2] = {{"", "counts once per launch of the graph, however"},
                                          {"1.2", "and was not observed"}};
    const void *arguments[3] = {NULL, "graph", NULL};
    start_empty(rows[_i][0]);
    driver->node_type = 13;
    for (int i = 0; i < 2; i++)
        call(SAN_DOMAIN_DRIVER, SAN_INSTANTIATE_FLAGS,
             &(san_api_data){.parameters = arguments, .context = &standin->table});
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.note_count, 1);
    ck_assert_msg(strstr(dump.notes[0], rows[_i][1]), "%s", dump.notes[0]);
    smp_instrument_clear(&dump);
}
END_TEST

/* Returns the blocks of launches like those of the kind, whenever they ran. */
static uint64_t blocks_like(const smp_instrument_function *of, uint64_t kind) {
    uint64_t blocks = of->state.kind_blocks[kind];
    for (unsigned i = 0; i < SMP_INSTRUMENT_KINDS_MAX; i++)
        blocks += of->state.kind_first[i] == kind ? of->state.kind_blocks[i] : 0;
    return blocks;
}

/* Launches with another number in place of a pointer are another kind: they have a count and a
 * table entry of their own, as far as there is room. */
START_TEST(kinds_of_launches_are_told_apart) {
    enum { FIRST = 100, SECOND = 60, FURTHER = 8 };
    uint64_t number = 1024, kinds[2] = {0, 0};
    int side = 32;
    void *list[] = {&number, &number, &side, &side};
    start_empty("1.2");
    load_code("/programs/transpose.cubin");
    values = list;
    for (int i = 0; i < FIRST + SECOND + FURTHER; i++) {
        number = i < FIRST ? 1024 : i < FIRST + SECOND ? 4096 : 8192 + (uint64_t)i;
        const bool is_second = i >= FIRST;
        if (launch_blocks("_Z9transposePfPKfii", 3) && i < FIRST + SECOND && kinds[is_second] == 0)
            kinds[is_second] = (uintptr_t)standin->launch_data % TABLE_ALIGNMENT;
    }
    ck_assert(kinds[0] > 0 && kinds[1] > 0 && kinds[0] != kinds[1]);
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_DESTROY_STARTING,
         &(san_context_data){.context = &standin->table});
    smp_instrument_dump dump = read_back();
    const smp_instrument_function *of = &dump.functions[0];
    ck_assert_uint_eq(blocks_like(of, kinds[0]), 3 * FIRST);
    ck_assert_uint_ge(blocks_like(of, kinds[1]), 3 * SECOND);
    ck_assert_uint_gt(of->state.kind_seen[kinds[1]], 0);
    ck_assert_uint_eq(of->state.kind_seen[kinds[1]] % 3, 0);
    ck_assert(of->state.has_more_kinds);
    smp_instrument_clear(&dump);
}
END_TEST

/* With ranges to observe, only launches in these have weights. */
START_TEST(launches_outside_the_ranges_have_no_weight) {
    enum { INSIDE = 5, OUTSIDE = 9 };
    uint64_t blocks = 0;
    setenv("SMP_INSTRUMENT_NVTX", "sort", 1);
    start_with("1.2");
    ck_assert(nvtx_load(SMP_INSTRUMENT_LIBRARY));
    nvtx.push("sort");
    for (int i = 0; i < INSIDE; i++)
        (void)launch_blocks("kernel", 3);
    nvtx.pop();
    for (int i = 0; i < OUTSIDE; i++)
        (void)launch_blocks("kernel", 3);
    smp_instrument_dump dump = end_and_read();
    for (unsigned i = 0; i < SMP_INSTRUMENT_KINDS_MAX; i++)
        blocks += dump.functions[0].state.kind_blocks[i];
    ck_assert_uint_eq(blocks, 3 * INSIDE);
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
    ck_assert_uint_eq(function->state.launches, (unsigned)seen);
    ck_assert_uint_eq(function->state.launches + function->state.launches_skipped, 100);
    ck_assert_uint_eq(function->state.blocks_skipped, 1000000 * function->state.launches_skipped);
    ck_assert_uint_ge(function->state.timed, 3);
    ck_assert_uint_eq(function->state.nanoseconds, 100 * 1000);
    smp_instrument_clear(&dump);
}
END_TEST

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
    ck_assert_uint_eq(dump.functions[0].state.blocks_skipped, skipped);
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
    (void)replay_of("kernel");
    ck_assert(!standin->sees_nodes);
    call(SAN_DOMAIN_DRIVER, SAN_LAUNCH_ARGUMENTS, &(san_api_data){.site = SAN_API_ENTER});
    (void)replay_of("kernel");
    ck_assert(standin->sees_nodes);
}
END_TEST

/* Launches of kernels that nobody asks for are only counted from the start, but for the times of a
 * few. */
START_TEST(what_is_not_asked_for_is_only_counted) {
    enum { MANY = 1000 };
    int seen = 0;
    setenv("SMP_INSTRUMENT_KERNELS", "^oth", 1);
    start_with("1.2");
    for (int i = 0; i < MANY; i++) {
        enter("kernel", 1, SAN_API_ENTER);
        seen += standin->sees_launches;
        launch_blocks_of(&one_module, "kernel", 1);
        enter("kernel", 1, SAN_API_EXIT);
    }
    ck_assert_int_lt(seen, MANY / 20);
    ck_assert_uint_eq(standin->patched, 0);
    ck_assert(launch_blocks("other", 1));
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

/* What was launched is written at exit and quick_exit; behind _exit nothing can be. */
START_TEST(ends_of_processes_are_written) {
    static const struct {
        void (*end)(int);
        uint64_t launches;
    } rows[] = {{exit, 3}, {quick_exit, 3}, {_exit, 0}};
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        start_with("1.2");
        for (int i = 0; i < 3; i++)
            (void)launch_blocks("kernel", 1);
        rows[_i].end(7);
    }
    ck_assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
    smp_instrument_dump dump = read_back();
    ck_assert_int_eq(dump.ended, rows[_i].launches > 0);
    ck_assert_uint_eq(dump.function_count, 1);
    const smp_instrument_function *of = &dump.functions[0];
    ck_assert_uint_eq(of->state.launches + of->state.launches_skipped, rows[_i].launches);
    smp_instrument_clear(&dump);
}
END_TEST

int main(void) {
    return SUITE_IN(
        make_folder, remove_folder, "instrument_counted", TEST_EACH(what_was_left_out_is_told, 3),
        TEST(kinds_of_launches_are_told_apart), TEST(packed_arguments_are_told_apart),
        TEST(grids_of_graphs_are_told_apart), TEST_EACH(graphs_share_the_kinds_of_launches, 2),
        TEST_EACH(known_graphs_are_counted_without_their_nodes, 8),
        TEST(graphs_that_cannot_be_kept_are_only_counted), TEST(failed_graphs_are_not_counted),
        TEST(graphs_that_change_unseen_are_told), TEST(looks_at_other_times_are_told_apart),
        TEST_EACH(conditional_nodes_are_told, 2), TEST_EACH(ends_of_processes_are_written, 3),
        TEST(launches_outside_the_ranges_have_no_weight), TEST(all_launches_are_counted_and_timed),
        TEST(settled_launches_are_only_counted), TEST(settled_launches_are_not_seen),
        TEST(what_is_not_asked_for_is_only_counted), TEST(counting_ends_where_it_takes_too_long),
        TEST(settled_launches_know_their_ranges),
        TEST(settled_launches_are_counted_as_what_they_are),
        TEST(a_settled_launch_may_take_the_long_way));
}
