/* SPDX-License-Identifier: MIT */
/* Options for launches that a file leaves open. */
#pragma once

#include "assumed_launch.h"
#include "command.h"

/* --define NAME=INTEGER; leaves the rest of *out unchanged. */
smp_status ask_defines(const arguments *args, smp_launch_wish *out, smp_error *error);
/* The same for --block and --grid. */
smp_status ask_launch_wish(const arguments *args, smp_launch_wish *out, smp_error *error);
/* Refuses these options together with --launch. */
smp_status refuse_launch_wish(const arguments *args, const smp_launch_wish *wish, smp_error *error);
/* Like complain; shows the place of a mistake in the launch. */
int complain_launch(const arguments *args, const smp_error *error);
