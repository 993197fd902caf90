/* SPDX-License-Identifier: MIT */
/* Places: a block in its grid, an instruction in its function and in the source. */
#include <stdio.h>
#include <string.h>

#include "profile_rank.h"
#include "warp.h"

void emu_block_place(const smp_launch *launch, uint64_t cluster, uint32_t rank, uint32_t at[3]) {
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t clusters = launch->grid[i] / launch->cluster[i];
        at[i] = (uint32_t)(cluster % clusters) * launch->cluster[i] + rank % launch->cluster[i];
        cluster /= clusters;
        rank /= launch->cluster[i];
    }
}

/* Like smp_site_user_frame. */
const smp_source_line *smp_emu_user_line(const smp_instruction *at) {
    for (uint32_t i = 0; i < at->frame_count; i++) {
        const smp_frame frame = {(char *)(uintptr_t)at->frames[i].file, at->frames[i].line};
        if (!smp_frame_is_of_system(&frame))
            return &at->frames[i];
    }
    return at->frame_count > 0 ? &at->frames[at->frame_count - 1] : NULL;
}

bool smp_emu_place(const smp_function *function, uint32_t instruction, smp_finding_place *out) {
    const uint32_t part = smp_function_part(function, instruction);
    const uint32_t first = part > 0 ? function->parts[part].first : 0;
    const smp_instruction *at = &function->linked[instruction];
    char text[512];
    const smp_source_line *frame = smp_emu_user_line(at);
    (void)snprintf(text, sizeof(text), "%s%s%s%s%.400s", at->predicate,
                   at->predicate[0] != '\0' ? " " : "", at->opcode,
                   at->operands[0] != '\0' ? " " : "", at->operands);
    out->instruction = strdup(text);
    out->offset_bytes = at->offset_bytes - first * INSTRUCTION_BYTES;
    out->file = frame ? strdup(frame->file) : NULL;
    out->line = out->file ? frame->line : 0;
    out->has_thread = true;
    return out->instruction;
}
