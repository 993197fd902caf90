/* SPDX-License-Identifier: MIT */
/*
 * plot heatmap: wavefronts by stride and width; architectures with equal wavefronts share a panel.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"
#include "text_buffer.h"

enum { STRIDES_MAX = PLOT_HEATMAP_STRIDES, WIDTHS = 5, PANELS_MAX = 16 };

typedef struct cell {
    bool known;
    uint8_t low, high;
} cell;

/* The wavefronts of one architecture. */
typedef struct panel {
    smp_arch first, last;
    uint32_t evidence; /* bit e: some width has evidence e on some architecture of the panel */
    cell cells[WIDTHS][STRIDES_MAX];
} panel;

typedef struct heatmap {
    smp_pattern base;
    uint64_t strides[STRIDES_MAX];
    size_t stride_count, panel_count;
    panel panels[PANELS_MAX];
} heatmap;

static void fill_panel(const heatmap *all, const smp_arch *arch, panel *out) {
    memset(out, 0, sizeof *out);
    out->first = out->last = *arch;
    for (unsigned w = 0; w < WIDTHS; w++) {
        smp_pattern pattern = all->base;
        pattern.width_bytes = 1u << w;
        for (size_t s = 0; s < all->stride_count; s++) {
            smp_access access;
            smp_counts counts;
            pattern.stride = (uint32_t)all->strides[s];
            if (smp_pattern_access(&pattern, &access, NULL) != SMP_OK ||
                smp_predict(arch, &access, &counts) != SMP_OK)
                continue;
            out->cells[w][s] =
                (cell){true, (uint8_t)counts.wavefronts_min, (uint8_t)counts.wavefronts_max};
            out->evidence |= 1u << counts.evidence;
        }
    }
}

/* Adds an architecture, to the latest panel if its wavefronts are equal. */
static void add_arch(heatmap *all, const smp_arch *arch) {
    panel *latest = all->panel_count ? &all->panels[all->panel_count - 1] : NULL;
    panel *next = &all->panels[all->panel_count];
    if (all->panel_count == PANELS_MAX)
        return;
    fill_panel(all, arch, next);
    if (latest && latest->first.bank_bytes == arch->bank_bytes &&
        latest->first.bank_bytes_alt == arch->bank_bytes_alt &&
        memcmp(latest->cells, next->cells, sizeof next->cells) == 0) {
        latest->last = *arch;
        latest->evidence |= next->evidence;
    } else if (next->evidence != 0) { /* the operation exists there */
        all->panel_count++;
    }
}

static void put_evidence(const panel *from, char *text, size_t size) {
    text_buffer list = text_buffer_over(text, size);
    for (unsigned e = 0; e < SMP_EVIDENCE_COUNT; e++)
        if (from->evidence >> e & 1)
            text_join(&list, " / ", "%s", smp_evidence_name((smp_evidence)e));
}

static void put_panel(plot *out, const heatmap *all, size_t index) {
    const panel *from = &all->panels[index];
    char label[80], evidence[80];
    plot_archs_label(&from->first, &from->last, label, sizeof label);
    put_evidence(from, evidence, sizeof evidence);
    for (unsigned w = 0; w < WIDTHS; w++) {
        for (size_t s = 0; s < all->stride_count; s++) {
            const cell *at = &from->cells[w][s];
            fprintf(out->data, "%zu", index);
            plot_put_text(out->data, label);
            plot_put_text(out->data, evidence);
            fprintf(out->data, ",%u,%" PRIu64 ",", 1u << w, all->strides[s]);
            if (at->known)
                fprintf(out->data, "%u,%u\n", at->low, at->high);
            else
                fputs(",\n", out->data);
        }
    }
}

static smp_status make(const plot_ask *ask, heatmap *all, smp_error *error) {
    smp_arch archs[SMP_ARCH_MODES_MAX] = {ask->arch};
    all->base = ask->axes.base;
    all->stride_count = ask->axes.stride_count;
    if (smp_ops(NULL)[all->base.op].space != SMP_SPACE_SHARED)
        return smp_error_set(error, SMP_E_USAGE, -1,
                             "plot heatmap shows shared memory; %s has no banks",
                             smp_ops(NULL)[all->base.op].name);
    memcpy(all->strides, ask->axes.strides, all->stride_count * sizeof all->strides[0]);
    size_t count = ask->is_every_arch ? smp_arch_modes(archs) : 1;
    for (size_t i = 0; i < count; i++)
        add_arch(all, &archs[i]);
    if (all->panel_count == 0)
        return smp_error_set(error, SMP_E_OP_UNAVAILABLE, -1, "%s does not exist on %s",
                             smp_ops(NULL)[all->base.op].name, archs[0].name);
    return SMP_OK;
}

/* Uses `arch`, and the base and strides of `axes`, at most PLOT_HEATMAP_STRIDES. */
static smp_status fill(plot *out, smp_error *error) {
    heatmap *all = calloc(1, sizeof *all);
    smp_status status = all ? make(out->ask, all, error) : smp_error_memory(error);
    if (status == SMP_OK) {
        PLOT_TEXT(out->title, "%s by stride and width, over the generations",
                  smp_ops(NULL)[all->base.op].name);
        PLOT_TEXT(out->subtitle, "wavefronts per request of %d lanes, at most", SMP_LANES);
        PLOT_TEXT(out->provenance, "smemprobe %s, model; evidence as noted", SMP_VERSION);
        plot_set(out, "panels", "%zu", all->panel_count);
        plot_set(out, "strides", "%zu", all->stride_count);
        fputs("panel,architectures,evidence,width_bytes,stride,wavefronts_min,wavefronts_max\n",
              out->data);
        for (size_t i = 0; i < all->panel_count; i++)
            put_panel(out, all, i);
    }
    free(all);
    return status;
}

static const plot_panel panels[] = {{.form = PLOT_GRID,
                                     .each = "architectures",
                                     .x = "width_bytes",
                                     .y = "stride",
                                     .x_name = "bytes",
                                     .y_name = "stride",
                                     .note = "evidence",
                                     .series = {{.value = "wavefronts_max"}}},
                                    {.form = PLOT_END}};

const plot_kind plot_heatmap = {
    .name = "heatmap",
    .summary = "wavefronts by stride and width, on every generation",
    .operands = "",
    .fill = fill,
    .panels = panels,
};
