/* SPDX-License-Identifier: MIT */
/*
 * Converts a profile to JSON: the objects of schema/profile.json that reports contain, or all
 * details for profile files.
 */
#pragma once

#include <jansson.h>

#include "profile.h"

enum { SMP_PROFILE_SCHEMA_VERSION = 3 /* of the documents of profiles */ };

typedef enum smp_profile_detail {
    SMP_PROFILE_PROMISED, /* as in reports: no distinct requests */
    SMP_PROFILE_WHOLE,    /* everything, to be read back */
} smp_profile_detail;

/* Return new references, or NULL if out of memory. */
json_t *smp_run_to_json(const smp_run *run);
json_t *smp_finding_to_json(const smp_profile_finding *finding);
json_t *smp_kernel_to_json(const smp_kernel_profile *kernel, smp_profile_detail detail);

/* Fill a zeroed struct from an object made with all details. SMP_E_SYNTAX names the field that is
 * missing or wrong; SMP_E_MEMORY. The owner clears the struct in any case. */
smp_status smp_run_from_json(const json_t *from, smp_run *out, smp_error *error);
smp_status smp_finding_from_json(const json_t *from, smp_profile_finding *out, smp_error *error);
smp_status smp_kernel_from_json(const json_t *from, smp_kernel_profile *out, smp_error *error);
