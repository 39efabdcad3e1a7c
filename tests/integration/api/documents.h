/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that the tests submit. */
#ifndef CULPRIT_TESTS_API_DOCUMENTS_H
#define CULPRIT_TESTS_API_DOCUMENTS_H

#define YAML_TYPE "Content-Type: application/yaml"
#define JSON_TYPE "Content-Type: application/json"

#define RUN_YAML                                  \
    "version: 1\n"                                \
    "name: a-run\n"                               \
    "kind: run\n"                                 \
    "source: {repository: linux, commit: v6.1}\n" \
    "guest: {topology: pair}\n"                   \
    "workloads: [{wakeup: {runtime: 1s}}]\n"      \
    "metric: {name: wakeup.latency.p99}\n"        \
    "trials: 3\n"                                 \
    "notify: {mail: [sched-perf@example.org]}\n"

#define RUN_JSON                                                 \
    "{\"version\":1,\"name\":\"from-json\",\"kind\":\"run\","    \
    "\"source\":{\"repository\":\"linux\",\"commit\":\"v6.1\"}," \
    "\"guest\":{\"topology\":\"pair\"},\"workloads\":[{\"wakeup\":{\"runtime\":\"1s\"}}]}"

#endif
