/* SPDX-License-Identifier: MIT */
/*
 * The family `lookup`: values between 0 and 1, evenly spread, looked up in a table of cubics. Lanes
 * read records at random, so no layout is free of conflicts. But records of four words begin at
 * only eight banks; padding or a swizzle spreads them over all 32; and eight copies, of which each
 * lane reads its own, have no conflict at all. Table and results begin at multiples of 256 bytes.
 */
#include "lookup.h"

#include <math.h>
#include <string.h>

#define VALUES_MAX UINT64_C(4000000000)

/* ---- The accesses, from the values ---- */

typedef uint32_t (*place_fn)(uint32_t record, uint32_t field);

static uint32_t plain(uint32_t record, uint32_t field) {
    return record * SMP_LOOKUP_FIELDS + field;
}

static uint32_t padded(uint32_t record, uint32_t field) {
    return record * SMP_LOOKUP_PADDED + field;
}

static uint32_t swizzled(uint32_t record, uint32_t field) {
    return record * SMP_LOOKUP_FIELDS + (field ^ record / 8 % SMP_LOOKUP_FIELDS);
}

static float scaled(const smp_kernel_case *problem, float value) {
    return value * (float)problem->rows;
}

static uint32_t record_of(const smp_kernel_case *problem, float value) {
    const uint64_t record = (uint64_t)scaled(problem, value);
    return (uint32_t)(record < problem->rows ? record : problem->rows - 1);
}

/* Each block copies the table word by word. */
static void walk_copy(const smp_kernel_case *problem, place_fn place, uint32_t copies,
                      smp_kernel_trace *to) {
    const uint64_t blocks = smp_lookup_blocks(problem);
    const uint64_t words = problem->rows * SMP_LOOKUP_FIELDS * copies;
    for (uint64_t first = 0; first < words; first += SMP_LANES) {
        smp_access load = {.op = SMP_LD_GLOBAL, .width_bytes = sizeof(float)};
        smp_access store = {.op = SMP_ST_SHARED, .width_bytes = sizeof(float)};
        load.active_mask = store.active_mask = smp_first_lanes(words - first);
        for (uint32_t lane = 0; lane < SMP_LANES; lane++) {
            const uint32_t word = (uint32_t)first + lane;
            const uint32_t record = word / SMP_LOOKUP_FIELDS / copies;
            load.address_bytes[lane] =
                (uint64_t)plain(record, word % SMP_LOOKUP_FIELDS) * sizeof(float);
            store.offset_bytes[lane] =
                (copies > 1 ? word : place(record, word % SMP_LOOKUP_FIELDS)) *
                (uint32_t)sizeof(float);
        }
        smp_trace_show(to, "table", &load, blocks);
        smp_trace_show(to, "fill", &store, blocks);
    }
}

/* Reads the records of one warp's values, by words or by 16 bytes. */
static void walk_records(smp_kernel_trace *to, const uint32_t records[SMP_LANES], uint32_t lanes,
                         place_fn place, uint32_t copies) {
    const bool by_vector = !place;
    smp_access access = {
        .op = SMP_LD_SHARED, .width_bytes = by_vector ? 16 : 4, .active_mask = lanes};
    for (uint32_t field = 0; field < (by_vector ? 1 : SMP_LOOKUP_FIELDS); field++) {
        for (uint32_t lane = 0; lane < SMP_LANES; lane++)
            access.offset_bytes[lane] = by_vector
                                            ? (records[lane] * copies + lane % copies) * 16
                                            : place(records[lane], field) * (uint32_t)sizeof(float);
        smp_trace_show(to, "record", &access, 1);
    }
}

static void walk_global(smp_kernel_trace *to, const uint32_t records[SMP_LANES], uint32_t lanes) {
    smp_access access = {.op = SMP_LD_GLOBAL, .width_bytes = 16, .active_mask = lanes};
    for (uint32_t lane = 0; lane < SMP_LANES; lane++)
        access.address_bytes[lane] = (uint64_t)records[lane] * 16;
    smp_trace_show(to, "record", &access, 1);
}

static void walk_vectors(smp_kernel_trace *to, const char *site, smp_op op, uint64_t vectors) {
    smp_access access = {.op = op, .width_bytes = 16, .active_mask = SMP_ALL_LANES};
    for (uint32_t lane = 0; lane < SMP_LANES; lane++)
        access.address_bytes[lane] = (uint64_t)lane * 16;
    smp_trace_show(to, site, &access, vectors / SMP_LANES);
    access.active_mask = smp_first_lanes(vectors % SMP_LANES);
    smp_trace_show(to, site, &access, 1);
}

/* `copies` 0: the table stays in global memory. */
static void trace(const smp_kernel_case *problem, const void *in, place_fn place, uint32_t copies,
                  smp_kernel_trace *to) {
    const float *values = (const float *)((const char *)in + smp_lookup_table_bytes(problem->rows));
    const uint64_t vectors = smp_lookup_vectors(problem);
    if (copies > 0)
        walk_copy(problem, place ? place : plain, copies, to);
    walk_vectors(to, "values", SMP_LD_GLOBAL, vectors);
    walk_vectors(to, "results", SMP_ST_GLOBAL, vectors);
    for (uint64_t i = 0; i < vectors * SMP_LOOKUP_EACH && to->status == SMP_OK; i++) {
        uint32_t records[SMP_LANES] = {0};
        const uint64_t row = i / SMP_LOOKUP_EACH * SMP_LANES, part = i % SMP_LOOKUP_EACH;
        if (row >= vectors)
            break;
        const uint32_t lanes = smp_first_lanes(vectors - row);
        for (uint32_t lane = 0; lane < SMP_LANES; lane++)
            if (lanes >> lane & 1)
                records[lane] = record_of(problem, values[(row + lane) * SMP_LOOKUP_EACH + part]);
        if (copies > 0)
            walk_records(to, records, lanes, place, copies);
        else
            walk_global(to, records, lanes);
    }
}

SMP_TRACE(trace_global, trace(problem, in, NULL, 0, to))
SMP_TRACE(trace_shared, trace(problem, in, plain, 1, to))
SMP_TRACE(trace_padded, trace(problem, in, padded, 1, to))
SMP_TRACE(trace_swizzled, trace(problem, in, swizzled, 1, to))
SMP_TRACE(trace_vector, trace(problem, in, NULL, 1, to))
SMP_TRACE(trace_copies, trace(problem, in, NULL, SMP_LOOKUP_COPIES, to))

/* ---- Shapes ---- */

static smp_kernel_shape shape(const smp_kernel_case *problem, uint32_t record_bytes) {
    return (smp_kernel_shape){.blocks = smp_lookup_blocks(problem),
                              .threads = SMP_LOOKUP_THREADS,
                              .shared_bytes = (uint32_t)problem->rows * record_bytes};
}

SMP_SHAPE(shape_global, shape(problem, 0))
SMP_SHAPE(shape_plain, shape(problem, SMP_LOOKUP_FIELDS * sizeof(float)))
SMP_SHAPE(shape_padded, shape(problem, SMP_LOOKUP_PADDED * sizeof(float)))
SMP_SHAPE(shape_copies, shape(problem, SMP_LOOKUP_COPIES *SMP_LOOKUP_FIELDS * sizeof(float)))

/* ---- The numbers ---- */

static smp_status check_copies(const smp_kernel_case *problem, smp_error *error) {
    if (problem->rows <= SMP_LOOKUP_COPIES_MAX)
        return SMP_OK;
    return smp_error_set(error, SMP_E_OVERFLOW, -1,
                         "copies: of at most %d records fit 125 KiB of shared memory",
                         SMP_LOOKUP_COPIES_MAX);
}

static smp_kernel_bytes bytes(const smp_kernel_case *problem) {
    const uint64_t values = smp_lookup_vectors(problem) * SMP_LOOKUP_EACH * sizeof(float);
    const uint64_t in = smp_lookup_table_bytes(problem->rows) + values;
    return (smp_kernel_bytes){.in = in, .out = values, .work = in, .moved = 2 * values};
}

/* Coefficients are whole numbers from -8 to 7, and values have 24 bits; padding of both is 0. */
static void fill(const smp_kernel_case *problem, void *in) {
    uint64_t state = problem->seed * 2 + 1;
    float *table = in;
    memset(in, 0, (size_t)bytes(problem).in);
    for (uint64_t i = 0; i < problem->rows * SMP_LOOKUP_FIELDS; i++)
        table[i] = (float)((int)(smp_noise(&state) >> 60) - 8);
    float *values = (float *)((char *)in + smp_lookup_table_bytes(problem->rows));
    for (uint64_t i = 0; i < problem->columns; i++)
        values[i] = (float)(smp_noise(&state) >> 40) / 16777216.0f;
}

static float solve_one(const smp_kernel_case *problem, const float *table, float value) {
    const uint32_t record = record_of(problem, value);
    const float *c = table + (size_t)record * SMP_LOOKUP_FIELDS;
    const float x = scaled(problem, value) - (float)record;
    return fmaf(fmaf(fmaf(c[3], x, c[2]), x, c[1]), x, c[0]);
}

static void solve(const smp_kernel_case *problem, const void *in, void *out) {
    const float *values = (const float *)((const char *)in + smp_lookup_table_bytes(problem->rows));
    for (uint64_t i = 0; i < smp_lookup_vectors(problem) * SMP_LOOKUP_EACH; i++)
        ((float *)out)[i] = solve_one(problem, in, values[i]);
}

/* Compares exactly: both sides round each of the same operations to nearest. */
SMP_VERIFY(verify, smp_verify_solved(problem, in, out, solve, bytes(problem).out, SMP_FLOAT, 0,
                                     "value", error))

#define VARIANT(id, text, shape_fn)                                       \
    .name = #id, .summary = text, .shape = shape_fn, .trace = trace_##id, \
    .launch = SMP_LAUNCH(smp_lookup_launch_##id)

static const smp_kernel_variant variants[] = {
    {VARIANT(global, "records of 16 bytes from global memory", shape_global)},
    {VARIANT(shared, "the table in shared memory, read by words", shape_plain)},
    {VARIANT(padded, "the same with a word of padding a record", shape_padded)},
    {VARIANT(swizzled, "the same, words exclusive-ored with the record's number / 8", shape_plain)},
    {VARIANT(vector, "the table in shared memory, read by records of 16 bytes", shape_plain)},
    {VARIANT(copies, "eight copies of it, one for each lane of eight", shape_copies),
     .check = check_copies},
};

static const smp_kernel_claim claims[] = {
    {"global", "shared", "a table in shared memory"},
    {"shared", "padded", "a word of padding a record"},
    {"padded", "swizzled", "a swizzle instead of padding"},
    {"swizzled", "vector", "16 bytes at a time"},
    {"vector", "copies", "a copy for each lane of eight"},
};

const smp_kernel_family smp_lookup_family = {
    .name = "lookup",
    .summary = "a table of cubics, looked up at random; --size is RECORDSxVALUES",
    .elements = 1u << SMP_FLOAT,
    .standard = {.element = SMP_FLOAT, .rows = 256, .columns = 1u << 24, .seed = 1},
    .is_matrix = true,
    .most_rows = SMP_LOOKUP_RECORDS_MAX,
    .most_columns = VALUES_MAX,
    .row_name = "records",
    .column_name = "values",
    .baseline_name = "device-to-device copy",
    SMP_FAMILY_PARTS,
};
