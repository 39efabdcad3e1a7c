/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "catalogue.h"

static const char FAIR[] = "kernel/sched/fair.c";
static const char CORE[] = "kernel/sched/core.c";
static const char TOPOLOGY[] = "kernel/sched/topology.c";
static const char RT[] = "kernel/sched/rt.c";
static const char DEADLINE[] = "kernel/sched/deadline.c";
static const char DEBUG[] = "kernel/sched/debug.c";

/* clang-format off: the edits are kernel code, aligned as it is. */
const struct change sched_changes[] = {
    {
        .subject = "sched/fair: Drop a level of parentheses in group_has_capacity()",
        .body = "Multiplication binds tighter than comparison. No functional change.",
        .effect = EFFECT_NEUTRAL,
        .edits =
            {{FAIR, "group_has_capacity",
              "\tif ((sgs->group_capacity * 100) >\n\t\t\t(sgs->group_util * imbalance_pct))\n",
              "\tif (sgs->group_capacity * 100 >\n\t    sgs->group_util * imbalance_pct)\n"}},
    },
    {
        .subject = "sched/fair: Test the utilization of a group in one expression",
        .body = "group_is_overloaded() ends in a test that returns true and a return of false.\n"
                "Return the test itself. No functional change.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{FAIR, "group_is_overloaded",
                   "\tif ((sgs->group_capacity * imbalance_pct) <\n"
                   "\t\t\t(sgs->group_runnable * 100))\n\t\treturn true;\n\n\treturn false;\n",
                   "\treturn (sgs->group_capacity * imbalance_pct) <\n"
                   "\t\t\t(sgs->group_runnable * 100);\n"}},
    },
    {
        .subject = "sched/fair: Call the two sides of wake_wide() waker and wakee",
        .body = "The heuristic compares who wakes with who is woken; say so.\n\n"
                "No functional change.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{FAIR, "wake_wide",
                   "\tunsigned int master = current->wakee_flips;\n"
                   "\tunsigned int slave = p->wakee_flips;\n",
                   "\tunsigned int waker = current->wakee_flips;\n"
                   "\tunsigned int wakee = p->wakee_flips;\n"},
                  {FAIR, "wake_wide",
                   "\tif (master < slave)\n\t\tswap(master, slave);\n"
                   "\tif (slave < factor || master < slave * factor)\n",
                   "\tif (waker < wakee)\n\t\tswap(waker, wakee);\n"
                   "\tif (wakee < factor || waker < wakee * factor)\n"}},
    },
    {
        .subject = "sched/fair: Say what nr_cpumask_bits means in wake_affine_idle()",
        .body = "The callers take it for \"no preference\". Note that at the place where it is\n"
                "returned.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{FAIR, "wake_affine_idle", "\treturn nr_cpumask_bits;\n",
                   "\t/* No preference: leave the choice to the caller. */\n"
                   "\treturn nr_cpumask_bits;\n"}},
    },
    {
        .subject = "sched/fair: Return the condition in imbalanced_active_balance()",
        .body = "Spell the condition as the function's value, like its asymmetric sibling does.\n"
                "No functional change.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{FAIR, "imbalanced_active_balance",
                   "\tif ((env->migration_type == migrate_task) &&\n"
                   "\t    (sd->nr_balance_failed > sd->cache_nice_tries+2))\n\t\treturn 1;\n\n"
                   "\treturn 0;\n",
                   "\treturn env->migration_type == migrate_task &&\n"
                   "\t       sd->nr_balance_failed > sd->cache_nice_tries + 2;\n"}},
    },
    {
        .subject = "sched/fair: Decrement the busy interval instead of subtracting one",
        .body = "Cosmetic; makes the line read like the comment above it.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{FAIR, "get_sd_balance_interval", "\t\tinterval -= 1;\n", "\t\tinterval--;\n"}},
    },
    {
        .subject = "sched/fair: Space out the expression in update_max_interval()",
        .body = "Follow the coding style. No functional change.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{FAIR, "update_max_interval", "HZ*num_online_cpus()/10",
                   "HZ * num_online_cpus() / 10"}},
    },
    {
        .subject = "sched/fair: Use list_for_each_entry_safe() in attach_tasks()",
        .body =
            "All tasks of the list are attached, so walk it with the usual iterator instead of\n"
            "taking off the first entry until there is none.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{FAIR, "attach_tasks", "\tstruct task_struct *p;\n",
                   "\tstruct task_struct *p, *next;\n"},
                  {FAIR, "attach_tasks",
                   "\twhile (!list_empty(tasks)) {\n"
                   "\t\tp = list_first_entry(tasks, struct task_struct, se.group_node);\n"
                   "\t\tlist_del_init(&p->se.group_node);\n\n",
                   "\tlist_for_each_entry_safe(p, next, tasks, se.group_node) {\n"
                   "\t\tlist_del_init(&p->se.group_node);\n"}},
    },
    {
        .subject = "sched/fair: Remove the blank line before else in update_newidle_cost()",
        .body = "Follow the coding style.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{FAIR, "update_newidle_cost",
                   "\t\tsd->last_decay_max_lb_cost = now;\n\n\t} else if",
                   "\t\tsd->last_decay_max_lb_cost = now;\n\t} else if"}},
    },
    {
        .subject = "sched/fair: Narrow the scope of sgc in update_group_capacity()",
        .body =
            "Read the group's capacity through one pointer at the end of the function as well:\n"
            "sdg->sgc was spelled out four times. No functional change.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{FAIR, "update_group_capacity",
                   "\tsdg->sgc->capacity = capacity;\n\tsdg->sgc->min_capacity = min_capacity;\n"
                   "\tsdg->sgc->max_capacity = max_capacity;\n",
                   "\tsdgc->capacity = capacity;\n\tsdgc->min_capacity = min_capacity;\n"
                   "\tsdgc->max_capacity = max_capacity;\n"},
                  {FAIR, "update_group_capacity",
                   "\tstruct sched_group *group, *sdg = sd->groups;\n",
                   "\tstruct sched_group *group, *sdg = sd->groups;\n"
                   "\tstruct sched_group_capacity *sdgc = sdg->sgc;\n"}},
    },
    {
        .subject = "sched/fair: Warn once when the LLC has no busy CPU to take off",
        .body =
            "nr_busy_cpus is decremented when a CPU goes idle with the tick stopped. It must be\n"
            "positive at that time; say so when it is not.",
        .effect = EFFECT_CHANGES,
        .edits = {{FAIR, "set_cpu_sd_state_idle", "\tatomic_dec(&sd->shared->nr_busy_cpus);\n",
                   "\tWARN_ON_ONCE(atomic_dec_return(&sd->shared->nr_busy_cpus) < 0);\n"}},
    },
    {
        .subject = "sched/fair: Declare the scaling variables of update_idle_cpu_scan() apart",
        .body = "x and y are the two sides of the equation, tmp is scratch. No functional change.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{FAIR, "update_idle_cpu_scan", "\tu64 x, y, tmp;\n\t/*\n",
                   "\tu64 x, y;\n\tu64 tmp;\n\n\t/*\n"}},
    },
    {
        .subject = "sched/fair: Shorten a comment in detach_one_task()",
        .body = "There are two places, this one and detach_tasks(). Comment only.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{FAIR, "detach_one_task",
                   "\t\t * Right now, this is only the second place where\n"
                   "\t\t * lb_gained[env->idle] is updated (other is detach_tasks)\n",
                   "\t\t * This is the only place besides detach_tasks() where\n"
                   "\t\t * lb_gained[env->idle] is updated,\n"}},
    },
    {
        .subject = "sched/fair: Let update_next_balance() use time_before()",
        .body = "Ask whether the new time lies before the old one, in that order. No functional\n"
                "change.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{FAIR, "update_next_balance", "\tif (time_after(*next_balance, next))\n",
                   "\tif (time_before(next, *next_balance))\n"}},
    },
    {
        .subject = "sched/fair: Add a debug message to yield_to_task_fair()",
        .body = "Hypervisors ask why a directed yield was not honoured. Leave a trace of it in\n"
                "builds with debugging messages.",
        .effect = EFFECT_CHANGES,
        .edits = {{FAIR, "yield_to_task_fair",
                   "throttled_hierarchy(cfs_rq_of(se)))\n\t\treturn false;\n",
                   "throttled_hierarchy(cfs_rq_of(se))) {\n"
                   "\t\tpr_debug(\"cannot yield to %s/%d\\n\", p->comm, task_pid_nr(p));\n"
                   "\t\treturn false;\n\t}\n"}},
    },
    {
        .subject = "sched/numa: Use the usual form of a NULL check in task_numa_migrate()",
        .body = "No functional change.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{FAIR, "task_numa_migrate", "\tif (env.best_task == NULL) {\n",
                   "\tif (!env.best_task) {\n"}},
    },
    {
        .subject = "sched/numa: Round the scan period up",
        .body = "With a scan size just below the window the period was cut to the next lower\n"
                "millisecond. Round up, so that the rate limit is kept.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{FAIR, "task_scan_min", "\tfloor = 1000 / windows;\n",
                   "\tfloor = DIV_ROUND_UP(1000, windows);\n"}},
    },
    {
        .subject = "sched/core: Use one style of declaration in nr_context_switches()",
        .body = "Longest line first. No functional change.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{CORE, "nr_context_switches", "\tint i;\n\tunsigned long long sum = 0;\n",
                   "\tunsigned long long sum = 0;\n\tint i;\n"}},
    },
    {
        .subject = "sched/core: Say which task a dump of all tasks begins with",
        .body = "Long dumps are cut by the console's ring buffer. Mark their beginning at debug\n"
                "level.",
        .effect = EFFECT_CHANGES,
        .edits =
            {{CORE, "show_state_filter", "\trcu_read_lock();\n",
              "\tpr_debug(\"tasks in state %#x:\\n\", state_filter);\n\n\trcu_read_lock();\n"}},
    },
    {
        .subject = "sched/core: Note why the boot CPU moves before SMP is up",
        .body = "Comment only.",
        .effect = EFFECT_NEUTRAL,
        .edits =
            {{CORE, "sched_init_smp", "\t/* Move init over to a non-isolated CPU */\n",
              "\t/* Move init over to a non-isolated CPU: its children inherit the mask */\n"}},
    },
    {
        .subject = "sched/topology: Fold the width test of sd_degenerate() into one line",
        .body = "A domain of one CPU has nothing to balance, whatever its flags. Say so.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{TOPOLOGY, "sd_degenerate",
                   "\tif (cpumask_weight(sched_domain_span(sd)) == 1)\n\t\treturn 1;\n",
                   "\t/* Nothing to balance in a domain of one CPU */\n"
                   "\tif (cpumask_weight(sched_domain_span(sd)) == 1)\n\t\treturn 1;\n"}},
    },
    {
        .subject = "sched/topology: Return the flag test in sd_parent_degenerate()",
        .body = "No functional change.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{TOPOLOGY, "sd_parent_degenerate",
                   "\tif (~cflags & pflags)\n\t\treturn 0;\n\n\treturn 1;\n",
                   "\treturn !(~cflags & pflags);\n"}},
    },
    {
        .subject = "sched/topology: Report that verbose debugging was asked for",
        .body = "Confirms that the option was read, before the first domain is printed.",
        .effect = EFFECT_CHANGES,
        .edits = {{TOPOLOGY, "sched_debug_setup", "\tsched_debug_verbose = true;\n",
                   "\tsched_debug_verbose = true;\n"
                   "\tpr_info(\"sched: verbose domain debugging\\n\");\n"}},
    },
    {
        .subject = "sched/rt: Initialise cpu and this_cpu in one style in find_lowest_rq()",
        .body = "Drop the alignment by blanks. No functional change.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{RT, "find_lowest_rq", "\tint cpu      = task_cpu(task);\n",
                   "\tint cpu = task_cpu(task);\n"}},
    },
    {
        .subject = "sched/rt: Remove blank lines after braces in find_lowest_rq()",
        .body = "Follow the coding style.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{RT, "find_lowest_rq", "\tif (sched_asym_cpucap_active()) {\n\n",
                   "\tif (sched_asym_cpucap_active()) {\n"},
                  {RT, "find_lowest_rq", "\t} else {\n\n\t\tret = cpupri_find(",
                   "\t} else {\n\t\tret = cpupri_find("}},
    },
    {
        .subject = "sched/deadline: Raise the smallest period that is accepted",
        .body = "A period of 100 us leaves no time for the timer on slow machines. 128 us is what\n"
                "their timers manage.",
        .effect = EFFECT_CHANGES,
        .edits = {{DEADLINE, NULL, "sysctl_sched_dl_period_min = 100;",
                   "sysctl_sched_dl_period_min = 128;"}},
    },
    {
        .subject = "sched/deadline: Start counting where the counter is declared",
        .body = "dl_bw_cpus() sets cpus to 0 right before the loop; the declaration is as good a\n"
                "place. No functional change.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{DEADLINE, "dl_bw_cpus", "\tint cpus;\n", "\tint cpus = 0;\n"},
                  {DEADLINE, "dl_bw_cpus", "\tcpus = 0;\n\n", ""}},
    },
    {
        .subject = "sched/debug: Merge the declarations of sched_feat_set()",
        .body = "No functional change.",
        .effect = EFFECT_NEUTRAL,
        .edits = {{DEBUG, "sched_feat_set", "\tint i;\n\tint neg = 0;\n", "\tint i, neg = 0;\n"}},
    },
};
const size_t sched_change_count = sizeof(sched_changes) / sizeof(sched_changes[0]);

const struct breakage breakages[] = {
    {
        .broken =
            {
                .subject = "sched/fair: Keep the first group at hand in update_newidle_cost()",
                .body = "The next patch needs it twice.",
                .effect = EFFECT_BROKEN,
                .edits = {{FAIR, "update_newidle_cost", "\tunsigned long now = jiffies;\n",
                           "\tconst struct sched_group *sg = sd->group;\n"
                           "\tunsigned long now = jiffies;\n"}},
            },
        .fix =
            {
                .subject = "sched/fair: Fix the build of update_newidle_cost()",
                .body =
                    "The member is called groups, and the local variable is not needed after all.\n"
                    "Drop it.",
                .effect = EFFECT_NEUTRAL,
                .edits = {{FAIR, "update_newidle_cost",
                           "\tconst struct sched_group *sg = sd->group;\n", ""}},
            },
    },
    {
        .broken =
            {
                .subject = "sched/topology: Add a debug message to partition_sched_domains()",
                .body = "Helps to follow what a change of cpusets leads to.",
                .effect = EFFECT_BROKEN,
                .edits = {{TOPOLOGY, "partition_sched_domains",
                           "\tmutex_lock(&sched_domains_mutex);\n",
                           "\tpr_debug(\"partitioning into %d domains\\n\", ndoms);\n"
                           "\tmutex_lock(&sched_domains_mutex);\n"}},
            },
        .fix =
            {
                .subject = "sched/topology: Fix the build of partition_sched_domains()",
                .body = "The number of domains is called ndoms_new here.",
                .effect = EFFECT_NEUTRAL,
                .edits = {{TOPOLOGY, "partition_sched_domains",
                           "\tpr_debug(\"partitioning into %d domains\\n\", ndoms);\n",
                           "\tpr_debug(\"partitioning into %d domains\\n\", ndoms_new);\n"}},
            },
    },
};
const size_t breakage_count = sizeof(breakages) / sizeof(breakages[0]);
/* clang-format on */

const char *effect_name(enum effect effect)
{
    static const char *const names[] = {
        [EFFECT_NONE] = "none",     [EFFECT_NEUTRAL] = "neutral", [EFFECT_CHANGES] = "changes",
        [EFFECT_BROKEN] = "broken", [EFFECT_FAULT] = "fault",
    };

    return names[effect];
}
