/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe/counters.h"

#include <errno.h>
#include <string.h>

#include "core/text.h"

enum { FILE_MAXIMUM = 4 * 1024 * 1024 };

struct counter_source {
    const char *path;
    const char *key; /* first word of the line; the second is the value */
    const char *name;
};

#define STAT(key)                      \
    {                                  \
        "/proc/stat", key, "stat." key \
    }
#define VMSTAT(key)                        \
    {                                      \
        "/proc/vmstat", key, "vmstat." key \
    }

/* Ordered by file. Only what counts up from boot: no gauges such as nr_free_pages. */
static const struct counter_source sources[] = {
    STAT("intr"), /* the total stands first */
    STAT("ctxt"),
    STAT("processes"),
    STAT("softirq"),
    VMSTAT("pgfault"),
    VMSTAT("pgmajfault"),
    VMSTAT("pgfree"),
    VMSTAT("pswpin"),
    VMSTAT("pswpout"),
    VMSTAT("pgmigrate_success"),
    VMSTAT("pgmigrate_fail"),
    VMSTAT("numa_pte_updates"),
    VMSTAT("numa_hint_faults"),
    VMSTAT("numa_hint_faults_local"),
    VMSTAT("numa_pages_migrated"),
    VMSTAT("compact_stall"),
    VMSTAT("thp_fault_alloc"),
    VMSTAT("thp_split_page"),
    VMSTAT("oom_kill"),
};

enum { SOURCES = sizeof(sources) / sizeof(sources[0]) };
_Static_assert(SOURCES <= (int)COUNTERS_MAXIMUM, "struct counters holds each source");

/* Takes in the sources from `first` on that read `path`; gives the first that does not. */
static size_t read_file(const char *path, size_t first, struct counters *counters)
{
    size_t last = first;
    _cleanup_text_ char *text = NULL;

    while (last < SOURCES && strcmp(sources[last].path, path) == 0)
        last++;
    if (text_read(path, FILE_MAXIMUM, &text, NULL) < 0)
        return last;
    char *cursor = text;
    for (char *line = text_next_line(&cursor); line; line = text_next_line(&cursor)) {
        const char *key = text_next_word(&line), *value = key ? text_next_word(&line) : NULL;
        for (size_t i = first; value && i < last; i++)
            if (strcmp(key, sources[i].key) == 0)
                counters->present[i] = text_unsigned(value, &counters->values[i]);
    }
    return last;
}

static int read_schedstat(struct counters *counters, char *message, size_t message_size)
{
    _cleanup_text_ char *text = NULL;

    int result = text_read("/proc/schedstat", SCHEDSTAT_MAXIMUM, &text, NULL);
    if (result == -ENOENT)
        return 0; /* built without CONFIG_SCHEDSTATS */
    if (result < 0) {
        text_print(message, message_size, "cannot read /proc/schedstat: %s", strerror(-result));
        return result;
    }
    counters->has_schedstat = schedstat_parse(text, &counters->schedstat, NULL, NULL, message,
                                              message_size);
    return counters->has_schedstat ? 0 : -EINVAL;
}

int counters_read(struct counters *ret, char *message, size_t message_size)
{
    memset(ret, 0, sizeof(*ret));
    for (size_t i = 0; i < SOURCES;)
        i = read_file(sources[i].path, i, ret);
    return read_schedstat(ret, message, message_size);
}

struct destination {
    struct record_writer *writer;
    uint64_t index;
};

static void emit(const char *name, uint64_t value, void *userdata)
{
    const struct destination *destination = userdata;

    record_begin(destination->writer, "counter");
    record_unsigned(destination->writer, "index", destination->index);
    record_text(destination->writer, "name", name, SCHEDSTAT_NAME_SIZE);
    record_unsigned(destination->writer, "value", value);
    record_finish(destination->writer);
}

void counters_report(struct record_writer *writer, uint64_t index, const struct counters *before,
                     const struct counters *after)
{
    struct destination destination = {writer, index};

    if (before->has_schedstat && after->has_schedstat)
        schedstat_difference(&before->schedstat, &after->schedstat, emit, &destination);
    for (size_t i = 0; i < SOURCES; i++)
        if (before->present[i] && after->present[i])
            emit(sources[i].name, after->values[i] - before->values[i], &destination);
}
