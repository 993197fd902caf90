/* SPDX-License-Identifier: MIT */
/*
 * A profile as text: the runs, then the worst lines with source, reason and bank map, then a table
 * of kernels, lines and instructions.
 */
#include <inttypes.h>
#include <string.h>

#include "profile_words.h"
#include "profile_write.h"
#include "put.h"
#include "visible_text.h"
#include "write_prediction.h"

enum { NAME_MAX_COLUMNS = 60, MAP_ROWS = 4, KERNELS_SHOWN = 12 };

/* ---- Where ---- */

/* Writes the source line, or the machine instruction if the line is unknown. */
static void put_source(FILE *out, const smp_profile_line *line) {
    char text[256];
    const smp_profile_site *site = line->sites[0];
    const smp_shared_array *array = smp_site_array(line->kernel, site);
    if (line->frame)
        smp_source_put(out, "    ", line->frame, array ? array->name : NULL);
    else if (site->opcode) {
        (void)snprintf(text, sizeof text, "%s %s", site->opcode,
                       site->operands ? site->operands : "");
        smp_cut_put(out, "    ", text, NULL);
    }
}

/* Writes the script lines that launched the kernel, and the text of the first. */
static void put_callers(FILE *out, const smp_kernel_profile *kernel, bool has_text) {
    const smp_frame *callers = kernel->callers;
    for (uint32_t i = 0; i < kernel->caller_count; i++)
        put_visible(out, "%s%s", i == 0 ? "  called by  " : ", ", smp_frame_text(&callers[i]));
    if (kernel->caller_count > 0)
        fputc('\n', out);
    if (has_text && kernel->caller_count > 0)
        smp_source_put(out, "    ", &callers[0], NULL);
}

static void put_ranges(FILE *out, const smp_kernel_profile *kernel) {
    for (uint32_t i = 0; i < kernel->range_count; i++)
        put_visible(out, "%s%s", i == 0 ? "  in ranges  " : ", ", kernel->ranges[i]);
    if (kernel->range_count > 0)
        fputc('\n', out);
}

/* ---- One of the worst lines ---- */

/* True if a repair of the line's bank conflicts is known to gain next to nothing. */
static bool is_not_worth_it(const smp_profile_view *view, const smp_profile_line *line) {
    return smp_sums_excess(&line->sums) > 0 && line->kernel->stage_us > 0 &&
           line->worth_us < SMP_WORTH_LEAST * view->ranking->time_us;
}

static void put_gain(FILE *out, const smp_profile_view *view, const smp_profile_line *line) {
    char a[SMP_TIME_MAX], b[SMP_TIME_MAX];
    const smp_kernel_profile *kernel = line->kernel;
    if (kernel->stage_us <= 0)
        return;
    fprintf(out, "; worth at most %s of the kernel's %s", smp_time_text(line->worth_us, a),
            smp_time_text(kernel->time_us, b));
    if (is_not_worth_it(view, line))
        fprintf(out,
                "\n   not worth it: %.2g %% of all kernels' time; shared memory is busy in %.2g "
                "%% of this one's",
                100 * line->worth_us / view->ranking->time_us,
                100 * kernel->stage_us / kernel->time_us);
}

/* `scale`, `all`: to and of all launches. */
static void put_verdict(FILE *out, const smp_profile_sums *seen, double scale,
                        const smp_profile_sums *all) {
    const smp_profile_sums scaled = smp_sums_times(seen, scale), *sums = &scaled;
    const uint64_t waves = smp_sums_excess(sums), sectors = smp_sums_excess_sectors(sums);
    const char *joint = "";
    if (waves > 0) {
        fprintf(out, "%" PRIu32 "-way, %s of all excess wavefronts", sums->ways,
                smp_percent(waves, smp_sums_excess(all)));
        joint = "; ";
    }
    if (sectors > 0)
        fprintf(out, "%s%s of all excess sectors", joint,
                smp_percent(sectors, smp_sums_excess_sectors(all)));
}

/* Without line information, one instruction represents its whole kernel. */
static void put_together(FILE *out, const smp_profile_line *line, const smp_profile_sums *all) {
    if (line->together_count < 2)
        return;
    fprintf(out, "   with %" PRIu32 " more instruction%s of the kernel: ", line->together_count - 1,
            line->together_count == 2 ? "" : "s");
    put_verdict(out, &line->together, line->scale, all);
    fputc('\n', out);
}

static void put_costs(FILE *out, const smp_profile_site *site) {
    char label[64], opcode[48];
    const bool banks = smp_space_has_banks(site->space);
    const uint64_t cost = banks ? site->wavefronts : site->sectors;
    const uint64_t ideal = banks ? site->ideal : site->ideal_sectors;
    const char *unit = cost == 1 ? (banks ? "wavefront" : "sector")
                       : banks   ? "wavefronts"
                                 : "sectors";
    smp_visible_copy(opcode, sizeof opcode,
                     site->opcode ? site->opcode : smp_site_space_name(site));
    (void)snprintf(label, sizeof label, "  %-10s ", opcode);
    put_wrapped(out, label, "%s request%s, %s %s, ideal %s", count_text(site->requests),
                plural(site->requests), count_text(cost), unit, count_text(ideal));
}

static void put_array(FILE *out, const smp_profile_line *line) {
    const smp_shared_array *array = smp_site_array(line->kernel, line->sites[0]);
    if (!array || !array->name)
        return;
    put_visible(out, "  array      %s%s%s", array->name, array->type ? " of " : "", array->type);
    if (array->size_bytes > 0)
        fprintf(out, ", %s bytes", count_text(array->size_bytes));
    else
        fputs(", sized at launch", out);
    fprintf(out, " at offset %s\n", count_text(array->offset_bytes));
}

static void put_reason(FILE *out, const smp_profile_line *line, smp_style style) {
    char why[512];
    smp_prediction report;
    if (!smp_site_report(line->kernel, line->sites[0], &report))
        return;
    if (smp_prediction_why(&report, why, sizeof why) > 0)
        smp_wrapped_print(out, "  worst      ", why);
    if (smp_space_has_banks(line->sites[0]->space) && report.counts.group_count > 0)
        smp_bankmap_print(out, &report, style, MAP_ROWS);
}

/* Writes repairs: those of the array, with the requests they were computed for, then a wider access
 * for the line itself. */
static void put_fix(FILE *out, const smp_profile_view *view, uint32_t number, smp_style style) {
    const smp_profile_line *line = smp_ranking_worst(view->ranking, number);
    const smp_profile_fix *fix = &view->fixes[number];
    const uint32_t same = smp_fix_shown_before(view, number);
    const char *first = "  advice     ", *other = "  or         ";
    const bool has_change =
        same == number
            ? smp_changes_put(out, fix, smp_fix_edited_before(view, number) ? NULL : line, first,
                              other, style)
            : fprintf(out, "%ssame as for %" PRIu32 ". above\n", first, same + 1) > 0;
    if (has_change && same == number)
        put_wrapped(out, "             ",
                    "for the recorded requests%s of %" PRIu32 " instruction%s that use%s the array",
                    fix->requests_lost > 0 ? " (not all were kept)" : "", fix->site_count,
                    plural(fix->site_count), fix->site_count == 1 ? "s" : "");
    else if (!has_change && fix->obstacle[0] != '\0')
        smp_wrapped_print(out, "  no advice  ", fix->obstacle);
    smp_wider_put(out, &fix->wider, has_change ? other : first);
}

static void put_worst(FILE *out, const smp_profile_view *view, uint32_t number, smp_style style) {
    const smp_profile_line *line = smp_ranking_worst(view->ranking, number);
    const smp_profile_sums *all = &smp_ranking_arch(view->ranking, line->kernel)->scaled;
    char name[NAME_MAX_COLUMNS + 1];
    smp_kernel_title(view->ranking, line->kernel, name, sizeof name);
    fprintf(out, "%s%" PRIu32 ". ", smp_paint(style, "\033[1m"), number + 1);
    put_visible(out, "%s", smp_place_text(line));
    fputs(smp_paint(style, "\033[0m"), out);
    put_visible(out, " in %s", name);
    if (line->others > 0)
        fprintf(out, " and %" PRIu32 " other%s", line->others, plural(line->others));
    fputs("\n   ", out);
    put_verdict(out, &line->sums, line->scale, all);
    if (smp_sums_excess(&line->sums) > 0)
        put_gain(out, view, line);
    fputs("\n", out);
    put_together(out, line, all);
    put_source(out, line);
    put_callers(out, line->kernel, true);
    put_costs(out, line->sites[0]);
    if (view->all_lines || !is_not_worth_it(view, line)) {
        put_array(out, line);
        put_reason(out, line, style);
        put_fix(out, view, number, style);
    } else {
        fputs("   map and advice: --lines all\n", out);
    }
    fputc('\n', out);
}

/* ---- The table ---- */

static void put_number(FILE *out, bool applies, uint64_t value, int width) {
    fprintf(out, " %*s", width, applies ? count_text(value) : "-");
}

static void put_sums(FILE *out, const smp_profile_sums *sums) {
    const bool banks = sums->wavefronts > 0, sectors = sums->sectors > 0;
    put_number(out, banks && sums->ways > 0, sums->ways, 4);
    put_number(out, banks, sums->wavefronts, 13);
    put_number(out, banks, smp_sums_excess(sums), 13);
    put_number(out, sectors, sums->sectors, 13);
    put_number(out, sectors, smp_sums_excess_sectors(sums), 13);
    fputc('\n', out);
}

/* Writes a label in the first column; a longer one gets its own line. */
static void put_label(FILE *out, const char *indent, const char *words) {
    char text[80];
    smp_visible_copy(text, sizeof text, words);
    const int room = 17 - (int)strlen(indent);
    if ((int)strlen(text) <= room)
        fprintf(out, "%s%-*s", indent, room, text);
    else
        fprintf(out, "%s%s\n%-17s", indent, text, "");
}

/* "+0x40 LDS"; without an opcode, the memory space instead. */
static void put_site_label(FILE *out, const char *indent, const smp_profile_site *site) {
    char label[64];
    (void)snprintf(label, sizeof label, "+0x%" PRIx32 " %s", site->offset_bytes,
                   site->opcode ? site->opcode : smp_site_space_name(site));
    put_label(out, indent, label);
}

static void put_instruction(FILE *out, const smp_profile_site *site) {
    smp_profile_sums sums = {0};
    smp_sums_add_site(&sums, site);
    put_site_label(out, "    ", site);
    put_sums(out, &sums);
    if (site->not_modelled)
        put_visible(out, "      not modelled: %s\n", site->not_modelled);
    if (site->frame_count > 1) {
        fputs("      inlined:", out);
        for (uint32_t i = 0; i < site->frame_count; i++)
            put_visible(out, "%s%s", i > 0 ? " < " : " ", smp_frame_text(&site->frames[i]));
        fputc('\n', out);
    }
}

static void put_line(FILE *out, const smp_profile_view *view, const smp_profile_line *line) {
    char label[64];
    if (line->frame) {
        const char *file = line->frame->file ? line->frame->file : "?";
        (void)snprintf(label, sizeof label, "%.40s:%" PRIu32, smp_base_name(file),
                       line->frame->line);
        put_label(out, "  ", label);
    } else {
        put_site_label(out, "  ", line->sites[0]);
    }
    put_sums(out, &line->sums);
    for (uint32_t i = 0; view->all_instructions && i < line->site_count; i++)
        put_instruction(out, line->sites[i]);
}

static void put_launches(FILE *out, const smp_kernel_profile *kernel) {
    fprintf(out, " %s launch%s", count_text(kernel->launches), kernel->launches == 1 ? "" : "es");
    if (kernel->launches_skipped > 0)
        fprintf(out, " seen, %s not", count_text(kernel->launches_skipped));
    if (kernel->block[0] > 0)
        fprintf(out,
                ", <<<(%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), (%" PRIu32 ",%" PRIu32 ",%" PRIu32
                ")>>>",
                kernel->grid[0], kernel->grid[1], kernel->grid[2], kernel->block[0],
                kernel->block[1], kernel->block[2]);
    fputc('\n', out);
}

static void put_time(FILE *out, const smp_kernel_profile *kernel) {
    char a[SMP_TIME_MAX];
    if (kernel->time_us <= 0)
        return;
    fprintf(out, "  %s without patches", smp_time_text(kernel->time_us, a));
    if (kernel->stage_us > 0)
        fprintf(out,
                "; shared memory's data stage is busy in %.0f %%, conflicts cost at most %.0f %%",
                100 * kernel->stage_us / kernel->time_us, 100 * kernel->gain_us / kernel->time_us);
    fputc('\n', out);
}

/* Writes the sums extrapolated to launches that were not seen. */
static void put_scaled(FILE *out, const smp_profile_kernel_rank *rank) {
    const smp_scaled_sums of = smp_kernel_scaled(rank->kernel);
    const smp_profile_sums *sums = &rank->sums;
    if (smp_kernel_scale(rank->kernel) <= 1 || sums->wavefronts + sums->sectors == 0)
        return;
    const smp_profile_sums all = {.ways = sums->ways,
                                  .wavefronts = (uint64_t)(of.wavefronts + 0.5),
                                  .ideal = (uint64_t)(of.ideal + 0.5),
                                  .sectors = (uint64_t)(of.sectors + 0.5),
                                  .ideal_sectors = (uint64_t)(of.ideal_sectors + 0.5)};
    put_label(out, "  ", "total, scaled");
    put_sums(out, &all);
}

/* Counts instructions that a GPU's tool interface does not report. */
static void put_uncounted(FILE *out, const smp_kernel_profile *kernel) {
    const char *first = NULL;
    uint32_t count = 0;
    EACH(const smp_profile_site, site, kernel->sites, kernel->site_count) {
        if (site->requests > 0 || !site->not_modelled || !site->opcode || site->is_local)
            continue;
        first = first ? first : site->opcode;
        count++;
    }
    if (count > 0)
        put_visible(out,
                    "  not counted: %" PRIu32
                    " instruction%s, such as %s (--instructions gives the reason)\n",
                    count, plural(count), first);
}

static void put_kernel(FILE *out, const smp_profile_view *view, const smp_profile_kernel_rank *rank,
                       smp_style style) {
    char name[NAME_MAX_COLUMNS + 1];
    const uint32_t shown =
        view->all_lines || rank->line_count <= view->lines ? rank->line_count : view->lines;
    smp_kernel_title(view->ranking, rank->kernel, name, sizeof name);
    fputs(smp_paint(style, "\033[1m"), out);
    put_visible(out, "%s", name);
    fputs(smp_paint(style, "\033[0m"), out);
    put_launches(out, rank->kernel);
    put_callers(out, rank->kernel, false);
    put_ranges(out, rank->kernel);
    put_time(out, rank->kernel);
    put_label(out, "  ",
              smp_kernel_is_sampled(rank->kernel)   ? "blocks run"
              : rank->kernel->launches_skipped == 0 ? "total"
                                                    : "launches seen");
    put_sums(out, &rank->sums);
    put_scaled(out, rank);
    for (uint32_t i = 0; i < shown; i++)
        put_line(out, view, &view->ranking->lines[rank->first_line + i]);
    if (shown < rank->line_count)
        fprintf(out, "  %" PRIu32 " more line%s (--lines all)\n", rank->line_count - shown,
                plural(rank->line_count - shown));
    if (rank->sums.not_modelled > 0) {
        fprintf(out, "  not modelled: %s requests (--instructions names them)\n",
                count_text(rank->sums.not_modelled));
    }
    put_uncounted(out, rank->kernel);
    if (rank->kernel->not_seen)
        smp_wrapped_print(out, "  incomplete: ", rank->kernel->not_seen);
}

/* Writes the first kernels, and the sum of the others. */
static void put_kernels(FILE *out, const smp_profile_view *view, smp_style style) {
    const smp_ranking *ranking = view->ranking;
    uint32_t count = ranking->kernel_count;
    uint64_t left = 0;
    count = view->all_lines || count <= KERNELS_SHOWN ? count : KERNELS_SHOWN;
    for (uint32_t i = 0; i < count; i++)
        put_kernel(out, view, &ranking->kernels[i], style);
    for (uint32_t i = count; i < ranking->kernel_count; i++)
        left += (uint64_t)(ranking->kernels[i].scale *
                           (double)smp_sums_excess(&ranking->kernels[i].sums));
    if (count < ranking->kernel_count)
        fprintf(out,
                "%" PRIu32 " more kernels, with %s (%s) of the excess wavefronts "
                "(--lines all)\n",
                ranking->kernel_count - count, count_text(left),
                smp_percent(left, smp_sums_excess(&ranking->scaled)));
}

/* Returns true if there are instructions and none has a source line. */
static bool lacks_lines(const smp_profile *profile) {
    bool has_sites = false;
    EACH_SITE(kernel, site, profile) {
        has_sites = true;
        if (site->frame_count > 0)
            return false;
    }
    return has_sites;
}

void smp_profile_text(FILE *out, const smp_profile_view *view, smp_style style) {
    const smp_profile *profile = view->profile;
    smp_findings_text(out, profile, style);
    smp_profile_head(out, view);
    for (uint32_t i = 0; i < view->worst_lines && i < view->ranking->worst_count; i++)
        put_worst(out, view, i, style);
    if (profile->kernel_count > 0)
        fprintf(out, "%-17s ways    wavefronts        excess       sectors        excess\n", "");
    put_kernels(out, view, style);
    if (lacks_lines(profile))
        fputs("\nno source lines in the code: compile with nvcc -lineinfo\n", out);
}
