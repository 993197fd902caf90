/* SPDX-License-Identifier: MIT */
/* check: a gate for CI over layout files. */
#include <string.h>

#include "ask.h"
#include "baseline.h"
#include "output.h"
#include "say.h"
#include "smp_layout.h"
#include "source_line.h"
#include "text_file.h"
#include "visible_text.h"
#include "write_format.h"

static const smp_option options[] = {
    OPTION_MAX_WAYS,    OPTION_MAX_EXCESS, OPTION_BASELINE, OPTION_UPDATE_BASELINE,
    OPTION_KERNEL_NAME, OPTION_LAUNCH,     OPTION_DEFINE,   OPTION_BLOCK,
    OPTION_GRID,        OPTION_ARCH,       OUTPUT_OPTIONS};

static const option_words words[] = {
    LAUNCH_WORDS,
    {OPTION_LAUNCH, "for one .cu file: the launch to run: 'k<<<grid, block>>>(arguments)'"},
    {OPTION_ARCH, "sm_90, 9.0, hopper, GH100 ..., several or all"},
    {0}};

/* A name that no kernel can have is a usage error, whatever the files hold. */
static smp_status ask_kernel(const arguments *args, smp_check *check, smp_error *error) {
    smp_error why;
    check->kernel = last_value(args, OPTION_KERNEL_NAME);
    smp_layout *layout = check->kernel ? smp_layout_new() : NULL;
    if (!check->kernel)
        return SMP_OK;
    smp_status status =
        !layout ? smp_error_memory(error)
                : smp_layout_add(layout, "kernel", check->kernel, strlen(check->kernel), 0, &why);
    if (layout && status != SMP_OK)
        status = usage_error(error, "--kernel %.60s: %.180s", check->kernel, why.message);
    smp_layout_free(layout);
    return status;
}

/* Launches and compiler flags differ by file. */
static smp_status ask_source(const arguments *args, smp_check *check, smp_error *error) {
    static const smp_option of_launch[] = {OPTION_LAUNCH, OPTION_DEFINE, OPTION_BLOCK, OPTION_GRID};
    check->flags = args->positional + args->before_dashes;
    check->flag_count = args->positional_count - args->before_dashes;
    if (ask_launch(args, &check->launch, &check->wish, error))
        return error->status;
    if (args->before_dashes == 1 && smp_name_ends(args->positional[0], ".cu"))
        return check->kernel && check->launch
                   ? usage_error(error, "--kernel: --launch names the kernel")
                   : SMP_OK;
    return check->flag_count > 0
               ? usage_error(error, "-- %.80s: compiler flags need one .cu file", check->flags[0])
               : refuse_options(args, of_launch, sizeof of_launch / sizeof *of_launch,
                                "needs one .cu file", error);
}

static smp_status prepare(const arguments *args, smp_check *check, smp_error *error) {
    if (ask_bounds(args, INT32_MAX, &check->max_ways, &check->max_excess, error) ||
        ask_kernel(args, check, error))
        return error->status;
    if (has(args, OPTION_UPDATE_BASELINE) && !has(args, OPTION_BASELINE))
        return usage_error(error, "--update-baseline needs --baseline FILE");
    return args->before_dashes == 0
               ? usage_error(error,
                             "check needs a file or folder: smemprobe check --max-ways 2 FILE")
               : ask_source(args, check, error);
}

/* Reports files with nothing to check in every format. */
static void name_empty(const smp_check *check) {
    EACH(const smp_case, found, check->cases, check->count) {
        if (!found->is_empty)
            continue;
        char visible[4000];
        say_line("smemprobe: %s: %s", smp_visible_copy(visible, sizeof visible, found->file),
                 found->message);
    }
}

/* --baseline, with --update-baseline. */
static smp_status use_baseline(const arguments *args, smp_check *check, smp_error *error) {
    const char *path = last_value(args, OPTION_BASELINE);
    return path ? smp_baseline_use(path, has(args, OPTION_UPDATE_BASELINE), check, error) : SMP_OK;
}

static int check_all(const arguments *args, smp_check *check) {
    smp_error error;
    output out;
    if (output_open(args, &out, &error) != SMP_OK)
        return complain(&error);
    smp_status status = SMP_OK;
    for (unsigned i = 0; status == SMP_OK && i < args->before_dashes; i++)
        status = smp_check_path(check, args->positional[i]);
    if (status == SMP_OK)
        status = smp_check_end(check, args->positional[args->before_dashes - 1]);
    status = status == SMP_OK ? use_baseline(args, check, &error) : smp_error_memory(&error);
    if (status == SMP_OK)
        smp_format_row_of(out.format)->check(out.stream, check, out.style);
    name_empty(check);
    const int failed = output_end(&out, status, &error, 0);
    if (failed != 0)
        return failed;
    if (check->kernel && !check->has_kernel && check->broken == 0)
        return complain_of(SMP_E_SYNTAX, "no file has a kernel '%.60s'%s", check->kernel,
                           check->source_count == 0 ? ", nor any other" : "");
    return check->is_misused     ? smp_status_exit(SMP_E_USAGE)
           : check->broken > 0   ? smp_status_exit(SMP_E_SYNTAX)
           : check->violated > 0 ? 1
                                 : 0;
}

static int run(const arguments *args) {
    smp_check check = {.default_arch = smp_arch_find("sm_90"), .notes = &say_notes};
    smp_source_allow_all();
    arch_list archs;
    smp_error error;
    smp_format format;
    if (prepare(args, &check, &error) || ask_arch_list(args, &archs, &error) ||
        output_choose_format(args, &format, &error))
        return complain_launch(args, &error);
    check.archs = archs.rows;
    check.arch_count = archs.count;
    int exit_status = check_all(args, &check);
    smp_check_clear(&check);
    return exit_status;
}

const command_row command_check = {
    .name = "check",
    .summary = "fail in CI if a layout or kernel exceeds its limits",
    .usage = "[OPTIONS] FILE.smp|FILE.cu|FOLDER... [-- COMPILER FLAGS]",
    COMMAND_OPTIONS(options),
    .words = words,
    .formats = SMP_FORMATS(SMP_CHECK_FORMS),
    .run = run,
};
