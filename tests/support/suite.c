/* SPDX-License-Identifier: MIT */
/*
 * suite.c: runs one Check suite.
 */
#include "suite.h"

#include <stdlib.h>

int suite_run(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
