/* SPDX-License-Identifier: MIT */
/*
 * The kernels of CUDA graphs with their parameters, read by the driver's own queries when a graph
 * is instantiated or updated. A graph runs without patches (host_leave.c), so that launches of its
 * kernels can only be kept (host_capture.c), and the callback of a node has no parameters.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "host_budget.h"
#include "host_capture.h"

enum {
    NODE_GRAPH = 4, /* CU_GRAPH_NODE_TYPE_GRAPH */
    NODE_CONDITIONAL = 13,
    DEPTH_MAX = 8, /* of graphs in graphs */
    NODES_MAX = 1 << 14,
    KERNELS_MAX = 1024,
};

/* The driver's CUDA_KERNEL_NODE_PARAMS, version 2; version 1 ends before `kernel`. */
typedef struct node_parameters {
    void *function; /* NULL if `kernel` is used */
    uint32_t grid[3], block[3], shared_bytes;
    void **values, **extra;
    void *kernel, *context;
} node_parameters;

static struct {
    int (*nodes)(void *graph, void **nodes, size_t *count), (*type)(void *node, int *type),
        (*child)(void *node, void **graph), (*parameters)(void *node, node_parameters *out),
        (*function)(void **function, void *kernel), (*name)(const char **name, void *function),
        (*module)(void **module, void *function),
        (*parameter)(void *function, size_t index, size_t *offset, size_t *bytes);
} driver;

static graph_kernel *kernels;
static size_t kernel_count;
static uint32_t changes; /* of the list, as far as host_graph_adds_none is concerned */
static bool is_partial;  /* reading graphs took too long: the list may lack kernels */

static bool find_driver(void) {
    static const char *const names[] = {
        "cuGraphGetNodes",     "cuGraphNodeGetType", "cuGraphChildGraphNodeGetGraph",
        "cuKernelGetFunction", "cuFuncGetName",      "cuGraphKernelNodeGetParams_v2",
        "cuFuncGetModule",     "cuFuncGetParamInfo"};
    void *const functions[] = {&driver.nodes,    &driver.type,     &driver.child,
                               &driver.function, &driver.name,     &driver.parameters,
                               &driver.module,   &driver.parameter};
    static bool is_asked, is_found;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !is_asked; i++)
        if (!host_driver_function(names[i], functions[i]))
            is_asked = true;
    is_found |= !is_asked;
    is_asked = true;
    return is_found;
}

/* Returns the parameters as the kernel gets them; NULL if unknown. The caller frees them. */
static uint8_t *pack(void *function, const node_parameters *node, uint32_t *bytes) {
    size_t offset, size, all = 0;
    for (size_t i = 0; driver.parameter(function, i, &offset, &size) == 0; i++)
        all = offset + size > all ? offset + size : all;
    uint8_t *packed = all <= CUBIN_PARAMETER_BYTES ? calloc(1, all + 8) : NULL;
    for (size_t i = 0; packed && node->values; i++) {
        if (driver.parameter(function, i, &offset, &size) != 0)
            break;
        memcpy(packed + offset, node->values[i], size);
    }
    if (packed && !node->values)
        host_copy_packed(node->extra, packed, all);
    *bytes = (uint32_t)all;
    return packed;
}

static bool is_same(const graph_kernel *one, const char *name, const uint32_t grid[3],
                    const uint32_t block[3], const void *module) {
    return one->module == module && memcmp(one->grid, grid, sizeof one->grid) == 0 &&
           memcmp(one->block, block, sizeof one->block) == 0 && strcmp(one->name, name) == 0;
}

graph_kernel *host_graph_kernel(const char *name, const uint32_t grid[3], const uint32_t block[3],
                                const void *module) {
    for (size_t i = 0; i < kernel_count && name; i++)
        if (is_same(&kernels[i], name, grid, block, module))
            return &kernels[i];
    return NULL;
}

static graph_kernel *new_kernel(const char *name, const void *module, const node_parameters *node) {
    char *copy = kernel_count < KERNELS_MAX ? strdup(name) : NULL;
    graph_kernel *one = copy ? host_grow((void **)&kernels, &kernel_count, sizeof *one) : NULL;
    if (!one) {
        free(copy);
        return NULL;
    }
    *one = (graph_kernel){.name = copy, .module = module};
    memcpy(one->grid, node->grid, sizeof one->grid);
    memcpy(one->block, node->block, sizeof one->block);
    return one;
}

/* Takes ownership of the parameters. Later ones of the same kernel and shape replace earlier ones.
 */
static void put_kernel(const char *name, const void *module, const node_parameters *node,
                       uint8_t *parameters, uint32_t bytes) {
    graph_kernel *one = host_graph_kernel(name, node->grid, node->block, module);
    if (!one)
        one = new_kernel(name, module, node);
    if (!one || one->is_kept) {
        free(parameters);
        return;
    }
    changes += !one->parameters || one->shared_bytes != node->shared_bytes;
    free(one->parameters);
    one->parameters = parameters;
    one->parameter_bytes = bytes;
    one->shared_bytes = node->shared_bytes;
}

static void add_kernel(const node_parameters *node) {
    void *function = node->function, *module;
    const char *name;
    uint32_t bytes;
    if (!function && driver.function(&function, node->kernel) != 0)
        return;
    if (driver.name(&name, function) != 0 || driver.module(&module, function) != 0)
        return;
    uint8_t *parameters = pack(function, node, &bytes);
    host_inside();
    if (parameters)
        put_kernel(name, module, node, parameters, bytes);
    host_outside();
}

/* The driver does not tell how often a body runs, and the API calls back once for its nodes. */
static void note_conditional(void) {
    static bool is_told;
    host_inside();
    if (!is_told)
        host_note(
            "a CUDA graph has conditional nodes (if, while, switch): what their bodies launch "
            "counts once per launch of the graph, however often it ran%s",
            host_is_budgeted() ? ", and was not observed; --exact observes each time"
                               : "; their accesses are counted each time");
    is_told = true;
    host_outside();
}

/* Called without the lock, as all queries of the driver. */
static void add_graph(void *graph, unsigned depth) {
    size_t count = 0;
    if (depth > DEPTH_MAX || driver.nodes(graph, NULL, &count) != 0 || count > NODES_MAX)
        return;
    void **nodes = calloc(count + 1, sizeof *nodes);
    if (!nodes || driver.nodes(graph, nodes, &count) != 0)
        count = 0;
    for (size_t i = 0; i < count; i++) {
        node_parameters node = {.function = NULL};
        void *child;
        int type = -1;
        if (driver.type(nodes[i], &type) != 0)
            continue;
        if (type == SAN_NODE_KERNEL && attach.settings.is_sampling &&
            driver.parameters(nodes[i], &node) == 0)
            add_kernel(&node);
        else if (type == NODE_GRAPH && driver.child(nodes[i], &child) == 0)
            add_graph(child, depth + 1);
        else if (type == NODE_CONDITIONAL)
            note_conditional();
    }
    free(nodes);
}

/* The arguments of a call that changes one node of an instantiated graph. */
typedef struct node_change {
    void *graph, *node;
    const node_parameters *parameters;
} node_change;

/* True if the call instantiates a graph, or updates one by another graph. */
static bool is_of_graph(uint32_t id) {
    return id == SAN_INSTANTIATE || id == SAN_INSTANTIATE_V2 || id == SAN_INSTANTIATE_FLAGS ||
           id == SAN_INSTANTIATE_PARAMETERS || id == SAN_INSTANTIATE_PARAMETERS_PTSZ ||
           id == SAN_GRAPH_UPDATE || id == SAN_GRAPH_UPDATE_V2;
}

void host_graph_call(uint32_t id, const san_api_data *data) {
    const bool is_node = id == SAN_GRAPH_NODE || id == SAN_GRAPH_NODE_V2;
    node_parameters node = {.function = NULL};
    const bool is_update = is_node || id == SAN_GRAPH_UPDATE || id == SAN_GRAPH_UPDATE_V2;
    if (data->site != SAN_API_ENTER || !(is_node || is_of_graph(id)) ||
        (is_update && !attach.settings.is_sampling) || !find_driver())
        return;
    if (attach.settings.is_sampling && !host_budget_may_keep()) {
        changes += !is_partial;
        is_partial = true;
        return;
    }
    const double begun = host_now();
    host_outside();
    if (is_node) {
        memcpy(&node, ((const node_change *)data->parameters)->parameters,
               id == SAN_GRAPH_NODE ? offsetof(node_parameters, kernel) : sizeof node);
        add_kernel(&node);
    } else { /* the second argument of all of these is the graph */
        add_graph(((void *const *)data->parameters)[1], 0);
    }
    host_inside();
    host_budget_sampled(host_now() - begun, false);
}

bool host_graph_is_open(void) {
    static size_t closed; /* kernels at the beginning of the list that were kept */
    while (closed < kernel_count && kernels[closed].is_kept)
        closed++;
    return closed < kernel_count;
}

bool host_graph_adds_none(host_function *function, const char *name) {
    bool is_there = false, adds_some = false;
    if (function->graph_changes == changes)
        return function->adds_none_in_graphs;
    for (size_t i = 0; i < kernel_count && name; i++) {
        if (strcmp(kernels[i].name, name) != 0)
            continue;
        is_there = true;
        adds_some |= kernels[i].shared_bytes > 0;
    }
    function->graph_changes = changes;
    return function->adds_none_in_graphs = is_there && !adds_some && !is_partial;
}
