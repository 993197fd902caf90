/* SPDX-License-Identifier: MIT */
/*
 * page.h: a document as one HTML file that needs nothing else: the program that shows it, its
 * style, and its data as JSON. What is written of others' texts (names of files and kernels, lines
 * of sources) is text, whatever it holds: in JSON no '<' is left, and the program that shows it
 * makes nodes of text only.
 */
#ifndef SMP_PAGE_H
#define SMP_PAGE_H

#include <jansson.h>
#include <stdio.h>

#include "smp_prediction.h"

/* A whole page. `data` is the document's JSON as it is promised, NUL-terminated; NULL: there was no
 * memory for it, which the page says. `more` is what the page shows besides, with "kind" for the
 * program to know what it shows; it is taken over. */
void smp_page_put(FILE *out, const char *title, const char *data, json_t *more);

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

#endif
