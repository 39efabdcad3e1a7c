/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel sources + configuration -> bzImage, in a slot: a source tree and a build directory that
 * are kept and reused, so that the next commit compiles only what changed. One build at a time per
 * slot (a lock file holds it, across processes). make runs under bubblewrap: no network, nothing
 * writable but the slot, limits on time and output. Blocking: for workers.
 *
 * The image is reproducible (fixed time stamp, user, host, build number, paths), so that equal
 * digests mean equal kernels.
 */
#ifndef CULPRIT_BUILD_BUILDER_H
#define CULPRIT_BUILD_BUILDER_H

#include <stdint.h>

#include "base/cancel.h"
#include "base/digest.h"
#include "base/outcome.h"
#include "base/strv.h"
#include "source/repository.h"

struct build_option {
    const char *name;  /* without CONFIG_ */
    const char *value; /* "y", "n", "250", "\"text\"" */
};

struct build_recipe {
    const char *commit_id;
    const char *reverts_id;       /* a commit that is taken back (source/repository.h); or NULL */
    const struct strv *patches;   /* may be NULL */
    const struct strv *fragments; /* paths of config fragments, in order */
    const struct build_option *options; /* over the fragments */
    size_t option_count;
    const char *config_file; /* the user's whole .config as text, instead of tinyconfig; or NULL */
};

struct builder_options {
    const char *cache_directory; /* slots live in it: slots/N/{source,build} */
    unsigned slots;              /* 0: one; at most 64 */
    unsigned jobs;               /* make -j; 0: as many as there are CPUs */
    uint64_t timeout_ns;         /* per build; 0: one hour */
    uint64_t log_maximum;        /* bytes; 0: 64 MiB */
    const char *compiler;        /* CC, one word; NULL: "gcc" */
    int nice;
};

struct build_result {
    enum outcome outcome; /* OK, BUILD_FAILED, TIMED_OUT, INFRA_FAILED, CANCELLED */
    char message[1024];   /* "cannot build 1f2e3d4c5b6a: kernel/sched/fair.c:812: error: …" */
    char image_digest[DIGEST_HEX_SIZE];
    char build_id[65];  /* GNU build id of vmlinux, hex */
    char release[128];  /* kernelrelease */
    char compiler[128]; /* first line of CC --version */
    char config_digest[DIGEST_HEX_SIZE];
    uint64_t wall_ns;
    bool fresh;  /* false: the slot already held exactly this build */
    bool inputs; /* inputs_path was written */
};

/* Does not change once made: several threads may build at a time, each with a repository object of
 * its own. */
struct builder;

/* Creates the cache directory. UNSUPPORTED when bubblewrap, the compiler or the linker is missing,
 * with what to install. */
int builder_new(const struct builder_options *options, struct builder **ret,
                struct culprit_error *error);
void builder_free(struct builder *builder);
DEFINE_CLEANUP(struct builder *, builder_free);

/* Names the recipe together with compiler and linker: equal recipes give equal images. */
int builder_recipe_digest(struct builder *builder, const struct build_recipe *recipe,
                          char ret_hex[DIGEST_HEX_SIZE], struct culprit_error *error);

/* Builds in whichever slot is free and nearest, and waits while none is; the image is copied to
 * image_path, the log (make's whole output) to log_path, the final .config to config_path, and the
 * list of what the build read (relevance/inputs.h) to inputs_path, which may be NULL; a build whose
 * list cannot be made is as good a build. 0 with a result whatever its outcome; an error only when
 * the recipe itself cannot be read (a fragment is missing, an option has no valid name) or there is
 * no memory.
 *
 * BUILD_FAILED is a fact about the commit, its patches and options: it does not compile, a patch
 * does not apply, a change does not revert, an option did not take, it wrote without end.
 * INFRA_FAILED is one about this host: disk, memory, a missing tool, the sandbox. */
int builder_build(struct builder *builder, struct repository *repository,
                  const struct build_recipe *recipe, const char *image_path, const char *log_path,
                  const char *config_path, const char *inputs_path, struct cancel *cancel,
                  struct build_result *ret, struct culprit_error *error);

#endif
