/* SPDX-License-Identifier: MIT */
/*
 * doctor_json.c: the same as one object.
 */
#include <jansson.h>

#include "json_text.h"
#include "smp_prediction.h"
#include "write_format.h"

static const char *const state_names[] = {
    [DOCTOR_OK] = "ok", [DOCTOR_GAP] = "gap", [DOCTOR_NONE] = "none"};

void smp_doctor_json(FILE *out, const doctor *d, smp_style style) {
    (void)style;
    json_t *parts = json_array(), *works = json_array();
    for (unsigned i = 0; i < d->part_count; i++) {
        const doctor_part *part = &d->parts[i];
        json_push(parts, json_pack("{s:s, s:s, s:s, s:s?}", "name", part->name, "state",
                                   state_names[part->state], "found", part->found, "fix",
                                   part->fix[0] ? part->fix : NULL));
    }
    for (unsigned i = 0; i < d->use_count; i++)
        json_push(works, json_pack("{s:s, s:b, s:s}", "commands", d->uses[i].what, "works",
                                   (int)d->uses[i].works, "because", d->uses[i].because));
    json_t *all = json_pack("{s:i, s:s, s:o, s:o}", "schema_version", SMP_SCHEMA_VERSION, "version",
                            SMP_VERSION, "parts", parts, "works", works);
    (void)json_dumpf(all, out, JSON_INDENT(1));
    fputc('\n', out);
    json_decref(all);
}
