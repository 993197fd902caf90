/* SPDX-License-Identifier: MIT */
/* Shows a profile as the options say. */
#include "profile_show.h"
#include "ask.h"
#include "output.h"
#include "say.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "new_file.h"
#include "profile_file.h"
#include "profile_many.h"
#include "put.h"
#include "source_line.h"
#include "text_file.h"

enum {
    LINES_SHOWN = 8,
    WORST_SHOWN = 3,
    WORST_OF_ALL = 100,
    FINDINGS_SAID = 10,
    WORTH_PER_CENT = 5,
    WASTED_PER_CENT = 25 /* of the ideal sectors: what fix tries to repair */
};

static smp_status ask_count(const arguments *args, smp_option option, uint32_t fallback,
                            uint32_t *out, smp_error *error) {
    uint64_t value = fallback;
    const smp_status status = ask_number(args, option, UINT32_MAX, &value, error);
    *out = (uint32_t)value;
    return status;
}

/* "12" or "12:20". */
static smp_status ask_line(const arguments *args, smp_profile_filter *out, smp_error *error) {
    const char *text = last_value(args, OPTION_SOURCE_LINE);
    char first[24];
    uint64_t from, to;
    if (!text)
        return SMP_OK;
    const char *colon = strchr(text, ':');
    (void)snprintf(first, sizeof first, "%.*s", colon ? (int)(colon - text) : 20, text);
    if (number_parse(first, "line", UINT32_MAX, &from, error) ||
        number_parse(colon ? colon + 1 : first, "line", UINT32_MAX, &to, error))
        return error->status;
    if (from == 0 || to < from)
        return usage_error(error, "--line %.40s: expected ascending line numbers from 1", text);
    out->first_line = (uint32_t)from;
    out->last_line = (uint32_t)to;
    return SMP_OK;
}

static smp_status ask_gate(const char *path, profile_show *out, smp_error *error) {
    size_t length;
    smp_error inner;
    smp_status status = smp_text_read(path, &out->rules, &length, &inner);
    if (status != SMP_OK)
        return smp_error_set(error, status, -1, "--gate %.120s: %s", path, inner.message);
    return smp_gate_parse(path, out->rules, length, &out->gate, error);
}

smp_status profile_show_ask(const arguments *args, profile_show *out, smp_error *error) {
    const char *lines = last_value(args, OPTION_LINES);
    memset(out, 0, sizeof *out);
    out->filter.kernel = last_value(args, OPTION_KERNEL);
    out->filter.nvtx = last_value(args, OPTION_NVTX);
    out->filter.file = last_value(args, OPTION_SOURCE_FILE);
    out->instructions = has(args, OPTION_INSTRUCTIONS);
    out->all_lines = lines && strcmp(lines, "all") == 0;
    out->lines = LINES_SHOWN;
    smp_profile nothing = {0}; /* only checks the expressions */
    if (ask_line(args, &out->filter, error) || smp_profile_keep(&nothing, &out->filter, error) ||
        (!out->all_lines && ask_count(args, OPTION_LINES, LINES_SHOWN, &out->lines, error)) ||
        ask_count(args, OPTION_WORST, WORST_SHOWN, &out->worst, error) ||
        ask_bounds(args, INT64_MAX, &out->gate.all.max_ways, &out->gate.all.max_excess, error) ||
        (has(args, OPTION_SOURCE_ROOT) &&
         smp_source_allow(last_value(args, OPTION_SOURCE_ROOT), error)) ||
        (has(args, OPTION_GATE) && ask_gate(last_value(args, OPTION_GATE), out, error)))
        return error->status;
    smp_format format;
    smp_error ignored; /* a wrong format is reported when the document is written */
    out->is_verdict = output_choose_format(args, &format, &ignored) == SMP_OK &&
                      smp_format_row_of(format)->is_verdict;
    return SMP_OK;
}

smp_status profile_show_memory(const arguments *args, profile_show *out, smp_error *error) {
    static const char *const memories[] = {"shared", "global", "local", NULL};
    unsigned word = 3; /* all */
    const smp_status status = ask_word(args, OPTION_MEMORY, &word, error);
    out->filter.memory = memories[word];
    return status;
}

void profile_show_clear(profile_show *how) {
    smp_gate_clear(&how->gate);
    free(how->rules);
    how->rules = NULL;
}

/* ---- Files ---- */

static bool has_loss; /* in any file that was read */

void profile_show_loss(const char *path, const smp_profile_loss *loss) {
    has_loss |= loss->blocks > 0 || loss->cut;
    if (loss->blocks > 0)
        say_line("smemprobe: %s: %u damaged block%s left out", path, loss->blocks,
                 loss->blocks == 1 ? " is" : "s are");
    if (loss->cut)
        say_line("smemprobe: %s: ends early; everything before that is intact", path);
}

static void bad_file(const char *path, const smp_error *error) {
    (void)path;
    has_loss = true;
    say_line("smemprobe: %s; it was left out", error->message);
}

const smp_profile_told profile_show_told = {profile_show_loss, bad_file};

smp_status profile_show_read(const char *path, smp_profile *into, smp_error *error) {
    static const smp_profile_filter everything;
    return smp_profile_read_many(&path, 1, &everything, into, NULL, &profile_show_told, error);
}

int profile_show_exit(int status) {
    const char *withheld = smp_source_withheld();
    if (withheld)
        say_line("smemprobe: %.200s: not shown, because it is outside this folder and the "
                 "profile may come from someone else; --source-root DIR shows sources below DIR",
                 withheld);
    return has_loss && status <= 1 ? smp_status_exit(SMP_E_SYNTAX) : status;
}

smp_status profile_trace_check(const arguments *args, smp_error *error) {
    const char *path = last_value(args, OPTION_TRACE), *out = last_value(args, OPTION_OUTPUT);
    if (!path)
        return SMP_OK;
    if (out && strcmp(path, out) == 0)
        return usage_error(error, "--trace and -o name the same file: %.200s", path);
    return output_check(args, path, error);
}

smp_status profile_trace_open(const arguments *args, trace_file *out, smp_error *error) {
    return trace_file_open(last_value(args, OPTION_TRACE), has(args, OPTION_FORCE), &say_notes, out,
                           error);
}

smp_status profile_trace_end(trace_file *file, smp_status status, smp_error *error) {
    smp_error second; /* the first failure is reported */
    const bool keep = status == SMP_OK;
    const smp_status closed = trace_file_close(file, keep, keep ? error : &second);
    return keep ? closed : status;
}

/* ---- Findings and the gate ---- */

static void say_finding(const smp_profile_finding *finding) {
    char place[300] = "";
    if (finding->at.file)
        (void)snprintf(place, sizeof place, "%.250s:%" PRIu32 ": ",
                       smp_source_shown(finding->at.file), finding->at.line);
    say_line("smemprobe: %s%s%s: %s", place, finding->is_note ? "note: " : "",
             smp_finding_kind_name(finding->kind), finding->message);
}

/* Reports findings. Returns 1 if one is an error. */
static int judge_findings(const smp_profile *profile, bool is_said) {
    for (uint32_t i = 0; is_said && i < profile->finding_count && i < FINDINGS_SAID; i++)
        say_finding(&profile->findings[i]);
    if (is_said && profile->finding_count > FINDINGS_SAID)
        say_line("smemprobe: %" PRIu32 " more findings are in the report",
                 profile->finding_count - FINDINGS_SAID);
    if (profile->findings_hidden > 0)
        say_line("smemprobe: %" PRIu32 " finding%s elsewhere, which --kernel, --file or --line "
                 "leave%s out",
                 profile->findings_hidden, profile->findings_hidden == 1 ? "" : "s",
                 profile->findings_hidden == 1 ? "s" : "");
    return smp_findings_errors(profile->findings, profile->finding_count) > 0 ? 1 : 0;
}

/* Reports a gate that judged nothing, which must not pass. */
static int judge_unseen(const profile_show *how, const smp_ranking *ranking) {
    char what[400];
    if ((smp_gate_is_empty(&how->gate) && !how->is_verdict) || how->is_part ||
        smp_gate_unseen(&how->gate, ranking, what, sizeof what) == 0)
        return 0;
    say_line("smemprobe: nothing was judged: %s", what);
    return smp_status_exit(SMP_E_SYNTAX);
}

static void say_plain(void *user, const char *line) {
    (void)user;
    say_line("%s", line);
}

/* Returns 1 if a line is above the gate, 3 if it could judge none. */
static int judge_lines(const profile_show *how, const smp_ranking *ranking) {
    static const note_sink plain = {say_plain, NULL};
    return smp_gate_judge(&how->gate, ranking, &plain) > 0 ? 1 : judge_unseen(how, ranking);
}

static int judge(const profile_show *how, const smp_profile *profile, const smp_ranking *ranking,
                 bool is_said) {
    const int found = judge_findings(profile, is_said), status = judge_lines(how, ranking);
    return found != 0 ? found : status;
}

int profile_show_nothing(const profile_show *how) {
    const smp_ranking nothing = {.kernel_count = 0};
    return judge_unseen(how, &nothing);
}

/* ---- Where to ---- */

static bool write_kept(FILE *file, const void *profile) {
    smp_error error;
    return smp_profile_write(file, profile, &error) == SMP_OK;
}

/* Writes the profile itself, for report. */
static smp_status keep(const arguments *args, const smp_profile *profile, smp_error *error) {
    const char *path = last_value(args, OPTION_OUTPUT);
    if (!path)
        return usage_error(error, "--format smprof: name the file with -o");
    if (output_hint(new_file_write(path, has(args, OPTION_FORCE), write_kept, profile, error),
                    error))
        return error->status;
    if (!getenv("SMP_READS_PROFILE")) /* our Python package, which removes the file */
        say_line("smemprobe: %" PRIu32 " kernel%s in %s; smemprobe report %s shows them",
                 profile->kernel_count, plural(profile->kernel_count), path, path);
    return SMP_OK;
}

static void choose_style(output *out, const arguments *args, FILE *fallback) {
    const char *when = last_value(args, OPTION_COLOR);
    if (out->path || (when && strcmp(when, "auto") != 0))
        return;
    out->style.color = output_wants_color(isatty(fileno(fallback)));
}

/* Pages and remarks explain more lines than text does, unless --worst is given. */
static uint32_t worst_of(const arguments *args, const profile_show *how, const smp_format_row *row,
                         const smp_ranking *ranking) {
    const uint32_t wanted = row->has_room && !has(args, OPTION_WORST) ? WORST_OF_ALL : how->worst;
    return wanted < ranking->worst_count ? wanted : ranking->worst_count;
}

/* Adds repairs and the numbers of lines to `view`, and writes it. */
static smp_status write_view(const arguments *args, const profile_show *how,
                             const smp_format_row *row, smp_profile_view view, FILE *fallback,
                             smp_error *error) {
    output out;
    smp_profile_fix *fixes = NULL;
    view.worst_lines = worst_of(args, how, row, view.ranking);
    view.lines = how->lines;
    view.all_lines = how->all_lines;
    view.all_instructions = how->instructions;
    view.gate = &how->gate;
    view.spread = how->spread;
    smp_status status = smp_profile_fixes(view.ranking, view.worst_lines, &fixes, error);
    view.fixes = fixes;
    if (status == SMP_OK)
        status = output_open(args, &out, error);
    if (status == SMP_OK) {
        choose_style(&out, args, fallback);
        if (!out.path)
            output_to(&out, fallback);
        (view.against ? row->against : row->profile)(out.stream, &view, out.style);
        status = output_close(&out, true, error);
    }
    free(fixes);
    return status;
}

/* Whether `out` is the terminal that also shows standard error. */
static bool is_beside_messages(FILE *out) {
    struct stat report, messages;
    return isatty(fileno(out)) && isatty(STDERR_FILENO) && fstat(fileno(out), &report) == 0 &&
           fstat(STDERR_FILENO, &messages) == 0 && report.st_rdev == messages.st_rdev;
}

/* Finds the line in which the outlier differs. */
static smp_status find_odd_line(const profile_show *how, const smp_ranking *ranking,
                                smp_error *error) {
    smp_ranking odd;
    if (!how->spread || !how->odd)
        return SMP_OK;
    if (smp_profile_rank(&how->filter, how->odd, &odd, error))
        return error->status;
    smp_spread_find_line(how->spread, ranking, &odd);
    smp_ranking_clear(&odd);
    return SMP_OK;
}

static smp_status show(const arguments *args, const profile_show *how, smp_profile *profile,
                       FILE *fallback, int *found, smp_error *error) {
    smp_ranking ranking;
    smp_format format;
    if (output_choose_format(args, &format, error) ||
        smp_profile_rank(&how->filter, profile, &ranking, error))
        return error->status;
    const smp_profile_view view = {.profile = profile, .ranking = &ranking};
    smp_status status = find_odd_line(how, &ranking, error);
    const smp_format_row *row = smp_format_row_of(format);
    const bool is_kept = format == SMP_FORMAT_SMPROF;
    const bool is_beside = fallback == stderr; /* standard output belongs to the program */
    const bool is_text = format == SMP_FORMAT_TEXT && !has(args, OPTION_OUTPUT);
    const bool is_read = is_text && (is_beside || is_beside_messages(fallback));
    const bool is_bare = is_beside && profile->run_count + profile->kernel_count == 0;
    if (status == SMP_OK && !is_kept &&
        (!is_bare || how->filter.nvtx)) /* a kept part may be empty, as one of many */
        status = smp_profile_fits(&how->filter, profile->kernel_count + profile->finding_count > 0,
                                  error);
    if (status == SMP_OK && !(is_bare && is_text)) {
        status = is_kept ? keep(args, profile, error)
                         : write_view(args, how, row, view, fallback, error);
    }
    if (status == SMP_OK)
        *found = judge(how, profile, &ranking, !is_read);
    smp_ranking_clear(&ranking);
    return status;
}

static const char *shown_as; /* NULL for the command of each run */
static const char *repaired_by;
static bool was_empty;

bool profile_show_was_empty(void) {
    return was_empty;
}

void profile_show_as(const char *command) {
    shown_as = command;
}

const char *profile_shown_as(void) {
    return shown_as;
}

static void name_runs(smp_profile *profile) {
    for (uint32_t i = 0; shown_as && i < profile->run_count; i++) {
        char *command = strdup(shown_as);
        if (!command)
            return;
        free(profile->runs[i].command);
        profile->runs[i].command = command;
    }
}

void profile_show_repair(const char *command) {
    repaired_by = command;
}

static bool conflicts(const smp_profile *profile) {
    uint64_t wavefronts = 0, ideal = 0;
    EACH_SITE(kernel, site, profile) {
        if (site->space != SMP_SPACE_SHARED)
            continue;
        wavefronts += site->wavefronts;
        ideal += site->ideal;
    }
    return wavefronts > ideal && (wavefronts - ideal) * 100 >= wavefronts * WORTH_PER_CENT;
}

/* Whether a kernel with source lines wastes sectors of global memory. */
static bool wastes_sectors(const smp_profile *profile) {
    bool out = false;
    EACH(const smp_kernel_profile, kernel, profile->kernels, profile->kernel_count) {
        uint64_t sectors = 0, ideal = 0;
        EACH(const smp_profile_site, site, kernel->sites, kernel->site_count) {
            if (site->space != SMP_SPACE_GLOBAL || site->is_local || site->frame_count == 0)
                continue;
            sectors += site->sectors;
            ideal += site->ideal_sectors;
        }
        out |= sectors > ideal && (sectors - ideal) * 100 >= ideal * WASTED_PER_CENT;
    }
    return out;
}

/* Whether emulated kernels, of which races can be found, use shared memory. */
static bool shares(const smp_profile *profile) {
    bool out = false;
    EACH_SITE(kernel, site, profile)
        out |= site->space == SMP_SPACE_SHARED;
    return out && profile->run_count > 0 && profile->runs[0].engine == SMP_ENGINE_EMULATED;
}

int profile_show_run(const arguments *args, const profile_show *how, smp_profile *profile,
                     FILE *fallback) {
    smp_error error;
    int found = 0;
    was_empty = profile->kernel_count == 0;
    name_runs(profile);
    smp_status status = show(args, how, profile, fallback, &found, &error);
    if (status == SMP_OK && repaired_by && conflicts(profile))
        say_line("smemprobe: for a tested repair: %s", repaired_by);
    else if (status == SMP_OK && repaired_by && wastes_sectors(profile))
        say_line("smemprobe: to try other orders of threads and data: %s", repaired_by);
    if (status == SMP_OK && repaired_by && shares(profile) && !has(args, OPTION_RACES))
        say_line("smemprobe: races were not looked for: add --races");
    return status == SMP_OK ? found : complain(&error);
}

static smp_status write_against(const arguments *args, const profile_show *how,
                                const smp_profile_view *view, smp_error *error) {
    smp_format format;
    char list[SMP_FORMATS_TEXT_MAX];
    if (output_choose_format(args, &format, error))
        return error->status;
    const smp_format_row *row = smp_format_row_of(format);
    if (row->against)
        return write_view(args, how, row, *view, stdout, error);
    return usage_error(error, "--against supports only %s",
                       smp_formats_text(SMP_FORMATS(SMP_AGAINST_FORMS), " or ", list));
}

int profile_show_against(const arguments *args, const profile_show *how, smp_profile *before,
                         smp_profile *after) {
    smp_ranking first = {0}, second = {0};
    smp_against against = {0};
    smp_error error;
    const smp_profile_view view = {
        .profile = after, .ranking = &second, .before = before, .against = &against};
    const bool has_failed =
        smp_profile_rank(&how->filter, before, &first, &error) ||
        smp_profile_rank(&how->filter, after, &second, &error) ||
        smp_profile_fits(&how->filter, before->kernel_count + after->kernel_count > 0, &error) ||
        smp_against_make(&first, &second, &against, &error) ||
        write_against(args, how, &view, &error);
    const int exit_status = has_failed ? complain(&error) : judge(how, after, &second, true);
    smp_against_clear(&against);
    smp_ranking_clear(&first);
    smp_ranking_clear(&second);
    return exit_status;
}
