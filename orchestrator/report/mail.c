/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mail of a job: the text report, and the bisect log beside it. */
#include <string.h>

#include "base/digest.h"
#include "report/headline.h"
#include "report/layout.h"
#include "report/mime.h"

enum { BODY_MAXIMUM = 8 * 1024 * 1024, SUBJECT_MAXIMUM = 2048 };

/* "[linux] [sched/fair] 0b0695f2b34a: wakeup.latency.p99 +97.7% regression" */
static void write_subject(struct buffer *out, const struct report *report,
                          const struct figures *figures)
{
    _cleanup_buffer_ struct buffer subject = BUFFER_INIT(SUBJECT_MAXIMUM);
    _cleanup_buffer_ struct buffer topic = BUFFER_INIT(SUBJECT_MAXIMUM);
    enum headline_kind kind = headline_kind(report);
    unsigned commit = kind == HEADLINE_CULPRIT ? report->culprit : 0;

    buffer_printf(&subject, "[%s] ", report->job->source.repository);
    if (kind == HEADLINE_CULPRIT || (kind == HEADLINE_MEASURED && report->commit_count > 0)) {
        headline_topic(&topic, report->commits[commit].subject);
        if (topic.length > 0 && kind == HEADLINE_CULPRIT)
            buffer_printf(&subject, "[%s] ", topic.data);
        buffer_printf(&subject, "%.12s: ", report->commits[commit].id);
    }
    headline_write(&subject, report, figures);
    if (kind == HEADLINE_NO_REGRESSION || kind == HEADLINE_INCONCLUSIVE)
        buffer_printf(&subject, " between %s and %s",
                      report->job->source.good ? report->job->source.good : "good",
                      report->job->source.bad ? report->job->source.bad : "bad");
    mime_header(out, "Subject", subject.data ? subject.data : "");
}

/* A line that stands in no text: its digest depends on the job and on the domain alone, so that a
 * second delivery is the same message to the bit. */
static void make_boundary(const struct report *report, const struct mail_address *address,
                          char ret[48])
{
    struct digest digest;
    char number[24], hex[DIGEST_HEX_SIZE];

    snprintf(number, sizeof number, "%lld", (long long)report->job_id);
    digest_init(&digest);
    digest_field(&digest, "job", number);
    digest_field(&digest, "domain", address->domain);
    digest_finish(&digest, hex);
    snprintf(ret, 48, "=_culprit_%.24s", hex);
}

static int check_domain(const char *domain, struct culprit_error *error)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";

    if (!domain || !*domain || strspn(domain, allowed) != strlen(domain))
        return culprit_fail(error, CULPRIT_INVALID, "\"%.100s\" is no domain for a Message-ID",
                            domain ? domain : "");
    return 0;
}

static int write_head(const struct report *report, const struct mail_address *address,
                      const struct figures *figures, struct buffer *out,
                      struct culprit_error *error)
{
    const char *from = address->from;
    int r = check_domain(address->domain, error);

    if (r == 0 && address->to->count == 0)
        r = culprit_fail(error, CULPRIT_INVALID, "a mail needs a recipient");
    if (r < 0)
        return r;
    mime_date(out, report->finished_ns / 1000000000);
    r = mime_mailboxes(out, "From", &from, 1, error);
    if (r == 0)
        r = mime_mailboxes(out, "To", (const char *const *)address->to->items, address->to->count,
                           error);
    if (r < 0)
        return r;
    write_subject(out, report, figures);
    buffer_printf(out, "Message-ID: <culprit-job-%lld@%s>\r\n", (long long)report->job_id,
                  address->domain);
    buffer_puts(out, "Auto-Submitted: auto-generated\r\n"); /* RFC 3834 */
    buffer_printf(out, "X-Culprit-Job: %lld\r\n", (long long)report->job_id);
    buffer_puts(out, "MIME-Version: 1.0\r\n");
    return 0;
}

static int write_text_part(const struct report *report, struct buffer *out,
                           struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer text = BUFFER_INIT(BODY_MAXIMUM);
    int r = report_text(report, &text, error);

    if (r < 0)
        return r;
    buffer_puts(out, "Content-Type: text/plain; charset=utf-8\r\n");
    mime_text(out, text.data ? text.data : "");
    return 0;
}

static int write_log_part(const struct report *report, struct buffer *out,
                          struct culprit_error *error)
{
    _cleanup_buffer_ struct buffer log = BUFFER_INIT(BODY_MAXIMUM);
    int r = report_bisect_log(report, &log, error);

    if (r < 0)
        return r;
    buffer_puts(out, "Content-Type: text/plain; charset=utf-8\r\n");
    buffer_printf(out, "Content-Disposition: attachment; filename=\"bisect-job-%lld.log\"\r\n",
                  (long long)report->job_id);
    mime_text(out, log.data ? log.data : "");
    return 0;
}

int report_mail(const struct report *report, const struct mail_address *address, struct buffer *ret,
                struct culprit_error *error)
{
    CULPRIT_CLEANUP(figures_clear) struct figures figures = {0};
    char boundary[48];
    int r = figures_compute(report, &figures, error);

    if (r == 0)
        r = write_head(report, address, &figures, ret, error);
    if (r < 0)
        return r;
    if (report->job->kind != JOB_BISECT) {
        r = write_text_part(report, ret, error);
        return r < 0 ? r : buffer_status(ret, "the mail", error);
    }
    make_boundary(report, address, boundary);
    buffer_printf(ret, "Content-Type: multipart/mixed; boundary=\"%s\"\r\n\r\n--%s\r\n", boundary,
                  boundary);
    r = write_text_part(report, ret, error);
    if (r < 0)
        return r;
    buffer_printf(ret, "\r\n--%s\r\n", boundary);
    r = write_log_part(report, ret, error);
    if (r < 0)
        return r;
    buffer_printf(ret, "\r\n--%s--\r\n", boundary);
    return buffer_status(ret, "the mail", error);
}
