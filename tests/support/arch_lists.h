/* SPDX-License-Identifier: MIT */
/* Compute capabilities by the rule that they share, for rows that hold on several. */
#pragma once

#define ARCHS_1_0 "1.0 1.1"
#define ARCHS_1_2 "1.2 1.3"
#define ARCHS_1 ARCHS_1_0 " " ARCHS_1_2
#define ARCHS_2 "2.0 2.1"
#define ARCHS_3 "3.0 3.2 3.5 3.7"
#define ARCHS_8_UP "8.0 8.6 8.7 8.9 9.0 10.0 10.3 11.0 12.0 12.1"
#define ARCHS_5_UP "5.0 5.2 5.3 6.0 6.1 6.2 7.0 7.2 7.5 " ARCHS_8_UP
#define ARCHS_3_UP ARCHS_3 " " ARCHS_5_UP
#define ARCHS_ALL ARCHS_1 " " ARCHS_2 " " ARCHS_3_UP
