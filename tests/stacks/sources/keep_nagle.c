// SPDX-License-Identifier: GPL-2.0-or-later
// Preloaded into tgtd: keeps Nagle's algorithm (RFC 9293 section 3.7.4) on, by ignoring TCP_NODELAY.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

int setsockopt(int socket, int level, int option, const void *value, socklen_t length) {
    static int (*next)(int, int, int, const void *, socklen_t);
    if (!next)
        next = (int (*)(int, int, int, const void *, socklen_t))dlsym(RTLD_NEXT, "setsockopt");
    return level == IPPROTO_TCP && option == TCP_NODELAY ? 0 : next(socket, level, option, value, length);
}
