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

/* Copies text with everything but printable ASCII written as \xNN. */
void record_escape(const char *text, char *escaped, size_t size);

#endif
