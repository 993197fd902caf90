/* SPDX-License-Identifier: MIT */
/*
 * What other rooms read of a layout.
 */
#include "layout.h"

uint32_t smp_layout_array_count(const smp_layout *layout) {
    return layout->array_count;
}

const smp_array *smp_layout_array(const smp_layout *layout, size_t index) {
    return &layout->arrays[index];
}

uint32_t smp_layout_data_count(const smp_layout *layout) {
    return layout->data_count;
}

const smp_array *smp_layout_data_array(const smp_layout *layout, size_t index) {
    const ct_data *data = &layout->data[index];
    const int array = smp_array_find(layout, data->name, data->length);
    return array >= 0 ? &layout->arrays[array] : NULL;
}

const smp_request *smp_layout_request(const smp_layout *layout, size_t index) {
    return &layout->accesses[index];
}

const smp_array *smp_layout_target(const smp_layout *layout, size_t index) {
    return &layout->arrays[layout->accesses[index].target.array];
}

bool smp_layout_has_kernel(const smp_layout *layout) {
    return layout->has_kernel;
}
