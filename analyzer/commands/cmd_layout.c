/* SPDX-License-Identifier: MIT */
/*
 * predict with source text: accesses as arguments and their surroundings as options, or a layout
 * file. Both go through the same statements.
 */
#include <stdio.h>
#include <string.h>

#include "ask_measure.h"
#include "cmd_layout.h"
#include "layout_source.h"
#include "output.h"
#include "say.h"
#include "text_buffer.h"
#include "write_format.h"

enum { REPORTS_MAX = 64 };

/* Those of the file, in the bank mode of the options. */
static smp_status take_own(const arguments *args, const layout_source *from, smp_arch *out,
                           size_t count, smp_error *error) {
    smp_status status = SMP_OK;
    for (size_t i = 0; i < count && status == SMP_OK; i++)
        status = ask_arch_named(args, smp_layout_arch(from->layout, i)->name, &out[i], error);
    return status;
}

/* Which architectures: those asked for, else those of the file, else sm_90. */
static smp_status choose_archs(const arguments *args, const layout_source *from,
                               smp_arch out[REPORTS_MAX], size_t *count, bool *all,
                               smp_error *error) {
    size_t own = smp_layout_arch_count(from->layout);
    *all = false;
    *count = own < REPORTS_MAX ? own : REPORTS_MAX;
    if (!has(args, OPTION_ARCH) && own > 0)
        return take_own(args, from, out, *count, error);
    *count = 1;
    smp_status status = ask_arch(args, out, all, error);
    if (status != SMP_OK || !*all)
        return status;
    const smp_arch *rows = smp_archs(count);
    memcpy(out, rows, *count * sizeof *rows);
    return SMP_OK;
}

/* Architectures that can't run the accesses, and why the first of them can't. */
typedef struct left_out {
    unsigned count;
    text_buffer list; /* over `names` */
    char names[256];
    char reason[256];
} left_out;

static void leave_out(left_out *left, const smp_arch *arch, const smp_error *error) {
    if (left->count == 0)
        left->list = TEXT_BUFFER(left->names);
    text_join(&left->list, ", ", "%s", arch->name);
    if (left->count++ == 0)
        (void)snprintf(left->reason, sizeof left->reason, "%s", error->message);
}

/* Below a text; beside a table for programs, as a message. */
static void put_left_out(const output *to, const left_out *left) {
    char text[600];
    if (left->count == 0)
        return;
    (void)snprintf(text, sizeof text, "left out: %s. %s%s%s", left->names,
                   left->count > 1 ? "The first: " : "", left->reason, ".");
    if (to->format != SMP_FORMAT_TEXT) {
        say_line("smemprobe: %s", text);
        return;
    }
    fputc('\n', to->stream);
    smp_wrapped_print(to->stream, "", text);
}

static int write_reports(const arguments *args, const smp_layout_prediction *reports, size_t count,
                         bool is_table, const left_out *left) {
    output out;
    smp_error error;
    if (output_open(args, &out, &error) != SMP_OK)
        return complain(&error);
    const smp_layout_show show = {is_table, has(args, OPTION_EXPLAIN), out.style};
    smp_format_row_of(out.format)->layout(out.stream, reports, count, &show);
    put_left_out(&out, left);
    return output_end(&out, SMP_OK, NULL, 0);
}

static int report_all(const arguments *args, const layout_source *from, const smp_arch *archs,
                      size_t count, bool all, smp_probe *probe) {
    smp_layout_prediction reports[REPORTS_MAX];
    smp_error error;
    left_out left = {0};
    size_t done = 0;
    unsigned line = 0;
    int exit_status = 0;
    for (size_t i = 0; i < count && exit_status == 0; i++) {
        smp_status status = smp_layout_prediction_fill(&reports[done], from->file, from->layout,
                                                       &archs[i], &line, &error);
        bool is_last = i + 1 == count && done == 0;
        if (status == SMP_OK)
            status = smp_layout_prediction_measure(&reports[done], probe, &error);
        if (status == SMP_OK) {
            done++;
            continue;
        }
        smp_layout_prediction_clear(&reports[done]);
        if (all && status != SMP_E_MEMORY && !is_last)
            leave_out(&left, &archs[i], &error);
        else
            exit_status = layout_source_complain(from, line, &error);
    }
    if (exit_status == 0)
        exit_status = write_reports(args, reports, done, all, &left);
    while (done > 0)
        smp_layout_prediction_clear(&reports[--done]);
    return exit_status;
}

int run_layout(const arguments *args) {
    smp_arch archs[REPORTS_MAX];
    smp_error error;
    bool all;
    size_t count;
    smp_probe *probe = NULL;
    witness_choice choice;
    smp_error why;
    layout_source from;
    int exit_status = layout_source_read(args, args->positional, args->positional_count, &from);
    if (exit_status == 0 && choose_archs(args, &from, archs, &count, &all, &error) != SMP_OK)
        exit_status = complain(&error);
    bool is_default =
        exit_status == 0 && !has(args, OPTION_ARCH) && smp_layout_arch_count(from.layout) == 0;
    if (exit_status == 0 && !all &&
        ask_probe(args, is_default, &choice, &probe, &archs[0], &why, &error) != SMP_OK)
        exit_status = complain(&error);
    if (exit_status == 0)
        exit_status = report_all(args, &from, archs, count, all, probe);
    smp_probe_close(probe);
    layout_source_clear(&from);
    return exit_status;
}
