/* SPDX-License-Identifier: MIT */
/*
 * The library that runs inside other programs, with a GPU that is not there: the stand-in calls it
 * back as CUDA would, the test writes the table as the patch would, and the file must say so. One
 * process a case: the library lives as long as its process.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host_case.h"
#include "live_page.h"
#include "nvtx_user.h"
#include "suite.h"

/* A Python, as the library meets it in a process: the lines that this thread is in. */
static const char *traceback;
#define SHOWN __attribute__((visibility("default")))

SHOWN void *PyGILState_GetThisThreadState(void);
void *PyGILState_GetThisThreadState(void) {
    return traceback ? &traceback : NULL;
}

SHOWN void _Py_DumpTraceback(int file, void *state);
void _Py_DumpTraceback(int file, void *state) {
    ck_assert_ptr_eq(state, &traceback);
    ck_assert_int_gt(dprintf(file, "Stack (most recent call first):\n%s", traceback), 0);
}

START_TEST(what_the_patch_wrote_is_in_the_file) {
    start();
    make_context();
    launch("kernel");
    ck_assert_ptr_eq(standin->launch_data, (char *)standin->table + TABLE_TAG);
    run_kernel();
    synchronize();
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.site_count, 1);
    const smp_instrument_site *site = &dump.sites[0];
    ck_assert_uint_eq(site->offset_bytes, 0x40);
    ck_assert_str_eq(dump.functions[site->function].name, "kernel");
    ck_assert_uint_eq(dump.functions[site->function].state.launches, 1);
    ck_assert_uint_eq(dump.functions[site->function].state.shared_bytes, 512);
    ck_assert_uint_eq(site->width_bytes, 4);
    ck_assert_uint_eq(site->requests, 14);
    ck_assert_uint_eq(site->lanes, 11 * 2 + 6);
    ck_assert_uint_eq(site->wavefronts, 11 * 2 + 9);
    ck_assert_uint_eq(site->ideal, 11 + 3);
    ck_assert_uint_eq(site->ways, 3);
    ck_assert_uint_eq(site->worst.mask, 7);
    ck_assert_uint_eq(site->worst.offset_bytes[2], 256);
    ck_assert_uint_eq(site->requests_lost, 3);
    ck_assert_uint_eq(site->request_count, 1);
    ck_assert_uint_eq(dump.requests[site->first_request].count, 11);
    ck_assert_uint_eq(dump.modules[0].cubin_bytes, 12);
    ck_assert_uint_eq(dump.launches, 1);
    ck_assert_uint_eq(dump.launches_covered, 1);
    ck_assert(!dump.ended);
    smp_instrument_clear(&dump);
}
END_TEST

/* Entries of copies do not have their targets: the patch offers these beside them. */
START_TEST(targets_of_copies_are_in_the_file) {
    start();
    make_context();
    launch("kernel");
    run_kernel();
    instrument_table *table = standin->table;
    table->entries[1].what = table->sites[1].what =
        TABLE_WHAT(SMP_INSTRUMENT_COPY, SMP_INSTRUMENT_WRITE, 2, 0, 0);
    table->entries[1].price.wavefronts = 3; /* as the one that was offered */
    synchronize();
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.site_count, 1);
    ck_assert_uint_eq(dump.sites[0].wavefronts, 11 * 3 + 9);
    ck_assert_uint_eq(dump.sites[0].worst.mask, 7);
    ck_assert_uint_eq(dump.sites[0].worst.offset_bytes[2], 256);
    smp_instrument_clear(&dump);
}
END_TEST

START_TEST(launches_above_the_limit_are_left_alone) {
    setenv("SMP_INSTRUMENT_LAUNCHES", "2", 1);
    start();
    make_context();
    for (int i = 0; i < 5; i++)
        launch("kernel");
    ck_assert_ptr_null(standin->launch_data);
    launch("other");
    ck_assert_ptr_eq(standin->launch_data, (char *)standin->table + TABLE_TAG);
    synchronize();
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.functions[0].state.launches, 2);
    ck_assert_uint_eq(dump.functions[0].state.launches_skipped, 3);
    ck_assert_uint_eq(dump.functions[0].state.blocks, 14);
    /* in rounds of one: no GPU says how many */
    ck_assert_uint_eq(dump.functions[0].state.rounds, 14);
    ck_assert_uint_eq(dump.functions[1].state.launches, 1);
    smp_instrument_clear(&dump);
}
END_TEST

/* What the program marks; parts inside one another end with the outer one. */
START_TEST(only_marked_launches) {
    setenv("SMP_INSTRUMENT_LAUNCHES", "marked", 1);
    start();
    make_context();
    launch("kernel");
    ck_assert_ptr_null(standin->launch_data);
    look(1);
    look(1);
    launch("kernel");
    ck_assert_ptr_eq(standin->launch_data, (char *)standin->table + TABLE_TAG);
    look(-1);
    launch("kernel");
    ck_assert_ptr_nonnull(standin->launch_data);
    look(-1);
    launch("kernel");
    ck_assert_ptr_null(standin->launch_data);
    synchronize();
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.functions[0].state.launches, 2);
    ck_assert_uint_eq(dump.functions[0].state.launches_skipped, 2);
    smp_instrument_clear(&dump);
}
END_TEST

START_TEST(kernels_are_chosen_by_name) {
    setenv("SMP_INSTRUMENT_KERNELS", "^oth", 1);
    start();
    make_context();
    launch("kernel");
    ck_assert_ptr_null(standin->launch_data);
    launch("other");
    ck_assert_ptr_eq(standin->launch_data, (char *)standin->table + TABLE_TAG);
}
END_TEST

static void *launch_in_thread(void *name) {
    launch(name);
    return NULL;
}

static void launch_in_thread_of_no_range(const char *name) {
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, launch_in_thread, (void *)(uintptr_t)name), 0);
    pthread_join(thread, NULL);
}

/* A thread that has pushed none is in the main thread's. */
START_TEST(launches_know_their_nvtx_ranges) {
    start();
    ck_assert(nvtx_load(SMP_INSTRUMENT_LIBRARY));
    make_context();
    launch("kernel");
    nvtx.push("step");
    nvtx.push("forward");
    launch("kernel");
    launch("kernel");
    nvtx.pop();
    launch_in_thread_of_no_range("kernel");
    void *domain = nvtx.make_domain("mine");
    nvtx.push_in(domain, &(nvtx_message){.type = 3, .text = nvtx.register_in(domain, "backward")});
    nvtx.pop(); /* of no domain: "step" */
    launch("other");
    nvtx.pop_in(domain);
    const uint64_t all = nvtx.start("all");
    launch("third");
    nvtx.end(all);
    launch("third");
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.functions[0].range_count, 2);
    ck_assert_str_eq(dump.functions[0].ranges[0], "step/forward");
    ck_assert_str_eq(dump.functions[0].ranges[1], "step");
    ck_assert_str_eq(dump.functions[1].ranges[0], "backward");
    ck_assert_uint_eq(dump.functions[2].range_count, 1);
    ck_assert_str_eq(dump.functions[2].ranges[0], "all");
    smp_instrument_clear(&dump);
}
END_TEST

START_TEST(launches_are_chosen_by_their_nvtx_range) {
    setenv("SMP_INSTRUMENT_NVTX", "^step/for", 1);
    start();
    ck_assert(nvtx_load(SMP_INSTRUMENT_LIBRARY));
    make_context();
    launch("kernel");
    ck_assert_ptr_null(standin->launch_data);
    nvtx.push("step");
    launch("kernel");
    ck_assert_ptr_null(standin->launch_data);
    nvtx.push("forward");
    launch("kernel");
    ck_assert_ptr_nonnull(standin->launch_data);
    synchronize();
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.functions[0].state.launches, 1);
    ck_assert_uint_eq(dump.functions[0].state.launches_skipped, 0);
    ck_assert_uint_eq(dump.functions[0].range_count, 1);
    smp_instrument_clear(&dump);
}
END_TEST

/* Who waits reads it while the program runs. */
START_TEST(the_live_page_tells_launches_and_the_worst) {
    char begin[80], name[100];
    live_page page;
    snprintf(begin, sizeof begin, "%s.live.", path);
    snprintf(name, sizeof name, "%s%d", begin, (int)getpid());
    setenv("SMP_LIVE", begin, 1);
    setenv("SMP_INSTRUMENT_LAUNCHES", "1", 1);
    start();
    make_context();
    launch("kernel");
    run_kernel();
    synchronize();
    launch("kernel");
    launch("other");
    FILE *file = fopen(name, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(&page, sizeof page, 1, file), 1);
    fclose(file);
    ck_assert_uint_eq(page.launches, 3);
    ck_assert_uint_eq(page.looked, 2);
    ck_assert_str_eq(page.kernel, "other");
    ck_assert_str_eq(page.worst_kernel, "kernel");
    ck_assert_str_eq(page.worst, "+0x40, 3-way");
}
END_TEST

static void expect_caller(const smp_instrument_function *function, uint32_t at, const char *file,
                          uint32_t line) {
    ck_assert_uint_gt(function->caller_count, at);
    ck_assert_str_eq(function->callers[at].file, file);
    ck_assert_uint_eq(function->callers[at].line, line);
}

/* The innermost line that is of no package, of the first launches, each once. */
START_TEST(a_kernel_knows_the_lines_that_launched_it) {
    start();
    make_context();
    traceback =
        "  File \"/opt/lib/python3.12/site-packages/torch/nn/functional.py\", line 9 in norm\n"
        "  File \"/srv/model.py\", line 31 in step\n"
        "  File \"/srv/train.py\", line 7 in <module>\n";
    launch("kernel");
    launch("kernel");
    traceback = "  File \"<string>\", line 3 in call\n"
                "  File \"/usr/lib/python3/dist-packages/x.py\", line 4 in <module>\n";
    launch("kernel");
    traceback = NULL;
    launch("kernel");
    traceback = "  File \"/srv/late.py\", line 1 in <module>\n";
    launch("kernel");
    launch("other");
    traceback = "  no Python frame\n";
    launch("third");
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.functions[0].caller_count, 2);
    expect_caller(&dump.functions[0], 0, "/srv/model.py", 31);
    expect_caller(&dump.functions[0], 1, "/usr/lib/python3/dist-packages/x.py", 4);
    ck_assert_uint_eq(dump.functions[1].caller_count, 1);
    expect_caller(&dump.functions[1], 0, "/srv/late.py", 1);
    ck_assert_uint_eq(dump.functions[2].caller_count, 0);
    smp_instrument_clear(&dump);
}
END_TEST

START_TEST(an_unloaded_module_begins_an_epoch) {
    start();
    make_context();
    launch("kernel");
    run_kernel();
    unload_module();
    /* What is unloaded at a program's end costs nothing; what comes to lie there would. */
    ck_assert_uint_eq(standin->table->head.site_count, 1);
    load_module();
    ck_assert_uint_eq(standin->table->head.site_count, 0);
    launch("kernel");
    run_kernel();
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_DESTROY_STARTING,
         &(san_context_data){.context = &standin->table});
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.site_count, 2);
    ck_assert_uint_eq(dump.sites[0].requests + dump.sites[1].requests, 28);
    smp_instrument_clear(&dump);
}
END_TEST

/* Code of a module that is there already may be put where the unloaded one's was. */
START_TEST(a_launch_after_an_unloaded_module_begins_an_epoch) {
    start();
    make_context();
    load_module_at(path + 1);
    launch("kernel");
    run_kernel();
    unload_module();
    call(SAN_DOMAIN_SYNCHRONIZE, SAN_CONTEXT_SYNCHRONIZED,
         &(san_synchronize_data){.context = &standin->table});
    ck_assert_uint_eq(standin->table->head.site_count, 1);
    launch_of(path + 1, "late");
    ck_assert_uint_eq(standin->table->head.site_count, 0);
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.site_count, 1);
    ck_assert_int_eq(dump.sites[0].function, 0);
    smp_instrument_clear(&dump);
}
END_TEST

static void *launch_with_the_driver_held(void *is_held) {
    pthread_mutex_lock(&standin->driver);
    __atomic_store_n((bool *)is_held, true, __ATOMIC_RELEASE);
    while (standin->driver_awaited == 0)
        usleep(100);
    launch("other");
    pthread_mutex_unlock(&standin->driver);
    return NULL;
}

/* One thread reads the table and waits for the driver, which another thread is in. */
START_TEST(a_launch_does_not_wait_for_what_waits_for_the_driver) {
    pthread_t thread;
    start();
    make_context();
    launch("kernel");
    run_kernel();
    bool is_held = false;
    ck_assert_int_eq(pthread_create(&thread, NULL, launch_with_the_driver_held, &is_held), 0);
    while (!__atomic_load_n(&is_held, __ATOMIC_ACQUIRE))
        usleep(100);
    synchronize();
    pthread_join(thread, NULL);
    ck_assert_ptr_eq(standin->launch_data, (char *)standin->table + TABLE_TAG);
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.sites[0].requests, 14);
    smp_instrument_clear(&dump);
}
END_TEST

START_TEST(a_table_that_is_not_ready_is_tried_again) {
    start();
    standin->not_ready = 2; /* at the context's creation, and when the module is loaded */
    make_context();
    launch("kernel");
    ck_assert_ptr_nonnull(standin->launch_data);
    ck_assert_ptr_eq(standin->launch_data, (char *)standin->table + TABLE_TAG);
    run_kernel();
    synchronize();
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.note_count, 0);
    ck_assert_uint_eq(dump.sites[0].requests, 14);
    smp_instrument_clear(&dump);
}
END_TEST

START_TEST(without_a_table_launches_are_told_so) {
    start();
    standin->not_ready = 1000;
    make_context();
    launch("kernel");
    launch("kernel");
    ck_assert_ptr_null(standin->launch_data);
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.note_count, 1);
    ck_assert_ptr_nonnull(strstr(dump.notes[0], "could not be made"));
    smp_instrument_clear(&dump);
}
END_TEST

START_TEST(a_context_that_failed_is_named) {
    start();
    make_context();
    launch("kernel");
    standin->has_faulted = true;
    synchronize();
    smp_instrument_dump dump = read_back();
    ck_assert_uint_eq(dump.launches_covered, 0);
    ck_assert_ptr_nonnull(strstr(dump.notes[dump.note_count - 1], "kernel"));
    smp_instrument_clear(&dump);
}
END_TEST

START_TEST(the_end_is_told) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        start();
        make_context();
        launch("kernel");
        run_kernel();
        exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    smp_instrument_dump dump = read_back();
    ck_assert(dump.ended);
    ck_assert_uint_eq(dump.sites[0].requests, 14);
    smp_instrument_clear(&dump);
}
END_TEST

/* What each word of --memory patches, by the API's numbers of instructions. */
static uint64_t patched_for(const char *memory) {
    setenv("SMP_INSTRUMENT_SPACES", memory, 1);
    start();
    make_context();
    return standin->patched;
}

enum { GLOBAL = 1 << 3, SHARED = 1 << 4, LOCAL = 1 << 5, COPY = 1 << 14 };

START_TEST(shared_memory_is_patched_unless_asked) {
    ck_assert_uint_eq(patched_for("") & (GLOBAL | SHARED | LOCAL | COPY), SHARED | COPY);
}
END_TEST

START_TEST(global_memory_is_patched_with_copies_from_it) {
    ck_assert_uint_eq(patched_for("global"), GLOBAL | COPY);
}
END_TEST

START_TEST(all_memories_are_patched_at_once) {
    ck_assert_uint_eq(patched_for("all") & (GLOBAL | SHARED | LOCAL | COPY),
                      GLOBAL | SHARED | LOCAL | COPY);
}
END_TEST

/* By it the patch knows lanes that come to it by mistake: their word is 0. */
START_TEST(the_table_is_told_with_its_tag) {
    start();
    make_context();
    launch("seen");
    ck_assert_uint_eq((uintptr_t)standin->launch_data, (uintptr_t)standin->table + TABLE_TAG);
    ck_assert_uint_ne((uint32_t)(uintptr_t)standin->launch_data, 0);
}
END_TEST

START_TEST(without_the_api_a_note_says_so) {
    setenv("SMP_INSTRUMENT_SANITIZER", "/does/not/exist", 1);
    int (*initialize)(void);
    void *library = dlopen(SMP_INSTRUMENT_LIBRARY, RTLD_NOW);
    void *symbol = dlsym(library, "InitializeInjection");
    memcpy(&initialize, &symbol, sizeof initialize);
    ck_assert_int_eq(initialize(), 1);
    smp_instrument_dump dump = read_back();
    ck_assert_ptr_nonnull(strstr(dump.notes[0], "libsanitizer-public.so"));
    smp_instrument_clear(&dump);
}
END_TEST

int main(void) {
    return SUITE_IN(
        make_folder, remove_folder, "instrument_inject", TEST(what_the_patch_wrote_is_in_the_file),
        TEST(targets_of_copies_are_in_the_file), TEST(launches_above_the_limit_are_left_alone),
        TEST(only_marked_launches), TEST(kernels_are_chosen_by_name),
        TEST(the_live_page_tells_launches_and_the_worst), TEST(launches_know_their_nvtx_ranges),
        TEST(launches_are_chosen_by_their_nvtx_range),
        TEST(a_kernel_knows_the_lines_that_launched_it), TEST(an_unloaded_module_begins_an_epoch),
        TEST(a_launch_after_an_unloaded_module_begins_an_epoch),
        TEST(a_launch_does_not_wait_for_what_waits_for_the_driver),
        TEST(a_table_that_is_not_ready_is_tried_again), TEST(without_a_table_launches_are_told_so),
        TEST(a_context_that_failed_is_named), TEST(the_end_is_told),
        TEST(shared_memory_is_patched_unless_asked),
        TEST(global_memory_is_patched_with_copies_from_it), TEST(all_memories_are_patched_at_once),
        TEST(the_table_is_told_with_its_tag), TEST(without_the_api_a_note_says_so));
}
