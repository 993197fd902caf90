/* SPDX-License-Identifier: MIT */
/*
 * A program of another project, which uses the installed library: it predicts one access, evaluates
 * a layout as a compiler or a linter would, asks for the value of an index, and has the layout put
 * right.
 */
#include <stdio.h>
#include <string.h>

#include <smemprobe.h>

static const char source[] = "shared float tile[32][32]\n"
                             "block 32x8\n"
                             "for j = 0:32:8\n"
                             "ld tile[threadIdx.x][threadIdx.y + j]\n";

static bool predicts_a_stride(const smp_arch *arch) {
    smp_pattern pattern = smp_pattern_default();
    smp_access access;
    smp_counts counts;
    pattern.stride = 33;
    return smp_pattern_access(&pattern, &access, NULL) == SMP_OK &&
           smp_predict(arch, &access, &counts) == SMP_OK && counts.wavefronts_max == 1;
}

static bool evaluates_a_layout(const smp_arch *arch) {
    smp_layout *layout = smp_layout_new();
    smp_totals totals;
    smp_error error;
    unsigned line = 0;
    bool good = layout &&
                smp_layout_add_lines(layout, source, strlen(source), &line, &error) == SMP_OK &&
                smp_layout_evaluate(layout, arch, 0, &totals, &line, &error) == SMP_OK &&
                totals.requests == 32 && totals.ways == 32 && totals.warps_alike;
    smp_layout_free(layout);
    return good;
}

static bool evaluates_an_expression(void) {
    static const char index[] = "(threadIdx.x * 33) % 1024";
    smp_layout *layout = smp_layout_new();
    int64_t values[SMP_LANES];
    const char *type = "";
    smp_error error;
    bool good = layout &&
                smp_layout_value(layout, 0, index, strlen(index), values, &type, &error) == SMP_OK;
    good = good && values[31] == 1023 && strcmp(type, "unsigned") == 0;
    smp_layout_free(layout);
    return good;
}

static bool puts_a_layout_right(const smp_arch *arch) {
    smp_fix_options options = {.archs = arch, .arch_count = 1, .kinds = 1u << SMP_FIX_PAD};
    smp_fix *fix = NULL;
    smp_fix_form form;
    smp_error error;
    unsigned line = 0;
    bool good = smp_fix_solve(source, strlen(source), &options, &fix, &line, &error) == SMP_OK &&
                smp_fix_result_of(fix).is_free && smp_fix_form_of(fix, "tile", &form) &&
                form.pad[1] == 1 && smp_fix_write_cuda(stdout, fix);
    smp_fix_free(fix);
    return good;
}

/* The queries of a program that loads the library at run time. */
static bool is_the_same_library(void) {
    return strcmp(smp_version(), SMP_VERSION) == 0 &&
           smp_abi_size("smp_access") == sizeof(smp_access) &&
           smp_abi_size("smp_counts") == sizeof(smp_counts) &&
           smp_abi_size("smp_fix_form") == sizeof(smp_fix_form) && smp_abi_size("smp") == 0;
}

int main(void) {
    const smp_arch *arch = smp_arch_find("hopper");
    return arch && is_the_same_library() && predicts_a_stride(arch) && evaluates_a_layout(arch) &&
                   evaluates_an_expression() && puts_a_layout_right(arch)
               ? 0
               : 1;
}
