/* SPDX-License-Identifier: MIT */
/*
 * What others read of a layout, and the evaluation of its kernel.
 */
#include <inttypes.h>
#include <string.h>

#include "lower.h"

uint32_t smp_layout_array_count(const smp_layout *layout) {
    return layout->kernel.array_count;
}

const smp_array *smp_layout_array(const smp_layout *layout, size_t index) {
    return &layout->kernel.arrays[index];
}

uint32_t smp_layout_data_count(const smp_layout *layout) {
    return layout->kernel.data_count;
}

const smp_array *smp_layout_data_array(const smp_layout *layout, size_t index) {
    const ct_data *data = &layout->kernel.data[index];
    const int array = ct_array_find(&layout->kernel, data->name, data->length);
    return array >= 0 ? &layout->kernel.arrays[array] : NULL;
}

const smp_request *smp_layout_request(const smp_layout *layout, size_t index) {
    return &layout->kernel.accesses[index];
}

const smp_array *smp_layout_target(const smp_layout *layout, size_t index) {
    return &layout->kernel.arrays[layout->kernel.accesses[index].target.array];
}

uint64_t smp_layout_block_count(const smp_layout *layout) {
    const uint32_t *grid = layout->kernel.grid;
    return (uint64_t)grid[0] * grid[1] * grid[2];
}

bool smp_layout_has_kernel(const smp_layout *layout) {
    return layout->has_kernel;
}

size_t smp_layout_access_count(const smp_layout *layout) {
    return layout->kernel.access_count;
}

size_t smp_layout_arch_count(const smp_layout *layout) {
    return layout->arch_count;
}

const smp_arch *smp_layout_arch(const smp_layout *layout, size_t index) {
    return layout->archs[index];
}

void smp_layout_block(const smp_layout *layout, uint32_t block[3]) {
    memcpy(block, layout->kernel.block, sizeof layout->kernel.block);
}

smp_status smp_layout_check_memory(const smp_layout *layout, const smp_arch *arch,
                                   smp_error *error) {
    uint64_t bytes = ct_shared_size(&layout->kernel);
    uint64_t limit = (uint64_t)arch->shared_block_kib * 1024;
    if (bytes <= limit)
        return SMP_OK;
    return smp_error_set(error, SMP_E_RANGE, -1,
                         "the arrays take %" PRIu64
                         " bytes, but a block on %s has at most %" PRIu64,
                         bytes, arch->name, limit);
}

uint64_t smp_layout_shared_bytes(const smp_layout *layout) {
    return ct_shared_size(&layout->kernel);
}

void smp_layout_access_at(const smp_layout *layout, size_t index, smp_layout_access *out) {
    const smp_request *request = &layout->kernel.accesses[index];
    *out = (smp_layout_access){.text = request->text,
                               .length = request->length,
                               .is_implied = request->is_implied,
                               .line = request->line,
                               .op = request->op,
                               .width_bytes = request->width_bytes,
                               .parts = request->parts};
}

const char *smp_layout_access_array(const smp_layout *layout, size_t index, size_t *length) {
    const smp_array *array = &layout->kernel.arrays[layout->kernel.accesses[index].target.array];
    *length = array->length;
    return array->name;
}

int smp_array_find(const smp_layout *layout, const char *name, size_t length) {
    return ct_array_find(&layout->kernel, name, length);
}

uint64_t smp_array_base(const smp_layout *layout, const smp_array *array) {
    return ct_array_base(&layout->kernel, array);
}

uint64_t smp_dynamic_base(const smp_layout *layout, uint64_t static_bytes) {
    return ct_dynamic_base(&layout->kernel, static_bytes);
}

/* ---- Evaluation ---- */

smp_status smp_layout_evaluate(const smp_layout *layout, const smp_arch *arch, size_t index,
                               smp_totals *out, unsigned *line, smp_error *error) {
    return ct_access_evaluate(&layout->kernel, arch, index, NULL, NULL, out, line, error);
}

smp_status smp_layout_evaluate_while(const smp_layout *layout, const smp_arch *arch, size_t index,
                                     smp_going_fn goes_on, void *user, smp_totals *out,
                                     unsigned *line, smp_error *error) {
    return ct_access_evaluate(&layout->kernel, arch, index, goes_on, user, out, line, error);
}

smp_status smp_layout_visit(const smp_layout *layout, size_t index, smp_visit_fn visit, void *user,
                            unsigned *line, smp_error *error) {
    return ct_access_visit(&layout->kernel, index, visit, user, line, error);
}

smp_status smp_layout_trace(const smp_layout *layout, uint32_t warp, smp_layout_trace_fn show,
                            void *user, unsigned *line, smp_error *error) {
    return ct_warp_trace(&layout->kernel, warp, show, user, line, error);
}

const char *smp_layout_loop_name(const smp_layout *layout, unsigned loop, size_t *length) {
    return ct_loop_name(&layout->kernel, loop, length);
}

size_t smp_request_place_format(const smp_layout *layout, const smp_request_place *place,
                                char *text, size_t size) {
    return ct_place_format(&layout->kernel, place, text, size);
}

static smp_status visit_layout(const void *from, smp_visit_fn visit, void *user, smp_error *error) {
    const smp_layout_stream *stream = from;
    for (size_t i = 0; i < smp_layout_access_count(stream->layout); i++) {
        const smp_status status =
            smp_layout_visit(stream->layout, i, visit, user, stream->line, error);
        if (status != SMP_OK)
            return status;
    }
    return SMP_OK;
}

const smp_stream smp_stream_layout = {"layout", visit_layout};
