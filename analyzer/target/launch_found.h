/* SPDX-License-Identifier: MIT */
/*
 * Finds the <<<>>> in a file that launch a kernel. For a template, their arguments must have the
 * values of the instance.
 */
#pragma once

#include "host_text.h"

/* "void ns::reduce<float, 4>(float*, int)": "reduce", "float, 4", "float*, int". */
typedef struct kernel_name {
    host_span base, instance, signature;
} kernel_name;

kernel_name kernel_name_split(const char *demangled);

typedef struct found_launch {
    host_launch of;
    bool is_other; /* launches another instance, so its grid, block and bytes do not apply */
} found_launch;

enum { FOUND_LAUNCHES_MAX = 16 };

/* Lists the launches that fit best, in text order, and returns their number. */
unsigned found_launches(const host_scope *scope, const kernel_name *name,
                        found_launch out[FOUND_LAUNCHES_MAX]);

/* Finds the macro or function that the text calls with the kernel as an argument: "LAUNCH" of
 * "LAUNCH(k<8>, grid, block)". False if there is none. */
bool launcher_of(const char *text, host_span kernel, host_span *out);

/* "k" of "ns::k<TILE, float>". */
host_span host_name_base(host_span name);
/* "TILE, float" of "k<TILE, float>"; empty if there is no list. */
host_span host_template_list(host_span name);
/* Gives names of template parameters ("typename T, int TILE") or launch arguments ("T, TILE") the
 * values of the instance ("float, 32") unless they have one in scope. */
void host_scope_bind(host_scope *scope, host_span names, host_span instance);

/* indexed_extent.c: the extent of the block that indices in the kernel's body ask for: 16 for
 * "blockIdx.x * 16 + threadIdx.x"; 0 if they do not tell. */
uint32_t indexed_extent(host_scope *inside, host_span body, char axis);
/* The same: the last two extents of the body's first __shared__ array; *rows is 0 for one
 * dimension. False if there is none. */
bool tile_extents(host_scope *inside, host_span body, int64_t *rows, int64_t *columns);
/* The same: the integer template argument that counts threads, since it is the only one with whole
 * warps; 0 if there is none. The user gave the first `given` names. */
uint32_t template_threads(const host_scope *inside, unsigned given, uint32_t most);
/* indexed_extent.c: whether the kernel's launch bounds, or the indices in its body, take `name` for
 * the number of threads in a block. */
bool is_block_extent(const host_kernel *kernel, host_span name);
/* The first number of __launch_bounds__; 0 if there is none, or it is not known. */
uint32_t launch_bound(const char *text, const host_kernel *kernel);

/* assumed_instance.c: assumes an argument for the integer template parameter `name`: the block's
 * size if it is one, else what its name usually means. */
int64_t assumed_number(const char *text, const host_kernel *kernel, host_span name);
