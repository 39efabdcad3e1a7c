/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/confirmation.h"

#include "report/figures.h"

static void write_subject(struct buffer *out, const struct report *report,
                          enum confirmation_kind kind)
{
    switch (kind) {
    case CONFIRM_SHIFT:
        buffer_printf(out, "at icount shift %d instead of %u: ", report->second_shift,
                      report->shift);
        break;
    case CONFIRM_ALIGNED:
        buffer_puts(out, "with every function aligned to 64 bytes: ");
        break;
    default:
        buffer_puts(out, "bad against bad with the culprit taken back: ");
        break;
    }
}

static void write_check(struct buffer *out, const struct report *report,
                        const struct bisect_check *check)
{
    char medians[2][FIGURE_TEXT_SIZE], p[FIGURE_TEXT_SIZE], unit[FIGURE_TEXT_SIZE];

    buffer_printf(out, "medians %s and %s%s over %u and %u trials, p = %s",
                  figure_number(check->worse_median, medians[0]),
                  figure_number(check->base_median, medians[1]), figures_asked_unit(report, unit),
                  check->worse_count, check->base_count, figure_p(check->p, p));
}

/* What nothing was compared for. */
static void write_why_not(struct buffer *out, const struct report_confirmation *confirmation)
{
    bool reason = confirmation->message && confirmation->message[0];

    switch (confirmation->outcome) {
    case CONFIRMATION_VANISHED:
        buffer_puts(out, "the two kernel images are one");
        break;
    case CONFIRMATION_NO_BUDGET:
        buffer_puts(out, "not compared, because the budget has too few builds or trials left");
        break;
    case CONFIRMATION_NO_TIME:
        buffer_puts(out, "not compared, because the time budget is used up");
        break;
    default:
        buffer_printf(out, "not compared%s%s", reason ? ": " : "",
                      reason ? confirmation->message : "");
        break;
    }
}

void confirmation_write(struct buffer *out, const struct report *report,
                        const struct report_confirmation *confirmation)
{
    write_subject(out, report, confirmation->kind);
    if (confirmation->check.worse_count == 0) {
        write_why_not(out, confirmation);
        return;
    }
    write_check(out, report, &confirmation->check);
    if (confirmation->outcome == CONFIRMATION_VANISHED)
        buffer_puts(out, ", which is less than half of the difference that was verified");
    else if (confirmation->outcome == CONFIRMATION_OPEN)
        buffer_puts(out, ", too few to tell");
}
