/* SPDX-License-Identifier: MIT */
/*
 * Launches that the library keeps (SMP_INSTRUMENT_CAPTURE), with a GPU and a driver that are not
 * there: the test calls back as they would, is the kernel itself, and the kept folder must hold
 * what was in memory before and after. The code is that of tests/gpu/capture_kernels.cu. One
 * process a case.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host_case.h"
#include "kept_launch.h"
#include "suite.h"

#define POINTERS "_Z13with_pointersPf4rowsPKf"
#define VARIABLES "_Z14with_variablesPfPKf"

enum { FLOATS = 256, FACTOR_BYTES = 256, CONSTANT_BYTES = 260 };

static char kept[64];
static char cubin[1 << 16];
static size_t cubin_bytes;

/* The program's memory: what the kernel is given, what that points at, and what nothing does. */
static float out[FLOATS], bias[FLOATS], tables[2][FLOATS], unrelated[FLOATS];
static const float *list[2] = {tables[0], tables[1]};
static float written[FLOATS];
static unsigned counter = 7;
static uint32_t blocks = 2; /* of a launch */
static char constants[CONSTANT_BYTES];
static int reads_before; /* of watched memory, before the launched kernel ran */

static struct {
    const float *const *list;
    float scale;
    int add;
} rows = {list, 2.0f, 3};

static void make_kept(void) {
    make_folder();
    (void)snprintf(kept, sizeof kept, "%.*skept", (int)(strlen(path) - strlen("dump")), path);
    ck_assert_int_eq(mkdir(kept, 0777), 0);
    setenv("SMP_INSTRUMENT_CAPTURE", kept, 1);
}

static void allocate(uint32_t id, const void *memory, size_t bytes, uint32_t flags) {
    call(SAN_DOMAIN_RESOURCE, id,
         &(san_memory_data){.address = (uintptr_t)memory, .bytes = bytes, .flags = flags});
}

static void load_cubin(void) {
    call(SAN_DOMAIN_RESOURCE, SAN_MODULE_LOADED,
         &(san_module_data){.context = &standin->table,
                            .module = path,
                            .cubin = cubin,
                            .cubin_bytes = cubin_bytes});
}

static void start_kernel(void) {
    load_driver();
    start();
    FILE *file = fopen(SMP_DATA "/programs/capture.cubin", "rb");
    ck_assert_ptr_nonnull(file);
    cubin_bytes = fread(cubin, 1, sizeof cubin, file);
    (void)fclose(file);
    for (int i = 0; i < FLOATS; i++) {
        bias[i] = (float)i;
        tables[0][i] = tables[1][i] = 0.5f * (float)i;
    }
    memset(constants, 1, sizeof constants);
    driver->variables[0] = (standin_variable){"written", written, sizeof written};
    driver->variables[1] = (standin_variable){"counter", &counter, sizeof counter};
    driver->variables[2] = (standin_variable){"factors", constants, FACTOR_BYTES};
    driver->variables[3] = (standin_variable){"shift", constants + FACTOR_BYTES, 4};
    call(SAN_DOMAIN_RESOURCE, SAN_CONTEXT_CREATION_FINISHED,
         &(san_context_data){.context = &standin->table});
    allocate(SAN_DEVICE_ALLOC, out, sizeof out, 0);
    allocate(SAN_HOST_ALLOC, bias, sizeof bias, SAN_MEMORY_PINNED);
    allocate(SAN_ALLOC_ASYNC, tables, sizeof tables, 0);
    allocate(SAN_DEVICE_ALLOC, list, sizeof list, SAN_MEMORY_MANAGED);
    allocate(SAN_DEVICE_ALLOC, unrelated, sizeof unrelated, 0);
}

/* A launch through the driver's interface; the module is loaded before it, or in its midst. */
static void launch_with(const char *name, void **values, bool loads, int result) {
    san_launch_kernel parameters = {.function = (void *)(uintptr_t)name,
                                    .grid = {blocks, 1, 1},
                                    .block = {128, 1, 1},
                                    .shared_bytes = 2048,
                                    .values = values};
    san_api_data data = {.site = SAN_API_ENTER,
                         .parameters = &parameters,
                         .result = &result,
                         .symbol_name = name,
                         .context = &standin->table};
    call(SAN_DOMAIN_DRIVER, SAN_LAUNCH_KERNEL, &data);
    if (loads)
        load_cubin();
    call(SAN_DOMAIN_LAUNCH, SAN_LAUNCH_BEGIN,
         &(san_launch_data){.context = &standin->table,
                            .module = path,
                            .function = (void *)(uintptr_t)name,
                            .function_name = name,
                            .grid = {blocks, 1, 1},
                            .block = {128, 1, 1}});
    reads_before = standin->reads;
    out[5] += 42; /* what the kernel does */
    counter += 3;
    data.site = SAN_API_EXIT;
    call(SAN_DOMAIN_DRIVER, SAN_LAUNCH_KERNEL, &data);
}

static void launch_with_pointers(bool loads) {
    float *first = out, *last = bias;
    void *values[] = {&first, &rows, &last};
    launch_with(POINTERS, values, loads, 0);
}

static smp_kept_launch read_kept(const char *name) {
    char whole[160];
    smp_kept_launch launch;
    smp_error error;
    (void)snprintf(whole, sizeof whole, "%s/%s", kept, name);
    const smp_status status = smp_kept_read(whole, &launch, &error);
    ck_assert_msg(status == SMP_OK, "%s", error.message);
    return launch;
}

static const smp_kept_array *array_at(const smp_kept_launch *launch, const void *address) {
    for (uint32_t i = 0; i < launch->array_count; i++)
        if (launch->arrays[i].address == (uintptr_t)address)
            return &launch->arrays[i];
    return NULL;
}

static unsigned count_kept(void) {
    unsigned count = 0;
    DIR *in = opendir(kept);
    for (const struct dirent *entry = readdir(in); entry; entry = readdir(in))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    (void)closedir(in);
    return count;
}

static void ck_same(const smp_kept_array *array, const void *before, size_t bytes) {
    ck_assert_ptr_nonnull(array);
    ck_assert_uint_eq(array->size_bytes, bytes);
    ck_assert_ptr_nonnull(array->before);
    ck_assert_int_eq(memcmp(array->before, before, bytes), 0);
}

START_TEST(what_a_launch_can_reach_is_kept) {
    start_kernel();
    load_cubin();
    launch_with_pointers(false);
    smp_kept_launch launch = read_kept("001-with_pointers");
    ck_assert_str_eq(launch.kernel, POINTERS);
    ck_assert_uint_eq(launch.code_bytes, cubin_bytes);
    ck_assert_uint_eq(launch.grid[0], 2);
    ck_assert_uint_eq(launch.block[0], 128);
    ck_assert_uint_eq(launch.cluster[2], 1);
    ck_assert_uint_eq(launch.dynamic_shared_bytes, 2048);
    ck_assert_uint_eq(launch.parameter_bytes, 32);
    ck_assert_int_eq(memcmp(launch.parameters + 8, &rows, sizeof rows), 0);
    ck_same(array_at(&launch, bias), bias, sizeof bias);
    ck_same(array_at(&launch, tables), tables, sizeof tables);
    ck_same(array_at(&launch, list), list, sizeof list);
    const smp_kept_array *result = array_at(&launch, out);
    ck_assert(!result->before && !result->is_unread); /* zeros */
    ck_assert_int_eq(memcmp(result->after, out, sizeof out), 0);
    ck_assert_ptr_null(array_at(&launch, bias)->after);
    ck_assert_ptr_null(array_at(&launch, unrelated));
    smp_kept_clear(&launch);
}
END_TEST

/* Of a program whose launches are looked at as far as time allows. */
static void start_sampling(bool loads) {
    unsetenv("SMP_INSTRUMENT_CAPTURE");
    setenv("SMP_INSTRUMENT_OVERHEAD", "1.2", 1);
    setenv("SMP_INSTRUMENT_SAMPLE", kept, 1);
    start_kernel();
    if (loads)
        load_cubin();
}

/* Too large to be looked at before it is known what it takes; what it writes is not read again. */
START_TEST(a_launch_that_is_too_heavy_is_kept) {
    start_sampling(true);
    blocks = 1000000;
    driver->milliseconds = 1000;
    for (int i = 0; i < 3; i++)
        launch_with_pointers(false);
    ck_assert_uint_eq(count_kept(), 1);
    ck_assert_int_eq(driver->synchronized, 0); /* what runs may wait for this thread */
    ck_assert_int_eq(standin->modules_patched, 0);
    smp_kept_launch launch = read_kept("001-with_pointers");
    ck_assert_uint_eq(launch.grid[0], blocks);
    ck_same(array_at(&launch, bias), bias, sizeof bias);
    ck_same(array_at(&launch, tables), tables, sizeof tables);
    ck_assert_ptr_null(array_at(&launch, out)->after);
    smp_kept_clear(&launch);
}
END_TEST

/* Variables of code that the launch itself loads are as the code has them: none is kept. */
START_TEST(a_heavy_launch_that_loads_its_code_is_kept) {
    float *first = out, *last = bias;
    void *values[] = {&first, &last};
    start_sampling(false);
    blocks = 1000000;
    driver->milliseconds = 1000;
    launch_with(VARIABLES, values, true, 0);
    ck_assert_uint_eq(count_kept(), 1);
    smp_kept_launch launch = read_kept("001-with_variables");
    ck_assert_uint_eq(launch.variable_count, 0);
    ck_assert_ptr_null(array_at(&launch, &counter));
    smp_kept_clear(&launch);
}
END_TEST

START_TEST(a_launch_that_is_looked_at_is_not_kept) {
    start_sampling(true);
    launch_with_pointers(false);
    ck_assert_int_eq(standin->modules_patched, 1);
    ck_assert_uint_eq(count_kept(), 0);
}
END_TEST

/* Something runs that does not end: only the places of arrays are kept, not what is in them. */
START_TEST(a_launch_behind_others_is_kept_without_memory) {
    float *first = out, *last = bias;
    void *values[] = {&first, &last};
    start_sampling(true);
    blocks = 1000000;
    launch_with(VARIABLES, values, false, 0);
    driver->is_busy = true;
    launch_with_pointers(false);
    smp_kept_launch launch = read_kept("002-with_pointers");
    ck_assert_int_eq(memcmp(launch.parameters + 8, &rows, sizeof rows), 0);
    ck_assert(array_at(&launch, out)->is_unread && array_at(&launch, list)->is_unread);
    ck_assert_ptr_null(array_at(&launch, tables)); /* only the list leads there */
    smp_kept_clear(&launch);
}
END_TEST

/* ---- Graphs ---- */

static struct {
    const void *function;
    uint32_t grid[3], block[3], shared_bytes;
    void **values, **extra;
    const void *kernel, *context;
} node = {POINTERS, {3, 1, 1}, {128, 1, 1}, 2048, NULL, NULL, NULL, NULL};
static float *to = out;
static const float *from = bias;
static void *node_values[] = {&to, &rows, &from};

static void call_driver(uint32_t id, const void *parameters) {
    san_api_data data = {.parameters = parameters, .context = &standin->table};
    data.site = SAN_API_ENTER;
    call(SAN_DOMAIN_DRIVER, id, &data);
    if (id == SAN_LAUNCH_GRAPH)
        call(SAN_DOMAIN_GRAPHS, SAN_GRAPHS_NODE_LAUNCH_BEGIN,
             &(san_graph_node_data){.node_type = SAN_NODE_KERNEL,
                                    .launch = {.context = &standin->table,
                                               .module = path,
                                               .function = (void *)(uintptr_t)POINTERS,
                                               .function_name = POINTERS,
                                               .grid = {3, 1, 1},
                                               .block = {128, 1, 1}}});
    data.site = SAN_API_EXIT;
    call(SAN_DOMAIN_DRIVER, id, &data);
}

static void instantiate(void) {
    static const size_t parameters[3][2] = {{0, 8}, {8, 16}, {24, 8}};
    const void *arguments[3] = {NULL, "graph", NULL};
    driver->is_naming = true;
    driver->module = path;
    driver->node = &node;
    driver->node_bytes = sizeof node;
    driver->parameter_count = 3;
    memcpy(driver->parameters, parameters, sizeof parameters);
    node.values = node_values;
    call_driver(SAN_INSTANTIATE_FLAGS, arguments);
}

static void replay(void) {
    call_driver(SAN_LAUNCH_GRAPH, &(san_launch_graph){.graph = path});
}

/* Parameters are those of the graph; no memory is read, and nothing is waited for. */
START_TEST(a_kernel_of_a_graph_is_kept) {
    start_sampling(true);
    instantiate();
    for (int i = 0; i < 3; i++)
        replay();
    ck_assert_uint_eq(count_kept(), 1);
    ck_assert_int_eq(driver->synchronized + standin->modules_patched, 0);
    smp_kept_launch launch = read_kept("001-with_pointers");
    ck_assert_uint_eq(launch.grid[0], 3);
    ck_assert_uint_eq(launch.dynamic_shared_bytes, 2048);
    ck_assert_uint_eq(launch.parameter_bytes, 32);
    ck_assert_int_eq(memcmp(launch.parameters, &to, sizeof to), 0);
    ck_assert_int_eq(memcmp(launch.parameters + 8, &rows, sizeof rows), 0);
    ck_assert(array_at(&launch, out)->is_unread && array_at(&launch, bias)->is_unread);
    smp_kept_clear(&launch);
}
END_TEST

/* A node is given other parameters before the graph runs. */
START_TEST(changed_parameters_of_a_graph_are_kept) {
    float *other = unrelated;
    void *values[] = {&other, &rows, &from};
    start_sampling(true);
    instantiate();
    node.values = values;
    const void *arguments[3] = {"graph", "node", &node};
    call_driver(SAN_GRAPH_NODE_V2, arguments);
    replay();
    smp_kept_launch launch = read_kept("001-with_pointers");
    ck_assert_int_eq(memcmp(launch.parameters, &other, sizeof other), 0);
    ck_assert_ptr_null(array_at(&launch, out));
    smp_kept_clear(&launch);
}
END_TEST

START_TEST(a_kernel_of_a_graph_that_was_seen_is_not_kept) {
    start_sampling(true);
    instantiate();
    launch_with_pointers(false);
    ck_assert_int_eq(standin->modules_patched, 1);
    replay();
    ck_assert_uint_eq(count_kept(), 0);
}
END_TEST

START_TEST(variables_are_kept_as_they_were) {
    const unsigned before = counter;
    float *first = out, *last = bias;
    void *values[] = {&first, &last};
    start_kernel();
    load_cubin();
    launch_with(VARIABLES, values, false, 0);
    smp_kept_launch launch = read_kept("001-with_variables");
    ck_same(array_at(&launch, &counter), &before, sizeof before);
    ck_assert_int_eq(memcmp(array_at(&launch, &counter)->after, &counter, sizeof counter), 0);
    ck_assert_uint_eq(launch.constants, (uintptr_t)constants);
    ck_same(array_at(&launch, constants), constants, sizeof constants);
    ck_assert_uint_eq(launch.variable_count, 4);
    smp_kept_clear(&launch);
}
END_TEST

/* Variables with less than a page between them are read at once, and those of constant memory with
 * them: each read of its own would take as long. */
START_TEST(variables_are_read_in_runs) {
    enum { PAGE = 4096 };
    static const size_t places[][3] = {{0, 1280, 2048}, {0, 1024 + PAGE, 2048 + PAGE}};
    static char memory[3 * PAGE];
    float *first = out, *last = bias;
    void *values[] = {&first, &last};
    char *const at[] = {memory + places[_i][0], memory + places[_i][1], memory + places[_i][2]};
    start_kernel();
    memset(memory, 3, sizeof memory);
    driver->variables[0].address = at[0];
    driver->variables[1].address = at[1];
    driver->variables[2].address = at[2];
    driver->variables[3].address = at[2] + FACTOR_BYTES;
    standin->watched = memory;
    standin->watched_bytes = sizeof memory;
    load_cubin();
    launch_with(VARIABLES, values, false, 0);
    ck_assert_int_eq(reads_before, _i + 1);
    smp_kept_launch launch = read_kept("001-with_variables");
    ck_same(array_at(&launch, at[0]), memory, sizeof written);
    ck_same(array_at(&launch, at[1]), memory, sizeof counter);
    ck_same(array_at(&launch, at[2]), memory, CONSTANT_BYTES);
    smp_kept_clear(&launch);
}
END_TEST

/* Nobody can have written to it then: it was as the code has it. */
START_TEST(variables_of_code_that_the_launch_loads) {
    const unsigned in_code = 5;
    float *first = out, *last = bias;
    void *values[] = {&first, &last};
    start_kernel();
    launch_with(VARIABLES, values, true, 0);
    smp_kept_launch launch = read_kept("001-with_variables");
    ck_same(array_at(&launch, &counter), &in_code, sizeof in_code);
    ck_assert_int_eq(memcmp(array_at(&launch, &counter)->after, &counter, sizeof counter), 0);
    smp_kept_clear(&launch);
}
END_TEST

START_TEST(one_launch_a_kernel_or_as_many_as_asked) {
    start_kernel();
    load_cubin();
    for (int i = 0; i < 3; i++)
        launch_with_pointers(false);
    ck_assert_uint_eq(count_kept(), 1);
    const int waited = driver->synchronized; /* twice for the one, never for the others */
    ck_assert_int_eq(waited, 2);
}
END_TEST

START_TEST(two_launches_a_kernel) {
    setenv("SMP_INSTRUMENT_LAUNCHES", "2", 1);
    start_kernel();
    load_cubin();
    for (int i = 0; i < 3; i++)
        launch_with_pointers(false);
    ck_assert_uint_eq(count_kept(), 2);
    smp_kept_launch second = read_kept("002-with_pointers");
    const float before = 42;
    ck_assert_int_eq(memcmp(array_at(&second, out)->before + 20, &before, 4), 0);
    smp_kept_clear(&second);
}
END_TEST

START_TEST(freed_memory_is_not_read) {
    start_kernel();
    load_cubin();
    allocate(SAN_FREE_ASYNC, tables, sizeof tables, 0);
    launch_with_pointers(false);
    smp_kept_launch launch = read_kept("001-with_pointers");
    ck_assert_ptr_null(array_at(&launch, tables));
    ck_assert_ptr_nonnull(array_at(&launch, list));
    smp_kept_clear(&launch);
}
END_TEST

static bool has_note(const char *part) {
    smp_instrument_dump dump;
    smp_error error;
    bool is_there = false;
    ck_assert_int_eq(smp_instrument_read(path, &dump, &error), SMP_OK);
    for (size_t i = 0; i < dump.note_count; i++)
        is_there = is_there || strstr(dump.notes[i], part);
    smp_instrument_clear(&dump);
    return is_there;
}

START_TEST(what_cannot_be_kept_is_said) {
    float *first = out, *last = bias;
    void *values[] = {&first, &rows, &last};
    start_kernel();
    load_cubin();
    launch_with(POINTERS, values, false, 700);
    ck_assert_uint_eq(count_kept(), 0);
    ck_assert(has_note("was not kept: it failed"));
}
END_TEST

START_TEST(a_folder_that_cannot_be_written_is_said) {
    start_kernel();
    load_cubin();
    ck_assert_int_eq(rmdir(kept), 0);
    launch_with_pointers(false);
    ck_assert(has_note("was not kept: No such file"));
}
END_TEST

START_TEST(streams_that_are_captured_are_left_alone) {
    start_kernel();
    load_cubin();
    driver->is_capturing = 1;
    launch_with_pointers(false);
    ck_assert_uint_eq(count_kept(), 0);
    ck_assert_int_eq(driver->synchronized, 0);
}
END_TEST

int main(void) {
    return SUITE_IN(
        make_kept, remove_folder, "launches that are kept",
        TEST(a_launch_that_is_too_heavy_is_kept), TEST(a_heavy_launch_that_loads_its_code_is_kept),
        TEST(a_launch_that_is_looked_at_is_not_kept),
        TEST(a_launch_behind_others_is_kept_without_memory), TEST(a_kernel_of_a_graph_is_kept),
        TEST(changed_parameters_of_a_graph_are_kept),
        TEST(a_kernel_of_a_graph_that_was_seen_is_not_kept), TEST(what_a_launch_can_reach_is_kept),
        TEST(variables_are_kept_as_they_were), TEST_EACH(variables_are_read_in_runs, 2),
        TEST(variables_of_code_that_the_launch_loads),
        TEST(one_launch_a_kernel_or_as_many_as_asked), TEST(two_launches_a_kernel),
        TEST(freed_memory_is_not_read), TEST(what_cannot_be_kept_is_said),
        TEST(a_folder_that_cannot_be_written_is_said),
        TEST(streams_that_are_captured_are_left_alone));
}
