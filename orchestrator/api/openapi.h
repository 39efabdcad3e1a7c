/* SPDX-License-Identifier: GPL-2.0-or-later */
/* docs/openapi.yaml, compiled in. */
#ifndef CULPRIT_API_OPENAPI_H
#define CULPRIT_API_OPENAPI_H

#include <stddef.h>

extern const unsigned char api_openapi[];
extern const size_t api_openapi_size;

#endif
