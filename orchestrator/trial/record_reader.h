/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside records_read(): one record, and what each kind of it adds to the report. */
#ifndef CULPRIT_TRIAL_RECORD_READER_H
#define CULPRIT_TRIAL_RECORD_READER_H

#include "trial/records.h"

struct record_reader {
    struct guest_report *report;
    const char *line; /* of the record being read, without its newline; not terminated */
    size_t line_length;
    size_t metric_capacity;
    uint32_t measured; /* CRC-32C over the sample, counter and histogram lines so far */
    bool running;      /* between a start and its finish */
    bool no_memory;
};

/* Adds one parsed record. False with report->fault (without the place) when it is not allowed. */
bool record_take(struct record_reader *reader, const char *type, const json_t *record);

/* Fills report->fault; always false, so that callers can return it. */
bool record_refuse(struct record_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Each reads one member. False with a fault when it is missing, of another type or out of bounds.
 */

/* A string of at most size - 1 bytes, copied. */
bool record_get_text(struct record_reader *reader, const json_t *record, const char *key,
                     char *text, size_t size);
/* Text that will be shown: what is not printable is escaped, and cut where that takes it past the
 * size. */
bool record_get_shown(struct record_reader *reader, const json_t *record, const char *key,
                      char *text, size_t size);
bool record_get_count(struct record_reader *reader, const json_t *record, const char *key,
                      uint64_t maximum, uint64_t *ret);
bool record_get_unsigned(struct record_reader *reader, const json_t *record, const char *key,
                         unsigned maximum, unsigned *ret);
bool record_get_cpu_list(struct record_reader *reader, const json_t *record, const char *key,
                         char list[CPU_LIST_SIZE]);
/* "name": lower case, and upper case too in a counter's. */
bool record_get_name(struct record_reader *reader, const json_t *record, bool upper, char name[97]);
/* "value": a finite number. */
bool record_get_value(struct record_reader *reader, const json_t *record, double *ret);

/* Copies text with everything but printable ASCII written as \xNN. */
void record_escape(const char *text, char *escaped, size_t size);

#endif
