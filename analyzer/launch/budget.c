/* SPDX-License-Identifier: MIT */
/*
 * A grid may have billions of blocks, so every launch has a time limit: an alarm sets a flag that
 * the emulator polls.
 */
#include "budget.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text_buffer.h"

enum { PLACE_BYTES = 4096 };

static volatile int is_over; /* one of these, or 0 */
enum { BY_TIME = 1, BY_CALLER };
static const char *asked_by; /* the option, or NULL */
static uint64_t budget;

static void on_alarm(int number) {
    (void)number;
    is_over = BY_TIME;
}

void emulate_budget_start(uint64_t seconds, const char *asked) {
    const struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    asked_by = asked;
    is_over = 0;
    budget = seconds;
    if (seconds > 0 && sigaction(SIGALRM, &action, NULL) == 0)
        (void)alarm((unsigned)seconds);
}

void emulate_budget_end(void) {
    is_over = BY_CALLER;
}

const volatile int *emulate_budget_stop(void) {
    return &is_over;
}

static void note_output(const smp_emulation *done, const note_sink *notes) {
    if (done->output_dropped > 0)
        note_add(notes,
                 "%" PRIu64 " printf calls are cut or missing: a launch prints at most 1 MiB, the "
                 "default size of CUDA's buffer",
                 done->output_dropped);
}

/* Returns true if the limit was not the user's own: then stopping is not a success. Otherwise, the
 * caller knows what the end means. */
static bool note_stop(const smp_emulation *done, smp_kernel_profile *kernel,
                      const note_sink *notes) {
    char text[240], why[64] = "interrupted";
    const bool is_unasked = is_over != BY_CALLER && !asked_by;
    if (!done->is_stopped)
        return false;
    if (is_over != BY_CALLER)
        (void)snprintf(why, sizeof why, "stopped after %" PRIu64 " s (%s)", budget,
                       asked_by ? asked_by : "--budget");
    (void)snprintf(text, sizeof text,
                   "%s: %" PRIu64 " of %" PRIu64
                   " blocks or clusters had begun, and the figures cover what ran",
                   why, done->clusters_begun, done->cluster_count);
    note_add(notes, "%s%s", text, is_unasked ? "; --budget 0 removes the limit" : "");
    free(kernel->not_seen);
    kernel->not_seen = strdup(text);
    return is_unasked;
}

/* Adds "kernel.cu:24: " or nothing. */
static void add_place(text_buffer *out, const smp_instruction *instruction) {
    if (instruction->frame_count > 0) {
        const smp_source_line *frame = &instruction->frames[instruction->frame_count - 1];
        text_add(out, "%s:%u: ", frame->file, frame->line);
    }
}

/* Returns true, with a note, if the launch ended at a texture or a surface. */
static bool is_refused(const char *of, const smp_function *function, const smp_emulation *done,
                       const char *why, const note_sink *notes) {
    for (uint32_t i = 0; i < done->finding_count; i++) {
        const smp_instruction *at = &function->linked[done->findings[i].instruction];
        const char *object = smp_emu_object_of(at);
        if (!done->findings[i].ends || !object)
            continue;
        char place[PLACE_BYTES];
        text_buffer out = TEXT_BUFFER(place);
        add_place(&out, at);
        note_add(notes, "%s%.500s uses a %s (0x%x: %s %s), which %s", place, of, object,
                 at->offset_bytes, at->opcode, at->operands, why);
        return true;
    }
    return false;
}

smp_status emulate_take_end(emulate_end *end, const smp_function *function,
                            const smp_emulation *done, smp_profile *profile, smp_error *error) {
    const uint32_t index = profile->kernel_count - 1;
    smp_kernel_profile *kernel = &profile->kernels[index];
    char text[160] = "the launch ended early: see the findings";
    smp_status status = SMP_OK;
    end->is_refused = is_refused(end->of, function, done, end->why, end->notes);
    note_output(done, end->notes);
    end->is_stopped = note_stop(done, kernel, end->notes);
    if (end->is_refused)
        (void)snprintf(text, sizeof text, "uses a texture or a surface, %s", end->not_seen);
    if (!done->is_whole && !done->is_stopped)
        kernel->not_seen = strdup(text);
    if (!end->is_refused && !end->is_judged_before)
        status = smp_emulate_findings(function, done, profile, index, error);
    return status == SMP_OK ? smp_emulate_called(function, profile, index, error) : status;
}
