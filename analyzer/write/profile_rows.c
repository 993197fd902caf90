/* SPDX-License-Identifier: MIT */
/*
 * A profile as promised JSON, and as CSV with a row for each finding (figures empty), then a row
 * for each instruction (finding columns empty).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile_json.h"
#include "profile_time.h"
#include "profile_words.h"

/* An array written element by element, as it may not fit in memory. */
typedef struct array {
    FILE *out;
    bool is_compact, has_element;
} array;

static void begin_array(array *to, const char *name) {
    fprintf(to->out, to->is_compact ? ",\"%s\":[" : ",\n  \"%s\": [", name);
    to->has_element = false;
}

/* Takes over `value`. JSON text has no line breaks inside strings. */
static void put_element(array *to, json_t *value) {
    char *text =
        json_dumps(value, (to->is_compact ? JSON_COMPACT : JSON_INDENT(2)) | JSON_ENSURE_ASCII);
    fputs(to->has_element ? "," : "", to->out);
    fputs(to->is_compact ? "" : "\n    ", to->out);
    for (const char *at = text ? text : "null"; *at != '\0'; at++) {
        fputc(*at, to->out);
        fputs(*at == '\n' ? "    " : "", to->out);
    }
    to->has_element = true;
    free(text);
    json_decref(value);
}

static void end_array(array *to) {
    fputs(to->has_element && !to->is_compact ? "\n  ]" : "]", to->out);
}

static void dump(FILE *out, const smp_profile *profile, bool is_compact) {
    array to = {.out = out, .is_compact = is_compact};
    fprintf(out, is_compact ? "{\"schema_version\":%d" : "{\n  \"schema_version\": %d",
            SMP_PROFILE_SCHEMA_VERSION);
    begin_array(&to, "runs");
    for (uint32_t i = 0; i < profile->run_count; i++)
        put_element(&to, smp_run_to_json(&profile->runs[i]));
    end_array(&to);
    begin_array(&to, "findings");
    for (uint32_t i = 0; i < profile->finding_count; i++)
        put_element(&to, smp_finding_to_json(&profile->findings[i]));
    end_array(&to);
    begin_array(&to, "kernels");
    for (uint32_t i = 0; i < profile->kernel_count; i++)
        put_element(&to, smp_kernel_to_json(&profile->kernels[i], SMP_PROFILE_PROMISED));
    end_array(&to);
    fputs(is_compact ? "}\n" : "\n}\n", out);
}

void smp_profile_json(FILE *out, const smp_profile_view *view, smp_style style) {
    (void)style;
    dump(out, view->profile, false);
}

void smp_profile_json_compact(FILE *out, const smp_profile *profile) {
    dump(out, profile, true);
}

/* ---- CSV of findings ---- */

/* Empty finding columns of an instruction's row. */
static const char no_finding[] = ",,,,,,,,,,,,,,,";

static void put_triple(FILE *out, bool applies, const uint32_t value[3]) {
    if (applies)
        fprintf(out, ",%" PRIu32 " %" PRIu32 " %" PRIu32, value[0], value[1], value[2]);
    else
        fputc(',', out);
}

static void put_other(FILE *out, const smp_profile_finding *finding) {
    const smp_finding_place *at = &finding->other;
    put_csv_field(out, at->file);
    put_csv_count(out, at->file, at->line);
    put_csv_count(out, at->instruction, at->offset_bytes);
    put_csv_field(out, at->instruction);
    put_triple(out, at->has_thread, at->block);
    put_triple(out, at->has_thread, at->thread);
    fputc('\n', out);
}

/* The finding's instruction stands in the opcode column. */
static void put_finding(FILE *out, const smp_profile *profile, const smp_profile_finding *finding) {
    const smp_finding_place *at = &finding->at;
    const smp_kernel_profile *kernel = smp_finding_kernel_of(profile, finding);
    put_csv_text(out, finding->kernel, strlen(finding->kernel));
    put_csv_count(out, kernel, kernel ? kernel->launches : 0);
    put_csv_count(out, at->instruction, at->offset_bytes);
    put_csv_field(out, at->instruction);
    put_csv_field(out, at->file);
    put_csv_count(out, at->file, at->line);
    fputs(",,,,,,,,,,,,,", out); /* space to gain_us */
    fprintf(out, ",%s,%s,%s", kernel && kernel->arch ? kernel->arch->name : "",
            smp_finding_kind_name(finding->kind), finding->is_note ? "note" : "error");
    put_csv_field(out, finding->message);
    put_triple(out, at->has_thread, at->block);
    put_triple(out, at->has_thread, at->thread);
    put_csv_count(out, finding->has_address, finding->address);
    put_csv_field(out, finding->array);
    put_csv_count(out, true, finding->count);
    put_csv_field(out, finding->missing);
    put_other(out, finding);
}

/* ---- CSV of instructions ---- */

static void put_site(FILE *out, const smp_kernel_profile *kernel, const smp_profile_site *site) {
    const smp_frame *frame = smp_site_user_frame(site);
    const bool known = !site->not_modelled, banks = known && smp_space_has_banks(site->space);
    const bool sectors = smp_site_has_sectors(site);
    put_csv_text(out, kernel->name, strlen(kernel->name));
    fprintf(out, ",%" PRIu64 ",%" PRIu32, kernel->launches, site->offset_bytes);
    put_csv_field(out, site->opcode);
    put_csv_field(out, frame ? frame->file : NULL);
    put_csv_count(out, frame, frame ? frame->line : 0);
    fprintf(out, ",%s,%s,%" PRIu32, smp_site_space_name(site),
            site->op < SMP_OP_COUNT ? smp_ops(NULL)[site->op].name : "", site->width_bytes);
    put_csv_count(out, known || site->requests > 0, site->requests);
    put_csv_count(out, banks, site->wavefronts);
    put_csv_count(out, banks, site->ideal);
    put_csv_count(out, banks, site->wavefronts - site->ideal);
    put_csv_count(out, banks, site->ways);
    put_csv_count(out, sectors, site->sectors);
    put_csv_count(out, sectors, site->ideal_sectors);
    fprintf(out, ",%d", known);
    put_csv_real(out, kernel->time_us > 0, kernel->time_us);
    put_csv_real(out, banks && kernel->stage_us > 0,
                 smp_gain_of(kernel, site->wavefronts - site->ideal));
    fprintf(out, ",%s%s\n", kernel->arch ? kernel->arch->name : "", no_finding);
}

void smp_profile_csv(FILE *out, const smp_profile_view *view, smp_style style) {
    const smp_profile *profile = view->profile;
    (void)style;
    fputs(
        "kernel,launches,offset,opcode,file,line,space,op,width_bytes,requests,wavefronts,ideal,"
        "excess,ways,sectors,ideal_sectors,modelled,time_us,gain_us,arch,finding,severity,message,"
        "block,thread,address,array,count,missing,other_file,other_line,other_offset,"
        "other_instruction,other_block,other_thread\n",
        out);
    for (uint32_t i = 0; i < profile->finding_count; i++)
        put_finding(out, profile, &profile->findings[i]);
    EACH_SITE(kernel, site, profile)
        put_site(out, kernel, site);
}
