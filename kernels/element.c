/* SPDX-License-Identifier: MIT */
/*
 * element.c: the rows that all families share: elements, and kinds of traffic.
 */
#include "smp_kernels.h"

static const smp_element_row elements[SMP_ELEMENT_COUNT] = {
#define ELEMENT_ROW(id, name, bytes, layout) [id] = {name, bytes, layout},
    SMP_ELEMENT_LIST(ELEMENT_ROW)
#undef ELEMENT_ROW
};

static const smp_traffic_row traffic[SMP_TRAFFIC_COUNT] = {
#define TRAFFIC_ROW(id, name, op) [id] = {name, op},
    SMP_TRAFFIC_LIST(TRAFFIC_ROW)
#undef TRAFFIC_ROW
};

const smp_element_row *smp_element_info(smp_element element) {
    return &elements[element];
}

const smp_traffic_row *smp_traffic_rows(void) {
    return traffic;
}
