/* SPDX-License-Identifier: MIT */
/*
 * The CuTe layouts that `fix` prints, letter by letter, compiled against CUTLASS's
 * headers and asked for their size and the offset of every coordinate, which must be those of the
 * form that was found. `script/test --cute` fetches the headers; without them this is skipped.
 * SMP_FIX_CUTE=10000 tries more layouts, SMP_FIX_CODE_SEED=1 others.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code_case.h"
#include "code_run.h"
#include "suite.h"

enum { LAYOUTS = 200, BATCH = 60 };

typedef struct trial {
    code_case c;
    char *text, *printed;
    smp_fix_form form[CODE_ARRAYS_MAX];
    bool is_printed[CODE_ARRAYS_MAX];
} trial;

typedef struct session {
    char folder[64];
    uint32_t count;
    trial trials[BATCH];
    uint64_t printed, offsets, composed;
} session;

static smp_fix_wish stop_late(void *user, smp_fix_phase phase, uint64_t done) {
    (void)user;
    return phase == SMP_FIX_SEARCHING && done >= 20000 ? SMP_FIX_OUT_OF_TIME : SMP_FIX_GO_ON;
}

/* False if no layout is printed. */
static bool make_trial(trial *t) {
    smp_fix_options options = {.archs = t->c.archs,
                               .arch_count = t->c.arch_count,
                               .kinds = t->c.kinds,
                               .progress = stop_late};
    smp_fix *fix;
    smp_error error;
    unsigned line;
    bool any = false;
    t->text = code_case_text(&t->c);
    if (smp_fix_solve(t->text, strlen(t->text), &options, &fix, &line, &error) != SMP_OK)
        return false;
    t->printed = code_written(fix, smp_fix_write_cute);
    for (uint32_t i = 0; i < t->c.array_count; i++) {
        char name[32];
        (void)smp_fix_form_of(fix, t->c.array[i].name, &t->form[i]);
        (void)snprintf(name, sizeof name, "auto %s_layout = ", t->c.array[i].name);
        t->is_printed[i] = strstr(t->printed, name);
        any |= t->is_printed[i];
    }
    smp_fix_free(fix);
    return any;
}

/* ---- Compiling ---- */

/* Loops over all coordinates; an open extent goes as far as the layout's size. */
static void put_array(FILE *out, const trial *t, uint32_t index) {
    const code_array *array = &t->c.array[index];
    const char *name = array->name;
    uint32_t row = 1;
    for (uint32_t d = 1; d < array->dim_count; d++)
        row *= array->extent[d];
    fprintf(out, "put(%u); put(%u); put(int(size(%s_layout)));\n", t->c.number, index, name);
    fprintf(out, "int rows%u = int(size(%s_layout)) / %u;\nput(rows%u);\n", index, name, row,
            index);
    for (uint32_t d = 0; d < array->dim_count; d++) {
        fprintf(out, "for (int i%u = 0; i%u < ", d, d);
        fprintf(out, d == 0 ? "rows%u; i%u++)\n" : "%u; i%u++)\n",
                d == 0 ? index : array->extent[d], d);
    }
    fprintf(out, "put(int(%s_layout(", name);
    for (uint32_t d = 0; d < array->dim_count; d++)
        fprintf(out, d > 0 ? ", i%u" : "i%u", d);
    fputs(")));\n", out);
}

static void run_program(const session *s) {
    FILE *out = code_open(s->folder);
    fputs("#include <cute/layout.hpp>\n#include <cute/swizzle_layout.hpp>\n#include <cstdio>\n"
          "static FILE *file;\nstatic void put(int n) { fwrite(&n, sizeof n, 1, file); }\n",
          out);
    for (uint32_t i = 0; i < s->count; i++) {
        const trial *t = &s->trials[i];
        fprintf(out, "namespace n%u {\nusing namespace cute;\n%s\nstatic void run() {\n",
                t->c.number, t->printed);
        for (uint32_t k = 0; k < t->c.array_count; k++) {
            if (t->is_printed[k])
                put_array(out, t, k);
        }
        fputs("}\n}\n", out);
    }
    fputs("int main(int, char **argv) {\nfile = fopen(argv[1], \"wb\");\n", out);
    for (uint32_t i = 0; i < s->count; i++)
        fprintf(out, "n%u::run();\n", s->trials[i].c.number);
    fputs("return fclose(file);\n}\n", out);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_msg(code_run(s->folder, "-I " SMP_CUTE "/wheels/cutlass_library/source/include "
                                      "-I " SMP_CUTE "/wheels/nvidia/cu13/include/cccl "
                                      "-I " SMP_CUTE "/wheels/nvidia/cu13/include"),
                  "layouts %u to %u do not compile, or do not run", s->trials[0].c.number,
                  s->trials[s->count - 1].c.number);
}

/* ---- Judging ---- */

static trial *trial_of(session *s, int32_t layout) {
    for (uint32_t i = 0; i < s->count; i++) {
        if ((int32_t)s->trials[i].c.number == layout)
            return &s->trials[i];
    }
    ck_abort_msg("a record of layout %d", layout);
    return NULL;
}

/* Elements of the layout: runs between paddings are whole. */
static uint32_t size_of(const smp_fix_form *form, const code_array *array) {
    uint32_t count = code_array_elements(array);
    return form->every > 1 ? (count + form->every - 1) / form->every * form->every : count;
}

static void judge(session *s) {
    int32_t head[4], offset;
    FILE *in = code_records(s->folder);
    while (fread(head, sizeof head, 1, in) == 1) {
        const trial *t = trial_of(s, head[0]);
        const smp_fix_form *form = &t->form[head[1]];
        const code_array *array = &t->c.array[head[1]];
        uint32_t row = code_array_elements(array) / array->extent[0];
        bool fits = array->is_open ? (uint32_t)head[2] % row == 0
                                   : (uint32_t)head[2] == size_of(form, array);
        ck_assert_msg(fits, "%s has %d elements\n%s\n%s", array->name, head[2], t->text,
                      t->printed);
        for (uint32_t i = 0; i < (uint32_t)head[3] * row; i++) {
            uint64_t bytes = smp_fix_form_offset(form, (uint64_t)i * form->element_bytes);
            ck_assert(fread(&offset, sizeof offset, 1, in) == 1);
            ck_assert_msg((uint64_t)offset * form->element_bytes == bytes,
                          "element %u of %s lies at %d, not %" PRIu64 "\n%s\n%s", i, array->name,
                          offset, bytes / form->element_bytes, t->text, t->printed);
            s->offsets++;
        }
        s->printed++;
        s->composed += form->term_count > 1;
    }
    fclose(in);
}

static void run_batch(session *s) {
    if (s->count > 0) {
        run_program(s);
        judge(s);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        free(s->trials[i].text);
        free(s->trials[i].printed);
    }
    s->count = 0;
}

START_TEST(printed_layouts_are_those_of_cute) {
    static session s;
    smp_random random = {.state = code_number("SMP_FIX_CODE_SEED", 20261122) * 1000003};
    uint64_t layouts = code_number("SMP_FIX_CUTE", LAYOUTS);
    code_folder_make(s.folder);
    for (uint64_t i = 0; i < layouts; i++) {
        trial *t = &s.trials[s.count];
        memset(t, 0, sizeof *t);
        t->c = code_case_random(&random, (uint32_t)i);
        if (make_trial(t))
            s.count++;
        if (s.count == BATCH)
            run_batch(&s);
    }
    run_batch(&s);
    code_folder_remove(s.folder);
    printf("%" PRIu64 " CuTe layouts of %" PRIu64 " cases compiled, %" PRIu64
           " of them with several swizzles; %" PRIu64 " offsets compared\n",
           s.printed, layouts, s.composed, s.offsets);
}
END_TEST

int main(void) {
    if (!code_can_run() || access(SMP_CUTE "/wheels/cutlass_library", R_OK) != 0) {
        puts("CUTLASS's headers are not here: script/bootstrap --cutlass");
        return 77;
    }
    return SUITE_FOR(0, "fix_cute", TEST(printed_layouts_are_those_of_cute));
}
