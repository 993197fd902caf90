/* SPDX-License-Identifier: MIT */
/*
 * The name of a library that is none: behind it stands, in hexadecimal digits, the address of a
 * function to call when libraries were opened.
 */
#pragma once

#define OPENED_LATER_NAME "smemprobe-opened-later:"
