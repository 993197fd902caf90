/* SPDX-License-Identifier: MIT */
/*
 * emulate: one launch of a kernel's machine code on the CPU, shown as profile shows a GPU's.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ask.h"
#include "ask_launch.h"
#include "budget.h"
#include "compile_flags.h"
#include "kept_launch.h"
#include "kept_replay.h"
#include "launch_text.h"
#include "output.h"
#include "profile_show.h"
#include "program_file.h"
#include "progress.h"
#include "put.h"
#include "say.h"
#include "source_line.h"
#include "target_run.h"

static const smp_option options[] = {
    OPTION_LAUNCH,      OPTION_COMPARE, OPTION_ARCH,   OPTION_CLUSTER,
    OPTION_LIMIT,       OPTION_BUDGET,  OPTION_STACK,  OPTION_DEFINE,
    OPTION_BLOCK,       OPTION_GRID,    OPTION_TRACE,  OPTION_CAPTURE,
    OPTION_COOPERATIVE, OPTION_RACES,   OPTION_MEMORY, PROFILE_SHOW_OPTIONS};

static const option_words words[] = {
    {OPTION_BLOCK, "without --launch: threads of a block, of every kernel"},
    {OPTION_GRID, "without --launch: blocks of the grid, of every kernel"},
    {OPTION_ARCH, "sm_80,sm_90 or all: compile, run and judge for each of them"},
    {OPTION_CAPTURE,
     "keep the launch in a new folder DIR: code, arguments, memory before and after"},
    {OPTION_LIMIT,
     "N[:M]: most warp instructions of a block (default 10^9), and of all blocks (10^11)"},
    {OPTION_BUDGET, "stop after this time, and report what ran so far (default 600; 0: no limit)"},
    {OPTION_MEMORY, "shared, global, local or all (default)"},
    PROFILE_SHOW_WORDS,
    {OPTION_HELP, NULL}};

typedef struct emulation_job {
    smp_program_file file;
    compile_flags flags; /* that file.flags points to */
    smp_launch_text text;
    uint32_t cluster;
    bool is_cooperative, races;
    uint64_t block_limit, launch_limit; /* 0: as usual */
    uint32_t stack_bytes;               /* 0: as usual */
    uint64_t seconds;                   /* --budget */
    arch_list archs;                    /* of --arch; file.arch points into it */
    bool is_fixed;                      /* the code is of one architecture, whatever --arch says */
    bool is_judged_again; /* code that is fixed has run, and is now judged by others' rules */
    smp_code *code;
    const smp_function *function;
    const char *const *compare;
    unsigned compare_count;
    smp_launch_wish wish;
    bool is_whole_file;  /* every kernel of it, by launches that are found or assumed */
    bool is_kept;        /* file.path is a folder of kept launches */
    const char *capture; /* a new folder for the launch; NULL: it is not kept */
    trace_file trace;
    int exit_status; /* of what the profile does not hold: 1: results differ; refused */
} emulation_job;

/* All that can be wrong with the launch and with --compare is told before anything is compiled. */
static smp_status ask_launch(const arguments *args, const char *launch, smp_launch_text *out,
                             smp_error *error) {
    smp_status status = smp_launch_parse(launch, out, error);
    if (status == SMP_OK)
        status = smp_launch_check(out, error);
    for (unsigned i = 0; i < args->count[OPTION_COMPARE] && status == SMP_OK; i++)
        status = smp_launch_compare_check(args->value[OPTION_COMPARE][i], error);
    return status;
}

static smp_status ask(const arguments *args, emulation_job *out, smp_error *error) {
    const char *launch = last_value(args, OPTION_LAUNCH);
    uint64_t blocks = 1;
    out->is_kept = args->positional_count == 1 && emulate_is_kept(args->positional[0]);
    if (out->is_kept && (launch || has(args, OPTION_CLUSTER) || has(args, OPTION_COMPARE) ||
                         has(args, OPTION_CAPTURE) || has(args, OPTION_COOPERATIVE)))
        return usage_error(
            error,
            "%.120s: a folder is run as kept launches, which say themselves what is launched: not "
            "with --launch, --cluster, --cooperative, --compare or --capture",
            args->positional[0]);
    if (args->positional_count == 0)
        return usage_error(error, "emulate needs a file: smemprobe emulate FILE.cu [--launch "
                                  "'kernel<<<grid, block>>>(arguments)']");
    out->is_whole_file = launch == NULL && !out->is_kept;
    if (ask_launch_wish(args, &out->wish, error))
        return error->status;
    if (!out->is_whole_file && out->wish.known_count > 0)
        return usage_error(error, "--define %s: a launch that is given has its values in it",
                           out->wish.known[0].name);
    if (!out->is_whole_file && (has(args, OPTION_BLOCK) || has(args, OPTION_GRID)))
        return usage_error(error, "--%s: a launch that is given has it",
                           has(args, OPTION_BLOCK) ? "block" : "grid");
    if (ask_arch_list(args, &out->archs, error))
        return error->status;
    if (out->archs.count > 1 && (has(args, OPTION_TRACE) || has(args, OPTION_CAPTURE)))
        return usage_error(error, "--%s is about one architecture: name it by --arch",
                           has(args, OPTION_TRACE) ? "trace" : "capture");
    /* The words of the output, too, or they would only be met when the kernel has run. */
    if (profile_trace_check(args, error) ||
        ask_number(args, OPTION_CLUSTER, SMP_CLUSTER_BLOCKS_MAX, &blocks, error) ||
        ask_limits(args, &out->block_limit, &out->launch_limit, error) ||
        ask_stack(args, &out->stack_bytes, error) || output_words_check(args, error) ||
        (launch && ask_launch(args, launch, &out->text, error)))
        return error->status;
    out->cluster = (uint32_t)blocks;
    out->is_cooperative = has(args, OPTION_COOPERATIVE);
    out->races = has(args, OPTION_RACES);
    out->capture = last_value(args, OPTION_CAPTURE);
    out->compare = args->value[OPTION_COMPARE];
    out->compare_count = args->count[OPTION_COMPARE];
    out->file.path = args->positional[0];
    out->file.flags = args->positional + 1;
    out->file.flag_count = args->positional_count - 1;
    out->file.kernel = out->text.name ? out->text.name : "";
    out->file.notes = &say_notes_once;
    return SMP_OK;
}

static smp_status add_run(const arguments *args, const emulation_job *job, smp_profile *profile,
                          smp_error *error) {
    char command[1024], device[16];
    const char *launch = last_value(args, OPTION_LAUNCH);
    (void)snprintf(command, sizeof command, "smemprobe %s%s%s%s%s",
                   job->is_whole_file ? "" : "emulate ", job->file.path,
                   launch ? " --launch '" : "", launch ? launch : "", launch ? "'" : "");
    (void)snprintf(device, sizeof device, "sm_%u", job->code ? smp_code_cc(job->code) : 0);
    return smp_profile_begin_run(profile, SMP_ENGINE_EMULATED, command, job->code ? device : NULL)
               ? SMP_OK
               : smp_error_memory(error);
}

static smp_status take_end(emulation_job *job, const smp_emulation *done, smp_profile *profile,
                           smp_error *error) {
    emulate_end end = {.of = job->text.name,
                       .why = "no text of a launch makes; a program that makes one runs under "
                              "smemprobe profile --no-gpu -- ./PROGRAM",
                       .not_seen = "which no text of a launch makes",
                       .is_judged_before = job->is_judged_again,
                       .notes = &say_notes};
    const smp_status status = emulate_take_end(&end, job->function, done, profile, error);
    job->exit_status = end.is_stopped ? 1 : end.is_refused ? STATUS_REFUSED : job->exit_status;
    if (done->is_whole && done->unknown_executed > 0)
        say_line("smemprobe: %llu instructions ran that are not understood here; nothing that was "
                 "stored or decided depended on them",
                 (unsigned long long)done->unknown_executed);
    return status;
}

/* What --compare asks for; each difference is said. */
static smp_status compare(emulation_job *job, const smp_launch_arguments *made,
                          const smp_emu_memory *memory, smp_error *error) {
    smp_status status = SMP_OK;
    smp_difference differ;
    for (unsigned i = 0; i < job->compare_count && status == SMP_OK; i++) {
        status = smp_launch_compare(job->compare[i], made, memory, &differ, error);
        if (status != SMP_OK || differ.count == 0)
            continue;
        say_line("smemprobe: argument %u differs in %llu of %llu elements; the first is [%llu]: "
                 "%.17g, expected %.17g",
                 differ.argument, (unsigned long long)differ.count, (unsigned long long)differ.of,
                 (unsigned long long)differ.first, differ.is, differ.should);
        job->exit_status = 1;
    }
    return status;
}

/* Runs it; keeps it where that is asked for, once. */
static smp_status launch_it(emulation_job *job, const smp_launch *launch, smp_emu_memory *memory,
                            smp_kernel_profile *kernel, smp_emulation *done, smp_error *error) {
    smp_kept_launch kept = {0};
    const char *folder = job->capture;
    const bool has_failed =
        (folder && smp_kept_take(job->code, job->function, launch, memory, &kept, error)) ||
        smp_emulate(job->code, job->function, memory, launch, kernel, done, error) ||
        (folder &&
         (smp_kept_take_after(memory, &kept, error) || smp_kept_write(&kept, folder, error)));
    job->capture = NULL;
    smp_kept_clear(&kept);
    return has_failed ? error->status : SMP_OK;
}

/* On a terminal, after the first second. */
static void say_step(void *user, const smp_emulation_step *step) {
    static time_t last;
    const time_t now = time(NULL);
    (void)user;
    if (last == 0 || now == last) {
        last = now;
        return;
    }
    last = now;
    progress_say("block %llu of %llu, %s of at most %s warp instructions (--limit)",
                 (unsigned long long)step->clusters, (unsigned long long)step->cluster_count,
                 count_text(step->steps), count_text(step->limit));
}

/* One run, judged by `arch`. */
static smp_status emulate(emulation_job *job, const smp_arch *arch, smp_profile *profile,
                          smp_error *error) {
    smp_emu_memory memory = {0};
    smp_launch_arguments made = {0};
    smp_emulation done;
    smp_launch launch = {.cluster = {job->cluster, 1, 1},
                         .arch = arch,
                         .limit = job->block_limit,
                         .launch_limit = job->launch_limit,
                         .stack_bytes = job->stack_bytes,
                         .output = stderr};
    memcpy(launch.grid, job->text.grid, sizeof launch.grid);
    memcpy(launch.block, job->text.block, sizeof launch.block);
    launch.dynamic_shared_bytes = job->text.dynamic_shared_bytes;
    launch.is_cooperative = job->is_cooperative;
    launch.trace = job->trace.writer;
    launch.races = job->races;
    launch.told = say_step;
    launch.stop = emulate_budget_stop();
    smp_kernel_profile *kernel = smp_profile_add_kernel(profile);
    smp_status status =
        kernel ? smp_launch_arguments_make(&job->text, job->function, &memory, &made, error)
               : smp_error_memory(error);
    launch.parameters = made.bytes;
    if (status == SMP_OK)
        status = launch_it(job, &launch, &memory, kernel, &done, error);
    progress_say("%s", "");
    if (status == SMP_OK) {
        job->trace.rows += done.trace_rows;
        job->trace.left_out += done.trace_left_out;
        status = take_end(job, &done, profile, error);
        if (status == SMP_OK)
            status = smp_launch_save(&made, &memory, error);
        if (status == SMP_OK && done.is_whole)
            status = compare(job, &made, &memory, error);
    }
    smp_launch_arguments_clear(&made);
    smp_emu_memory_clear(&memory);
    return status;
}

static smp_status replay(emulation_job *job, const smp_arch *arch, smp_profile *profile,
                         smp_error *error) {
    kept_sums sums = {0};
    char device[16];
    const kept_replay how = {.arch = arch,
                             .block_limit = job->block_limit,
                             .launch_limit = job->launch_limit,
                             .stack_bytes = job->stack_bytes,
                             .races = job->races,
                             .is_judged_again = job->is_judged_again,
                             .trace = job->trace.writer,
                             .notes = &say_notes_once};
    const smp_status status = emulate_kept(job->file.path, &how, profile, &sums, error);
    (void)snprintf(device, sizeof device, "sm_%u", sums.cc);
    if (sums.cc > 0 && !profile->runs[0].device)
        profile->runs[0].device = strdup(device);
    if (sums.differ + sums.stopped > 0)
        job->exit_status = 1;
    if (sums.refused > 0)
        job->exit_status = STATUS_REFUSED;
    job->trace.rows += sums.trace_rows;
    job->trace.left_out += sums.trace_left_out;
    return status;
}

static smp_status run_target(emulation_job *job, const smp_arch *arch, smp_profile *profile,
                             smp_error *error) {
    const smp_target_job target = {.path = job->file.path,
                                   .code = job->code,
                                   .arch = arch,
                                   .wish = job->wish,
                                   .flags = job->file.flags,
                                   .flag_count = job->file.flag_count,
                                   .block_limit = job->block_limit,
                                   .launch_limit = job->launch_limit,
                                   .stack_bytes = job->stack_bytes,
                                   .races = job->races,
                                   .notes = &say_notes_once};
    return smp_target_run(&target, profile, error);
}

static smp_status emulate_by(emulation_job *job, const smp_arch *arch, smp_profile *profile,
                             smp_error *error) {
    return job->is_kept         ? replay(job, arch, profile, error)
           : job->is_whole_file ? run_target(job, arch, profile, error)
                                : emulate(job, arch, profile, error);
}

/* ---- Architectures ---- */

static smp_status open_code(emulation_job *job, smp_error *error) {
    if (job->is_kept || job->code)
        return SMP_OK;
    if (job->is_whole_file)
        return smp_target_open(&job->file, &job->code, error);
    if (smp_program_open(&job->file, &job->code, error) ||
        smp_launch_kernel(job->code, job->text.name, &job->function, error))
        return error->status;
    return smp_code_disassemble(job->code, &job->function->name, 1, error);
}

/* Whose rules judge: those asked for, else those of the code. */
static const smp_arch *choose_judge(const emulation_job *job, smp_error *error) {
    const uint32_t cc = job->code ? smp_code_cc(job->code) : 0;
    const smp_arch *asked = job->file.arch, *own = smp_arch_of_cc((int)cc / 10, (int)cc % 10);
    if (!asked && !own && !job->is_kept)
        smp_error_set(error, SMP_E_UNKNOWN_ARCH, -1,
                      "code for compute capability %u.%u, which has no rules here: --arch "
                      "NAME judges it by another's",
                      cc / 10, cc % 10);
    if (asked && job->code && !job->archs.all && asked->cc_major * 10u + asked->cc_minor != cc)
        say_line("smemprobe: %s: this code is for sm_%u, and runs as that; --arch %s judges it by "
                 "the rules of %s",
                 job->file.path, cc, asked->name, asked->name);
    return asked ? asked : own;
}

/* The code that is open, by the rules of file.arch. */
static smp_status run_code(const arguments *args, emulation_job *job, smp_profile *profile,
                           smp_error *error) {
    const smp_arch *judge = choose_judge(job, error);
    if (!judge && !job->is_kept)
        return error->status;
    if (profile->run_count == 0) /* compilers take none of the time */
        emulate_budget_start(job->seconds, has(args, OPTION_BUDGET));
    smp_status status = job->is_judged_again ? SMP_OK : add_run(args, job, profile, error);
    if (status == SMP_OK)
        status = emulate_by(job, judge, profile, error);
    job->is_judged_again = job->is_fixed;
    if (job->is_fixed)
        return status;
    smp_code_close(job->code);
    job->code = NULL;
    return status;
}

/* Of all: those whose code is run here; code that is fixed is judged by the rules that know what is
 * in it. */
static bool is_wanted(const emulation_job *job, const smp_arch *arch) {
    return !job->archs.all ||
           (job->is_fixed ? smp_op_evidence(arch, SMP_CP_ASYNC, 4) != SMP_ABSENT
                          : arch->cc_major * 10u + arch->cc_minor >= EMULATED_CC_LEAST);
}

/* Of all architectures those that the compiler or the file does not have are left out. */
static smp_status run_archs(const arguments *args, emulation_job *job, smp_profile *profile,
                            smp_error *error) {
    left_out left = {0};
    const note_sink *notes = job->file.notes;
    smp_status status = SMP_OK;
    job->file.notes = job->archs.all ? NULL : notes;
    for (size_t i = 0; i < job->archs.count && status == SMP_OK; i++) {
        const smp_arch *arch = &job->archs.rows[i];
        if (!is_wanted(job, arch))
            continue;
        job->file.arch = arch;
        status = *emulate_budget_stop()
                     ? smp_error_set(error, SMP_E_READ, -1, "the time of --budget was over")
                     : open_code(job, error);
        if (status == SMP_OK)
            status = run_code(args, job, profile, error);
        else if (status == SMP_E_READ && (job->archs.all || *emulate_budget_stop()))
            status = leave_out(&left, arch, error);
    }
    job->file.notes = notes;
    if (status != SMP_OK || profile->run_count > 0) {
        left_out_say(&left);
        return status;
    }
    job->file.arch = NULL; /* none: what is wrong is said of the usual one */
    return open_code(job, error) ? error->status : run_code(args, job, profile, error);
}

static smp_status split_words(smp_program_file *file, smp_error *error) {
    const smp_status status = smp_program_split_words(file, error);
    return status != SMP_OK || file->argument_count == 0
               ? status
               : smp_error_set(error, SMP_E_USAGE, -1,
                               "%.160s: no main is run that would take what stands behind the "
                               "second --",
                               file->path);
}

static smp_status emulate_all(const arguments *args, emulation_job *job, smp_profile *profile,
                              smp_error *error) {
    if (!job->is_kept &&
        (split_words(&job->file, error) || compile_database_use(&job->file, &job->flags, error)))
        return error->status;
    job->is_fixed = job->is_kept || smp_program_is_cubin(job->file.path);
    if (job->archs.count > 0)
        return run_archs(args, job, profile, error);
    return open_code(job, error) ? error->status : run_code(args, job, profile, error);
}

/* A mistake in the launch is shown in its text. */
static int complain_launch(const arguments *args, const smp_error *error) {
    const char *launch = last_value(args, OPTION_LAUNCH);
    int status = complain(error);
    if (launch && error->position >= 0 && error->status == SMP_E_SYNTAX)
        smp_caret_print(stderr, launch, strlen(launch), error->position);
    return status;
}

static int run(const arguments *args) {
    smp_error error;
    profile_show how = {0};
    emulation_job job = {.cluster = 1, .seconds = EMULATE_SECONDS_USUAL};
    smp_profile profile = {0};
    smp_source_allow_all();
    smp_status status = SMP_OK;
    if (profile_show_ask(args, &how, &error) || profile_show_memory(args, &how, &error) ||
        ask(args, &job, &error) ||
        ask_number(args, OPTION_BUDGET, EMULATE_SECONDS_MOST, &job.seconds, &error) ||
        profile_trace_open(args, &job.trace, &error) || emulate_all(args, &job, &profile, &error))
        status = error.status;
    status = profile_trace_end(&job.trace, status, &error);
    int exit_status = status == SMP_OK ? profile_show_run(args, &how, &profile, stdout)
                                       : complain_launch(args, &error);
    if (exit_status == 0 || job.exit_status == STATUS_REFUSED)
        exit_status = job.exit_status;
    profile_show_clear(&how);
    smp_profile_clear(&profile);
    smp_launch_clear(&job.text);
    smp_code_close(job.code);
    compile_flags_clear(&job.flags);
    return exit_status;
}

const command_row command_emulate = {
    .name = "emulate",
    .summary = "one launch of a kernel's machine code, run on the CPU",
    .description = "Runs one launch of a kernel's machine code on the CPU and judges every "
                   "request that it makes. The report is that of profile. What the kernel must "
                   "not do (accesses out of bounds, unwritten memory, barriers that threads do "
                   "not reach, with --races accesses that nothing orders) is a finding.",
    .usage = "FILE|FOLDER [--launch LAUNCH] [OPTIONS] [-- COMPILER FLAGS]",
    COMMAND_OPTIONS(options),
    .words = words,
    .formats = PROFILE_SHOW_FORMATS,
    .examples = "  smemprobe emulate transpose.cu --launch \\\n"
                "      'transpose<<<dim3(4,4), dim3(32,8)>>>(float[16384],\n"
                "       float[16384] = iota, 128, 128)' -- -O2  (for nvcc)\n"
                "  smemprobe emulate app --launch \\\n"
                "      'reduce<float><<<64, 256>>>(float[1], float[1048576])'\n"
                "  smemprobe emulate kept/001-reduce       a launch that profile --capture kept\n"
                "  smemprobe emulate kept --trace k.smptrace   every access, for batch\n"
                "  FILE is CUDA C++ (.cu), PTX (.ptx), a cubin, or a program with code inside.\n"
                "  Arrays: TYPE[COUNT] (float[32*33]) = zero | iota | random:LOW:HIGH[:SEED] |\n"
                "  @FILE (raw, .npy); -> FILE saves one. $1+64: into argument 1's array.\n"
                "  hex:00ff...: a structure.\n"
                "  tensor(half[8192], [64][128], [8][32], swizzle64): a tensor map of 64 rows.\n",
    .run = run,
};
