/* SPDX-License-Identifier: MIT */
/*
 * A layout repair as text: its gain in one line, the code to paste, each access before and after,
 * and the alternatives.
 */
#include <inttypes.h>

#include "layout_view.h"
#include "put.h"
#include "text_buffer.h"
#include "write_format.h"

enum { COLUMNS = 79, NAME_COLUMNS = 42 };

#define BOLD(style) smp_paint(style, "\033[1m")
#define DIM(style) smp_paint(style, "\033[2m")
#define GREEN(style) smp_paint(style, "\033[1;32m")
#define YELLOW(style) smp_paint(style, "\033[1;33m")
#define RED(style) smp_paint(style, "\033[1;31m")
#define PLAIN(style) smp_paint(style, "\033[0m")

/* ---- The head ---- */

static void put_archs(FILE *out, const smp_fix *fix) {
    uint32_t count = fix->arch_count;
    if (count > 3) {
        fprintf(out, "%u architectures, %s to %s", count, fix->archs[0].name,
                fix->archs[count - 1].name);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s%s (%s%s)", i > 0 ? ", " : "", fix->archs[i].name, fix->archs[i].family,
                fix->archs[i].bank_bytes == 8 ? ", 8-byte banks" : "");
}

static uint32_t count_changed(const smp_fix *fix) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < fix->array_count; i++)
        count += fix->arrays[i].chosen.form.kind != SMP_FIX_KEEP;
    return count;
}

/* Writes "tile: Swizzle<5,0,5>" for each array that changes. */
static void put_choices(FILE *out, const smp_fix *fix, smp_style style) {
    bool first = true;
    EACH(const fix_array, array, fix->arrays, fix->array_count) {
        char text[160];
        if (array->chosen.form.kind == SMP_FIX_KEEP)
            continue;
        smp_fix_form_text(&array->chosen.form, text, sizeof text);
        fprintf(out, "%s%.*s: %s%s%s", first ? "" : ", ", (int)array->array->length,
                array->array->name, BOLD(style), text, PLAIN(style));
        first = false;
    }
}

/* Additional bytes of dynamic shared memory. */
static uint64_t more_at_launch(const smp_fix *fix) {
    uint64_t sum = 0;
    EACH(const fix_array, array, fix->arrays, fix->array_count)
        if (array->array->is_unsized && array->chosen.form.kind != SMP_FIX_KEEP)
            sum += array->chosen.price.bytes - array->before.bytes;
    return sum;
}

static void put_memory(FILE *out, const smp_fix *fix) {
    const smp_fix_result *r = &fix->result;
    uint64_t more = r->bytes_after - r->bytes_before, launch = more_at_launch(fix);
    uint32_t before = fix_blocks(fix, r->bytes_before);
    uint32_t after = fix_blocks(fix, r->bytes_after);
    if (more > 0)
        fprintf(out, ", +%s byte%s", count_text(more), plural(more));
    if (launch > 0)
        fprintf(out, ", +%s byte%s at launch", count_text(launch), plural(launch));
    if (more == 0 && launch == 0)
        fputs(", no extra memory", out);
    if (before != after)
        fprintf(out, "\n  %u instead of %u blocks fit an SM of %s", after, before,
                fix->archs[0].name);
}

static bool is_shared_access(const smp_fix *fix, size_t index) {
    const smp_request *request = smp_layout_request(fix->layout, index);
    return smp_layout_array(fix->layout, request->target.array)->space == SMP_SPACE_SHARED;
}

static bool is_copy(const smp_fix *fix, size_t index) {
    return smp_ops(NULL)[smp_layout_request(fix->layout, index)->op].space == SMP_SPACE_COPY;
}

/* Counts accesses whose cost is unknown on some architecture. */
static uint32_t count_open(const smp_fix *fix) {
    uint32_t count = 0;
    for (size_t i = 0; i < smp_layout_access_count(fix->layout); i++) {
        uint32_t enough = SMP_HAS_WAVEFRONTS | (is_copy(fix, i) ? 0 : SMP_HAS_TRANSACTIONS);
        bool is_open = false;
        for (uint32_t a = 0; a < fix->arch_count; a++)
            is_open |= (fix_after(fix, a, i)->valid & enough) == 0;
        count += is_open && is_shared_access(fix, i);
    }
    return count;
}

/* Returns true if an access still conflicts. With `by_copy`, copies: their conflicts come from
 * global addresses, as the search has settled the shared ones. Otherwise any other access: on
 * compute capability 2.x, the Guide adds a pass to 16 bytes per lane wherever the elements are. */
static bool still_conflicts(const smp_fix *fix, bool by_copy) {
    const size_t count = smp_layout_access_count(fix->layout);
    for (size_t i = 0; i < count * fix->arch_count; i++) {
        const smp_totals *after = &fix->after[i];
        if (is_copy(fix, i % count) == by_copy && is_shared_access(fix, i % count) &&
            after->ways > 1 && after->excess > 0)
            return true;
    }
    return false;
}

#define ADDED_PASS "the additional pass of 16-byte accesses"

static void put_idle(FILE *out, const smp_fix *fix, smp_style style) {
    const bool is_open = count_open(fix) > 0, has_more = fix->advice.count > 0;
    fprintf(out, "%snothing %sto fix%s%s: ", is_open || has_more ? YELLOW(style) : GREEN(style),
            is_open ? "found " : "", has_more ? " in shared memory" : "", PLAIN(style));
    if (still_conflicts(fix, true))
        fputs("only the global addresses of cp.async conflict\n", out);
    else if (still_conflicts(fix, false))
        fputs("the excess is " ADDED_PASS "\n", out);
    else
        fprintf(out, "no %saccess %s\n", is_open ? "modelled " : "",
                has_more ? "conflicts; but see below" : "of shared memory conflicts");
}

/* Writes the remaining excess and its cause. */
static void put_rest(FILE *out, const smp_fix *fix) {
    const smp_fix_result *r = &fix->result;
    if (!r->is_free && r->excess_bound > 0)
        fprintf(out, "\n  no layout can go below %s", count_text(r->excess_bound));
    if (!r->is_free || r->excess_after == 0)
        return;
    if (still_conflicts(fix, true))
        fprintf(out,
                "\n  the remaining %s do not depend on the layout: the global addresses of "
                "cp.async conflict",
                count_text(r->excess_after));
    else if (still_conflicts(fix, false))
        fprintf(out, "\n  of the remaining %s, some are " ADDED_PASS, count_text(r->excess_after));
    else
        fprintf(out,
                "\n  the %s left are no conflicts: half-warps and sparse vectors take "
                "a pass each",
                count_text(r->excess_after));
}

static void put_open(FILE *out, const smp_fix *fix) {
    uint32_t count = count_open(fix);
    if (count > 0)
        fprintf(out, "  %u access%s not fully modelled, and may conflict\n", count,
                count == 1 ? " is" : "es are");
}

static void put_verdict(FILE *out, const smp_fix *fix, const char *file, smp_style style) {
    const smp_fix_result *r = &fix->result;
    if (file)
        fprintf(out, "%s on ", file);
    put_archs(out, fix);
    fputs("\n\n  ", out);
    if (!r->is_needed) {
        put_idle(out, fix, style);
        put_open(out, fix);
        return;
    }
    fprintf(out, "%s%s%s   ",
            r->is_free     ? GREEN(style)
            : r->is_better ? YELLOW(style)
                           : RED(style),
            r->is_free     ? (still_conflicts(fix, false) ? "as good as possible" : "conflict-free")
            : r->is_better ? "better, but not conflict-free"
            : fix_is_searched(fix) ? "no layout is conflict-free"
                                   : "not searched",
            PLAIN(style));
    put_choices(out, fix, style);
    fputs(count_changed(fix) > 1 ? "\n  " : r->is_better ? "   " : "", out);
    fprintf(out, "excess %s -> %s%s%s", count_text(r->excess_before), BOLD(style),
            count_text(r->excess_after), PLAIN(style));
    if (r->is_better)
        put_memory(out, fix);
    put_rest(out, fix);
    fputc('\n', out);
    put_open(out, fix);
}

/* ---- Code ---- */

static void put_indented(FILE *out, const smp_fix *fix, bool (*write)(FILE *, const smp_fix *)) {
    char line[1024];
    FILE *file = tmpfile();
    bool sound = file && write(file, fix);
    if (file)
        rewind(file);
    while (sound && fgets(line, sizeof line, file))
        fprintf(out, "    %s", line);
    if (file)
        (void)fclose(file);
}

static void put_code(FILE *out, const smp_fix *fix, smp_style style) {
    fprintf(out, "\n  %sCUDA C%s\n", BOLD(style), PLAIN(style));
    put_indented(out, fix, smp_fix_write_cuda);
    fprintf(out, "\n  %sCuTe%s\n", BOLD(style), PLAIN(style));
    put_indented(out, fix, smp_fix_write_cute);
}

/* ---- Each access ---- */

/* Column widths of the table of accesses. */
typedef struct widths {
    int ways, waves;
} widths;

static int change_text(uint64_t before, uint64_t after, char text[64]) {
    return before == after ? snprintf(text, 64, "%s", count_text(after))
                           : snprintf(text, 64, "%s -> %s", count_text(before), count_text(after));
}

static void put_change(FILE *out, int width, uint64_t before, uint64_t after) {
    char text[64];
    (void)change_text(before, after, text);
    fprintf(out, "%*s", width, text);
}

/* Separates the longest numbers by two blanks. */
static widths find_widths(const smp_fix *fix) {
    widths w = {10, 14};
    char text[64];
    for (size_t i = 0; i < smp_layout_access_count(fix->layout) * fix->arch_count; i++) {
        const smp_totals *before = &fix->before[i], *after = &fix->after[i];
        bool waves = before->valid & SMP_HAS_WAVEFRONTS;
        int ways = change_text(before->ways, after->ways, text) + 2;
        int cost = waves ? change_text(before->wavefronts_max, after->wavefronts_max, text) + 2
                         : change_text(before->transactions, after->transactions, text) + 2;
        w.ways = ways > w.ways ? ways : w.ways;
        w.waves = cost > w.waves ? cost : w.waves;
    }
    return w;
}

/* Writes the numbers of an access on one architecture. */
static void put_totals(FILE *out, widths w, const smp_totals *was, const smp_totals *is) {
    const smp_totals before_launch = smp_totals_of_launch(was),
                     after_launch = smp_totals_of_launch(is);
    const smp_totals *before = &before_launch, *after = &after_launch;
    if (before->valid & SMP_HAS_WAVEFRONTS) {
        put_change(out, w.ways, before->ways, after->ways);
        put_change(out, w.waves, before->wavefronts_max, after->wavefronts_max);
    } else if (before->valid & SMP_HAS_TRANSACTIONS) {
        fprintf(out, "%*s", w.ways, "-");
        put_change(out, w.waves, before->transactions, after->transactions);
        fputs(" sectors", out);
    } else {
        fputs("   not modelled", out);
    }
}

/* Returns true if an earlier architecture has the same numbers. */
static bool is_repeated(const smp_fix *fix, size_t index, uint32_t arch) {
    const smp_totals *before = fix_before(fix, arch, index), *after = fix_after(fix, arch, index);
    for (uint32_t k = 0; k < arch; k++) {
        if (fix_before(fix, k, index)->wavefronts_max == before->wavefronts_max &&
            fix_after(fix, k, index)->wavefronts_max == after->wavefronts_max &&
            fix_before(fix, k, index)->ways == before->ways)
            return true;
    }
    return false;
}

/* Returns true if the numbers differ between architectures. */
static bool differs(const smp_fix *fix, size_t index) {
    for (uint32_t i = 1; i < fix->arch_count; i++)
        if (!is_repeated(fix, index, i))
            return true;
    return false;
}

static void put_access(FILE *out, const smp_fix *fix, widths w, size_t index) {
    const smp_request *request = smp_layout_request(fix->layout, index);
    const char *op = request->is_implied ? smp_ops(NULL)[request->op].name : "";
    char name[COLUMNS];
    int length = snprintf(name, sizeof name - 2, "%s%s%.*s", op, op[0] ? " " : "",
                          (int)request->length, request->text);
    if (length > NAME_COLUMNS)
        fprintf(out, "  %s\n", name);
    for (uint32_t i = 0; i < fix->arch_count; i++) {
        bool shows_name = i == 0 && length <= NAME_COLUMNS;
        if (is_repeated(fix, index, i))
            continue;
        fprintf(out, "  %-*s", NAME_COLUMNS, shows_name ? name : "");
        put_totals(out, w, fix_before(fix, i, index), fix_after(fix, i, index));
        if (differs(fix, index))
            fprintf(out, "  %s", fix->archs[i].name);
        fputc('\n', out);
    }
}

/* Says what the figures count. */
static void put_scale(FILE *out, const smp_fix *fix) {
    const uint64_t blocks = smp_layout_block_count(fix->layout);
    uint32_t draws = 0;
    for (size_t i = 0; i < smp_layout_access_count(fix->layout); i++)
        draws = fix->before[i].spread.draws > draws ? fix->before[i].spread.draws : draws;
    if (blocks > 1)
        fprintf(out, "  figures are for one block of %" PRIu64 "\n", blocks);
    if (draws > 1)
        fprintf(
            out,
            "  where the cost depends on random data: mean of %u draws (excess, and the layouts\n"
            "  below, count every draw)\n",
            draws);
}

/* Returns false if all accesses are to global memory, so that there is no table. */
static bool has_shared_access(const smp_fix *fix) {
    for (size_t i = 0; i < smp_layout_access_count(fix->layout); i++)
        if (is_shared_access(fix, i))
            return true;
    return false;
}

static void put_accesses(FILE *out, const smp_fix *fix, smp_style style) {
    widths w = find_widths(fix);
    fprintf(out, "\n  %s%-*s%*s%*s%s\n", BOLD(style), NAME_COLUMNS, "access", w.ways, "ways",
            w.waves, "wavefronts", PLAIN(style));
    for (size_t i = 0; i < smp_layout_access_count(fix->layout); i++)
        if (is_shared_access(fix, i))
            put_access(out, fix, w, i);
    put_scale(out, fix);
}

/* ---- Alternatives ---- */

static void put_row(FILE *out, const fix_row *row, smp_style style) {
    char text[160], bytes[32];
    int64_t more = (int64_t)row->price.bytes - (int64_t)row->array->before.bytes;
    smp_fix_form_text(&row->form, text, sizeof text);
    (void)snprintf(bytes, sizeof bytes, "%s%" PRId64, more > 0 ? "+" : "", more);
    fprintf(out, "%s%s %-*.*s %9" PRIu64 " %5u %7s %6u %7u%s\n", row->is_chosen ? GREEN(style) : "",
            row->is_chosen ? " >" : "  ", NAME_COLUMNS - 6, NAME_COLUMNS - 6, text,
            row->price.cost.excess, row->price.cost.ways, bytes, row->price.instructions,
            row->blocks, row->is_chosen ? PLAIN(style) : "");
}

static void put_alternatives(FILE *out, const smp_fix *fix, smp_style style) {
    EACH(const fix_array, array, fix->arrays, fix->array_count) {
        fix_row rows[FIX_ROWS_MAX];
        char name[64];
        if (!fix_is_shown(array) || array->is_fixed)
            continue;
        uint32_t count = fix_rows(fix, array, rows);
        (void)snprintf(name, sizeof name, "layouts of %.*s",
                       TEXT_CUT(array->array->name, array->array->length, 40));
        fprintf(out, "\n  %s%-*s%10s%6s%8s%7s%8s%s\n", BOLD(style), NAME_COLUMNS - 5, name,
                "excess", "ways", "bytes", "instr", "blk/SM", PLAIN(style));
        for (uint32_t k = 0; k < count; k++)
            put_row(out, &rows[k], style);
    }
}

/* ---- Notes ---- */

typedef struct notes {
    FILE *out;
    smp_style style;
    const char *title;
} notes;

static void put_note(void *user, const char *kind, const char *text) {
    notes *n = user;
    if (n->title)
        fprintf(n->out, "\n  %s%s%s\n", BOLD(n->style), n->title, PLAIN(n->style));
    n->title = NULL;
    (void)kind;
    smp_wrapped_print(n->out, "    ", text);
}

static void put_explanations(FILE *out, const smp_fix *fix, smp_style style) {
    notes n = {out, style, "why"};
    for (uint32_t i = 0; i < fix->array_count; i++) {
        char text[2048];
        if (fix->arrays[i].chosen.form.kind != SMP_FIX_KEEP &&
            fix_why(fix, &fix->arrays[i], text, sizeof text) > 0)
            put_note(&n, "why", text);
    }
}

static void put_effort(FILE *out, const smp_fix *fix, smp_style style) {
    const smp_fix_result *r = &fix->result;
    bool is_cut = !r->is_proven && r->ended_by == SMP_FIX_GO_ON;
    if (!fix_is_searched(fix)) {
        fprintf(out, "\n  %sno layout was searched%s\n", DIM(style), PLAIN(style));
        return;
    }
    fprintf(out, "\n  %s%s layout%s tried; every lane of the result checked by the model%s%s\n",
            DIM(style), count_text(r->candidates), plural(r->candidates),
            is_cut ? "; the search was cut short" : "", PLAIN(style));
    if (r->ended_by != SMP_FIX_GO_ON)
        fprintf(out, "  %sthe search %s%s\n", DIM(style),
                r->ended_by == SMP_FIX_INTERRUPT ? "was interrupted" : "ran out of time (--time)",
                PLAIN(style));
}

/* ---- On the GPU ---- */

static void put_trial(FILE *out, const fix_trial *trial, smp_style style) {
    char name[200], text[160];
    (void)smp_fix_form_text(&trial->form, text, sizeof text);
    (void)snprintf(name, sizeof name, "%.*s: %s", (int)trial->array->array->length,
                   trial->array->array->name, text);
    fprintf(out, "  %-*.*s", NAME_COLUMNS, NAME_COLUMNS, name);
    if (trial->unmeasured + trial->open == trial->count) {
        fprintf(out, "%11s%11s\n", "-", trial->open > 0 ? "no rule" : "not counted");
        return;
    }
    bool agrees = trial->differing == 0;
    fprintf(out, "%11" PRIu64 "%11" PRIu64 "  %s%s%s\n", trial->predicted, trial->measured,
            agrees ? "" : RED(style), agrees ? "yes" : "NO", agrees ? "" : PLAIN(style));
}

static void put_trials(FILE *out, const fix_trials *trials, smp_style style) {
    char name[sizeof trials->device.name + 4];
    (void)snprintf(name, sizeof name, "on %s", trials->device.name);
    fprintf(out, "\n  %s%-*s%11s%11s  agree%s\n", BOLD(style), NAME_COLUMNS, name, "predicted",
            "measured", PLAIN(style));
    for (uint32_t i = 0; i < trials->count; i++)
        put_trial(out, &trials->item[i], style);
    fprintf(out,
            "  %swavefronts of all requests (sectors in remote memory); driver %s, CUDA %s%s\n",
            DIM(style), trials->device.driver, trials->device.cuda, PLAIN(style));
}

static void put_worth(FILE *out, const fix_worth *worth) {
    fprintf(out, "\n  saves at most %.3g us of the %.4g us that %s takes\n", worth->most_us,
            worth->time_us, worth->kernel);
}

/* Writes the report without measurements. */
static void put_fix(FILE *out, const smp_fix *fix, const char *file, smp_style style,
                    bool explains) {
    const smp_fix_result *r = &fix->result;
    put_verdict(out, fix, file, style);
    if (r->is_better)
        put_code(out, fix, style);
    if (has_shared_access(fix))
        put_accesses(out, fix, style);
    put_alternatives(out, fix, style);
    if (explains)
        put_explanations(out, fix, style);
    notes obstacles = {out, style, "obstacles"};
    if (!r->is_free)
        fix_obstacles(fix, put_note, &obstacles);
    notes globals = {out, style, "global memory"}, wide = {out, style, "wider accesses"};
    fix_advice(fix, "global", put_note, &globals);
    fix_advice(fix, "wider", put_note, &wide);
    notes traps = {out, style, "beware"};
    fix_pitfalls(fix, put_note, &traps);
    if (r->is_needed)
        put_effort(out, fix, style);
}

void smp_fix_text(FILE *out, const fix_shown *shown) {
    put_fix(out, shown->fix, shown->file, shown->style, shown->explains);
    if (shown->worth)
        put_worth(out, shown->worth);
    if (shown->trials)
        put_trials(out, shown->trials, shown->style);
}
