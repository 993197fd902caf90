/* SPDX-License-Identifier: MIT */
/*
 * Another program, run and waited for.
 */
#define _XOPEN_SOURCE 700
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t running;

/* What a terminal sends reaches the child by itself; what is sent to us alone is passed on. */
static void pass_on(int signal_number) {
    if (running > 0)
        (void)kill(running, signal_number);
}

static const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
static const int ignored[] = {SIGINT, SIGQUIT};

enum {
    PASSED = sizeof passed / sizeof passed[0],
    IGNORED = sizeof ignored / sizeof ignored[0],
};

static struct sigaction before_passed[PASSED], before_ignored[IGNORED];

static void stand_back(void) {
    struct sigaction pass = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    for (unsigned i = 0; i < PASSED; i++)
        (void)sigaction(passed[i], &pass, &before_passed[i]);
    for (unsigned i = 0; i < IGNORED; i++)
        (void)sigaction(ignored[i], &ignore, &before_ignored[i]);
}

static void step_forward(void) {
    for (unsigned i = 0; i < PASSED; i++)
        (void)sigaction(passed[i], &before_passed[i], NULL);
    for (unsigned i = 0; i < IGNORED; i++)
        (void)sigaction(ignored[i], &before_ignored[i], NULL);
}

/* In the child: tells through the pipe why it could not become the program. */
static void become(char *const argv[], const char *const environment[], bool quiet, int complaint) {
    step_forward();
    const int nothing = quiet ? open("/dev/null", O_RDWR) : -1;
    if (nothing >= 0) {
        (void)dup2(nothing, STDIN_FILENO);
        (void)dup2(nothing, STDOUT_FILENO);
    }
    for (unsigned i = 0; environment[i]; i++) {
        if (putenv((char *)(uintptr_t)environment[i]) != 0)
            _exit(127);
    }
    (void)execvp(argv[0], argv);
    const int cause = errno;
    (void)!write(complaint, &cause, sizeof cause);
    _exit(127);
}

static void wait_for(pid_t child, child_end *end) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    end->process = child;
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end->exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Why it could not become the program, in words for who typed its name. */
static const char *words_of(const char *name, int cause) {
    const bool is_path = strchr(name, '/') != NULL;
    switch (cause) {
    case ENOENT:
        return !is_path                  ? "no such program in PATH"
               : access(name, F_OK) == 0 ? "the interpreter or loader that it names is not there"
                                         : "no such file";
    case EACCES:
        return "it is not executable (chmod +x makes it so), or a folder";
    default:
        return strerror(cause);
    }
}

smp_status child_run(char *const argv[], const char *const environment[], bool quiet,
                     child_end *end, smp_error *error) {
    int pipes[2], cause = 0;
    if (pipe(pipes) != 0 || fcntl(pipes[1], F_SETFD, FD_CLOEXEC) != 0)
        return smp_error_set(error, SMP_E_INTERNAL, -1, "no pipe: %s", strerror(errno));
    stand_back();
    const pid_t child = fork();
    if (child == 0) {
        (void)close(pipes[0]);
        become(argv, environment, quiet, pipes[1]);
    }
    running = child;
    (void)close(pipes[1]);
    if (child < 0)
        cause = errno;
    else if (read(pipes[0], &cause, sizeof cause) != (ssize_t)sizeof cause)
        cause = 0;
    (void)close(pipes[0]);
    if (child > 0)
        wait_for(child, end);
    running = 0;
    step_forward();
    return cause == 0 ? SMP_OK
                      : smp_error_set(error, SMP_E_READ, -1, "%.120s: cannot be started: %s",
                                      argv[0], words_of(argv[0], cause));
}
