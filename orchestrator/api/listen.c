/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "api/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"

enum { BACKLOG = 64 };

union socket_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static int read_address(const char *address, uint16_t port, union socket_address *ret,
                        socklen_t *ret_size, struct culprit_error *error)
{
    memset(ret, 0, sizeof *ret);
    if (inet_pton(AF_INET, address, &ret->v4.sin_addr) == 1) {
        ret->v4.sin_family = AF_INET;
        ret->v4.sin_port = htons(port);
        *ret_size = sizeof ret->v4;
        return 0;
    }
    if (inet_pton(AF_INET6, address, &ret->v6.sin6_addr) == 1) {
        ret->v6.sin6_family = AF_INET6;
        ret->v6.sin6_port = htons(port);
        *ret_size = sizeof ret->v6;
        return 0;
    }
    return culprit_fail(error, CULPRIT_INVALID,
                        "cannot listen on \"%.64s\": not a numeric address such as 127.0.0.1 or "
                        "::1",
                        address);
}

int address_is_loopback(const char *address, bool *ret, struct culprit_error *error)
{
    union socket_address parsed;
    socklen_t size;
    int r = read_address(address, 0, &parsed, &size, error);

    if (r < 0)
        return r;
    *ret = parsed.any.sa_family == AF_INET ? ntohl(parsed.v4.sin_addr.s_addr) >> 24 == 127
                                           : IN6_IS_ADDR_LOOPBACK(&parsed.v6.sin6_addr) != 0;
    return 0;
}

static int bind_and_listen(int fd, const union socket_address *address, socklen_t size)
{
    int on = 1;

    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0)
        return -errno;
    if (address->any.sa_family == AF_INET6 &&
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) < 0)
        return -errno;
    if (bind(fd, &address->any, size) < 0 || listen(fd, BACKLOG) < 0)
        return -errno;
    return 0;
}

static uint16_t port_of(int fd)
{
    union socket_address bound = {0};
    socklen_t size = sizeof bound;

    if (getsockname(fd, &bound.any, &size) < 0)
        return 0;
    return ntohs(bound.any.sa_family == AF_INET6 ? bound.v6.sin6_port : bound.v4.sin_port);
}

int listen_on(const char *address, uint16_t port, int *ret_fd, uint16_t *ret_port,
              struct culprit_error *error)
{
    union socket_address parsed;
    socklen_t size;
    _cleanup_close_ int fd = -1;
    int r = read_address(address, port, &parsed, &size, error);

    if (r < 0)
        return r;
    fd = socket(parsed.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return culprit_fail_errno(error, errno, "cannot listen on %s", address);
    r = bind_and_listen(fd, &parsed, size);
    if (r == -EADDRINUSE)
        return culprit_fail(error, CULPRIT_CONFLICT,
                            "cannot listen on %s port %u: another process does already", address,
                            port);
    if (r < 0)
        return culprit_fail_errno(error, -r, "cannot listen on %s port %u", address, port);
    *ret_port = port_of(fd);
    *ret_fd = fd;
    fd = -1;
    return 0;
}
