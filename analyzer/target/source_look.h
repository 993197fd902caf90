/* SPDX-License-Identifier: MIT */
/*
 * One kernel of a source as a kernel of a profile.
 */
#pragma once

#include "profile.h"
#include "source_layout.h"

/* Looks at all blocks of the launch's grid, or at some where all take long, and fills *out, but for
 * its name. `path`: that lines are lines of. SMP_E_OVERFLOW: one block alone takes too long; other
 * failures have their place in made->line and error->position. Clear *out also after failure. */
smp_status source_look(const smp_arch *arch, const char *path, source_layout *made,
                       const smp_assumed_launch *launch, smp_kernel_profile *out, smp_error *error);
