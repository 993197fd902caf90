/* SPDX-License-Identifier: MIT */
/* Results of doctor: as text one line for each part with its fix, then what works; and as JSON. */
#include <jansson.h>

#include "json_text.h"
#include "put.h"
#include "write_format.h"

static const struct {
    const char *color, *unicode, *ascii;
} marks[] = {
    [DOCTOR_OK] = {"\033[32m", "\u2713", "+"},
    [DOCTOR_GAP] = {"\033[33m", "!", "!"},
    [DOCTOR_NONE] = {"\033[2m", "\u2013", "-"},
};

static void put_mark(FILE *out, smp_style style, doctor_state state) {
    fprintf(out, "  %s%s%s ", style.color ? marks[state].color : "",
            style.unicode ? marks[state].unicode : marks[state].ascii,
            style.color ? "\033[0m" : "");
}

void smp_doctor_text(FILE *out, const doctor *d, smp_style style) {
    unsigned gaps = 0;
    bool lacks = false;
    char text[1024];
    fprintf(out, "smemprobe %s\n\n", SMP_VERSION);
    EACH(const doctor_part, part, d->parts, d->part_count) {
        put_mark(out, style, part->state);
        fprintf(out, "%-11s %s\n", part->name, part->found);
        if (part->fix[0])
            fprintf(out, "%16sfix: %s\n", "",
                    part->fix); /* not wrapped, so that it can be copied */
        gaps += part->state == DOCTOR_GAP;
        lacks |= part->state == DOCTOR_NONE;
    }
    fputs("\nwhat works\n", out);
    for (unsigned i = 0; i < d->use_count; i++) {
        put_mark(out, style, d->uses[i].works ? DOCTOR_OK : DOCTOR_NONE);
        (void)snprintf(text, sizeof text, "%s: %s", d->uses[i].what, d->uses[i].because);
        smp_wrapped_hang(out, 4, 4, text);
    }
    fputc('\n', out);
    if (gaps == 0) {
        (void)snprintf(text, sizeof text,
                       lacks ? "Nothing is broken. Parts marked %s are missing; only the commands "
                               "that name them need them."
                             : "Everything works.",
                       style.unicode ? marks[DOCTOR_NONE].unicode : marks[DOCTOR_NONE].ascii);
        smp_wrapped_print(out, "", text);
    } else
        fprintf(out, "%u gap%s, not needed for predictions.\n", gaps, plural(gaps));
}

static const char *const state_names[] = {
    [DOCTOR_OK] = "ok", [DOCTOR_GAP] = "gap", [DOCTOR_NONE] = "none"};

void smp_doctor_json(FILE *out, const doctor *d, smp_style style) {
    (void)style;
    json_t *parts = json_array(), *works = json_array();
    EACH(const doctor_part, part, d->parts, d->part_count)
        json_push(parts, json_pack("{s:s, s:s, s:s, s:s?}", "name", part->name, "state",
                                   state_names[part->state], "found", part->found, "fix",
                                   part->fix[0] ? part->fix : NULL));
    for (unsigned i = 0; i < d->use_count; i++)
        json_push(works, json_pack("{s:s, s:b, s:s}", "commands", d->uses[i].what, "works",
                                   (int)d->uses[i].works, "because", d->uses[i].because));
    json_t *all = json_pack("{s:i, s:s, s:o, s:o}", "schema_version", SMP_SCHEMA_VERSION, "version",
                            SMP_VERSION, "parts", parts, "works", works);
    json_put(out, all, 0);
}
