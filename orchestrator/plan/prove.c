/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/prove.h"

#include <string.h>

#include "plan/choose.h"
#include "plan/suspects.h"
#include "plan/verify.h"
#include "plan/whole.h"

int prove_weigh(struct planner *planner, bool with_verification, struct culprit_error *error)
{
    int r;

    posterior_clear(&planner->posterior);
    r = posterior_compute(planner->problem, planner->evidence, with_verification,
                          &planner->posterior, error);
    if (r == 0)
        r = suspects_find(planner, error);
    return r < 0 ? r : suspects_list(planner, error);
}

void prove_say_alternatives(struct planner *planner)
{
    const struct posterior *posterior = &planner->posterior;

    if (posterior->nothing > 0.1)
        planner_say(planner->step, "That nothing differs has probability %.2g.",
                    posterior->nothing);
    if (posterior->two + posterior->more > 0.1) {
        planner->step->more_changes = posterior->two + posterior->more > 0.5;
        planner_say(planner->step,
                    "That no single change explains what was measured has probability %.2g.",
                    posterior->two + posterior->more);
    }
}

static bool some_are_broken(const struct planner *planner)
{
    for (unsigned c = 0; c < planner->problem->count; c++)
        if (planner->suspects[c] && evidence_broken(planner->evidence, c))
            return true;
    return false;
}

static int conclude(struct planner *planner, struct culprit_error *error)
{
    struct bisect_step *step = planner->step;
    enum whole whole;
    int r = whole_explained(planner, &whole, error);

    if (r == 0 && whole == WHOLE_WAITS)
        step->reason[0] = '\0';
    if (r < 0 || whole == WHOLE_WAITS)
        return r;
    step->more_changes = whole == WHOLE_MORE;
    if (step->more_changes)
        planner_say(step, "It does not explain the whole difference between good and bad: there "
                          "is at least one more change.");
    if (planner->suspect_count > 1) {
        planner_say(step, "The fault came in with one of %u commits that cannot be told apart%s.",
                    planner->suspect_count,
                    some_are_broken(planner)
                        ? ", because what lies between them does not build or run"
                        : " by as many trials as one commit may have");
        planner_decide(step, VERDICT_INCONCLUSIVE);
        return 0;
    }
    step->culprit = step->suspects[0];
    planner_decide(step, VERDICT_CULPRIT);
    return 0;
}

/* What was to be proven: one commit, or two changes. */
struct claim {
    unsigned commits[2], count;
};

/* How probable the claim is by what planner->posterior knows. */
static double belief(const struct planner *planner, const struct claim *claim)
{
    const struct posterior *posterior = &planner->posterior;

    if (claim->count == 1)
        return posterior->by_commit[claim->commits[0]];
    return posterior->pair[0] == claim->commits[0] && posterior->pair[1] == claim->commits[1]
               ? posterior->pair_probability
               : 0;
}

/* Fresh trials did not tell the sides apart. By all trials together, is the claim in doubt? Then
 * both sides are measured again for the search, which may have been misled. */
static int reconsider(struct planner *planner, const struct claim *claim,
                      struct culprit_error *error)
{
    struct bisect_step wanted = {0}, *step = planner->step;
    bool goes_on;
    int r;

    planner->step = &wanted;
    r = verify_doubt(planner, &goes_on, error);
    planner->step = step;
    if (r == 0)
        r = prove_weigh(planner, true, error);
    if (r < 0)
        return r;
    if (goes_on && claim->count > 0 && belief(planner, claim) < planner->problem->confidence) {
        memcpy(step->wants, wanted.wants, sizeof step->wants);
        step->want_count = wanted.want_count;
        step->check_count = 0;
        step->reason[0] = '\0';
        choose_estimate(planner, suspects_entropy(planner), planner->posterior.deviations);
        return 0;
    }
    prove_say_alternatives(planner);
    planner_decide(step, VERDICT_INCONCLUSIVE);
    return 0;
}

/* Verifies the suspects. *ret_proven: they stood; else there is more to do, or a verdict. */
static int prove(struct planner *planner, const struct claim *claim, bool *ret_proven,
                 struct culprit_error *error)
{
    enum verification verification;
    int r = verify_suspects(planner, &verification, error);

    *ret_proven = r == 0 && verification == VERIFY_CONFIRMED;
    if (r < 0 || verification == VERIFY_WAITS || *ret_proven)
        return r;
    if (verification == VERIFY_REJECTED)
        return reconsider(planner, claim, error);
    planner_decide(planner->step, VERDICT_INCONCLUSIVE);
    return 0;
}

int prove_suspects(struct planner *planner, struct culprit_error *error)
{
    struct claim claim = {.count = planner->suspect_count == 1};
    bool proven;
    int r;

    claim.commits[0] = planner->step->suspects[0];
    verify_estimate(planner);
    r = prove(planner, &claim, &proven, error);
    return r < 0 || !proven ? r : conclude(planner, error);
}

/* Below this a commit is not worth the last trials. */
static const double likely = 0.5;

int prove_at_last(struct planner *planner, bool *ret_proven, struct culprit_error *error)
{
    const struct posterior *posterior = &planner->posterior;
    enum verification verification;
    unsigned best = 0;
    int r;

    *ret_proven = false;
    for (unsigned c = 0; c < planner->problem->count; c++)
        if (posterior->by_commit[c] > posterior->by_commit[best])
            best = c;
    if (posterior->by_commit[best] < likely)
        return 0;
    suspects_set(planner, &best, 1, posterior->by_commit[best]);
    r = verify_suspects(planner, &verification, error);
    if (r == 0 && verification != VERIFY_WAITS)
        r = prove_weigh(planner, true, error);
    if (r < 0 || verification != VERIFY_CONFIRMED ||
        posterior->by_commit[best] < planner->problem->confidence)
        return r;
    *ret_proven = true;
    return conclude(planner, error);
}

int prove_two(struct planner *planner, struct culprit_error *error)
{
    struct posterior *posterior = &planner->posterior;
    struct claim claim = {{posterior->pair[0], posterior->pair[1]}, 2};
    double probability = posterior->pair_probability;
    bool proven = true;
    int r = 0;

    planner->step->more_changes = true;
    verify_estimate(planner);
    for (int i = 0; i < 2 && r == 0 && proven; i++) {
        suspects_set(planner, &claim.commits[i], 1, probability);
        r = prove(planner, &claim, &proven, error);
    }
    if (r < 0 || (!proven && planner->step->verdict != VERDICT_NONE))
        return r;
    suspects_set(planner, claim.commits, 2, probability);
    if (proven) {
        planner_say(planner->step,
                    "Two changes, #%u and #%u, explain what was measured; no single one does.",
                    claim.commits[0], claim.commits[1]);
        planner_decide(planner->step, VERDICT_INCONCLUSIVE);
    }
    return suspects_list(planner, error);
}
