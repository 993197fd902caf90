/* SPDX-License-Identifier: MIT */
/*
 * Constants of a program, a row for all lanes each.
 */
#include <stdlib.h>
#include <string.h>

#include "uop.h"

int32_t emu_constant(emu_program *program, const uint32_t *values, unsigned rows) {
    if (program->constant_rows + rows > program->constant_room) {
        uint32_t room = 2 * program->constant_room + 64;
        uint32_t *grown = aligned_alloc(EMU_ALIGN, (size_t)room * ROW_BYTES);
        if (grown == NULL)
            return -1;
        if (program->constants != NULL)
            memcpy(grown, program->constants, (size_t)program->constant_rows * ROW_BYTES);
        free(program->constants);
        program->constants = grown;
        program->constant_room = room;
    }
    int32_t offset = (int32_t)(program->constant_rows * ROW_BYTES);
    for (unsigned i = 0; i < rows; i++)
        for (unsigned l = 0; l < ROW; l++)
            program->constants[(program->constant_rows + i) * ROW + l] = values[i];
    program->constant_rows += rows;
    return offset;
}
