/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Assertions on numbers that say what they saw. Include after cmocka.h. */
#ifndef CULPRIT_TEST_STATS_EXPECT_H
#define CULPRIT_TEST_STATS_EXPECT_H

#include <math.h>

#include "base/error.h"

#define expect_near(what_, got_, want_, tolerance_)                                  \
    do {                                                                             \
        double got_value_ = (got_), want_value_ = (want_);                           \
        if (!(fabs(got_value_ - want_value_) <= (tolerance_)))                       \
            fail_msg("%s: got %.12g, want %.12g", (what_), got_value_, want_value_); \
    } while (0)

#define expect_ok(call_)                                        \
    do {                                                        \
        struct culprit_error error_ = {0};                      \
        struct culprit_error *error = &error_;                  \
        int r_ = (call_);                                       \
        if (r_ < 0)                                             \
            fail_msg("%s: %d: %s", #call_, r_, error->message); \
    } while (0)

/* The call, with `error` as its last argument, must fail so, and say it. */
#define expect_error(call_, code_, word_)                                                         \
    do {                                                                                          \
        struct culprit_error error_ = {0};                                                        \
        struct culprit_error *error = &error_;                                                    \
        int r_ = (call_);                                                                         \
        if (r_ != -(int)(code_) || error_.code != (code_))                                        \
            fail_msg("%s: returned %d (%s), want %s", #call_, r_, culprit_code_name(error->code), \
                     culprit_code_name(code_));                                                   \
        if (!strstr(error_.message, (word_)))                                                     \
            fail_msg("%s: says \"%s\", without \"%s\"", #call_, error_.message, (word_));         \
    } while (0)

#endif
