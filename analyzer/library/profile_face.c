/* SPDX-License-Identifier: MIT */
/* Profiles, their gate and their documents, for other programs. */
#include "smp_profile.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "profile_file.h"
#include "profile_write.h"

enum { LINES_SHOWN = 8, WORST_SHOWN = 3, WORST_OF_ALL = 100 };

smp_profile *smp_profile_new(void) {
    return calloc(1, sizeof(smp_profile));
}

void smp_profile_free(smp_profile *profile) {
    if (profile)
        smp_profile_clear(profile);
    free(profile);
}

/* ---- Files ---- */

smp_status smp_profile_load(smp_profile *profile, FILE *in, smp_profile_damage *damage,
                            smp_error *error) {
    smp_profile one = {0};
    smp_profile_loss loss;
    smp_status status = smp_profile_read(in, &one, &loss, error);
    if (status == SMP_OK)
        status = smp_profile_merge(profile, &one, error);
    if (status == SMP_OK && damage)
        *damage = (smp_profile_damage){.blocks = loss.blocks, .is_cut = loss.cut};
    smp_profile_clear(&one);
    return status;
}

smp_status smp_profile_add(smp_profile *into, smp_profile *from, smp_error *error) {
    return smp_profile_merge(into, from, error);
}

smp_status smp_profile_save(const smp_profile *profile, FILE *out, smp_error *error) {
    return smp_profile_write(out, profile, error);
}

/* ---- Figures ---- */

static void fill_row(const smp_kernel_profile *kernel, const smp_profile_site *site,
                     smp_profile_row *out) {
    const smp_frame *frame = smp_site_user_frame(site);
    *out = (smp_profile_row){.kernel = kernel->name,
                             .demangled = smp_kernel_full_name(kernel),
                             .arch = kernel->arch,
                             .offset_bytes = site->offset_bytes,
                             .opcode = site->opcode,
                             .operands = site->operands,
                             .file = frame ? frame->file : NULL,
                             .line = frame ? frame->line : 0,
                             .op = site->op < SMP_OP_COUNT ? smp_ops(NULL)[site->op].name : NULL,
                             .space = smp_site_space_name(site),
                             .width_bytes = site->width_bytes,
                             .not_modelled = site->not_modelled,
                             .requests = site->requests,
                             .lanes = site->lanes,
                             .wavefronts = site->wavefronts,
                             .ideal = site->ideal,
                             .sectors = site->sectors,
                             .ideal_sectors = site->ideal_sectors,
                             .ways = site->ways,
                             .worst_mask = site->worst.mask,
                             .worst_offsets = site->worst.mask ? site->worst.offset_bytes : NULL};
}

bool smp_profile_row_at(const smp_profile *profile, size_t index, smp_profile_row *out) {
    EACH(const smp_kernel_profile, kernel, profile->kernels, profile->kernel_count) {
        if (index < kernel->site_count) {
            fill_row(kernel, &kernel->sites[index], out);
            return true;
        }
        index -= kernel->site_count;
    }
    return false;
}

bool smp_profile_fault_at(const smp_profile *profile, size_t index, smp_fault *out) {
    if (index >= profile->finding_count)
        return false;
    const smp_profile_finding *from = &profile->findings[index];
    *out = (smp_fault){.kind = smp_finding_kind_name(from->kind),
                       .is_note = from->is_note,
                       .message = from->message,
                       .kernel = from->kernel,
                       .file = from->at.file,
                       .line = from->at.line,
                       .instruction = from->at.instruction,
                       .has_thread = from->at.has_thread,
                       .count = from->count,
                       .missing = from->missing};
    memcpy(out->block, from->at.block, sizeof out->block);
    memcpy(out->thread, from->at.thread, sizeof out->thread);
    return true;
}

/* ---- The gate ---- */

/* The caller clears `out`, also after failure. */
static smp_status make_gate(const smp_profile_bounds *bounds, smp_profile_gate *out,
                            smp_error *error) {
    *out = (smp_profile_gate){.all = {-1, -1}};
    if (!bounds)
        return SMP_OK;
    out->all = (smp_gate_bound){bounds->max_ways, bounds->max_excess};
    return bounds->rules ? smp_gate_parse(bounds->rules_name ? bounds->rules_name : "rules",
                                          bounds->rules, strlen(bounds->rules), out, error)
                         : SMP_OK;
}

smp_status smp_profile_judge(const smp_profile *profile, const smp_profile_bounds *bounds,
                             void (*said)(void *user, const char *line), void *user,
                             smp_profile_verdict *out, smp_error *error) {
    const note_sink notes = {said, user};
    smp_profile_gate gate;
    smp_ranking ranking;
    char unseen[400];
    smp_status status = make_gate(bounds, &gate, error);
    if (status == SMP_OK)
        status = smp_ranking_make(profile, &ranking, error);
    if (status == SMP_OK) {
        out->above = smp_gate_judge(&gate, &ranking, &notes);
        out->faults = smp_findings_errors(profile->findings, profile->finding_count);
        out->is_unseen = smp_gate_unseen(&gate, &ranking, unseen, sizeof unseen) > 0;
        smp_ranking_clear(&ranking);
    }
    smp_gate_clear(&gate);
    return status;
}

/* ---- Documents ---- */

typedef struct document_form {
    const char *name;
    smp_profile_writer *write;
} document_form;

#define DOCUMENT_FORM(of, id, name) {#name, smp_##of##_##name},

static const document_form forms[] = {SMP_PROFILE_FORMS(DOCUMENT_FORM, profile)};

static const document_form *find_form(const char *name) {
    return ROWS_FIND(forms, name);
}

static smp_status write_document(const document_form *form, smp_profile_view *view, FILE *out,
                                 smp_error *error) {
    const uint32_t most = form->write == smp_profile_text ? WORST_SHOWN : WORST_OF_ALL;
    smp_profile_fix *fixes = NULL;
    view->worst_lines = view->ranking->worst_count < most ? view->ranking->worst_count : most;
    view->lines = LINES_SHOWN;
    const smp_status status = smp_profile_fixes(view->ranking, view->worst_lines, &fixes, error);
    view->fixes = fixes;
    if (status == SMP_OK)
        form->write(out, view, (smp_style){.color = false});
    free(fixes);
    if (status == SMP_OK && (fflush(out) != 0 || ferror(out)))
        return smp_error_set(error, SMP_E_WRITE, -1, "the document could not be written");
    return status;
}

smp_status smp_profile_document(const smp_profile *profile, const char *format,
                                const smp_profile_bounds *bounds, FILE *out, smp_error *error) {
    const document_form *form = find_form(format);
    smp_profile_gate gate;
    smp_ranking ranking;
    if (!form)
        return smp_error_set(error, SMP_E_USAGE, -1, "'%.40s' is not a format of profiles", format);
    smp_status status = make_gate(bounds, &gate, error);
    if (status == SMP_OK)
        status = smp_ranking_make(profile, &ranking, error);
    if (status == SMP_OK) {
        smp_profile_view view = {.profile = profile, .ranking = &ranking, .gate = &gate};
        status = write_document(form, &view, out, error);
        smp_ranking_clear(&ranking);
    }
    smp_gate_clear(&gate);
    return status;
}
