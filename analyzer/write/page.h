/* SPDX-License-Identifier: MIT */
/*
 * page.h: a document as one HTML file that needs nothing else: the program that shows it, its
 * style, and its data as JSON. What is written of others' texts (names of files and kernels, lines
 * of sources) is text, whatever it holds: in JSON no '<' is left, and the program that shows it
 * makes nodes of text only.
 */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "smp_prediction.h"

/* The command line that pages name as the one that makes them again; none before this is called. */
void smp_page_command(int argc, char *const *argv);

/* A page in the making: between begin and end the document's JSON, as it is promised, is written to
 * `data`. Without memory that is NULL, which the page says. */
typedef struct smp_page {
    FILE *data;
    char *text;
    size_t length;
} smp_page;

/* Returns page->data. */
FILE *smp_page_begin(smp_page *page);
/* Writes all of it. `more` is what the page shows besides, with "kind" for the program to know what
 * it shows; it is taken over. */
void smp_page_end(smp_page *page, FILE *out, const char *title, json_t *more);

/* Requests that are shown once however many instructions make them. */
typedef struct smp_page_requests {
    json_t *list;             /* {words, why, map, sectors ...}, by index */
    json_t *known;            /* from a request's text to its index */
    size_t bytes, bytes_most; /* of the list, as it is written: as it is, and where to stop */
} smp_page_requests;

void smp_page_requests_make(smp_page_requests *out, size_t bytes_most);
/* The request's index in the list as JSON, or null where the model has no figures, or where the
 * list is full and lacks it. */
json_t *smp_page_requests_add(smp_page_requests *requests, const smp_prediction *report);
/* Gives the list away and frees the rest. */
json_t *smp_page_requests_take(smp_page_requests *requests);
