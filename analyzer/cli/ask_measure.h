/* SPDX-License-Identifier: MIT */
/*
 * Options for measurements: what to measure, how, on which GPUs, where to record it; which kernels
 * to compare.
 */
#pragma once

#include "ask.h"
#include "command.h"
#include "compare.h"
#include "record_file.h"
#include "sweep.h"
#include "witness.h"

/* --stride as a list of at most `most` numbers up to `limit`. */
smp_status ask_strides(const arguments *args, const char *fallback, uint64_t limit, size_t most,
                       smp_axes *out, smp_error *error);
/* The options of ask_pattern as lists; `strides` and `widths` are the defaults. */
smp_status ask_axes(const arguments *args, const char *strides, const char *widths, smp_axes *out,
                    smp_error *error);
/* The lists of --op and --width as masks; 0 by default. */
smp_status ask_masks(const arguments *args, uint32_t *ops, uint32_t *widths, smp_error *error);
/* --witness; `fallback` by default. */
smp_status ask_witness(const arguments *args, smp_witness fallback, witness_choice *out,
                       smp_error *error);
/* --device; 0 by default. */
smp_status ask_device(const arguments *args, int *device, smp_error *error);
/* Opens the GPU of --device for --witness (counters or clocks). If there is none, *probe is
 * unchanged and `why` says why. Sets *arch to the GPU's if `is_default` and without --bank-mode. */
smp_status ask_probe(const arguments *args, bool is_default, witness_choice *choice,
                     smp_probe **probe, smp_arch *arch, smp_error *why, smp_error *error);
/* --devices, which must be given. Like devices_find, call it before this process uses a GPU. */
smp_status ask_devices(const arguments *args, device_list *out, smp_error *error);
/* --record and --force; path NULL by default. The record describes the command by its name, its
 * first `positionals` arguments, and the options of the set. SMP_E_EXISTS if the file exists. */
smp_status ask_record(const arguments *args, const char *name, unsigned positionals,
                      const option_set options, record_target *out, smp_error *error);
/* Reads the files of every --recorded. */
smp_status ask_recorded(const arguments *args, smp_error *error);
/* ask_compare.c: the families in `words`, and --size, --type, --cluster, --variants, --arch,
 * --device,
 * --record. */
smp_status ask_compare(const arguments *args, const char *const *words, unsigned count,
                       compare_ask *out, smp_error *error);
