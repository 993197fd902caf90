/* SPDX-License-Identifier: MIT */
/*
 * A library name that names no file: it is followed by the address, in hexadecimal, of a
 * function to call after libraries were opened.
 */
#pragma once

#define OPENED_LATER_NAME "smemprobe-opened-later:"
