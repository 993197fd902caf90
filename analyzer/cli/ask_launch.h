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
