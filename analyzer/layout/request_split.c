/* SPDX-License-Identifier: MIT */
/*
 * How many instructions move an object.
 */
#include "layout.h"

enum { PARTS_MAX = 64, VECTOR_BYTES = 16 };

bool smp_request_split(smp_parser *parser, smp_request *request) {
    const smp_target *target = &request->target;
    uint32_t width = target->align < VECTOR_BYTES ? target->align : VECTOR_BYTES;
    request->width_bytes = width;
    request->parts = target->size_bytes / width;
    if (request->parts <= PARTS_MAX)
        return true;
    return smp_parser_fail(parser, SMP_E_WIDTH, target->position,
                           "an object of %u bytes takes more than %d instructions: access a member",
                           target->size_bytes, PARTS_MAX);
}
