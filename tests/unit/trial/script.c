/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/digest.h"

void script_add(struct script *script, const char *members, ...)
{
    _cleanup_buffer_ struct buffer line = BUFFER_INIT(64 * 1024);
    va_list arguments;
    uint32_t crc;

    buffer_printf(&line, "{\"n\":%u,", script->count++);
    va_start(arguments, members);
    buffer_vprintf(&line, members, arguments);
    va_end(arguments);
    crc = crc32c(0, line.data, line.length);
    buffer_printf(&line, ",\"crc\":\"%08x\"}", crc);
    if (strstr(line.data, "\"t\":\"sample\"") || strstr(line.data, "\"t\":\"counter\"") ||
        strstr(line.data, "\"t\":\"histogram\""))
        script->measured = crc32c(script->measured, line.data, line.length);
    buffer_append(&script->bytes, line.data, line.length);
    buffer_puts(&script->bytes, "\n");
}

void script_end(struct script *script)
{
    script_add(script, "\"t\":\"end\",\"records\":%u,\"digest\":\"%08x\"", script->count,
               script->measured);
}

static void describe_cpus(struct script *script)
{
    for (int cpu = 0; cpu < 2; cpu++)
        script_add(script,
                   "\"t\":\"cpu\",\"cpu\":%d,\"package\":0,\"die\":0,\"core\":%d,"
                   "\"siblings\":\"%d\",\"node\":0",
                   cpu, cpu, cpu);
}

static void describe_cache(struct script *script, int level, const char *type, const char *shared)
{
    script_add(script,
               "\"t\":\"cache\",\"level\":%d,\"type\":\"%s\",\"size\":32768,\"shared\":\"%s\"",
               level, type, shared);
}

void script_describe(struct script *script, const struct script_guest *guest)
{
    uint64_t memory = guest->memory ? guest->memory : UINT64_C(500) << 20;

    script_add(script,
               "\"t\":\"hello\",\"protocol\":1,\"agent\":\"0.1.0\",\"seed\":%llu,"
               "\"release\":\"6.1.0\",\"version\":\"#1 SMP\",\"build_id\":\"%s\","
               "\"cmdline\":\"%s\",\"cpus\":2,\"memory\":%llu,\"clocksource\":\"tsc\"",
               (unsigned long long)guest->seed, guest->build_id ? guest->build_id : "",
               guest->cmdline, (unsigned long long)memory);
    describe_cpus(script);
    for (int cpu = 0; cpu < 2; cpu++) {
        const char *list = cpu ? "1" : "0";
        describe_cache(script, 1, "Data", list);
        describe_cache(script, 1, "Instruction", list);
        describe_cache(script, 2, "Unified", list);
    }
    describe_cache(script, 3, "Unified", guest->l3 ? guest->l3 : "0-1");
    script_add(script, "\"t\":\"node\",\"node\":0,\"cpus\":\"0-1\",\"memory\":536870912");
    script_add(script, "\"t\":\"domain\",\"level\":0,\"name\":\"MC\",\"span\":\"0-1\"");
    script_add(script, "\"t\":\"ready\"");
}

void script_wakeup(struct script *script, double p50, double p99)
{
    script_add(script, "\"t\":\"start\",\"workload\":\"wakeup\",\"index\":0");
    script_add(script,
               "\"t\":\"sample\",\"index\":0,\"name\":\"wakeup.latency.p50\",\"value\":%.17g,"
               "\"unit\":\"us\",\"better\":\"lower\"",
               p50);
    script_add(script,
               "\"t\":\"sample\",\"index\":0,\"name\":\"wakeup.latency.p99\",\"value\":%.17g,"
               "\"unit\":\"us\",\"better\":\"lower\"",
               p99);
    script_add(script, "\"t\":\"counter\",\"index\":0,\"name\":\"stat.ctxt\",\"value\":1234");
    script_add(script, "\"t\":\"finish\",\"workload\":\"wakeup\",\"index\":0");
}

void script_clear(struct script *script)
{
    buffer_free(&script->bytes);
}

struct topology *script_pair(void)
{
    struct topology *topology = NULL;
    struct culprit_error error = {0};

    if (topology_load(CULPRIT_SOURCE_DIR "/images/topologies/pair.yaml", &topology, &error) < 0)
        fail_msg("%s", error.message);
    return topology;
}

void script_request(struct workload_request *request)
{
    struct culprit_error error = {0};

    if (workload_request_init("wakeup", request, &error) < 0)
        fail_msg("%s", error.message);
}
