/* SPDX-License-Identifier: MIT */
/*
 * Compares the results of two kernels. Every array of a launch is compared, whether it is an output
 * or not. Elements are equal if their bits are, or if they are numbers that differ by no more than
 * the tolerance times the larger of the expected value and the root mean square of the array: a sum
 * of products near 0 has the absolute error of its neighbours.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "judged.h"

/* The default tolerance by element type: what reordering some hundred additions changes. Integers
 * must be exact. */
static double usual_tolerance(const smp_launch_array *of) {
    switch (of->kind) {
    case SMP_ELEMENT_HALF:
        return 2e-3;
    case SMP_ELEMENT_BF16:
        return 2e-2;
    case SMP_ELEMENT_FLOAT:
        return of->element_bytes == 8 ? 1e-12 : 1e-5;
    default:
        return 0;
    }
}

void judged_arrays_unset(const smp_launch_arguments *made, smp_emu_memory *memory) {
    EACH(const smp_launch_array, of, made->arrays, SMP_ARGUMENTS_MAX)
        if (of->element_bytes > 0 && of->is_unset && !of->is_open)
            memset(memory->arrays[of->array].bytes, 0xff, memory->arrays[of->array].size_bytes);
}

/* ---- The reference ---- */

/* Finds the root mean square of the array's finite numbers, and the number of changed elements.
 * Returns false if the kernel left NaN in elements that held nothing before. */
static bool describe_array(judged_kernel *kernel, uint32_t argument) {
    const smp_launch_array *of = &kernel->arrays[argument];
    const smp_emu_array *left = &kernel->ran.memory.arrays[of->array],
                        *before = &kernel->before.arrays[of->array];
    proof_pages pages = proof_pages_of(left->bytes, before->bytes, left->size_bytes);
    double squares = 0;
    uint64_t count = 0;
    bool is_fine = true;
    while (proof_pages_next(&pages))
        for (uint64_t at = pages.at; at + of->element_bytes <= pages.at + pages.bytes;
             at += of->element_bytes) {
            const double value = smp_launch_element(of, left->bytes + at);
            const bool is_changed =
                memcmp(left->bytes + at, before->bytes + at, of->element_bytes) != 0;
            if (value != 0 && isfinite(value)) {
                squares += value * value;
                count++;
            }
            kernel->values += is_changed;
            is_fine &= !(is_changed && of->is_unset && isnan(value));
        }
    proof_pages_clear(&pages);
    kernel->scale[argument] = count > 0 ? sqrt(squares / (double)count) : 0;
    return is_fine;
}

smp_status judged_describe(const judged *reference, judged_kernel *kernel, smp_error *error) {
    smp_launch_text text = {0};
    smp_launch_arguments made = {0};
    const smp_function *function;
    char name[JUDGED_NAME * 4];
    smp_status status = smp_launch_parse(kernel->ran.launch, &text, error);
    (void)snprintf(name, sizeof name, "%s", text.name ? text.name : "");
    if (status == SMP_OK)
        status = smp_launch_kernel(reference->code, name, &function, error);
    if (status == SMP_OK)
        status = smp_launch_arguments_make(&text, function, &kernel->before, &made, error);
    if (status == SMP_OK)
        judged_arrays_unset(&made, &kernel->before);
    for (uint32_t i = 0; status == SMP_OK && i < SMP_ARGUMENTS_MAX; i++)
        if (kernel->arrays[i].element_bytes > 0 && !describe_array(kernel, i))
            status = smp_error_set(error, SMP_E_SYNTAX, -1,
                                   "the reference leaves NaN in argument %u, which held nothing "
                                   "before: if it adds to it, say TYPE[COUNT] = zero",
                                   i + 1);
    smp_launch_arguments_clear(&made);
    smp_launch_clear(&text);
    return status;
}

/* ---- A candidate ---- */

typedef struct pair {
    const judged_kernel *is, *should;
    uint32_t argument;
    const smp_launch_array *of;
    const uint8_t *is_bytes, *should_bytes, *before_bytes;
    double tolerance, scale;
    judged_results *out;
} pair;

/* The error relative to the expected value or the array's scale; NAN if either is not a number. */
static double error_of(double is, double should, double scale) {
    const double by = fmax(fabs(should), scale);
    return is == should                 ? 0
           : isnan(is) && isnan(should) ? 0
                                        : fabs(is - should) / (by > 0 ? by : 1);
}

static void compare_element(const pair *p, uint64_t at) {
    const uint32_t bytes = p->of->element_bytes;
    judged_results *out = p->out;
    if (memcmp(p->is_bytes + at, p->should_bytes + at, bytes) == 0)
        return;
    const double is = smp_launch_element(p->of, p->is_bytes + at),
                 should = smp_launch_element(p->of, p->should_bytes + at),
                 error = error_of(is, should, p->scale);
    if (!(error <= out->max_error) && !isnan(out->max_error))
        out->max_error = error;
    if (error <= p->tolerance)
        return;
    out->differ++;
    out->unwritten += memcmp(p->is_bytes + at, p->before_bytes + at, bytes) == 0;
    if (out->has_first)
        return;
    out->has_first = true;
    out->argument = p->argument + 1;
    out->index = at / bytes;
    out->is = is;
    out->should = should;
    (void)snprintf(out->kernel, sizeof out->kernel, "%.190s", p->should->ran.name);
}

static void compare_array(pair *p, double tolerance) {
    const smp_launch_array *here = &p->is->arrays[p->argument];
    const smp_emu_array *is = &p->is->ran.memory.arrays[here->array],
                        *should = &p->should->ran.memory.arrays[p->of->array];
    if (here->element_bytes == 0 || (is->size_bytes != should->size_bytes && !here->is_open)) {
        (void)snprintf(p->out->why_not, sizeof p->out->why_not,
                       "argument %u is %s, which the reference's is not: give both one --launch",
                       p->argument + 1,
                       here->element_bytes == 0 ? "no array" : "an array of a different size");
        return;
    }
    p->is_bytes = is->bytes;
    p->should_bytes = should->bytes;
    p->before_bytes = p->should->before.arrays[p->of->array].bytes;
    p->scale = p->should->scale[p->argument];
    p->tolerance =
        p->of->kind != SMP_ELEMENT_INTEGER && tolerance >= 0 ? tolerance : usual_tolerance(p->of);
    p->out->tolerance = fmax(p->out->tolerance, p->tolerance);
    proof_pages pages = proof_pages_of(is->bytes, should->bytes, is->size_bytes);
    while (proof_pages_next(&pages))
        if (memcmp(is->bytes + pages.at, should->bytes + pages.at, pages.bytes) != 0)
            for (uint64_t at = pages.at; at + p->of->element_bytes <= pages.at + pages.bytes;
                 at += p->of->element_bytes)
                compare_element(p, at);
    proof_pages_clear(&pages);
}

static const judged_kernel *kernel_named(const judged *of, const char *name) {
    return FIND(one, of->kernels, of->count, strcmp(one->ran.name, name) == 0);
}

/* The kernel with the same name, or the only kernel if both have one. */
static const judged_kernel *partner(const judged *of, const judged *in, const judged_kernel *to) {
    return of->count == 1 && in->count == 1 ? &in->kernels[0] : kernel_named(in, to->ran.name);
}

/* False if the reference has accesses of which nobody knows how far they reach. */
static bool is_reach_known(const judged *reference) {
    EACH_SITE(kernel, site, &reference->profile)
        if (site->not_modelled && !smp_site_is_constant(site))
            return false;
    return true;
}

void judged_arrays_bound(const judged *reference, const char *name,
                         const smp_launch_arguments *made, smp_emu_memory *memory) {
    const judged_kernel *like =
        reference->count == 1 ? &reference->kernels[0] : kernel_named(reference, name);
    for (uint32_t i = 0; like && i < SMP_ARGUMENTS_MAX; i++) {
        const smp_launch_array *of = &made->arrays[i];
        const uint64_t bytes = like->arrays[i].element_bytes > 0
                                   ? like->ran.memory.arrays[like->arrays[i].array].reach_bytes
                                   : 0;
        if (of->element_bytes > 0 && of->is_open && bytes > 0 && is_reach_known(reference))
            memory->arrays[of->array].size_bytes = bytes;
    }
}

void judged_compare(const judged *reference, const judged *candidate, double tolerance,
                    judged_results *out) {
    memset(out, 0, sizeof *out);
    for (uint32_t k = 0; k < reference->count && !out->why_not[0]; k++) {
        const judged_kernel *should = &reference->kernels[k],
                            *is = partner(reference, candidate, should);
        pair p = {.is = is, .should = should, .out = out};
        if (!is)
            (void)snprintf(out->why_not, sizeof out->why_not,
                           "there is no kernel %.200s, which the reference has", should->ran.name);
        out->values += should->values;
        for (uint32_t i = 0; is && i < SMP_ARGUMENTS_MAX && !out->why_not[0]; i++) {
            p.argument = i;
            p.of = &should->arrays[i];
            if (p.of->element_bytes > 0)
                compare_array(&p, tolerance);
        }
    }
}
