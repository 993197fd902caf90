/* SPDX-License-Identifier: MIT */
/* Options for measurements: what to measure, how, on which GPUs, and where to record it. */
#include <string.h>

#include "ask_measure.h"
#include "output.h"
#include "say.h"
#include "smp_accesses.h"

/* ---- Sweeps ---- */

static smp_status parse_ops(const char *text, smp_op out[SMP_OP_COUNT], size_t *count,
                            smp_error *error) {
    char name[LIST_WORD_MAX];
    *count = 0;
    for (const char *at = text; list_word(&at, name);) {
        const smp_op_row *row = smp_op_find(name);
        if (!row || *count == SMP_OP_COUNT)
            return smp_error_set(error, SMP_E_UNKNOWN_OP, -1,
                                 "--op %.40s: unknown operation '%s' (smemprobe list ops)", text,
                                 name);
        out[(*count)++] = row->op;
    }
    return SMP_OK;
}

static smp_status parse_widths(const char *text, uint64_t out[SMP_AXIS_WIDTHS_MAX], size_t *count,
                               smp_error *error) {
    if (numbers_parse(text, "width", 16, out, SMP_AXIS_WIDTHS_MAX, count, error))
        return error->status;
    for (size_t i = 0; i < *count; i++) {
        if (out[i] == 0 || (out[i] & (out[i] - 1)) != 0)
            return smp_error_set(error, SMP_E_WIDTH, -1, "--width %u: expected 1, 2, 4, 8 or 16",
                                 (unsigned)out[i]);
    }
    return SMP_OK;
}

smp_status ask_strides(const arguments *args, const char *fallback, uint64_t limit, size_t most,
                       smp_axes *out, smp_error *error) {
    return numbers_parse(value_or(args, OPTION_STRIDE, fallback), "stride", limit, out->strides,
                         most, &out->stride_count, error);
}

smp_status ask_axes(const arguments *args, const char *strides, const char *widths, smp_axes *out,
                    smp_error *error) {
    uint64_t offset = 0;
    out->base = smp_pattern_default();
    if (ask_strides(args, strides, UINT32_MAX, SMP_AXIS_STRIDES_MAX, out, error) ||
        parse_widths(value_or(args, OPTION_WIDTH, widths), out->widths, &out->width_count, error) ||
        parse_ops(value_or(args, OPTION_OP, "ld"), out->ops, &out->op_count, error) ||
        ask_number(args, OPTION_OFFSET, UINT32_MAX, &offset, error) ||
        ask_lanes(args, &out->base.active_mask, error))
        return error->status;
    out->base.offset_bytes = (uint32_t)offset;
    return SMP_OK;
}

smp_status ask_masks(const arguments *args, uint32_t *ops, uint32_t *widths, smp_error *error) {
    smp_op op[SMP_OP_COUNT];
    uint64_t width[SMP_AXIS_WIDTHS_MAX];
    size_t op_count = 0, width_count = 0;
    *ops = *widths = 0;
    if ((has(args, OPTION_OP) && parse_ops(last_value(args, OPTION_OP), op, &op_count, error)) ||
        (has(args, OPTION_WIDTH) &&
         parse_widths(last_value(args, OPTION_WIDTH), width, &width_count, error)))
        return error->status;
    for (size_t i = 0; i < op_count; i++)
        *ops |= 1u << op[i];
    for (size_t i = 0; i < width_count; i++)
        *widths |= (uint32_t)width[i];
    return SMP_OK;
}

/* ---- Who measures ---- */

smp_status ask_witness(const arguments *args, smp_witness fallback, witness_choice *out,
                       smp_error *error) {
    enum { NOT_GIVEN = 4 };
    const witness_choice choices[] = {/* counters, clocks, both, auto */
                                      {SMP_COUNTERS, false},
                                      {SMP_CLOCKS, false},
                                      {SMP_COUNTERS, true},
                                      {SMP_COUNTERS_OR_CLOCKS, false},
                                      [NOT_GIVEN] = {fallback, false}};
    unsigned word = NOT_GIVEN;
    const smp_status status = ask_word(args, OPTION_WITNESS, &word, error);
    *out = choices[word];
    return status;
}

smp_status ask_device(const arguments *args, int *device, smp_error *error) {
    uint64_t index = 0;
    smp_status status = ask_number(args, OPTION_DEVICE, 1023, &index, error);
    *device = (int)index;
    return status;
}

smp_status ask_probe(const arguments *args, bool is_default, witness_choice *choice,
                     smp_probe **probe, smp_arch *arch, smp_error *why, smp_error *error) {
    int device;
    if (ask_device(args, &device, error) ||
        ask_witness(args, SMP_COUNTERS_OR_CLOCKS, choice, error))
        return error->status;
    if (smp_probe_open_with(device, choice->first, probe, why) != SMP_OK)
        return SMP_OK;
    const smp_device *found = smp_probe_device(*probe);
    const smp_arch *own = smp_arch_of_cc(found->cc_major, found->cc_minor);
    if (own && is_default && !has(args, OPTION_BANK_MODE))
        *arch = *own;
    return SMP_OK;
}

smp_status ask_devices(const arguments *args, device_list *out, smp_error *error) {
    const char *text = last_value(args, OPTION_DEVICES);
    const bool all = strcmp(text, "all") == 0;
    uint64_t wanted[DEVICES_MAX];
    size_t count = 0;
    device_table found;
    smp_error why;
    if ((!all &&
         numbers_parse(text, "devices", DEVICES_MAX - 1, wanted, DEVICES_MAX, &count, error)) ||
        devices_find(&found, error))
        return error->status;
    const smp_status status = devices_choose(&found, all ? NULL : wanted, count, out, &why);
    if (status != SMP_OK)
        return smp_error_set(error, status, -1, "--devices %.40s: %.200s", text, why.message);
    return SMP_OK;
}

/* ---- Records ---- */

smp_status ask_record(const arguments *args, const char *name, unsigned positionals,
                      const option_set options, record_target *out, smp_error *error) {
    *out = (record_target){.path = last_value(args, OPTION_RECORD),
                           .overwrites = has(args, OPTION_FORCE),
                           .notes = &say_notes};
    text_buffer text = TEXT_BUFFER(out->command);
    text_add(&text, "smemprobe %s", name);
    for (unsigned i = 0; i < args->positional_count && i < positionals; i++)
        text_add(&text, " %s", args->positional[i]);
    for (unsigned option = 0; option < OPTION_COUNT; option++) {
        if (options[option] && has(args, (smp_option)option))
            text_add(&text, " --%s %s", option_rows[option].name,
                     last_value(args, (smp_option)option));
    }
    return output_check(args, out->path, error);
}

smp_status ask_recorded(const arguments *args, smp_error *error) {
    smp_status status = SMP_OK;
    for (unsigned i = 0; i < args->count[OPTION_RECORDED] && status == SMP_OK; i++)
        status = recorded_read("--recorded ", args->value[OPTION_RECORDED][i], error);
    return status;
}
