/* SPDX-License-Identifier: MIT */
/* A kept launch in memory, ready to run. */
#pragma once

#include "kept_launch.h"

typedef struct kept_open {
    smp_kept_launch kept;
    smp_code *code;
    const smp_function *function;
    smp_emu_memory memory;
    smp_emu_module module;
} kept_open;

/* `is_noise`: memory that was not read holds noise instead of zeros. *out must be zeroed; clear it
 * in any case. */
smp_status kept_open_read(const char *folder, bool is_noise, kept_open *out, smp_error *error);
void kept_open_clear(kept_open *launch);
/* Selects the rules that cost it: those of its code if *arch is NULL. */
smp_status kept_open_arch(const kept_open *launch, const smp_arch **arch, smp_error *error);
