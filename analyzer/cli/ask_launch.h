/* SPDX-License-Identifier: MIT */
/*
 * What the command line says of launches that a file leaves open.
 */
#pragma once

#include "assumed_launch.h"
#include "command.h"

/* --define NAME=INTEGER; all else in *out stays. */
smp_status ask_defines(const arguments *args, smp_launch_wish *out, smp_error *error);
/* The same, --block and --grid. */
smp_status ask_launch_wish(const arguments *args, smp_launch_wish *out, smp_error *error);
/* These beside a launch that is given are a mistake. */
smp_status refuse_launch_wish(const arguments *args, const smp_launch_wish *wish, smp_error *error);
/* complain, of which a mistake in the launch is shown in its text. */
int complain_launch(const arguments *args, const smp_error *error);
