/* SPDX-License-Identifier: MIT */
/*
 * A libcupti from before the Range Profiler, and, under another name, a library that is no driver.
 */
#include <cupti_version.h>

CUptiResult cuptiGetVersion(uint32_t *version) {
    *version = 18;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult code, const char **text) {
    (void)code;
    *text = "CUPTI_ERROR_UNKNOWN";
    return CUPTI_SUCCESS;
}
