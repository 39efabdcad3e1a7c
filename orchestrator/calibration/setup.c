/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "calibration/record.h"

static bool complete_guest(json_t *guest, enum engine engine, unsigned shift, uint64_t memory)
{
    char size[UNITS_TEXT_SIZE];

    if (json_object_set_new(guest, "engine", json_string(engine_name(engine))) < 0 ||
        json_object_set_new(guest, "memory", json_string(format_size(memory, size))) < 0)
        return false;
    /* The other engines have none, whatever the topology says. */
    if (engine != ENGINE_DETERMINISTIC)
        return json_object_del(guest, "shift") < 0 || true;
    return json_object_set_new(guest, "shift", json_integer((json_int_t)shift)) == 0;
}

json_t *calibration_setup(const struct job *job, enum engine engine, unsigned shift,
                          uint64_t memory)
{
    json_t *document = job_json(job);
    json_t *guest = json_object_get(document, "guest");
    json_t *setup = NULL;

    if (guest && complete_guest(guest, engine, shift, memory))
        setup = json_pack("{s:O, s:O}", "guest", guest, "workloads",
                          json_object_get(document, "workloads"));
    json_decref(document);
    return setup;
}

bool calibration_setup_digest(const json_t *setup, char ret[DIGEST_HEX_SIZE])
{
    char *text = json_dumps(setup, JSON_COMPACT | JSON_SORT_KEYS);

    if (!text)
        return false;
    digest_bytes(text, strlen(text), ret);
    free(text);
    return true;
}
