/* SPDX-License-Identifier: MIT */
/* Searches array by array and layout by layout. Each layout is compiled and run. */
#define _POSIX_C_SOURCE 200809L
#include "repair.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "profile_rank.h"
#include "search.h"
#include "text_file.h"
#include "visible_text.h"

/* Wavefronts that differ by less than this count as equal. */
enum { CLOSE_PER_CENT = 2 };

/* An array of a kernel with conflicts. */
typedef struct suspect {
    const smp_kernel_profile *kernel;
    const smp_shared_array *array; /* NULL if it cannot be identified */
    uint64_t wavefronts, ideal;
    uint32_t ways;
} suspect;

/* The best layout of one array so far. */
typedef struct holder {
    proof_run run;
    char *text;
    size_t length;
    size_t number; /* index of its try */
    layout_kind kind;
    bool is_there;
} holder;

/* ---- What conflicts ---- */

static bool is_of(const smp_shared_array *array, const char *name) {
    return strcmp(array && array->name ? array->name : "", name) == 0;
}

/* Whether the array was already repaired in this kernel. */
static bool is_done(const search *s, const char *kernel, const char *array) {
    const size_t length = strlen(array);
    return ANY(one, s->out->tries, s->out->try_count,
               one->is_kept && strcmp(one->kernel, kernel) == 0 &&
                   strncmp(one->change, array, length) == 0 && one->change[length] == ':');
}

static bool is_given_up(const search *s, const smp_kernel_profile *kernel,
                        const smp_shared_array *array) {
    char name[80];
    smp_kernel_short_name(kernel, name, sizeof name);
    return ANY(one, s->out->advice, s->out->advice_count,
               is_of(array, one->array) && strcmp(one->kernel, name) == 0);
}

static void add_site(suspect *to, const smp_profile_site *site) {
    to->wavefronts += site->wavefronts;
    to->ideal += site->ideal;
    to->ways = site->ways > to->ways ? site->ways : to->ways;
}

/* Sums over all accesses to the array in that kernel. */
static suspect suspect_of(const smp_kernel_profile *kernel, const smp_shared_array *array) {
    suspect out = {.kernel = kernel, .array = array};
    for (uint32_t i = 0; i < kernel->site_count; i++)
        if (smp_space_has_banks(kernel->sites[i].space) &&
            smp_site_array(kernel, &kernel->sites[i]) == array)
            add_site(&out, &kernel->sites[i]);
    return out;
}

static uint64_t excess(const suspect *of) {
    return of->wavefronts > of->ideal ? of->wavefronts - of->ideal : 0;
}

/* Finds the array with the most excess wavefronts; false if none remains. */
static bool next_suspect(const search *s, suspect *out) {
    memset(out, 0, sizeof *out);
    EACH(const smp_kernel_profile, kernel, s->now->profile.kernels, s->now->profile.kernel_count)
        EACH(const smp_profile_site, site, kernel->sites, kernel->site_count) {
            if (!smp_space_has_banks(site->space) || site->wavefronts <= site->ideal)
                continue;
            const smp_shared_array *array = smp_site_array(kernel, site);
            const suspect one = suspect_of(kernel, array);
            if (excess(&one) > excess(out) && !is_given_up(s, kernel, array))
                *out = one;
        }
    return excess(out) > 0;
}

static smp_status give_up(search *s, const suspect *of, unsigned line, const char *why) {
    repair *out = s->out;
    if (!LIST_ROOM(out->advice, out->advice_count))
        return smp_error_memory(s->error);
    repair_advice *to = &out->advice[out->advice_count++];
    smp_kernel_short_name(of->kernel, to->kernel, sizeof to->kernel);
    (void)snprintf(to->array, sizeof to->array, "%s",
                   of->array && of->array->name ? of->array->name : "");
    (void)snprintf(to->text, sizeof to->text, "%s", why);
    to->line = search_line(s, line);
    to->excess = excess(of);
    to->ways = of->ways;
    return SMP_OK;
}

/* ---- One layout ---- */

static void holder_clear(holder *h) {
    proof_clear(&h->run);
    free(h->text);
    *h = (holder){.is_there = false};
}

static bool is_close(uint64_t a, uint64_t b) {
    return (a < b ? b : a) * 100 <= (a < b ? a : b) * (100 + CLOSE_PER_CENT);
}

/* Wavefronts first. Where they are nearly equal, fewer requests: a padding that splits one 16-byte
 * load into four loads of 4 bytes needs as many wavefronts and four times the instructions. */
static bool costs_less(const repair_figures *a, const repair_figures *b) {
    return is_close(a->wavefronts, b->wavefronts) && a->requests != b->requests
               ? a->requests < b->requests
               : a->wavefronts < b->wavefronts;
}

static const repair_try *try_of(const search *s, const holder *best) {
    return best->is_there ? &s->out->tries[best->number] : NULL;
}

/* The try is a proof, and better than `other`, if that is not NULL. */
static bool is_better(const repair_try *tried, const repair_try *other) {
    if (tried->why[0] != '\0' || !other)
        return tried->why[0] == '\0';
    return tried->after_us > 0 && other->after_us > 0 ? tried->after_us < other->after_us
                                                      : costs_less(&tried->after, &other->after);
}

/* Stores why `other` is preferred. */
static void name_better(repair_try *tried, const repair_try *other) {
    const repair_figures *own = &tried->after, *better = &other->after;
    const bool is_timed = tried->after_us > 0 && other->after_us > 0;
    const bool is_split = is_close(own->wavefronts, better->wavefronts);
    (void)snprintf(tried->why, PROOF_WHY, "another layout %s",
                   is_timed                                       ? "is faster"
                   : is_split && own->requests > better->requests ? "needs fewer requests"
                   : own->wavefronts > better->wavefronts         ? "saves more"
                                                                  : "does as well");
}

/* Takes the run if it is better. */
static void offer(search *s, holder *best, size_t number, layout_kind kind, proof_run *run,
                  char *text, size_t length) {
    repair_try *tried = &s->out->tries[number];
    const bool is_taken = is_better(tried, try_of(s, best));
    if (tried->why[0] == '\0' && !is_taken)
        name_better(tried, &s->out->tries[best->number]);
    if (!is_taken) {
        proof_clear(run);
        free(text);
        return;
    }
    if (best->is_there)
        name_better(&s->out->tries[best->number], tried);
    holder_clear(best);
    *best = (holder){*run, text, length, number, kind, true};
}

/* Runs the original again, to find out what varies from run to run and cannot be compared. */
static smp_status run_again(search *s) {
    char why[PROOF_WHY];
    uint64_t bytes;
    proof_run again = {.count = 0};
    if (s->is_repeated)
        return SMP_OK;
    s->is_repeated = true;
    const smp_status status =
        proof_make(&s->job->proof, s->job->text, s->job->length, &s->first, true, &again, s->error);
    if (status == SMP_OK && !proof_printed_vary(&s->first.left, &again.left)) {
        proof_clear(&again);
        return smp_error_memory(s->error);
    }
    if (status == SMP_OK && !proof_equal(&s->first, &again, &bytes, why))
        (void)snprintf(s->out->refused, sizeof s->out->refused,
                       "two runs of the unchanged source differ: %s", why);
    proof_clear(&again);
    return status;
}

/* repair_judge, ignoring what varies between runs of the original. */
static smp_status judge(search *s, const repair_bench *bench, const proof_run *run,
                        repair_try *tried) {
    repair_judge(bench, run, tried);
    if (!tried->differs || s->is_repeated || !search_goes_on(s, tried->change))
        return SMP_OK; /* a run that was cut short differs, which says nothing */
    const smp_status status = run_again(s);
    if (status == SMP_OK && s->out->refused[0] == '\0') {
        tried->differs = false;
        tried->why[0] = '\0';
        repair_judge(bench, run, tried);
    }
    return status;
}

/* Runs the text again to look for races that the original does not have. */
static smp_status look_for_races(search *s, const proof_run *run, const char *text, size_t length,
                                 repair_try *tried) {
    proof_run raced = {.count = 0};
    proof_job job = s->job->proof;
    job.races = true;
    s->out->has_looked_for_races = true;
    smp_status status = proof_make(&job, text, length, run, true, &raced, s->error);
    if (status == SMP_OK && proof_races(&raced) > 0 && !s->is_raced) {
        s->is_raced = true;
        status =
            proof_make(&job, s->job->text, s->job->length, &s->first, true, &s->raced, s->error);
    }
    if (status == SMP_OK)
        repair_judge_races(&s->raced, &raced, tried);
    tried->races_after = proof_races(&raced);
    proof_clear(&raced);
    return status;
}

smp_status search_prove(search *s, const repair_bench *bench, const char *text, size_t length,
                        const repair_try *best, repair_try *tried, proof_run *run) {
    smp_status status = proof_make(&s->job->proof, text, length, &s->first, false, run, s->error);
    if (status == SMP_OK)
        status = judge(s, bench, run, tried);
    if (status == SMP_OK && is_better(tried, best))
        status = search_compare_drawn(s, run, text, length, tried);
    if (status == SMP_OK && is_better(tried, best))
        status = look_for_races(s, run, text, length, tried);
    if (status == SMP_OK && is_better(tried, best))
        repair_time(s, run, tried);
    return status;
}

static bool write_change(const search *s, const suspect *of, const shared_declaration *declared,
                         const layout_change *change, text_edits *edits, char left[LAYOUT_WHY]) {
    host_kernel kernel;
    host_scope scope;
    const smp_kernel_profile *k = of->kernel;
    const bool has_scope = smp_launch_scope(smp_kernel_full_name(k), s->blank, &kernel, &scope);
    const bool is_written =
        layout_write(s->blank, has_scope ? &scope : NULL, declared, change, edits, left);
    search_correct(s, left, LAYOUT_WHY);
    return is_written;
}

/* Adds which unchanged use may be the reason. */
static void add_left(repair_try *tried, const char *left) {
    const size_t used = strlen(tried->why);
    if (used > 0 && left[0] != '\0' && used + strlen(left) + 3 < PROOF_WHY)
        (void)snprintf(tried->why + used, PROOF_WHY - used, "; %.150s", left);
}

/* Two candidates may give the same text: one that reaches all pointers, where there are none. */
static bool was_tried(search *s, const char *text) {
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    for (unsigned i = 0; i < s->tried_count; i++)
        if (s->tried[i] == hash)
            return true;
    if (s->tried_count < CANDIDATES_MAX)
        s->tried[s->tried_count++] = hash;
    return false;
}

/* Writes, compiles and runs one layout. One that cannot be written counts as tried. */
static smp_status try_one(search *s, const suspect *of, const shared_declaration *declared,
                          const layout_change *change, holder *best) {
    repair *out = s->out;
    char left[LAYOUT_WHY];
    text_edits edits = {.count = 0};
    proof_run run = {.count = 0};
    if (!LIST_ROOM(out->tries, out->try_count))
        return smp_error_memory(s->error);
    repair_try *tried = &out->tries[out->try_count++];
    smp_kernel_short_name(of->kernel, tried->kernel, sizeof tried->kernel);
    const char *words = layout_words(declared, change, tried->change);
    tried->line = search_line(s, shared_line(s->blank, declared->begin));
    tried->before = repair_figures_of(s->now, of->kernel);
    const bool is_written = write_change(s, of, declared, change, &edits, left);
    size_t length = 0;
    char *text = is_written ? text_edits_apply(&edits, s->text, s->length, &length) : NULL;
    text_edits_clear(&edits);
    if (!is_written) {
        (void)snprintf(tried->why, PROOF_WHY, "%s", left);
        return SMP_OK;
    }
    if (!text)
        return smp_error_memory(s->error);
    if (was_tried(s, text)) {
        out->try_count--;
        free(text);
        return SMP_OK;
    }
    const repair_bench bench = {.job = s->job,
                                .first = &s->first,
                                .now = s->now,
                                .kernel = of->kernel,
                                .wavefronts = of->wavefronts};
    const smp_status status = search_prove(s, &bench, text, length, try_of(s, best), tried, &run);
    if (status == SMP_E_INTERRUPTED)
        s->out->end = REPAIR_INTERRUPTED;
    if (!search_goes_on(s, words)) /* its runs may be incomplete */
        (void)snprintf(tried->why, PROOF_WHY, "%s before it was proven",
                       s->out->end == REPAIR_INTERRUPTED ? "interrupted" : "out of time");
    else if (status != SMP_OK)
        (void)snprintf(tried->why, PROOF_WHY, "%.190s", s->error->message);
    add_left(tried, left);
    offer(s, best, out->try_count - 1, change->kind, &run, text, length);
    return status == SMP_E_MEMORY ? status : SMP_OK;
}

/* Whether the best so far makes trying candidate `next` pointless: it needs as few wavefronts as
 * the remaining ones promise, and no more requests than before. A swizzle without a prediction is
 * not tried once a padding is proven, because it changes every use. The last candidates, which
 * promise nothing, are tried if more than twice the ideal remains, or of three dimensions a quarter
 * more. */
static bool is_enough(const search *s, const suspect *of, const candidates *list, unsigned next,
                      const holder *best) {
    uint64_t least = UINT64_MAX;
    if (!best->is_there)
        return false;
    const repair_figures *before = &s->out->tries[best->number].before;
    const repair_figures *after = &s->out->tries[best->number].after;
    const uint64_t others = before->wavefronts - of->wavefronts;
    if (list->list[next].predicted == UINT64_MAX)
        return after->wavefronts <= others + of->ideal * (list->list[next].is_outer ? 5 : 8) / 4;
    for (unsigned i = next; i < list->count; i++) {
        const layout_change *other = &list->list[i];
        const bool is_dearer = other->kind == LAYOUT_XOR && best->kind == LAYOUT_PAD;
        if (other->predicted < least && !(is_dearer && other->predicted == 0)) /* 0: unknown */
            least = other->predicted;
    }
    if (least == UINT64_MAX)
        return true;
    return after->requests <= before->requests &&
           (after->wavefronts <= after->ideal ||
            after->wavefronts * 100 <= (others + least) * (100 + CLOSE_PER_CENT));
}

/* Whether the last try split accesses that the compiler had joined. */
static bool has_split(const search *s) {
    const size_t count = s->out->try_count;
    const repair_try *last = count > 0 ? &s->out->tries[count - 1] : NULL;
    return last && last->after.requests > last->before.requests;
}

static smp_status take(search *s, holder *best) {
    s->out->tries[best->number].is_kept = true;
    const smp_status status = search_take(s, &best->run, best->text, best->length);
    *best = (holder){.is_there = false};
    return status;
}

/* ---- One array ---- */

static bool must_stay(const search *s, const char *name) {
    return LIST_FIND(s->job->keep, s->job->keep_count, name);
}

static bool has_slower(const search *s) {
    return ANY(one, s->out->tries, s->out->try_count, one->is_slower);
}

static smp_status try_all(search *s, const suspect *of, const shared_declaration *declared,
                          const candidates *list) {
    holder best = {.is_there = false};
    smp_status status = SMP_OK;
    char advice[320];
    const unsigned line = shared_line(s->blank, declared->begin);
    const size_t before = s->out->try_count;
    s->tried_count = 0;
    for (unsigned i = 0; status == SMP_OK && i < list->count && s->out->refused[0] == '\0'; i++) {
        char words[LAYOUT_WORDS];
        if (is_enough(s, of, list, i, &best) || (list->list[i].is_aligned && !has_split(s)))
            continue;
        if (!search_goes_on(s, layout_words(declared, &list->list[i], words)))
            break;
        status = try_one(s, of, declared, &list->list[i], &best);
    }
    if (status == SMP_OK && best.is_there) {
        status = take(s, &best);
    } else if (status == SMP_OK && s->out->end == REPAIR_DONE) {
        const size_t count = s->out->try_count - before;
        (void)snprintf(advice, sizeof advice, "%zu layout%s tried, none was proven%s", count,
                       count == 1 ? " was" : "s were", has_slower(s) ? " and faster" : "");
        status = give_up(s, of, line, advice);
    }
    holder_clear(&best);
    return status;
}

/* Finds declaration `number` in the kernel's body. */
static bool find_numbered(const search *s, const smp_kernel_profile *k, unsigned number,
                          shared_declaration *out, host_scope *scope) {
    host_kernel kernel;
    size_t at;
    if (!smp_launch_scope(smp_kernel_full_name(k), s->blank, &kernel, scope))
        return false;
    at = (size_t)(kernel.body.text - s->blank) + 1;
    while (shared_declaration_next(s->blank, NULL, &at, out) &&
           out->name.text < kernel.body.text + kernel.body.length)
        if (number-- == 0)
            return true;
    return false;
}

/* Finds template argument `number` of the shared variable's type or, after those, an array member
 * of its struct. */
static bool find_part(const search *s, const suspect *of, unsigned number, shared_declaration *out,
                      host_scope *scope) {
    host_kernel kernel;
    host_span type, body;
    size_t at = 0;
    const smp_kernel_profile *k = of->kernel;
    (void)smp_launch_scope(smp_kernel_full_name(k), s->blank, &kernel, scope);
    for (unsigned i = 0; shared_argument(scope, of->array->name, i, out); i++)
        if (number-- == 0)
            return true;
    if (!shared_struct_of(s->blank, of->array->name, &type, &body))
        return false;
    while (shared_member_next(s->blank, body, &at, out))
        if (number-- == 0) {
            if (shared_element_bytes(out->type) == 0)
                out->type = shared_element_type(scope, of->array->name);
            return true;
        }
    return false;
}

static bool find_guessed(const search *s, const suspect *of, unsigned number,
                         shared_declaration *out, host_scope *scope) {
    return of->array ? find_part(s, of, number, out, scope)
                     : find_numbered(s, of->kernel, number, out, scope);
}

/* The same array in the best version so far. */
static suspect suspect_now(const search *s, const char *kernel_name, const char *array_name) {
    const smp_kernel_profile *kernel = repair_kernel_named(s->now, kernel_name);
    for (uint32_t i = 0; kernel && array_name && i < kernel->array_count; i++)
        if (is_of(&kernel->arrays[i], array_name))
            return suspect_of(kernel, &kernel->arrays[i]);
    return suspect_of(kernel, NULL);
}

/* Tries every array that the kernel declares, or every array member of the struct, because the
 * machine code does not tell which one is accessed. */
static smp_status repair_guessed(search *s, const suspect *of, const char *why) {
    shared_declaration declared;
    host_scope scope;
    candidates list;
    suspect left = *of;
    char name[512], array[80];
    smp_status status = SMP_OK;
    const size_t before = s->out->advice_count;
    (void)snprintf(array, sizeof array, "%s", of->array ? of->array->name : "");
    for (unsigned i = 0; status == SMP_OK && s->out->end == REPAIR_DONE && excess(&left) > 0 &&
                         find_guessed(s, &left, i, &declared, &scope);
         i++) {
        (void)snprintf(name, sizeof name, "%s", smp_kernel_full_name(left.kernel));
        candidates_guess(left.kernel, &declared, &scope, &list);
        if (list.count > 0)
            status = try_all(s, &left, &declared, &list);
        s->out->advice_count = before; /* reported once, below */
        left = suspect_now(s, name, of->array ? array : NULL);
    }
    return status == SMP_OK && excess(&left) > 0 ? give_up(s, &left, 0, why) : status;
}

static bool is_struct(const search *s, const char *name) {
    host_span type, body;
    return shared_struct_of(s->blank, name, &type, &body);
}

/* Whether it is an array of bytes that is cast to a struct. */
static bool holds_struct(const search *s, const shared_declaration *of, const char *name) {
    return shared_element_bytes(of->type) == 1 && is_struct(s, name);
}

/* The file of the first line that accesses the array; NULL if that is the repaired file. */
static const char *other_file(const search *s, const suspect *of) {
    const char *own = s->now->copy ? s->now->copy : s->job->proof.file.path;
    EACH(const smp_profile_site, site, of->kernel->sites, of->kernel->site_count)
        if (site->frame_count > 0 && site->frames[site->frame_count - 1].file &&
            smp_site_array(of->kernel, site) == of->array)
            return strcmp(smp_base_name(site->frames[site->frame_count - 1].file),
                          smp_base_name(own)) == 0
                       ? NULL
                       : site->frames[site->frame_count - 1].file;
    return NULL;
}

/* The array's declaration was not found, or it holds a struct. */
static smp_status repair_undeclared(search *s, const suspect *of) {
    const char *file = other_file(s, of);
    char why[320] = "no layout of a member removes all conflicts";
    if (!is_struct(s, of->array->name) && file && !smp_name_ends(file, ".cu"))
        (void)snprintf(why, sizeof why,
                       "its declaration is in %.160s, which is included more than once or is not "
                       "the project's own, so it stays",
                       file);
    else if (!is_struct(s, of->array->name))
        (void)snprintf(why, sizeof why, "its declaration is not in this file%s%.200s",
                       file ? ": smemprobe fix " : ", or there are several", file ? file : "");
    return repair_guessed(s, of, why);
}

static smp_status repair_one(search *s, const suspect *of) {
    shared_declaration declared;
    host_kernel kernel;
    host_scope scope;
    candidates list;
    char name[80];
    const smp_kernel_profile *k = of->kernel;
    smp_kernel_short_name(k, name, sizeof name);
    if (!of->array || !of->array->name)
        return repair_guessed(s, of, "the machine code does not tell which array it is");
    const bool is_declared = candidates_declaration(s->blank, k, of->array->name, &declared);
    const unsigned line = is_declared ? shared_line(s->blank, declared.begin) : 0;
    if (must_stay(s, of->array->name))
        return give_up(s, of, line, "left unchanged (--keep)");
    if (!is_declared || holds_struct(s, &declared, of->array->name))
        return repair_undeclared(s, of);
    if (is_done(s, name, of->array->name))
        return give_up(s, of, line, "these remain after its repair");
    (void)smp_launch_scope(smp_kernel_full_name(k), s->blank, &kernel, &scope);
    const smp_status status =
        candidates_find(of->kernel, of->array, &declared, &scope, &list, s->error);
    if (status != SMP_OK)
        return status;
    return list.count == 0 ? give_up(s, of, line, list.why) : try_all(s, of, &declared, &list);
}

smp_status repair_arrays(search *s) {
    suspect next;
    smp_status status = SMP_OK;
    while (status == SMP_OK && s->out->refused[0] == '\0' && s->out->end == REPAIR_DONE &&
           next_suspect(s, &next))
        status = repair_one(s, &next);
    return status;
}
