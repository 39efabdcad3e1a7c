/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One exchange: a request is admitted (admit.h), its body received, its handler called, its
 * reply queued. A request that is refused is still read to its end (up to a limit), so that its
 * client reads the reason and not a broken connection.
 */
#ifndef CULPRIT_API_EXCHANGE_H
#define CULPRIT_API_EXCHANGE_H

#include <microhttpd.h>

#include "api/admit.h"

/* For MHD_start_daemon(), with the struct admission as context. */
enum MHD_Result exchange_handle(void *admission, struct MHD_Connection *connection, const char *url,
                                const char *method, const char *version, const char *data,
                                size_t *size, void **state);

/* For MHD_OPTION_NOTIFY_COMPLETED. */
void exchange_completed(void *admission, struct MHD_Connection *connection, void **state,
                        enum MHD_RequestTerminationCode code);

#endif
