/* SPDX-License-Identifier: MIT */
/* As much of CUPTI's interface as the probe uses: its version; see cuda.h. */
#ifndef STANDIN_CUPTI_VERSION_H
#define STANDIN_CUPTI_VERSION_H

#include "cupti_target.h"

CUptiResult cuptiGetVersion(uint32_t *version);

#endif
