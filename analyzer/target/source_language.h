/* SPDX-License-Identifier: MIT */
/*
 * Files of other languages, before a compiler wonders at them.
 */
#pragma once

#include "smp_model.h"

/* "HIP", of "a.hip"; NULL: no ending of another language. */
const char *source_language_named(const char *path);
/* SMP_E_SYNTAX: the file is of that language, or no text (`language` NULL); what to do instead. */
smp_status source_language_refuse(const char *path, const char *language, smp_error *error);
/* The same of a .cu file of so many bytes, where that is certain; `blank`: of host_text_make. */
smp_status source_language_check(const char *path, const char *text, size_t length,
                                 const char *blank, smp_error *error);
