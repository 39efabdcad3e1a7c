/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest/libvirt/failure.h"

#include <libvirt/virterror.h>
#include <stdbool.h>
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

/* What to start when nobody answers. */
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

/* As root the embedded driver looks up the user and the group that libvirt was built to run guests
 * as before it reads its configuration, which names others. Gives the one that it did not find. */
static bool lacks_account(const char *message, char name[33])
{
    return sscanf(message, "%*[^:]: Failed to parse user '%32[^']'", name) == 1 ||
           sscanf(message, "%*[^:]: Failed to parse group '%32[^']'", name) == 1;
}

static int fail_account(struct culprit_error *error, const char *uri, const char *message,
                        const char *name)
{
    return culprit_fail(error, CULPRIT_UNSUPPORTED,
                        "cannot connect to libvirt at %s: %s; for root, libvirt wants the system "
                        "user and group %s to exist, although guests run as root here: install "
                        "libvirt-daemon-system, or run \"groupadd --system --force %s\" and "
                        "\"useradd --system --gid %s --no-create-home --shell /usr/sbin/nologin "
                        "%s\"",
                        uri, message, name, name, name, name);
}

int fail_connect(struct culprit_error *error, const char *uri)
{
    struct culprit_error cause = {0};
    const char *message = virGetLastErrorMessage();
    char name[33];

    if (lacks_account(message, name))
        return fail_account(error, uri, message, name);
    int status = fail_libvirt(&cause, "cannot connect to libvirt at %s", uri);
    const char *advice = status == -CULPRIT_UNAVAILABLE ? advice_for(uri) : "";
    return culprit_fail(error, cause.code, "%s%s", cause.message, advice);
}
