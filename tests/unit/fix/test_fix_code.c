/* SPDX-License-Identifier: MIT */
/*
 * The CUDA C that `fix` prints, letter by letter, compiled by the host's C++
 * compiler and run by all threads of random layouts. Each array has its element type; every index
 * is below its dimension, every address inside its array; elements lie one to one, over the whole
 * index space where an access can walk it; memory ends where `fix` says; and the addresses that the
 * code really makes cost what the fixed layout promises, on every architecture asked for.
 * SMP_FIX_CODE=100000 tries more layouts, SMP_FIX_CODE_SEED=1 others.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "code_case.h"
#include "code_record.h"
#include "code_run.h"
#include "fix.h"
#include "suite.h"

#ifdef __SANITIZE_ADDRESS__
enum { LAYOUTS = 60 };
#else
enum { LAYOUTS = 250 };
#endif

enum { BATCH = 100, WIDEST = 16 };

/* A layout whose fix changes something, and what was promised. */
typedef struct trial {
    code_case c;
    char *text, *printed;
    smp_layout *fixed;
    smp_totals *promised; /* [arch * accesses + access] */
    smp_totals *found;
    uint64_t bytes_after;
    uint64_t begin[CODE_ARRAYS_MAX], end[CODE_ARRAYS_MAX]; /* as declared, in shared memory */
    uint64_t span[CODE_ARRAYS_MAX]; /* bytes of the logical array, and of what holds it */
    bool is_changed[CODE_ARRAYS_MAX], is_moved[CODE_ARRAYS_MAX], is_widened[CODE_ARRAYS_MAX];
    uint64_t open_bytes[CODE_ARRAYS_MAX];
    uint32_t *place[CODE_ARRAYS_MAX]; /* logical byte -> byte of the declared array, + 1 */
    uint32_t *owner[CODE_ARRAYS_MAX]; /* and back */
} trial;

typedef struct session {
    char folder[64];
    uint32_t count;
    trial trials[BATCH];
    uint64_t layouts, changed, requests, walked;
} session;

/* ---- What goes wrong ---- */

/* How many faults are told; the first one ends the test. */
static bool tells_all(void) {
    return getenv("SMP_FIX_CODE_ALL");
}

static uint64_t faults;
static uint32_t last_fault; /* layout */

__attribute__((format(printf, 2, 3))) static void fault(const trial *t, const char *format, ...) {
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    faults++;
    if (!tells_all())
        ck_abort_msg("%s\n\n%s\nprinted:\n%s", what, t->text, t->printed);
    if (faults == 1 || last_fault != t->c.number)
        fprintf(stderr, "FAULT layout %u: %s\n%s\nprinted:\n%s\n", t->c.number, what, t->text,
                t->printed);
    last_fault = t->c.number;
}

/* ---- Fixing ---- */

static void read_promises(trial *t, const char *fixed) {
    unsigned line;
    smp_error error;
    uint32_t count = t->c.access_count;
    t->fixed = smp_layout_new();
    smp_status status = smp_layout_add_lines(t->fixed, fixed, strlen(fixed), &line, &error);
    ck_assert_msg(status == SMP_OK, "line %u: %s\n%s", line, error.message, fixed);
    t->promised = calloc(count * t->c.arch_count, sizeof *t->promised);
    t->found = calloc(count * t->c.arch_count, sizeof *t->found);
    for (size_t i = 0; i < count * t->c.arch_count; i++)
        (void)smp_layout_evaluate(t->fixed, &t->c.archs[i / count], i % count, &t->promised[i],
                                  &line, &error);
}

static void take_forms(trial *t, const smp_fix *fix) {
    for (uint32_t i = 0; i < t->c.array_count; i++) {
        const fix_array *array = &fix->arrays[i];
        ck_assert(memcmp(array->array->name, t->c.array[i].name, array->array->length) == 0);
        t->is_changed[i] = array->chosen.form.kind != SMP_FIX_KEEP;
        t->is_moved[i] = array->align_as > 0 && !t->is_changed[i];
        t->is_widened[i] = array->chosen.form.element_extra > 0;
        t->open_bytes[i] = array->chosen.price.bytes;
    }
}

static smp_fix_wish stop_late(void *user, smp_fix_phase phase, uint64_t done) {
    (void)user;
    return phase == SMP_FIX_SEARCHING && done >= 100000 ? SMP_FIX_OUT_OF_TIME : SMP_FIX_GO_ON;
}

/* False if the layout is nothing to change, or can't be kept in C. */
static bool make_trial(trial *t) {
    smp_fix_options options = {.archs = t->c.archs,
                               .arch_count = t->c.arch_count,
                               .kinds = t->c.kinds,
                               .progress = stop_late};
    smp_fix *fix;
    smp_error error = {.message = ""};
    unsigned line;
    t->text = code_case_text(&t->c);
    smp_status status = smp_fix_solve(t->text, strlen(t->text), &options, &fix, &line, &error);
    if (status == SMP_E_INTERRUPTED || status == SMP_E_MASK)
        return false;
    if (status != SMP_OK) {
        t->printed = "";
        fault(t, "line %u: %s", line, error.message);
        t->printed = NULL;
        return false;
    }
    take_forms(t, fix);
    smp_fix_result result = smp_fix_result_of(fix);
    t->bytes_after = result.bytes_after;
    if (result.is_better) {
        char *fixed = code_written(fix, smp_fix_write_layout);
        t->printed = code_written(fix, smp_fix_write_cuda);
        read_promises(t, fixed);
        free(fixed);
    }
    smp_fix_free(fix);
    return result.is_better;
}

static void trial_clear(trial *t) {
    for (uint32_t i = 0; i < CODE_ARRAYS_MAX; i++) {
        free(t->place[i]);
        free(t->owner[i]);
    }
    smp_layout_free(t->fixed);
    free(t->promised);
    free(t->found);
    free(t->printed);
    free(t->text);
}

/* ---- Compiling and running ---- */

static void put_program(const session *s, FILE *out) {
    fputs("#include \"printed_code.hpp\"\n", out);
    for (uint32_t i = 0; i < s->count; i++) {
        const trial *t = &s->trials[i];
        if (!code_source_put(out, &t->c, t->is_changed, t->is_moved, t->printed))
            fault(t, "the printed text has not the lines that it should have");
    }
    fputs("int main(int, char **argv) {\nrecord_file = fopen(argv[1], \"wb\");\n", out);
    for (uint32_t i = 0; i < s->count; i++)
        fprintf(out, "after%u::all.run();\n", s->trials[i].c.number);
    fputs("return fclose(record_file);\n}\n", out);
}

static void run_program(const session *s) {
    FILE *out = code_open(s->folder);
    put_program(s, out);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_msg(code_run(s->folder, "-fsanitize=bounds -I " SMP_CODE_INCLUDE),
                  "layouts %u to %u do not compile, or do not run", s->trials[0].c.number,
                  s->trials[s->count - 1].c.number);
}

/* ---- Judging ---- */

static trial *trial_of(session *s, uint32_t layout) {
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->trials[i].c.number == layout)
            return &s->trials[i];
    }
    ck_abort_msg("a record of layout %u", layout);
    return NULL;
}

static bool is_dynamic(const trial *t, uint32_t array) {
    return strncmp(t->c.array[array].storage, "extern", 6) == 0;
}

/* Dynamic memory begins behind the static arrays, at a multiple of 16 and of what it asks for. */
static uint64_t dynamic_base(const trial *t) {
    uint64_t end = 0, align = 16;
    for (uint32_t i = 0; i < t->c.array_count; i++) {
        end = !is_dynamic(t, i) && t->end[i] > end ? t->end[i] : end;
        align = is_dynamic(t, i) && t->c.array[i].align > align ? t->c.array[i].align : align;
    }
    return (end + align - 1) / align * align;
}

static void judge_array(trial *t, const code_record *r) {
    uint32_t i = r->number;
    const code_array *array = &t->c.array[i];
    bool is_nameless = array->body[0] != '\0' && array->struct_name[0] == '\0';
    t->begin[i] = r->after[0];
    t->end[i] = r->after[0] + r->size;
    t->span[i] = (uint64_t)code_array_elements(array) * 64;
    t->place[i] = calloc(t->span[i] + WIDEST, sizeof *t->place[i]);
    t->owner[i] = calloc(r->size + WIDEST, sizeof *t->owner[i]);
    if (!r->is_same && !is_nameless && !t->is_widened[i])
        fault(t, "TYPE: %s is not of '%s' any more", array->name, array->type);
}

/* Each byte of the object has one place, which no other byte has. */
static void judge_bytes(trial *t, const code_record *r, uint32_t array, uint32_t lane,
                        uint32_t size) {
    for (uint32_t b = 0; b < size; b++) {
        uint64_t from = r->before[lane] + b, to = r->after[lane] - t->begin[array] + b;
        uint32_t *place = &t->place[array][from], *owner = &t->owner[array][to];
        if ((*place != 0 && *place != to + 1) || (*owner != 0 && *owner != from + 1)) {
            fault(t,
                  "MAP: byte %" PRIu64 " of %s lies on byte %" PRIu64 ", which has byte %d"
                  ", but was on byte %d",
                  from, t->c.array[array].name, to, (int)*owner - 1, (int)*place - 1);
            return;
        }
        *place = (uint32_t)to + 1;
        *owner = (uint32_t)from + 1;
    }
}

/* Places of all lanes; false if one is outside. */
static bool judge_places(trial *t, const code_record *r) {
    const code_access *a = &t->c.access[r->number];
    uint32_t whole = a->verb == CODE_LDMATRIX ? 16 : r->before_size;
    /* A vector stays together where a lane reads it, but not at every place of the walk. */
    bool is_part = r->kind == CODE_WALK && a->step > 1;
    uint32_t size = is_part ? t->c.array[a->array].size : whole;
    bool is_open = t->c.array[a->array].is_open && r->kind == CODE_ACCESS;
    uint64_t end = is_open ? t->open_bytes[a->array] : t->end[a->array];
    if (r->size != whole)
        fault(t, "WIDTH: access %u moves %u bytes, and moved %u", r->number, r->size, whole);
    for (uint32_t l = 0; l < CODE_LANES; l++) {
        if (!(r->mask >> l & 1))
            continue;
        if (r->after[l] < t->begin[a->array] || r->after[l] + size > end) {
            fault(t, "OUTSIDE: access %u, lane %u: byte %" PRId64 " of %s, which has %" PRIu64,
                  r->number, l, (int64_t)(r->after[l] - t->begin[a->array]),
                  t->c.array[a->array].name, end - t->begin[a->array]);
            return false;
        }
        judge_bytes(t, r, a->array, l, size);
    }
    return true;
}

/* Adds what the model says of one request as it was made. */
static void add_request(trial *t, const code_record *r) {
    const code_access *a = &t->c.access[r->number];
    uint64_t add = is_dynamic(t, a->array) ? dynamic_base(t) : 0;
    uint32_t width = r->align < WIDEST ? r->align : WIDEST;
    if (a->verb == CODE_LDMATRIX || a->verb == CODE_COPY)
        width = r->size;
    for (uint32_t part = 0; part < r->size / width; part++) {
        smp_access access = {.op = smp_layout_request(t->fixed, r->number)->op,
                             .width_bytes = width,
                             .active_mask = r->mask};
        for (uint32_t l = 0; l < CODE_LANES; l++) {
            access.offset_bytes[l] = (uint32_t)(r->after[l] + add + part * width);
            access.address_bytes[l] = r->global[l];
        }
        for (size_t i = 0; i < t->c.arch_count; i++) {
            smp_counts counts = {0};
            smp_totals *sum = &t->found[i * t->c.access_count + r->number];
            smp_status status = smp_predict(&t->c.archs[i], &access, &counts);
            if (status != SMP_OK && status != SMP_E_NOT_MODELLED)
                fault(t, "REFUSED: access %u on %s: %s", r->number, t->c.archs[i].name,
                      smp_status_message(status));
            sum->requests++;
            sum->wavefronts_max += counts.wavefronts_max;
            sum->excess += counts.excess;
            sum->ways = counts.ways > sum->ways ? counts.ways : sum->ways;
        }
    }
}

static void judge_record(session *s, const code_record *r) {
    trial *t = trial_of(s, r->layout);
    if (r->kind == CODE_ARRAY)
        judge_array(t, r);
    else if (r->kind == CODE_OUTSIDE)
        fault(t, "INDEX: access %u has an index that is not below its dimension", r->number);
    else if (judge_places(t, r) && r->kind == CODE_ACCESS)
        add_request(t, r);
    s->requests += r->kind == CODE_ACCESS;
    s->walked += r->kind == CODE_WALK ? (uint32_t)__builtin_popcount(r->mask) : 0;
}

static void judge_totals(trial *t) {
    uint64_t end = 0, dynamic_end = 0;
    for (uint32_t i = 0; i < t->c.array_count; i++) {
        uint64_t *of = is_dynamic(t, i) ? &dynamic_end : &end;
        if (!t->c.array[i].is_open)
            *of = t->end[i] > *of ? t->end[i] : *of;
    }
    end = dynamic_end > 0 ? dynamic_base(t) + dynamic_end : end;
    if (end > t->bytes_after)
        fault(t, "MEMORY: ends at byte %" PRIu64 ", %" PRIu64 " are promised", end, t->bytes_after);
    for (size_t i = 0; i < t->c.arch_count * t->c.access_count; i++) {
        const smp_totals *found = &t->found[i], *promised = &t->promised[i];
        bool alike = found->requests == promised->requests &&
                     (promised->status != SMP_OK || promised->note ||
                      (found->wavefronts_max == promised->wavefronts_max &&
                       found->excess == promised->excess && found->ways == promised->ways));
        if (!alike)
            fault(t,
                  "COST: access %zu on %s: %" PRIu64 " requests, %" PRIu64 " wavefronts, %u ways; "
                  "promised are %" PRIu64 ", %" PRIu64 ", %u",
                  i % t->c.access_count, t->c.archs[i / t->c.access_count].name, found->requests,
                  found->wavefronts_max, found->ways, promised->requests, promised->wavefronts_max,
                  promised->ways);
    }
}

static void judge(session *s) {
    code_record r;
    FILE *in = code_records(s->folder);
    while (fread(&r, sizeof r, 1, in) == 1)
        judge_record(s, &r);
    fclose(in);
    for (uint32_t i = 0; i < s->count; i++)
        judge_totals(&s->trials[i]);
}

/* ---- Sessions ---- */

static void run_batch(session *s) {
    if (s->count > 0) {
        run_program(s);
        judge(s);
    }
    s->changed += s->count;
    for (uint32_t i = 0; i < s->count; i++)
        trial_clear(&s->trials[i]);
    s->count = 0;
}

START_TEST(printed_code_does_what_it_promises) {
    static session s;
    smp_random random = {.state = code_number("SMP_FIX_CODE_SEED", 20261122) * 1000003};
    uint64_t layouts = code_number("SMP_FIX_CODE", LAYOUTS);
    code_folder_make(s.folder);
    for (; s.layouts < layouts; s.layouts++) {
        trial *t = &s.trials[s.count];
        memset(t, 0, sizeof *t);
        t->c = code_case_random(&random, (uint32_t)s.layouts);
        if (make_trial(t))
            s.count++;
        else
            trial_clear(t);
        if (s.count == BATCH)
            run_batch(&s);
    }
    run_batch(&s);
    code_folder_remove(s.folder);
    printf("%" PRIu64 " layouts, %" PRIu64 " changed by fix; %" PRIu64 " requests and %" PRIu64
           " places of index spaces run\n",
           s.layouts, s.changed, s.requests, s.walked);
    ck_assert_msg(faults == 0, "%" PRIu64 " faults", faults);
}
END_TEST

int main(void) {
    if (!code_can_run()) {
        puts("no C++ compiler was found");
        return 77;
    }
    return SUITE_FOR(0, "fix_code", TEST(printed_code_does_what_it_promises));
}
