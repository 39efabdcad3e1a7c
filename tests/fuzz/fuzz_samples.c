/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes are a sample file: trials with finite values, or an error that says where. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/samples_file.h"

static void check(const struct samples_set *set)
{
    if (set->count == 0 || set->count > SAMPLES_TRIALS_MAXIMUM || set->read < set->count)
        abort();
    for (size_t i = 0; i < set->count; i++)
        if (!isfinite(set->values[i]))
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int form = 0; form < 2; form++) {
        CULPRIT_CLEANUP(samples_builder_free) struct samples_builder *builder = NULL;
        CULPRIT_CLEANUP(samples_set_free) struct samples_set set = {0};
        struct culprit_error error = {0};
        _cleanup_free_ char *text = calloc(size + 1, 1);
        int r = samples_builder_new(&builder, &error);

        if (!text || r < 0)
            return 0;
        memcpy(text, data, size);
        r = form ? samples_json_read("input", text, size, builder, &error)
                 : samples_text_read("input", text, size, builder, &error);
        if (r == 0)
            r = samples_builder_finish(builder, form ? SAMPLES_MEAN : SAMPLES_MEDIAN, &set, &error);
        if (r == 0)
            check(&set);
        else if (!error.message[0])
            abort();
    }
    return 0;
}
