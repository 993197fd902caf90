/* SPDX-License-Identifier: MIT */
/*
 * transpose.c: what the warps of the matrix transposes ask of memory, and what they must compute.
 * All variants cut the input into tiles of 32 x 32, one a block of 32 x 8 threads; a warp's lanes
 * run along a row. Equal warps are visited once, with their number, so that a trace takes the same
 * short time for every size. Two global accesses are equal when their addresses differ by a
 * multiple of 128 bytes in all lanes; matrices begin at such a multiple.
 */
#include "transpose.h"

enum { LINE_FLOATS = 32 };

struct trace {
    smp_kernel_size size;
    uint32_t pitch; /* floats from one row of the tile to the next */
    smp_trace_fn visit;
    void *user;
    bool stopped;
};

static void visit(struct trace *trace, const char *site, const smp_access *access, uint64_t times) {
    if (times > 0 && !trace->stopped)
        trace->stopped = !trace->visit(trace->user, site, access, times);
}

static smp_access access_of(smp_op op, uint32_t lanes) {
    smp_access access = {.op = op, .width_bytes = sizeof(float)};
    access.active_mask = lanes == SMP_LANES ? SMP_ALL_LANES : (1u << lanes) - 1u;
    return access;
}

/* One warp: lane l at float `first + l * step`, of shared or global memory. */
static void visit_row(struct trace *trace, const char *site, smp_op op, uint32_t lanes,
                      uint64_t first, uint64_t step, uint64_t times) {
    smp_access access = access_of(op, lanes);
    const bool is_global = op == SMP_LD_GLOBAL || op == SMP_ST_GLOBAL;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint64_t bytes = (first + lane * step) * sizeof(float);
        if (is_global)
            access.address_bytes[lane] = bytes;
        else
            access.offset_bytes[lane] = (uint32_t)bytes;
    }
    visit(trace, site, &access, times);
}

/* Both sides of tiles that hold `rows` x `columns` of the matrix. */
static void visit_tiles(struct trace *trace, uint32_t rows, uint32_t columns, uint64_t tiles) {
    for (uint32_t row = 0; row < rows; row++)
        visit_row(trace, "tile write", SMP_ST_SHARED, columns, row * trace->pitch, 1, tiles);
    for (uint32_t column = 0; column < columns; column++)
        visit_row(trace, "tile read", SMP_LD_SHARED, rows, column, trace->pitch, tiles);
}

static void visit_shared(struct trace *trace) {
    const uint32_t rows = trace->size.rows, columns = trace->size.columns;
    const uint64_t down = rows / SMP_TILE, across = columns / SMP_TILE;
    const uint32_t last_rows = rows % SMP_TILE, last_columns = columns % SMP_TILE;
    visit_tiles(trace, SMP_TILE, SMP_TILE, down * across);
    if (last_rows)
        visit_tiles(trace, last_rows, SMP_TILE, across);
    if (last_columns)
        visit_tiles(trace, SMP_TILE, last_columns, down);
    if (last_rows && last_columns)
        visit_tiles(trace, last_rows, last_columns, 1);
}

/* How many of the numbers 0 .. count-1 leave `remainder` when divided by 32. */
static uint64_t count_residue(uint32_t count, uint32_t remainder) {
    return count / LINE_FLOATS + (remainder < count % LINE_FLOATS ? 1u : 0u);
}

/* Reads or writes along the rows of a matrix, in pieces of 32 floats. Where a row begins within a
 * 128-byte line depends only on its number modulo 32. */
static void visit_along(struct trace *trace, const char *site, smp_op op, uint32_t rows,
                        uint32_t columns) {
    for (uint32_t row = 0; row < LINE_FLOATS; row++) {
        const uint64_t first = (uint64_t)row * columns % LINE_FLOATS;
        const uint64_t times = count_residue(rows, row);
        visit_row(trace, site, op, SMP_LANES, first, 1, times * (columns / SMP_LANES));
        if (columns % SMP_LANES)
            visit_row(trace, site, op, columns % SMP_LANES, first, 1, times);
    }
}

/* Writes down the columns of the output, one row of it a lane. */
static void visit_across(struct trace *trace, const char *site, smp_op op) {
    const uint32_t rows = trace->size.rows, columns = trace->size.columns;
    for (uint32_t row = 0; row < LINE_FLOATS; row++) {
        const uint64_t times = count_residue(rows, row);
        visit_row(trace, site, op, SMP_LANES, row, rows, times * (columns / SMP_LANES));
        if (columns % SMP_LANES)
            visit_row(trace, site, op, columns % SMP_LANES, row, rows, times);
    }
}

smp_status smp_transpose_trace_naive(smp_kernel_size size, smp_trace_fn visit_fn, void *user) {
    struct trace trace = {.size = size, .visit = visit_fn, .user = user};
    visit_along(&trace, "global read", SMP_LD_GLOBAL, size.rows, size.columns);
    visit_across(&trace, "global write", SMP_ST_GLOBAL);
    return trace.stopped ? SMP_E_INTERRUPTED : SMP_OK;
}

static smp_status trace_tile(smp_kernel_size size, uint32_t pitch, smp_trace_fn visit_fn,
                             void *user) {
    struct trace trace = {.size = size, .pitch = pitch, .visit = visit_fn, .user = user};
    visit_along(&trace, "global read", SMP_LD_GLOBAL, size.rows, size.columns);
    visit_shared(&trace);
    visit_along(&trace, "global write", SMP_ST_GLOBAL, size.columns, size.rows);
    return trace.stopped ? SMP_E_INTERRUPTED : SMP_OK;
}

smp_status smp_transpose_trace_tiled(smp_kernel_size size, smp_trace_fn visit_fn, void *user) {
    return trace_tile(size, SMP_TILE, visit_fn, user);
}

smp_status smp_transpose_trace_padded(smp_kernel_size size, smp_trace_fn visit_fn, void *user) {
    return trace_tile(size, SMP_TILE + 1, visit_fn, user);
}

void smp_transpose_reference(const float *in, float *out, smp_kernel_size size) {
    for (size_t row = 0; row < size.rows; row++)
        for (size_t column = 0; column < size.columns; column++)
            out[column * size.rows + row] = in[row * size.columns + column];
}
