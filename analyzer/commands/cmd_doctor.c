/* SPDX-License-Identifier: MIT */
/*
 * doctor: what is there, what works because of it, and the one line that closes each gap.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "ask_measure.h"
#include "doctor.h"
#include "json_text.h"
#include "smp_report.h"

static const smp_option options[] = {OPTION_DEVICE, OPTION_FORMAT, OPTION_OUTPUT,
                                     OPTION_FORCE,  OPTION_COLOR,  OPTION_HELP};

static const char *const state_names[] = {
    [DOCTOR_OK] = "ok", [DOCTOR_GAP] = "gap", [DOCTOR_NONE] = "none"};

static const struct {
    const char *color, *unicode, *ascii;
} marks[] = {
    [DOCTOR_OK] = {"\033[32m", "\u2713", "+"},
    [DOCTOR_GAP] = {"\033[33m", "!", "!"},
    [DOCTOR_NONE] = {"\033[2m", "\u2013", "-"},
};

static void put_mark(const output *out, doctor_state state) {
    fprintf(out->stream, "  %s%s%s ", out->style.color ? marks[state].color : "",
            out->style.unicode ? marks[state].unicode : marks[state].ascii,
            out->style.color ? "\033[0m" : "");
}

static void put_text(const output *out, const doctor *d) {
    unsigned gaps = 0;
    bool lacks = false;
    fprintf(out->stream, "smemprobe %s\n\n", SMP_VERSION);
    for (unsigned i = 0; i < d->part_count; i++) {
        const doctor_part *part = &d->parts[i];
        put_mark(out, part->state);
        fprintf(out->stream, "%-11s %s\n", part->name, part->found);
        if (part->fix[0])
            fprintf(out->stream, "%16sfix: %s\n", "", part->fix);
        gaps += part->state == DOCTOR_GAP;
        lacks |= part->state == DOCTOR_NONE;
    }
    fputs("\nwhat works\n", out->stream);
    for (unsigned i = 0; i < d->use_count; i++) {
        put_mark(out, d->uses[i].works ? DOCTOR_OK : DOCTOR_NONE);
        fprintf(out->stream, "%s: %s\n", d->uses[i].what, d->uses[i].because);
    }
    if (gaps == 0)
        fputs(lacks ? "\nNothing is broken; what has a - is not here, and is needed only for what "
                      "says so.\n"
                    : "\nNothing is amiss.\n",
              out->stream);
    else
        fprintf(out->stream, "\n%u gap%s; predictions need none of it.\n", gaps,
                gaps == 1 ? "" : "s");
}

static void put_json(FILE *out, const doctor *d) {
    json_t *parts = json_array(), *works = json_array();
    for (unsigned i = 0; i < d->part_count; i++) {
        const doctor_part *part = &d->parts[i];
        (void)json_array_append_new(parts,
                                    json_pack("{s:s, s:s, s:s, s:s?}", "name", part->name, "state",
                                              state_names[part->state], "found", part->found, "fix",
                                              part->fix[0] ? part->fix : NULL));
    }
    for (unsigned i = 0; i < d->use_count; i++)
        (void)json_array_append_new(works, json_pack("{s:s, s:b, s:s}", "commands", d->uses[i].what,
                                                     "works", (int)d->uses[i].works, "because",
                                                     d->uses[i].because));
    json_t *all = json_pack("{s:i, s:s, s:o, s:o}", "schema_version", SMP_SCHEMA_VERSION, "version",
                            SMP_VERSION, "parts", parts, "works", works);
    (void)json_dumpf(all, out, JSON_INDENT(1));
    fputc('\n', out);
    json_decref(all);
}

static smp_status parse(const arguments *args, output *out, int *device, smp_error *error) {
    if (args->positional_count > 0)
        return smp_error_set(error, SMP_E_USAGE, -1, "doctor takes no argument, not even '%.40s'",
                             args->positional[0]);
    smp_status status = ask_device(args, device, error);
    return status == SMP_OK ? output_open(args, out, error) : status;
}

static int run(const arguments *args) {
    static doctor d;
    smp_error error;
    output out;
    int device = 0;
    smp_status status = parse(args, &out, &device, &error);
    if (status != SMP_OK)
        return complain(&error);
    doctor_examine(device, out.style, &d);
    if (out.format == SMP_FORMAT_JSON)
        put_json(out.stream, &d);
    else
        put_text(&out, &d);
    return output_close(&out, true, &error) == SMP_OK ? 0 : complain(&error);
}

const command_row command_doctor = {
    .name = "doctor",
    .summary = "what is there, what works because of it, and how to close each gap",
    .usage = "[OPTIONS]",
    COMMAND_OPTIONS(options),
    .formats = "text json",
    .examples = "  smemprobe doctor\n"
                "  smemprobe doctor --format json        for scripts; the exit status is 0\n",
    .run = run,
};
