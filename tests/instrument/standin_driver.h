/* SPDX-License-Identifier: MIT */
/* How the stand-in for the driver behaves. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STANDIN_VARIABLES = 8, STANDIN_EVENTS = 1024 };

typedef struct standin_variable {
    const char *name;
    void *address;
    size_t bytes;
} standin_variable;

typedef struct standin_driver {
    standin_variable variables[STANDIN_VARIABLES];
    int result, is_capturing, asked_capturing, mode, synchronized;
    void *stream_of[STANDIN_EVENTS];
    int events, recorded;
    volatile int queries;
    volatile bool is_busy; /* what was launched into this stream has not ended */
    void *busy_stream;
    int failure;        /* that a query tells; 0: none */
    unsigned query_us;  /* that a query takes */
    float milliseconds; /* between any two events */
    int device;         /* whose name was asked for last */
    bool is_naming;     /* it knows names of functions: a handle is the name's address */
    int node_type;      /* CUgraphNodeType; 0: a kernel */
    /* Every graph has one node, of a kernel: its CUDA_KERNEL_NODE_PARAMS, module, and offsets and
     * sizes of its parameters. */
    const void *node, *module;
    size_t node_bytes, parameter_count, parameters[STANDIN_VARIABLES][2];
} standin_driver;

extern standin_driver standin_driver_state;
