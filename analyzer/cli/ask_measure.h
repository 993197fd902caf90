/* SPDX-License-Identifier: MIT */
/*
 * What is measured, by whom, on which GPUs, and where it is recorded; which kernels are compared.
 */
#pragma once

#include "ask.h"
#include "command.h"
#include "compare.h"
#include "devices.h"
#include "record_file.h"
#include "sweep.h"
#include "witness.h"

/* --stride as a list of at most `most` numbers up to `limit`. */
smp_status ask_strides(const arguments *args, const char *fallback, uint64_t limit, size_t most,
                       smp_axes *out, smp_error *error);
/* The options of ask_pattern as lists; `strides` and `widths` are what holds where they are not
 * given. */
smp_status ask_axes(const arguments *args, const char *strides, const char *widths, smp_axes *out,
                    smp_error *error);
/* The lists of --op and --width as masks; 0. */
smp_status ask_masks(const arguments *args, uint32_t *ops, uint32_t *widths, smp_error *error);
/* --witness; `fallback`. */
smp_status ask_witness(const arguments *args, smp_witness fallback, witness_choice *out,
                       smp_error *error);
/* --device; 0. */
smp_status ask_device(const arguments *args, int *device, smp_error *error);
/* Opens the GPU of --device for --witness (counters or clocks) if there is one: else *probe stays
 * and `why` says why. Its architecture goes to *arch, if `is_default` and without --bank-mode. */
smp_status ask_probe(const arguments *args, bool is_default, witness_choice *choice,
                     smp_probe **probe, smp_arch *arch, smp_error *why, smp_error *error);
/* --devices, which must be given. As devices_find: before this process has used a GPU. */
smp_status ask_devices(const arguments *args, device_list *out, smp_error *error);
/* --record and --force; path NULL. The command is described by its name, as many positionals as
 * `positionals` says, and the options of the set. SMP_E_EXISTS if the file is there. */
smp_status ask_record(const arguments *args, const char *name, unsigned positionals,
                      const option_set options, record_target *out, smp_error *error);
/* Reads the files of --recorded, which may be given several times. */
smp_status ask_recorded(const arguments *args, smp_error *error);
/* ask_compare.c: the families in `words`, and --size, --type, --cluster, --variants, --arch,
 * --device,
 * --record. */
smp_status ask_compare(const arguments *args, const char *const *words, unsigned count,
                       compare_ask *out, smp_error *error);
