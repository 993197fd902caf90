/* SPDX-License-Identifier: MIT */
/* The head of a profile's text: the runs, their devices and ends, the evidence, and the sums. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "profile_words.h"
#include "text_buffer.h"

enum { NAME_MAX_COLUMNS = 44, RUNS_SHOWN = 4, FORMS_SHOWN = 4 };

static bool is_equal(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Runs of one program on one kind of device are shown as one; emulated runs also across devices. */
static bool is_alike(const smp_run *a, const smp_run *b) {
    return a->engine == b->engine && is_equal(a->command, b->command) &&
           (a->engine == SMP_ENGINE_EMULATED || is_equal(a->device, b->device)) &&
           is_equal(a->driver, b->driver);
}

/* Memories that runs observed; a run that names none observed all. */
enum { LOOKED_SHARED = 1, LOOKED_GLOBAL = 2, LOOKED_LOCAL = 4, LOOKED_ALL = 8 };

static unsigned looked_at(const smp_run *run) {
    return !run->memory                         ? LOOKED_ALL
           : strcmp(run->memory, "shared") == 0 ? LOOKED_SHARED
           : strcmp(run->memory, "global") == 0 ? LOOKED_GLOBAL
                                                : LOOKED_LOCAL;
}

static void put_looked_at(FILE *out, unsigned kinds) {
    static const char *const texts[LOOKED_ALL] = {
        [LOOKED_SHARED] = "all but global and local memory (--memory all adds them)",
        [LOOKED_GLOBAL] = "global memory only, and copies from it",
        [LOOKED_LOCAL] = "local memory only",
        [LOOKED_SHARED | LOOKED_GLOBAL] = "all but local memory, in separate runs",
        [LOOKED_SHARED | LOOKED_LOCAL] = "all but global memory, in separate runs",
        [LOOKED_GLOBAL | LOOKED_LOCAL] = "global and local memory, in separate runs",
        [LOOKED_SHARED | LOOKED_GLOBAL | LOOKED_LOCAL] =
            "shared, global and local memory, in separate runs"};
    if (kinds < LOOKED_ALL && texts[kinds])
        fprintf(out, "  observed %s\n", texts[kinds]);
}

/* Runs that are shown as one. */
typedef struct run_group {
    const smp_run *first;
    const char *last_date;
    unsigned kinds;
    uint64_t count;
} run_group;

typedef struct run_groups {
    run_group *groups; /* ordered by their first run */
    size_t count, shown_max;
    uint64_t left; /* runs of groups that are not shown */
} run_groups;

static void add_to_group(run_groups *to, const smp_run *run) {
    size_t i = 0;
    while (i < to->count && !is_alike(to->groups[i].first, run))
        i++;
    if (i == to->count && (i >= to->shown_max || !LIST_ROOM(to->groups, to->count))) {
        to->left++;
        return;
    }
    run_group *group = &to->groups[i];
    if (i == to->count)
        to->groups[to->count++].first = run;
    group->kinds |= looked_at(run);
    group->count++;
    if (run->date)
        group->last_date = run->date;
}

/* Writes why runs of a group ended early, for the first `most` of them. */
static void put_ends(FILE *out, const smp_profile *profile, const smp_run *like, uint32_t most) {
    for (uint32_t i = 0; i < profile->run_count && most > 0; i++) {
        const smp_run *run = &profile->runs[i];
        if (run->ended && is_alike(run, like)) {
            put_visible(out, "  incomplete: %s\n", run->ended);
            most--;
        }
    }
}

/* Returns true if `run` is the first of its group on its device. */
static bool is_first_of_device(const smp_profile *profile, const smp_run *run) {
    const smp_run *at = profile->runs;
    while (at < run && !(is_alike(at, run) && is_equal(at->device, run->device)))
        at++;
    return at == run;
}

/* Lists the devices of a group as "sm_80, sm_90" and returns their number. */
static uint32_t list_devices(const smp_profile *profile, const smp_run *like, text_buffer *out) {
    uint32_t count = 0;
    EACH(const smp_run, run, profile->runs, profile->run_count) {
        if (!is_alike(run, like) || !is_first_of_device(profile, run))
            continue;
        text_join(out, ", ", "%s", run->device ? run->device : "an unknown device");
        count++;
    }
    return count;
}

/* Names the devices of the group whose instructions no GPU has confirmed. */
static void put_evidence(FILE *out, const smp_profile *profile, const smp_run *like) {
    char evidence[SMP_EVIDENCE_BYTES], only[SMP_EVIDENCE_BYTES] = "", names[512];
    text_buffer devices = TEXT_BUFFER(names);
    uint32_t count = 0;
    EACH(const smp_run, run, profile->runs, profile->run_count) {
        if (!is_alike(run, like) || !is_first_of_device(profile, run) ||
            !smp_run_evidence(run, evidence) || !strstr(evidence, "not confirmed on a GPU"))
            continue;
        text_join(&devices, ", ", "%s", run->device);
        if (count++ == 0)
            memcpy(only, evidence, sizeof only);
    }
    if (count == 1)
        smp_wrapped_print(out, "  evidence  ", only);
    else if (count > 1)
        put_wrapped(out, "  evidence  ",
                    "instructions computed as an H200 (9.0) computes those of the same name; not "
                    "confirmed on a GPU of %s",
                    names);
}

static void put_group(FILE *out, const smp_profile *profile, const run_group *group, bool all) {
    static const char *const engines[SMP_ENGINES] = {
        "ran on", "emulated:", "from the source; the compiler may join accesses:"};
    const smp_run *run = group->first;
    char names[512];
    text_buffer devices = TEXT_BUFFER(names);
    const uint32_t device_count = list_devices(profile, run, &devices);
    put_visible(out, "%s\n  %s %s%s%s%s%s", run->command ? run->command : "?", engines[run->engine],
                names, run->driver ? ", driver " : "", run->driver, run->date ? ", " : "",
                run->date);
    if (group->count > device_count * (uint32_t)__builtin_popcount(group->kinds)) {
        const char *date = is_equal(group->last_date, run->date) ? NULL : group->last_date;
        put_visible(out, ", %s runs%s%s", count_text(group->count), date ? " until " : "", date);
    }
    fputc('\n', out);
    put_looked_at(out, group->kinds);
    put_evidence(out, profile, run);
    put_ends(out, profile, run, all ? UINT32_MAX : RUNS_SHOWN);
}

/* Names emulated instructions that were never compared with a GPU. */
static void put_described(FILE *out, const smp_profile *profile) {
    smp_kernel_profile all = {0};
    char text[512], shown[73];
    text_buffer said = TEXT_BUFFER(text);
    for (uint32_t i = 0; i < profile->kernel_count; i++) {
        for (uint32_t j = 0; j < profile->kernels[i].described_count; j++)
            (void)smp_kernel_add_described(&all, profile->kernels[i].described[j]);
    }
    if (all.described_count > 0) {
        text_add(
            &said,
            "%s%u form%s of instruction%s known from documentation only, not confirmed on a GPU:",
            all.described_count == SMP_DESCRIBED_MAX ? "at least " : "", all.described_count,
            plural(all.described_count), plural(all.described_count));
        for (uint32_t i = 0; i < all.described_count && i < FORMS_SHOWN; i++)
            text_add(&said, " %s%s", smp_visible_copy(shown, sizeof shown, all.described[i]),
                     i + 1 < all.described_count ? ";" : "");
        if (all.described_count > FORMS_SHOWN)
            text_add(&said, " and %u more", all.described_count - FORMS_SHOWN);
        smp_wrapped_print(out, "  evidence  ", text);
    }
    smp_kernel_clear(&all);
}

/* True if the run only started others, which used a GPU. */
static bool is_bystander(const smp_profile *profile, const smp_run *run) {
    if (run->engine != SMP_ENGINE_GPU || run->device || run->ended)
        return false;
    return ANY(one, profile->runs, profile->run_count, one->device);
}

static void put_all_runs(FILE *out, const smp_profile *profile, bool all) {
    run_groups groups = {.shown_max = all ? SIZE_MAX : RUNS_SHOWN};
    for (uint32_t i = 0; i < profile->run_count; i++)
        if (all || !is_bystander(profile, &profile->runs[i]))
            add_to_group(&groups, &profile->runs[i]);
    for (size_t i = 0; i < groups.count; i++)
        put_group(out, profile, &groups.groups[i], all);
    free(groups.groups);
    if (groups.left > 0)
        fprintf(out, "and %" PRIu64 " more runs (--lines all)\n", groups.left);
    put_described(out, profile);
}

/* Writes the range of costs over several files, and the outlier. */
static void put_spread(FILE *out, const smp_spread *spread) {
    const smp_profile_part *parts = spread->parts;
    const uint64_t least = parts[spread->least].cost, most = parts[spread->most].cost;
    const size_t ranks = spread->count - spread->idle;
    fprintf(out, "  %s files", count_text(spread->count));
    if (spread->idle > 0)
        fprintf(out, ", %s with kernels", ranks == 0 ? "none" : count_text(ranks));
    if (least == most)
        fprintf(out, ", %s%s wavefronts and sectors\n", ranks > 1 ? "each " : "", count_text(most));
    else
        fprintf(out, ", each %s to %s wavefronts and sectors%s%s\n", count_text(least),
                count_text(most), ranks > 2 ? ", median " : "",
                ranks > 2 ? count_text(spread->median) : "");
    if (spread->odd == spread->count)
        return;
    put_visible(out, "  odd one out: %s with %s", parts[spread->odd].path,
                count_text(parts[spread->odd].cost));
    const int64_t difference = spread->odd_difference;
    if (spread->odd_line) {
        char name[NAME_MAX_COLUMNS + 1];
        smp_kernel_short_name(spread->odd_line->kernel, name, sizeof name);
        put_visible(out, "; at %s in %s %s %s than the mean of the others",
                    smp_place_text(spread->odd_line), name, count_text((uint64_t)llabs(difference)),
                    difference < 0 ? "fewer" : "more");
    }
    fputc('\n', out);
}

/* Writes "WHOLE WORDs, EXCESS (PERCENT) of them excess". */
static void put_excess(FILE *out, uint64_t whole, const char *word, uint64_t excess) {
    fprintf(out, "%s %s%s, ", count_text(whole), word, plural(whole));
    if (excess == 0)
        fputs("none of them excess", out);
    else
        fprintf(out, "%s (%s) of them excess", count_text(excess), smp_percent(excess, whole));
}

/* Writes the sums of an architecture; `first` names it, or is "" if there is only one. */
static void put_sums(FILE *out, const smp_arch_rank *rank, const char *first) {
    const smp_profile_sums *sums = &rank->sums;
    fprintf(out, "  %s%" PRIu32 " kernel%s", first, rank->kernel_count, plural(rank->kernel_count));
    if (rank->function_count > 0)
        fprintf(out, ", %" PRIu32 " function%s", rank->function_count,
                plural(rank->function_count));
    if (sums->wavefronts > 0) {
        fputs("; ", out);
        put_excess(out, sums->wavefronts, "wavefront", smp_sums_excess(sums));
    }
    fputc('\n', out);
    if (sums->sectors > 0) {
        fprintf(out, "  %*s", (int)strlen(first), "");
        put_excess(out, sums->sectors, "sector", smp_sums_excess_sectors(sums));
        fputc('\n', out);
    }
}

/* Returns true if every run reached its end, and each request of each launch is counted. */
static bool is_complete(const smp_profile *profile) {
    bool complete = true;
    for (uint32_t i = 0; i < profile->run_count; i++)
        complete = complete && !profile->runs[i].ended;
    EACH(const smp_kernel_profile, kernel, profile->kernels, profile->kernel_count) {
        complete = complete && kernel->launches_skipped == 0 && !kernel->not_seen;
        for (uint32_t j = 0; j < kernel->site_count; j++)
            complete = complete && (!kernel->sites[j].not_modelled || kernel->sites[j].is_local);
    }
    return complete;
}

/* Writes that no request of a complete profile costs more than its ideal. */
static void put_clean(FILE *out, const smp_profile_view *view) {
    smp_profile_sums all = {0};
    for (uint32_t i = 0; i < view->ranking->arch_count; i++)
        smp_sums_add(&all, &view->ranking->archs[i].sums);
    if (all.not_modelled > 0 || smp_sums_loss(&all) > 0 || !is_complete(view->profile))
        return;
    if (all.wavefronts > 0)
        fprintf(out, "  no bank conflicts%s\n", all.sectors > 0 ? ", no wasted sectors" : "");
    else if (all.sectors > 0)
        fputs("  no wasted sectors\n", out);
}

/* Writes how many lanes a request has, if so few that most of each wavefront and sector is idle. */
static void put_lanes(FILE *out, const smp_profile *profile) {
    enum { FEW = SMP_LANES / 4 };
    uint64_t requests = 0, lanes = 0;
    EACH_SITE(kernel, site, profile) {
        requests += site->requests;
        lanes += site->lanes;
    }
    if (lanes > 0 && lanes < requests * FEW)
        fprintf(out, "  a request has %.3g of 32 lanes on average\n",
                (double)lanes / (double)requests);
}

static void put_archs(FILE *out, const smp_ranking *ranking) {
    for (uint32_t i = 0, next; i < ranking->arch_count; i = next) {
        char name[SMP_ARCHS_TITLE_BYTES], column[SMP_ARCHS_TITLE_BYTES + 16] = "";
        next = smp_archs_title(ranking, i, name);
        if (ranking->arch_count > 1)
            (void)snprintf(column, sizeof column, "%-15s  ", name);
        put_sums(out, &ranking->archs[i], column);
    }
}

/* Writes how many launches the figures cover, if not all. */
static void put_seen(FILE *out, const smp_profile *profile) {
    uint64_t seen = 0, skipped = 0, unseen = 0, sampled = 0;
    const bool is_emulated =
        profile->run_count > 0 && profile->runs[0].engine == SMP_ENGINE_EMULATED;
    EACH(const smp_kernel_profile, kernel, profile->kernels, profile->kernel_count) {
        seen += kernel->launches;
        skipped += kernel->launches_skipped;
        const bool is_unseen = kernel->launches == 0 && kernel->launches_skipped > 0;
        unseen += is_unseen && kernel->blocks == 0;
        sampled += smp_kernel_is_sampled(kernel);
    }
    if (skipped + sampled == 0)
        return;
    fprintf(out, "  %s of %s launches seen", count_text(seen), count_text(seen + skipped));
    if (sampled > 0)
        fprintf(out, "; of %s kernel%s some blocks", count_text(sampled), plural(sampled));
    if (unseen > 0)
        fprintf(out, "; %s kernel%s not at all", count_text(unseen), plural(unseen));
    if (sampled + unseen > 0)
        fputs(is_emulated ? " (--budget 0 runs all)" : " (profile --exact sees all)", out);
    fputc('\n', out);
}

/* Writes the time that repairs could save. */
static void put_worth(FILE *out, const smp_ranking *ranking) {
    char all[SMP_TIME_MAX], worth[SMP_TIME_MAX];
    double sum = 0;
    uint32_t count = 0;
    if (!ranking->is_by_time || ranking->time_us <= 0)
        return;
    for (uint32_t i = 0; i < ranking->worst_count; i++) {
        const smp_profile_line *line = smp_ranking_worst(ranking, i);
        if (line->worth_us < SMP_WORTH_LEAST * ranking->time_us)
            continue;
        sum += line->worth_us;
        count++;
    }
    fprintf(out, "  %s in kernels; ", smp_time_text(ranking->time_us, all));
    if (count == 0)
        fprintf(out, "no line is worth %.0f %% of it\n", 100 * SMP_WORTH_LEAST);
    else
        fprintf(out, "%s line%s worth at most %s of it (%.0f %%)\n", count_text(count),
                count == 1 ? " is" : "s are", smp_time_text(sum, worth),
                100 * sum / ranking->time_us);
}

static void put_totals(FILE *out, const smp_profile_view *view) {
    if (view->ranking->arch_count == 0)
        put_sums(out, &(smp_arch_rank){0}, "");
    put_archs(out, view->ranking);
    put_clean(out, view);
    put_lanes(out, view->profile);
    put_seen(out, view->profile);
    put_worth(out, view->ranking);
    if (view->spread)
        put_spread(out, view->spread);
    fputc('\n', out);
}

void smp_profile_head(FILE *out, const smp_profile_view *view) {
    put_all_runs(out, view->profile, view->all_lines);
    put_totals(out, view);
}
