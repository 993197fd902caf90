/* SPDX-License-Identifier: MIT */
/*
 * A profile as JSON: the objects of schema/profile.json, which the report writes, and with all
 * detail, which the profile file keeps.
 */
#pragma once

#include <jansson.h>

#include "profile.h"

enum { SMP_PROFILE_SCHEMA_VERSION = 3 /* of the documents of profiles */ };

typedef enum smp_profile_detail {
    SMP_PROFILE_PROMISED, /* as in reports: no distinct requests */
    SMP_PROFILE_WHOLE,    /* everything, to be read back */
} smp_profile_detail;

/* New references; NULL: out of memory. */
json_t *smp_run_to_json(const smp_run *run);
json_t *smp_finding_to_json(const smp_profile_finding *finding);
json_t *smp_kernel_to_json(const smp_kernel_profile *kernel, smp_profile_detail detail);

/* Fill a zeroed struct from what the above made of it whole. SMP_E_SYNTAX with the field that is
 * absent or wrong, SMP_E_MEMORY; what was filled is to be cleared by the owner. */
smp_status smp_run_from_json(const json_t *from, smp_run *out, smp_error *error);
smp_status smp_finding_from_json(const json_t *from, smp_profile_finding *out, smp_error *error);
smp_status smp_kernel_from_json(const json_t *from, smp_kernel_profile *out, smp_error *error);
