/* SPDX-License-Identifier: MIT */
/*
 * Turns the survey of the probe, gnuplot and the terminal into one row for each part and
 * one for each use.
 */
#include "doctor.h"

#include <string.h>
#include <unistd.h>

#include "list.h"
#include "text_buffer.h"

/* The cure in a message "cause: cure (code)", or NULL. */
static const char *cure_of(const smp_error *error, bool has_code) {
    switch (error->status) {
    case SMP_E_CUDA: /* with a code: the message of the driver at its start */
        return has_code ? strstr(error->message, ": ") : NULL;
    case SMP_E_NO_DRIVER:
    case SMP_E_NO_GPU:
    case SMP_E_DRIVER_OLD:
    case SMP_E_NO_CUPTI:
    case SMP_E_COUNTERS_LOCKED:
    case SMP_E_PROFILER_BUSY:
    case SMP_E_CHIP:
        return strstr(error->message, ": ");
    default:
        return NULL;
    }
}

/* Adds a part that does not work, with the cause and the code as the finding and the cure as the
 * fix. */
static void add_failed(doctor *out, const char *name, const smp_error *error) {
    const char *message = error->message, *code = strrchr(message, '(');
    const bool has_code = code && message[strlen(message) - 1] == ')';
    const char *cure = cure_of(error, has_code);
    if (!cure) {
        (void)doctor_add(out, name, DOCTOR_GAP, "%s", message);
        return;
    }
    const int cure_length = has_code ? (int)(code - cure) - 3 : (int)strlen(cure + 2);
    doctor_part *part = doctor_add(out, name, DOCTOR_GAP, "%.*s%s%s", (int)(cure - message),
                                   message, has_code ? " " : "", has_code ? code : "");
    (void)snprintf(part->fix, sizeof part->fix, "%.*s", cure_length, cure + 2);
}

static void add_model(doctor *out) {
    size_t archs, ops;
    const smp_arch *rows = smp_archs(&archs);
    (void)smp_ops(&ops);
    (void)doctor_add(out, "model", DOCTOR_OK, "%zu architectures, %u.%u to %u.%u; %zu operations",
                     archs, rows[0].cc_major, rows[0].cc_minor, rows[archs - 1].cc_major,
                     rows[archs - 1].cc_minor, ops);
}

struct recordings {
    size_t count;
    const char *gpu;
};

static bool count_recording(void *user, const smp_record *record, const char *field) {
    struct recordings *sum = user;
    (void)field;
    sum->count++;
    sum->gpu = record->gpu;
    return true;
}

static void add_recordings(doctor *out) {
    struct recordings sum = {0, ""};
    char count[32];
    smp_recorded_each(count_recording, &sum);
    (void)text_grouped(sum.count, count);
    (void)doctor_add(out, "recordings", DOCTOR_OK, "%s measurements, built in, of %s", count,
                     sum.gpu);
}

static bool has_kernels(const smp_survey *survey) {
    return survey->driver.status != SMP_E_NOT_BUILT;
}

static bool has_card(const smp_survey *survey) {
    return survey->pci_count + survey->card_count + survey->device_count > 0;
}

static void add_kernels(doctor *out, const smp_survey *survey) {
    if (has_kernels(survey)) {
        (void)doctor_add(out, "kernels", DOCTOR_OK, "built with CUDA %s", survey->toolkit);
        return;
    }
    doctor_part *part = doctor_add(out, "kernels", has_card(survey) ? DOCTOR_GAP : DOCTOR_NONE,
                                   "not built into this program");
    if (has_card(survey))
        doctor_fix(part, "a package that was built with CUDA has it; from source: script/bootstrap "
                         "--cuda && script/run");
}

static void add_driver(doctor *out, const smp_survey *survey) {
    const char *module = survey->module[0] ? survey->module : "of unknown version";
    if (has_kernels(survey) && survey->driver.status == SMP_OK) {
        (void)doctor_add(out, "driver", DOCTOR_OK, "%s, runs CUDA up to %s", module,
                         survey->driver_cuda);
    } else if (survey->pci_count > 0 && !survey->module[0]) {
        doctor_fix(doctor_add(out, "driver", DOCTOR_GAP,
                              "none, although %u NVIDIA device%s on "
                              "the bus",
                              survey->pci_count, survey->pci_count == 1 ? " is" : "s are"),
                   "install the NVIDIA driver, 580 or later");
    } else if (!has_card(survey)) {
        (void)doctor_add(out, "driver", DOCTOR_NONE, "none");
    } else if (has_kernels(survey)) {
        add_failed(out, "driver", &survey->driver);
    } else {
        (void)doctor_add(out, "driver", DOCTOR_OK, "%s", module);
    }
}

static void add_device(doctor *out, const smp_device *device) {
    char name[16];
    const smp_arch *arch = smp_arch_of_cc(device->cc_major, device->cc_minor);
    (void)snprintf(name, sizeof name, "GPU %d", device->index);
    if (arch)
        (void)doctor_add(out, name, DOCTOR_OK,
                         "%s, compute capability %d.%d (%s), %d multiprocessors", device->name,
                         device->cc_major, device->cc_minor, arch->family, device->multiprocessors);
    else
        doctor_fix(doctor_add(out, name, DOCTOR_GAP,
                              "%s, compute capability %d.%d: no row of the model", device->name,
                              device->cc_major, device->cc_minor),
                   "a newer smemprobe may know it (smemprobe list archs)");
}

static void add_devices(doctor *out, const smp_survey *survey) {
    char name[16];
    for (unsigned i = 0; i < survey->device_count; i++)
        add_device(out, &survey->devices[i]);
    for (unsigned i = 0; i < survey->card_count && survey->device_count == 0; i++) {
        (void)snprintf(name, sizeof name, "GPU %u", i);
        (void)doctor_add(out, name, DOCTOR_OK, "%s, according to the kernel module",
                         survey->cards[i]);
    }
    if (survey->device_count + survey->card_count == 0)
        (void)doctor_add(out, "GPU", DOCTOR_NONE, "none%s", has_card(survey) ? " that works" : "");
}

static void add_readable(doctor *out, const char *name, const smp_error *found) {
    if (found->status == SMP_OK)
        (void)doctor_add(out, name, DOCTOR_OK, "readable");
    else
        add_failed(out, name, found);
}

/* Adds parts that need a GPU and the kernels. */
static void add_live(doctor *out, const smp_survey *survey) {
    if (!has_kernels(survey))
        return;
    if (survey->cupti.status == SMP_OK)
        (void)doctor_add(out, "CUPTI", DOCTOR_OK, "%s, %s", survey->cupti_version,
                         survey->cupti_path);
    else if (has_card(survey))
        add_failed(out, "CUPTI", &survey->cupti);
    else
        (void)doctor_add(out, "CUPTI", DOCTOR_NONE, "not found, not needed without a GPU");
    if (survey->driver.status != SMP_OK)
        return;
    if (survey->counters.status == SMP_OK || survey->counters.status != survey->cupti.status)
        add_readable(out, "counters", &survey->counters);
    add_readable(out, "clocks", &survey->clocks);
}

/* "5.4 patchlevel 4"; false if there is no gnuplot. */
static bool gnuplot_version(char *text, size_t size) {
    FILE *pipe = popen("gnuplot --version 2>/dev/null", "r");
    char line[64] = "";
    const bool read = pipe && fgets(line, sizeof line, pipe);
    const bool ok = pipe && pclose(pipe) == 0 && read && strncmp(line, "gnuplot ", 8) == 0;
    (void)snprintf(text, size, "%.*s", (int)strcspn(line + 8, "\n"), ok ? line + 8 : "");
    return ok;
}

static bool add_gnuplot(doctor *out) {
    char version[64];
    const bool ok = gnuplot_version(version, sizeof version);
    if (ok)
        (void)doctor_add(out, "gnuplot", DOCTOR_OK, "%s", version);
    else
        doctor_fix(doctor_add(out, "gnuplot", DOCTOR_GAP, "not found"),
                   "apt-get install gnuplot-nox");
    return ok;
}

static void add_terminal(doctor *out, smp_style style) {
    if (isatty(STDOUT_FILENO))
        (void)doctor_add(out, "terminal", DOCTOR_OK, "%s, %s", style.unicode ? "UTF-8" : "ASCII",
                         style.color ? "colours" : "no colours");
    else
        (void)doctor_add(out, "terminal", DOCTOR_NONE, "none: the output is plain text");
}

/* What a command needs beyond the model; unlisted commands need nothing. */
typedef enum need { NEED_NOTHING, NEED_CODE, NEED_COUNTERS, NEED_GNUPLOT, NEED_INSTRUMENT } need;

static need need_of(const char *command) {
    static const struct row {
        const char *command;
        need need;
    } rows[] = {{"emulate", NEED_CODE},      {"judge", NEED_CODE},      {"probe", NEED_COUNTERS},
                {"compare", NEED_COUNTERS},  {"verify", NEED_COUNTERS}, {"plot", NEED_GNUPLOT},
                {"profile", NEED_INSTRUMENT}};
    const struct row *found = ROWS_FIND(rows, command);
    return found ? found->need : NEED_NOTHING;
}

static doctor_use *add_use(doctor *out, need wanted, bool works, const char *because) {
    doctor_use *use = &out->uses[out->use_count++];
    text_buffer what = TEXT_BUFFER(use->what);
    for (size_t i = 0; i < out->command_count; i++)
        if (need_of(out->commands[i]) == wanted)
            text_join(&what, ", ", "%s", out->commands[i]);
    use->works = works;
    (void)snprintf(use->because, sizeof use->because, "%s", because);
    return use;
}

static void add_uses(doctor *out, const smp_survey *survey, bool has_instrument, doctor_tools tools,
                     bool has_gnuplot) {
    const bool counters = survey->counters.status == SMP_OK;
    const bool clocks = survey->clocks.status == SMP_OK;
    char why[352];
    (void)add_use(out, NEED_NOTHING, true, "no GPU is needed");
    (void)add_use(out, NEED_CODE, tools.disassembler,
                  !tools.disassembler ? "needs nvdisasm"
                  : tools.compiler    ? "on the CPU"
                                      : "on the CPU, for compiled files only (no nvcc)");
    if (counters)
        (void)snprintf(why, sizeof why, "live, by counters and clocks");
    else
        (void)snprintf(why, sizeof why, "recorded measurements only%s",
                       has_card(survey) ? "" : ", without a GPU");
    if (!counters && clocks)
        (void)snprintf(why, sizeof why, "live by clocks, not by counters");
    (void)add_use(out, NEED_COUNTERS, counters || clocks, why);
    (void)add_use(out, NEED_INSTRUMENT, has_instrument,
                  has_instrument ? "live, even with locked counters"
                                 : "only --no-gpu, which runs the program on the CPU");
    (void)add_use(out, NEED_GNUPLOT, true,
                  has_gnuplot ? "with gnuplot" : "in the terminal; files need gnuplot");
}

void doctor_examine(int device, smp_style style, const char *const *commands, size_t count,
                    doctor *out) {
    smp_survey survey;
    *out = (doctor){.commands = commands, .command_count = count};
    smp_survey_take(device, &survey);
    add_model(out);
    add_recordings(out);
    add_kernels(out, &survey);
    add_driver(out, &survey);
    add_devices(out, &survey);
    add_live(out, &survey);
    const bool has_instrument =
        doctor_add_profile(out, has_card(&survey), survey.module[0] != '\0');
    const doctor_tools tools = doctor_add_tools(out);
    const bool has_gnuplot = add_gnuplot(out);
    add_terminal(out, style);
    add_uses(out, &survey, has_instrument, tools, has_gnuplot);
}
