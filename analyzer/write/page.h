/* SPDX-License-Identifier: MIT */
/*
 * A document as one self-contained HTML file: the program that shows it, its style, and its
 * data as JSON. Foreign texts (names of files and kernels, lines of sources) stay texts whatever
 * they contain: no '<' remains in the JSON, and the program creates text nodes only.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "smp_prediction.h"

/* Sets the command line that pages show as the way to reproduce them; by default they show none. */
void smp_page_set_command(int argc, char *const *argv);

/* A page being written: between begin and end, the document's promised JSON goes to `data`. It is
 * NULL if out of memory, which the page reports. */
typedef struct smp_page {
    FILE *data;
    char *text;
    size_t length;
} smp_page;

FILE *smp_page_begin(smp_page *page);
/* Writes the page. `more` holds the page's further data, with "kind" to select what is shown; the
 * function takes it over. */
void smp_page_end(smp_page *page, FILE *out, const char *title, json_t *more);

/* Requests of a page, each stored once however many instructions make it. */
typedef struct smp_page_requests {
    json_t *list;             /* {words, why, map, sectors ...}, by index */
    json_t *known;            /* index by the request's text */
    size_t bytes, bytes_most; /* size of the list as JSON, and its limit */
} smp_page_requests;

void smp_page_requests_make(smp_page_requests *out, size_t bytes_most);
/* Adds a request and returns its index as JSON; null if the model has no figures for it or the list
 * is full. */
json_t *smp_page_requests_add(smp_page_requests *requests, const smp_prediction *report);
/* Returns the list, which the caller then owns, and frees the rest. */
json_t *smp_page_requests_take(smp_page_requests *requests);
