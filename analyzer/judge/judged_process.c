/* SPDX-License-Identifier: MIT */
/*
 * Runs candidates side by side, each in a process that is forked after the reference has run and
 * shares its memory. A process writes a summary and its document to a pipe. One that exceeds its
 * time or memory is killed with all its children, which belong to one session.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "judged.h"
#include "leftover.h"
#include "seconds.h"
#include "tool.h"

enum { AT_ONCE_MAX = 256, LOOK_MS = 50 };

/* A candidate's process, and its result so far. */
typedef struct worker {
    size_t index;
    pid_t process; /* 0 if none runs */
    int pipe;
    FILE *taken; /* data from the pipe, into `text` */
    char *text;
    size_t length;
    double begun;
    judged_verdict ended_by; /* TIME or MEMORY if it was killed; else OK */
} worker;

/* A finished result, kept until all earlier ones are reported. */
typedef struct answer {
    bool is_there;
    judged_summary summary;
    char *text;
} answer;

typedef struct office {
    const judge_job *job;
    const judged *reference; /* NULL without a reference */
    worker workers[AT_ONCE_MAX];
    uint32_t at_once;
    answer *answers;
    size_t next, told; /* next candidate to start, and to report */
} office;

/* ---- In the process of a candidate ---- */

static judged_summary summary_of(const judged *of) {
    judged_summary out = {.verdict = of->verdict, .figures = of->figures, .has_run = of->has_run};
    memcpy(out.why, of->why, sizeof out.why);
    return out;
}

static bool put_document(const judge_job *job, const judged *of, int to) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    const judged_summary summary = summary_of(of);
    if (!out)
        return false;
    job->write(out, of);
    const bool is_written = fclose(out) == 0 && text &&
                            smp_tool_write_all(to, &summary, sizeof summary) &&
                            smp_tool_write_all(to, text, length);
    free(text);
    return is_written;
}

/* If the parent ends, kills running compilers and removes their folder. */
static void on_orphaned(int number) {
    leftover_end();
    _exit(128 + number);
}

static void work(const office *of, size_t index, int to, pid_t parent) {
    const struct sigaction action = {.sa_handler = on_orphaned};
    judged found;
    (void)setsid();
    (void)sigaction(SIGTERM, &action, NULL);
    leftover_tie(parent, SIGTERM);
    judged_run(of->job, &of->job->candidates[index], of->reference, false, &found);
    const bool is_written = put_document(of->job, &found, to);
    _exit(is_written ? 0 : 1);
}

/* ---- Processes of a candidate ---- */

/* Returns the session of a process, and sets its resident pages. */
static pid_t session_of(const char *number, uint64_t *pages) {
    char text[1024];
    int session = 0;
    unsigned long resident = 0;
    const char *at = child_stat(number, text, sizeof text);
    if (!at || sscanf(at,
                      "%*c %*d %*d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
                      "%*d %*u %*u %lu",
                      &session, &resident) != 2)
        return 0;
    *pages = resident;
    return session;
}

/* Sums the memory of each worker's processes; kills those of `end`. */
static void look_at(office *of, uint64_t bytes[AT_ONCE_MAX], const worker *end) {
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    DIR *list = opendir("/proc");
    for (const struct dirent *entry; list && (entry = readdir(list));) {
        uint64_t pages = 0;
        const pid_t session =
            isdigit((unsigned char)entry->d_name[0]) ? session_of(entry->d_name, &pages) : 0;
        for (uint32_t i = 0; session > 0 && i < of->at_once; i++)
            if (of->workers[i].process == session)
                bytes[i] += pages * page;
        if (end && session == end->process)
            (void)kill((pid_t)atol(entry->d_name), SIGKILL);
    }
    if (list)
        (void)closedir(list);
}

static void kill_worker(office *of, worker *one, judged_verdict why) {
    uint64_t ignored[AT_ONCE_MAX] = {0};
    one->ended_by = why;
    look_at(of, ignored, one);
}

static void enforce(office *of) {
    const judge_job *job = of->job;
    uint64_t bytes[AT_ONCE_MAX] = {0};
    if (job->memory_bytes > 0)
        look_at(of, bytes, NULL);
    for (uint32_t i = 0; i < of->at_once; i++) {
        worker *one = &of->workers[i];
        if (one->process == 0 || one->ended_by != JUDGED_OK)
            continue;
        if (job->memory_bytes > 0 && bytes[i] > job->memory_bytes)
            kill_worker(of, one, JUDGED_MEMORY);
        else if (job->seconds > 0 && seconds_now() - one->begun > (double)job->seconds)
            kill_worker(of, one, JUDGED_TIME);
    }
}

/* ---- Beginning and end of one ---- */

static smp_status begin(office *of, worker *one, size_t index, smp_error *error) {
    int pipes[2];
    *one = (worker){.index = index, .begun = seconds_now()};
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return smp_error_set(error, SMP_E_INTERNAL, -1, "no pipe: %s", strerror(errno));
    one->taken = open_memstream(&one->text, &one->length);
    const pid_t parent = getpid(), process = one->taken ? fork() : -1;
    if (process == 0) {
        (void)close(pipes[0]);
        work(of, index, pipes[1], parent);
    }
    (void)close(pipes[1]);
    if (process < 0) {
        const int cause = errno;
        (void)close(pipes[0]);
        if (one->taken)
            (void)fclose(one->taken);
        free(one->text);
        *one = (worker){.process = 0};
        return smp_error_set(error, SMP_E_INTERNAL, -1, "no process: %s", strerror(cause));
    }
    one->process = process;
    one->pipe = pipes[0];
    return SMP_OK;
}

/* Makes the result of a process that sent none. */
static void answer_for(const office *of, const worker *one, int status, judged_summary *out,
                       char **text) {
    judged stands = {.candidate = &of->job->candidates[one->index],
                     .arch = of->job->arch,
                     .verdict = one->ended_by != JUDGED_OK ? one->ended_by : JUDGED_CRASHED};
    size_t length;
    FILE *file = open_memstream(text, &length);
    if (stands.verdict == JUDGED_TIME)
        (void)snprintf(stands.why, sizeof stands.why, "not judged in %llu s (--time)",
                       (unsigned long long)of->job->seconds);
    else if (stands.verdict == JUDGED_MEMORY)
        (void)snprintf(stands.why, sizeof stands.why, "it took more than %llu MiB (--max-memory)",
                       (unsigned long long)(of->job->memory_bytes >> 20));
    else
        (void)snprintf(stands.why, sizeof stands.why, "its process ended by %s %d",
                       WIFSIGNALED(status) ? "signal" : "status",
                       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    *out = summary_of(&stands);
    if (file) {
        of->job->write(file, &stands);
        (void)fclose(file);
    }
}

static void end(office *of, worker *one) {
    int status = 0;
    answer *to = &of->answers[one->index];
    while (waitpid(one->process, &status, 0) < 0 && errno == EINTR)
        continue;
    (void)close(one->pipe);
    const bool is_taken = fclose(one->taken) == 0;
    const bool is_whole = is_taken && one->length > sizeof to->summary && WIFEXITED(status) &&
                          WEXITSTATUS(status) == 0;
    to->is_there = true;
    if (is_whole) {
        memcpy(&to->summary, one->text, sizeof to->summary);
        memmove(one->text, one->text + sizeof to->summary, one->length - sizeof to->summary + 1);
        to->text = one->text;
    } else {
        free(one->text);
        answer_for(of, one, status, &to->summary, &to->text);
    }
    *one = (worker){.process = 0};
}

/* Reads from the pipe; false at its end, or if out of memory. */
static bool take(worker *one) {
    char part[65536];
    const ssize_t got = read(one->pipe, part, sizeof part);
    if (got < 0 && errno == EINTR)
        return true;
    return got > 0 && fwrite(part, 1, (size_t)got, one->taken) == (size_t)got;
}

static void tell(office *of) {
    for (; of->told < of->job->count && of->answers[of->told].is_there; of->told++) {
        answer *one = &of->answers[of->told];
        of->job->told(of->job->user, of->told, &one->summary, one->text ? one->text : "");
        free(one->text);
        one->text = NULL;
    }
}

/* ---- All ---- */

static smp_status fill(office *of, smp_error *error) {
    for (uint32_t i = 0; i < of->at_once && of->next < of->job->count; i++)
        if (of->workers[i].process == 0 && begin(of, &of->workers[i], of->next++, error) != SMP_OK)
            return error->status;
    return SMP_OK;
}

static void wait_for(office *of) {
    struct pollfd list[AT_ONCE_MAX];
    for (uint32_t i = 0; i < of->at_once; i++)
        list[i] = (struct pollfd){.fd = of->workers[i].process > 0 ? of->workers[i].pipe : -1,
                                  .events = POLLIN};
    const int ready = poll(list, of->at_once, LOOK_MS);
    for (uint32_t i = 0; ready > 0 && i < of->at_once; i++)
        if (list[i].revents != 0 && !take(&of->workers[i]))
            end(of, &of->workers[i]);
    enforce(of);
}

static uint32_t cores(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

static smp_status judge_them(office *of, smp_error *error) {
    smp_status status = SMP_OK;
    while (of->told < of->job->count && status == SMP_OK) {
        status = fill(of, error);
        wait_for(of);
        tell(of);
    }
    for (uint32_t i = 0; i < of->at_once; i++)
        if (of->workers[i].process > 0) {
            kill_worker(of, &of->workers[i], JUDGED_CRASHED);
            end(of, &of->workers[i]);
        }
    for (size_t i = of->told; i < of->job->count; i++)
        free(of->answers[i].text);
    return status;
}

static smp_status run_reference(const judge_job *job, judged *out, smp_error *error) {
    smp_status status = SMP_OK;
    judged_run(job, job->reference, NULL, true, out);
    if (out->verdict != JUDGED_OK)
        return smp_error_set(error, SMP_E_READ, -1, "the reference %.160s: %s: %.300s",
                             job->reference->path, judged_verdict_name(out->verdict), out->why);
    for (uint32_t i = 0; i < out->count && status == SMP_OK; i++)
        status = judged_describe(out, &out->kernels[i], error);
    return status;
}

smp_status judge_all(const judge_job *job, smp_error *error) {
    office *of = calloc(1, sizeof *of);
    answer *answers = calloc(job->count + 1, sizeof *answers);
    judged reference = {.count = 0};
    char folder[SCRATCH_PATH_BYTES] = "";
    smp_status status =
        of && answers ? scratch_folder_make(folder, error) : smp_error_memory(error);
    if (status == SMP_OK && setenv("TMPDIR", folder, 1) != 0)
        status = smp_error_memory(error);
    if (status == SMP_OK && job->reference)
        status = run_reference(job, &reference, error);
    if (status == SMP_OK) {
        const uint32_t asked = job->at_once > 0 ? job->at_once : cores();
        *of = (office){.job = job,
                       .reference = job->reference ? &reference : NULL,
                       .at_once = asked < AT_ONCE_MAX ? asked : AT_ONCE_MAX,
                       .answers = answers};
        status = judge_them(of, error);
    }
    scratch_folder_remove(folder);
    judged_clear(&reference);
    free(answers);
    free(of);
    return status;
}
