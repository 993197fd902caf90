/* SPDX-License-Identifier: MIT */
/*
 * The output formats: their names and file endings. What each document looks like in each format is
 * in write/format.c.
 */
#pragma once

#include <stddef.h>

/* One row per format: its name, and the file ending that stands for it, or NULL. */
#define SMP_FORMAT_LIST(X)        \
    X(TEXT, "text", "txt")        \
    X(JSON, "json", "json")       \
    X(CSV, "csv", "csv")          \
    X(MD, "md", "md")             \
    X(HTML, "html", "html")       \
    X(JSONL, "jsonl", "jsonl")    \
    X(GITHUB, "github", NULL)     \
    X(JUNIT, "junit", "xml")      \
    X(SARIF, "sarif", "sarif")    \
    X(GITLAB, "gitlab", NULL)     \
    X(GCC, "gcc", NULL)           \
    X(SMPROF, "smprof", "smprof") \
    X(TRACE, "trace", "smptrace") \
    X(PNG, "png", "png")          \
    X(SVG, "svg", "svg")          \
    X(PDF, "pdf", "pdf")          \
    X(SMP, "smp", "smp")          \
    X(CUDA, "cuda", "cu")         \
    X(CUTE, "cute", "hpp")        \
    X(PATCH, "patch", "patch")

typedef enum smp_format {
#define SMP_FORMAT_ENUM(id, name, ending) SMP_FORMAT_##id,
    SMP_FORMAT_LIST(SMP_FORMAT_ENUM)
#undef SMP_FORMAT_ENUM
        SMP_FORMAT_COUNT
} smp_format;

const char *smp_format_name(smp_format format);

/* The format called `name`, or with the file ending `ending`, if it is one of `known`, which are
 * names separated by blanks; else SMP_FORMAT_COUNT. */
smp_format smp_format_find(const char *known, const char *name);
smp_format smp_format_of_ending(const char *known, const char *ending);
/* The first of `known`. */
smp_format smp_format_default(const char *known);

/* Writes "text, json and csv", where `last` is " and ". Returns `text`. */
enum { SMP_FORMATS_TEXT_MAX = 96 };
const char *smp_formats_text(const char *known, const char *last, char text[SMP_FORMATS_TEXT_MAX]);
