/* SPDX-License-Identifier: MIT */
/*
 * A profile for programs: JSON as INTERFACE promises it, and one row an instruction as CSV.
 */
#include <inttypes.h>
#include <string.h>

#include "profile_json.h"
#include "profile_time.h"
#include "profile_write.h"
#include "put.h"

static void dump(FILE *out, const smp_profile *profile, size_t flags) {
    json_t *runs = json_array(), *kernels = json_array();
    for (uint32_t i = 0; i < profile->run_count; i++)
        json_array_append_new(runs, smp_run_to_json(&profile->runs[i]));
    for (uint32_t i = 0; i < profile->kernel_count; i++)
        json_array_append_new(kernels,
                              smp_kernel_to_json(&profile->kernels[i], SMP_PROFILE_PROMISED));
    json_t *all = json_pack("{si so so}", "schema_version", 1, "runs", runs, "kernels", kernels);
    json_dumpf(all, out, flags | JSON_ENSURE_ASCII);
    fputc('\n', out);
    json_decref(all);
}

void smp_profile_json(FILE *out, const smp_profile_view *view, smp_style style) {
    (void)style;
    dump(out, view->profile, JSON_INDENT(2));
}

void smp_profile_json_compact(FILE *out, const smp_profile *profile) {
    dump(out, profile, JSON_COMPACT);
}

static void put_name(FILE *out, const char *text) {
    put_csv_text(out, text, text ? strlen(text) : 0);
}

static void put_us(FILE *out, bool applies, double us) {
    if (applies)
        fprintf(out, ",%.3f", us);
    else
        fputc(',', out);
}

static void put_site(FILE *out, const smp_kernel_profile *kernel, const smp_profile_site *site) {
    const smp_frame *frame = smp_site_user_frame(site);
    const bool known = !site->not_modelled, banks = known && smp_space_has_banks(site->space);
    const bool sectors = known && site->space != SMP_SPACE_SHARED;
    put_name(out, kernel->name);
    fprintf(out, ",%" PRIu64 ",%" PRIu32 ",", kernel->launches, site->offset_bytes);
    put_name(out, site->opcode);
    fputc(',', out);
    put_name(out, frame ? frame->file : NULL);
    put_csv_count(out, frame != NULL, frame ? frame->line : 0);
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
    put_us(out, kernel->time_us > 0, kernel->time_us);
    put_us(out, banks && kernel->stage_us > 0, smp_gain_of(kernel, site->wavefronts - site->ideal));
    fputc('\n', out);
}

void smp_profile_csv(FILE *out, const smp_profile_view *view, smp_style style) {
    const smp_profile *profile = view->profile;
    (void)style;
    fputs("kernel,launches,offset,opcode,file,line,space,op,width_bytes,requests,wavefronts,ideal,"
          "excess,ways,sectors,ideal_sectors,modelled,time_us,gain_us\n",
          out);
    for (uint32_t i = 0; i < profile->kernel_count; i++) {
        for (uint32_t j = 0; j < profile->kernels[i].site_count; j++)
            put_site(out, &profile->kernels[i], &profile->kernels[i].sites[j]);
    }
}
