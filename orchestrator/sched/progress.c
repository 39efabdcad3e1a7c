/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched/progress.h"

#include <math.h>

#include "sched/costs.h"

/* `expected` pieces of work in rounds of as many as run side by side, less what those in flight
 * have behind them. */
static double phase_time(double expected, uint64_t each, unsigned side_by_side, unsigned running,
                         uint64_t running_ns)
{
    double total = ceil(expected / side_by_side) * (double)each;
    double done = running ? fmin((double)running_ns / running, (double)each) : 0;

    return fmax(total - done, 0);
}

uint64_t progress_time_left(const struct dossier *dossier, const struct decision *decision,
                            const struct progress_flight *flight)
{
    const struct bisect_step *step = &decision->step;
    uint64_t build = costs_build_ns(dossier), trial = costs_trial_ns(dossier);
    unsigned abreast = flight->guest_slots < dossier->job->trials ? flight->guest_slots
                                                                  : dossier->job->trials;

    if ((step->expected_builds > 0 && !build) || (step->expected_trials > 0 && !trial))
        return 0;
    /* A bisection builds a commit, then tries it, then chooses the next: one after the other. */
    double left = phase_time(step->expected_builds, build, flight->build_slots, flight->builds,
                             flight->build_ns) +
                  phase_time(step->expected_trials, trial, abreast, flight->trials,
                             flight->trial_ns);
    return left < 1e9 ? 1000000000 : (uint64_t)left;
}

static const char *phase(const struct dossier *dossier, const struct decision *decision)
{
    switch (dossier->record.state) {
    case JOB_QUEUED:
        return "queued";
    case JOB_PREPARING:
        return "resolving";
    case JOB_RUNNING:
        break;
    default:
        return "finished";
    }
    if (!decision || decision->kind != DECISION_WORK)
        return "reporting";
    if (dossier->job->kind == JOB_RUN)
        return "measuring";
    for (size_t i = 0; i < decision->step.want_count; i++) {
        const struct bisect_want *want = &decision->step.wants[i];
        if (want->kind == WANT_BUILD ? want->variant != VARIANT_PLAIN
                                     : trial_purpose_confirms(want->purpose))
            return "confirming";
        if (want->kind == WANT_TRIAL && want->purpose == PURPOSE_VERIFY)
            return "verifying";
    }
    return isnan(decision->step.threshold) ? "checking" : "searching";
}

static json_t *count_builds(const struct dossier *dossier, const struct progress_flight *flight)
{
    int fresh = 0, reused = 0, failed = 0;

    for (size_t i = 0; i < dossier->builds.count; i++) {
        const struct stored_build *build = &dossier->builds.items[i];
        if (build->outcome != OUTCOME_OK)
            failed++;
        else if (build->fresh)
            fresh++;
        else
            reused++;
    }
    return json_pack("{s:i, s:i, s:i, s:i}", "fresh", fresh, "reused", reused, "failed", failed,
                     "running", (int)flight->builds);
}

static json_t *count_trials(const struct dossier *dossier, const struct progress_flight *flight)
{
    bool events = dossier->job->criterion.kind != CRITERION_METRIC;
    int done = 0, failed = 0, bad = 0;

    for (size_t i = 0; i < dossier->trials.count; i++) {
        if (dossier->outcomes[i].outcome == OUTCOME_OK)
            done++;
        else
            failed++;
        bad += dossier->trials.items[i].observed && dossier->trials.items[i].failed;
    }
    return json_pack("{s:i, s:i, s:i, s:o}", "done", done, "failed", failed, "running",
                     (int)flight->trials, "bad", events ? json_integer(bad) : json_null());
}

static json_t *expected(const struct dossier *dossier, const struct decision *decision)
{
    if (!decision || decision->kind != DECISION_WORK || job_state_final(dossier->record.state))
        return json_null();
    return json_pack("{s:f, s:f}", "builds", decision->step.expected_builds, "trials",
                     decision->step.expected_trials);
}

static json_t *seconds_left(const struct dossier *dossier, const struct decision *decision,
                            const struct progress_flight *flight)
{
    if (!decision || decision->kind != DECISION_WORK || job_state_final(dossier->record.state))
        return json_null();
    uint64_t left = progress_time_left(dossier, decision, flight);
    return left ? json_integer((json_int_t)(left / 1000000000)) : json_null();
}

json_t *progress_json(const struct dossier *dossier, const struct decision *decision,
                      const struct progress_flight *flight)
{
    size_t suspects = decision ? decision->step.suspect_count : 0;

    return json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "phase", phase(dossier, decision),
                     "commits", (json_int_t)dossier->commits.count, "suspects",
                     (json_int_t)suspects, "builds", count_builds(dossier, flight), "trials",
                     count_trials(dossier, flight), "expected", expected(dossier, decision),
                     "seconds_left", seconds_left(dossier, decision, flight));
}
