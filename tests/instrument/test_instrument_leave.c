/* SPDX-License-Identifier: MIT */
/*
 * With SMP_INSTRUMENT_LAUNCHES, code that was seen often enough loses its patches where nothing of
 * it can be running, and there only: with an API and a driver that are not there. One process a
 * case.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_case.h"
#include "suite.h"

static char one_module, other_module, one_stream, other_stream;

static bool is_later; /* the API is of 13.1 or later */

static void start_with(const char *launches) {
    setenv("SMP_INSTRUMENT_LAUNCHES", launches, 1);
    load_driver();
    is_later ? start_later() : start();
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_CREATION_FINISHED,
         &(san_context_data_later){.context = &standin->table});
    load_module_at(&one_module);
}

/* 13.1 and later put a green context before the device. */
START_TEST(later_layouts_are_read) {
    load_driver();
    start_later();
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_CREATION_FINISHED,
         &(san_context_data_later){.context = &standin->table, .green = &one_stream, .device = 3});
    ck_assert_int_eq(driver->device, 3);
}
END_TEST

START_TEST(earlier_layouts_are_read) {
    load_driver();
    start();
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_CREATION_FINISHED,
         &(san_context_data){.context = &standin->table, .device = 5});
    ck_assert_int_eq(driver->device, 5);
}
END_TEST

/* ---- A launch, in its three parts ---- */

static void enter(const char *name, void *stream, int site) {
    san_launch_kernel parameters = {.function = (void *)(uintptr_t)name, .stream = stream};
    call(SAN_DOMAIN_DRIVER, SAN_LAUNCH_KERNEL,
         &(san_api_data){.site = site,
                         .parameters = &parameters,
                         .symbol_name = name,
                         .context = &standin->table});
}

static void launch_on(const char *name, void *module, void *stream) {
    enter(name, stream, SAN_API_ENTER);
    launch_of(module, name);
    enter(name, stream, SAN_API_EXIT);
}

static void launch_one(const char *name) {
    launch_on(name, &one_module, &one_stream);
}

static void launch_graph_of(void *graph, int site) {
    san_launch_graph parameters = {.graph = graph, .stream = &one_stream};
    call(SAN_DOMAIN_DRIVER, SAN_LAUNCH_GRAPH,
         &(san_api_data){.site = site, .parameters = &parameters, .context = &standin->table});
}

static void launch_graph(int site) {
    launch_graph_of(path, site);
}

static void set_busy(void *stream, bool is_busy) {
    driver->busy_stream = stream;
    driver->is_busy = is_busy;
}

/* ---- Cases ---- */

START_TEST(code_that_was_seen_is_left_alone) {
    start_with("2");
    ck_assert_int_eq(standin->modules_patched, 1);
    launch_one("kernel");
    launch_one("kernel");
    ck_assert_ptr_nonnull(standin->launch_data);
    ck_assert_int_eq(standin->modules_unpatched, 0);
    launch_one("kernel"); /* which is the first that need not be looked at */
    ck_assert_int_eq(standin->modules_unpatched, 1);
    ck_assert_ptr_null(standin->launch_data);
    launch_one("kernel");
    ck_assert_int_eq(standin->modules_unpatched, 1);
    ck_assert_int_eq(standin->modules_patched, 1);
    launch_one("other"); /* for which they come back */
    ck_assert_int_eq(standin->modules_patched, 2);
    ck_assert_ptr_nonnull(standin->launch_data);
    launch_one("other");
    ck_assert_ptr_nonnull(standin->launch_data);
    launch_one("other");
    ck_assert_int_eq(standin->modules_unpatched, 2);
    ck_assert_int_eq(driver->mode, 0); /* as it was: what a thread captures is its own business */
}
END_TEST

/* Nothing is patched, and one callback of each launch is enough. */
START_TEST(without_looks_launches_are_only_counted) {
    start_with("0");
    ck_assert(standin->sees_launches && !standin->sees_calls);
    for (int i = 0; i < 3; i++)
        launch_of(&one_module, "kernel");
    ck_assert_int_eq(standin->modules_patched, 0);
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_DESTROY_STARTING,
         &(san_context_data){.context = &standin->table});
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.function_count, 1);
    ck_assert_uint_eq(dump.functions[0].state.launches, 0);
    ck_assert_uint_eq(dump.functions[0].state.launches_skipped, 3);
    smp_instrument_clear(&dump);
}
END_TEST

START_TEST(without_a_limit_patches_stay) {
    start_with("");
    for (int i = 0; i < 3; i++)
        launch_one("kernel");
    ck_assert_int_eq(standin->modules_unpatched, 0);
    ck_assert_int_eq(driver->recorded, 0);
}
END_TEST

/* Two seconds are waited; then the launch goes on with its patches, and not every one waits. */
START_TEST(what_still_runs_keeps_its_patches) {
    start_with("1");
    launch_on("kernel", &one_module, &one_stream);
    launch_on("second", &one_module, &other_stream);
    set_busy(&one_stream, true);
    launch_on("second", &one_module, &other_stream);
    const int queries = driver->queries;
    ck_assert_int_gt(queries, 10);
    ck_assert_int_eq(standin->modules_unpatched, 0);
    launch_on("second", &one_module, &other_stream);
    ck_assert_int_eq(driver->queries, queries);
    ck_assert_int_eq(standin->modules_unpatched, 0);
}
END_TEST

static void *free_later(void *unused) {
    (void)unused;
    usleep(200000);
    set_busy(&one_stream, false);
    return NULL;
}

START_TEST(what_ends_soon_is_waited_for) {
    pthread_t thread;
    start_with("1");
    launch_one("kernel");
    set_busy(&one_stream, true);
    ck_assert_int_eq(pthread_create(&thread, NULL, free_later, NULL), 0);
    launch_one("kernel");
    ck_assert(!driver->is_busy);
    ck_assert_int_eq(standin->modules_unpatched, 1);
    pthread_join(thread, NULL);
}
END_TEST

static void end_stream(bool is_called) {
    static char green;
    const void *parameters[] = {&one_stream};
    san_api_data data = {.parameters = parameters, .context = &standin->table};
    data.site = SAN_API_ENTER;
    if (is_called)
        call(SAN_DOMAIN_DRIVER, SAN_END_STREAM_V2, &data);
    if (is_later)
        call(SAN_DOMAIN_RESOURCE, SAN_STREAM_DESTROY_STARTING,
             &(san_stream_data_later){
                 .context = &standin->table, .green = &green, .stream = &one_stream});
    else
        call(SAN_DOMAIN_RESOURCE, SAN_STREAM_DESTROY_STARTING,
             &(san_synchronize_data){.context = &standin->table, .stream = &one_stream});
    data.site = SAN_API_EXIT;
    if (is_called)
        call(SAN_DOMAIN_DRIVER, SAN_END_STREAM_V2, &data);
}

/* It is never asked for again, and what it runs may never end. */
START_TEST(a_stream_that_goes_unheard_keeps_patches) {
    start_with("1");
    launch_on("kernel", &one_module, &one_stream);
    end_stream(false);
    launch_on("kernel", &one_module, &other_stream);
    ck_assert_int_eq(standin->modules_unpatched, 0);
    ck_assert_int_eq(driver->recorded, 0);
}
END_TEST

START_TEST(a_stream_of_a_later_api_goes) {
    is_later = true;
    start_with("1");
    launch_on("kernel", &one_module, &one_stream);
    end_stream(false);
    launch_on("kernel", &one_module, &other_stream);
    ck_assert_int_eq(standin->modules_unpatched, 0);
}
END_TEST

/* A stream that is gone still runs what it was given; a new one may have its address. */
START_TEST(a_stream_that_is_gone_is_not_forgotten) {
    start_with("1");
    launch_on("kernel", &one_module, &one_stream);
    ck_assert_int_eq(driver->recorded, 0);
    end_stream(true);
    ck_assert_int_eq(driver->recorded, 1);
    launch_on("second", &one_module, &one_stream);
    launch_on("second", &one_module, &one_stream);
    ck_assert_int_eq(driver->events, 2);
    ck_assert_int_eq(driver->recorded, 2);
    ck_assert_int_eq(standin->modules_unpatched, 1);
    launch_on("third", &one_module, &other_stream); /* into the place that is free again */
    ck_assert_int_eq(driver->events, 2);
}
END_TEST

static void *enter_and_wait(void *stage) {
    enter("kernel", &one_stream, SAN_API_ENTER);
    *(volatile int *)stage = 1;
    usleep(300000);
    ck_assert_int_eq(standin->modules_unpatched, 0);
    launch_of(&one_module, "kernel");
    *(volatile int *)stage = 2; /* before others are let on */
    enter("kernel", &one_stream, SAN_API_EXIT);
    return NULL;
}

/* What another thread is about to launch is waited for, too. */
START_TEST(another_threads_call_is_waited_for) {
    pthread_t thread;
    volatile int stage = 0;
    start_with("2");
    launch_one("kernel");
    ck_assert_int_eq(pthread_create(&thread, NULL, enter_and_wait, (void *)(uintptr_t)&stage), 0);
    while (stage == 0)
        usleep(100);
    launch_one("kernel");
    launch_one("kernel");
    ck_assert_int_eq(stage, 2);
    ck_assert_int_eq(standin->modules_unpatched, 1);
    pthread_join(thread, NULL);
}
END_TEST

static void *launch_elsewhere(void *stage) {
    while (driver->queries == 0)
        usleep(100);
    *(volatile int *)stage = 1;
    launch_one("kernel");
    *(volatile int *)stage = 2;
    return NULL;
}

/* No other begins a launch while patches are taken away. */
START_TEST(other_threads_are_kept_out) {
    pthread_t thread;
    volatile int stage = 0;
    start_with("1");
    launch_one("kernel");
    set_busy(&one_stream, true);
    ck_assert_int_eq(pthread_create(&thread, NULL, launch_elsewhere, (void *)(uintptr_t)&stage), 0);
    launch_one("kernel"); /* in vain, for two seconds */
    ck_assert_int_ge(stage, 1);
    ck_assert_int_eq(standin->modules_unpatched, 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq(stage, 2);
}
END_TEST

/* A launch without a call around it: nobody knows when it ends. */
START_TEST(what_cannot_be_followed_keeps_its_patches) {
    start_with("1");
    launch_of(&one_module, "kernel");
    launch_one("kernel");
    launch_one("kernel");
    ck_assert_int_eq(standin->modules_unpatched, 0);
}
END_TEST

START_TEST(without_an_event_patches_stay) {
    start_with("1");
    driver->result = 1;
    launch_one("kernel");
    launch_one("kernel");
    ck_assert_int_eq(standin->modules_unpatched, 0);
}
END_TEST

START_TEST(graphs_are_left_alone_too) {
    start_with("1");
    for (int i = 0; i < 3; i++) {
        launch_graph(SAN_API_ENTER);
        launch_of(&one_module, "kernel");
        launch_graph(SAN_API_EXIT);
    }
    ck_assert_int_eq(driver->recorded, 1); /* when the second begins */
    ck_assert_int_eq(standin->modules_unpatched, 1);
    ck_assert_int_eq(standin->modules_patched, 1);
    launch_graph_of(&other_stream, SAN_API_ENTER); /* it may have been made without patches */
    ck_assert_int_eq(standin->modules_patched, 1);
    launch_of(&one_module, "other");
    launch_graph_of(&other_stream, SAN_API_EXIT);
    launch_one("third");
    ck_assert_int_eq(standin->modules_patched, 2);
    launch_graph(SAN_API_ENTER);
    ck_assert_int_eq(standin->modules_unpatched, 2);
    launch_of(&one_module, "kernel");
    launch_graph(SAN_API_EXIT);
}
END_TEST

/* Its launches of one kernel share the table that the last of them is given. */
START_TEST(a_graph_is_seen_whole) {
    start_with("1");
    launch_graph(SAN_API_ENTER);
    for (int i = 0; i < 3; i++) {
        launch_of(&one_module, "kernel");
        ck_assert_ptr_nonnull(standin->launch_data);
    }
    launch_graph(SAN_API_EXIT);
    launch_graph(SAN_API_ENTER);
    launch_of(&one_module, "kernel");
    ck_assert_ptr_null(standin->launch_data);
    launch_of(&one_module, "other");
    ck_assert_ptr_null(standin->launch_data); /* its code has lost its patches */
    launch_graph(SAN_API_EXIT);
    synchronize();
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.functions[0].state.launches, 3);
    ck_assert_uint_eq(dump.functions[0].state.launches_skipped, 1);
    smp_instrument_clear(&dump);
}
END_TEST

/* A kernel in front of a graph that does not end: said once, and never waited for again. */
START_TEST(a_graph_does_not_wait_for_ever) {
    start_with("1");
    launch_one("kernel");
    set_busy(&one_stream, true);
    launch_graph(SAN_API_ENTER);
    launch_graph(SAN_API_EXIT);
    const int queries = driver->queries;
    ck_assert_int_gt(queries, 10);
    launch_graph(SAN_API_ENTER);
    ck_assert_int_eq(driver->queries, queries);
    launch_graph(SAN_API_EXIT);
    ck_assert_int_eq(standin->modules_unpatched, 0);
}
END_TEST

/* A context in which a kernel has failed. */
START_TEST(a_fault_is_not_waited_for) {
    start_with("1");
    launch_one("kernel");
    driver->failure = 715;
    launch_one("kernel");
    launch_one("kernel");
    ck_assert_int_eq(driver->queries, 1);
    ck_assert_int_eq(standin->modules_unpatched, 0);
}
END_TEST

/* While anything runs that was left alone, nothing is patched: it might never end. */
START_TEST(what_runs_without_patches_is_waited_for) {
    pthread_t thread;
    start_with("1");
    launch_one("kernel");
    launch_one("kernel");
    ck_assert_int_eq(standin->modules_unpatched, 1);
    set_busy(&one_stream, true);
    ck_assert_int_eq(pthread_create(&thread, NULL, free_later, NULL), 0);
    launch_on("other", &one_module, &other_stream);
    ck_assert(!driver->is_busy);
    ck_assert_int_eq(standin->modules_patched, 2);
    ck_assert_ptr_nonnull(standin->launch_data);
    pthread_join(thread, NULL);
}
END_TEST

START_TEST(what_runs_on_is_not_patched) {
    start_with("1");
    launch_one("kernel");
    launch_one("kernel");
    set_busy(&one_stream, true);
    launch_on("other", &one_module, &other_stream);
    ck_assert_int_eq(standin->modules_patched, 1);
    ck_assert_ptr_null(standin->launch_data);
}
END_TEST

/* Only a launch of the code itself takes the time for it. */
START_TEST(other_modules_do_not_wait) {
    start_with("1");
    load_module_at(&other_module);
    launch_one("kernel");
    launch_on("other", &other_module, &other_stream);
    set_busy(&one_stream, true);
    launch_on("third", &other_module, &other_stream);
    ck_assert_int_eq(driver->queries, 0);
    set_busy(&one_stream, false);
    launch_one("kernel");
    ck_assert_int_eq(standin->modules_unpatched, 2);
}
END_TEST

int main(void) {
    return suite_run_tests(
        "instrument_leave", 30, make_folder, remove_folder,
        SUITE_TESTS(TEST(code_that_was_seen_is_left_alone), TEST(without_a_limit_patches_stay),
                    TEST(without_looks_launches_are_only_counted),
                    TEST(what_still_runs_keeps_its_patches), TEST(what_ends_soon_is_waited_for),
                    TEST(a_stream_that_is_gone_is_not_forgotten), TEST(later_layouts_are_read),
                    TEST(earlier_layouts_are_read), TEST(a_stream_that_goes_unheard_keeps_patches),
                    TEST(a_stream_of_a_later_api_goes), TEST(another_threads_call_is_waited_for),
                    TEST(other_threads_are_kept_out),
                    TEST(what_cannot_be_followed_keeps_its_patches),
                    TEST(without_an_event_patches_stay), TEST(graphs_are_left_alone_too),
                    TEST(a_graph_is_seen_whole), TEST(a_graph_does_not_wait_for_ever),
                    TEST(a_fault_is_not_waited_for), TEST(what_runs_without_patches_is_waited_for),
                    TEST(what_runs_on_is_not_patched), TEST(other_modules_do_not_wait)));
}
