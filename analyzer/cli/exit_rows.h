/* SPDX-License-Identifier: MIT */
/*
 * Exit statuses and what they mean, for help, the man page and tests.
 */
#ifndef SMP_EXIT_ROWS_H
#define SMP_EXIT_ROWS_H

/* Every exit status that there is, for help, man page and tests: number, meaning. */
#define CLI_EXIT_LIST(X)                                                                           \
    X(0, "fine")                                                                                   \
    X(1, "a finding, a line above the gate, or predicted and measured differ")                     \
    X(2, "wrong words on the command line")                                                        \
    X(3, "wrong content, also of an argument; a file that cannot be read or written; a gate that " \
         "could judge nothing")                                                                    \
    X(4, "not permitted: the GPU's counters are locked")                                           \
    X(5, "internal or GPU error")                                                                  \
    X(77, "skipped: no GPU")                                                                       \
    X(130, "interrupted; what was finished stands")

#endif
