/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/libvirt/failure.h"

#include <libvirt/virterror.h>
#include <stdio.h>
#include <string.h>

static enum culprit_code code_of(const virError *cause)
{
    switch (cause ? cause->code : VIR_ERR_OK) {
    case VIR_ERR_NO_MEMORY:
        return CULPRIT_NO_MEMORY;
    case VIR_ERR_NO_CONNECT:
    case VIR_ERR_SYSTEM_ERROR:
    case VIR_ERR_RPC:
    case VIR_ERR_LIBSSH:
        return CULPRIT_UNAVAILABLE;
    case VIR_ERR_NO_SUPPORT:
    case VIR_ERR_CONFIG_UNSUPPORTED:
        return CULPRIT_UNSUPPORTED;
    case VIR_ERR_AUTH_FAILED:
    case VIR_ERR_AUTH_UNAVAILABLE:
    case VIR_ERR_AUTH_CANCELLED:
    case VIR_ERR_ACCESS_DENIED:
    case VIR_ERR_OPERATION_DENIED:
        return CULPRIT_DENIED;
    default:
        return CULPRIT_FAILED;
    }
}

int fail_libvirt(struct culprit_error *error, const char *format, ...)
{
    const virError *cause = virGetLastError();
    char what[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return culprit_fail(error, code_of(cause), "%s: %s", what,
                        cause && cause->message ? cause->message : "libvirt does not say why");
}

/* What to start when a connection cannot be had. */
static const char *advice_for(const char *uri)
{
    if (strstr(uri, "///system"))
        return "; start it with \"systemctl start libvirtd\", or leave the URI out: the embedded "
               "driver needs no libvirtd";
    if (strstr(uri, "///session"))
        return "; start it as this user with \"libvirtd --daemon\", or leave the URI out: the "
               "embedded driver needs no libvirtd";
    if (strstr(uri, "///embed"))
        return "";
    return "; see that the host is up, that libvirtd runs there and that this user may log in";
}

int fail_connect(struct culprit_error *error, const char *uri)
{
    struct culprit_error cause = {0};
    int status = fail_libvirt(&cause, "cannot connect to libvirt at %s", uri);
    const char *advice = status == -CULPRIT_UNAVAILABLE ? advice_for(uri) : "";

    return culprit_fail(error, cause.code, "%s%s", cause.message, advice);
}
