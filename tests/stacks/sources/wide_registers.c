// SPDX-License-Identifier: GPL-2.0-or-later
// Preloaded into user-mode Linux on hosts whose processor has AMX. The kernels of the guests set the extended
// registers of their processes from a buffer that is smaller than such a host's register area, which
// PTRACE_SETREGSET refuses: the set is padded with zeros to the size that PTRACE_GETREGSET shows, and the two
// AMX components are declared absent.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

enum { legacy_area = 512, largest = 64 * 1024, amx_components = 3 << 17 };

long ptrace(enum __ptrace_request request, ...) {
    static long (*next)(enum __ptrace_request, ...);
    static size_t whole;
    static unsigned char area[largest] __attribute__((aligned(64)));
    va_list arguments;
    va_start(arguments, request);
    pid_t process = va_arg(arguments, pid_t);
    void *address = va_arg(arguments, void *);
    void *data = va_arg(arguments, void *);
    va_end(arguments);
    if (!next)
        next = (long (*)(enum __ptrace_request, ...))dlsym(RTLD_NEXT, "ptrace");
    if (request != PTRACE_SETREGSET || (uintptr_t)address != NT_X86_XSTATE)
        return next(request, process, address, data);
    const struct iovec *given = data;
    struct iovec wide = {area, sizeof area};
    if (whole == 0 && next(PTRACE_GETREGSET, process, address, &wide) == 0)
        whole = wide.iov_len;
    if (given->iov_len >= whole || given->iov_len < legacy_area + sizeof(uint64_t))
        return next(request, process, address, data);
    memset(area, 0, whole);
    memcpy(area, given->iov_base, given->iov_len);
    uint64_t present;
    memcpy(&present, area + legacy_area, sizeof present);
    present &= ~(uint64_t)amx_components;
    memcpy(area + legacy_area, &present, sizeof present);
    wide.iov_base = area;
    wide.iov_len = whole;
    return next(request, process, address, &wide);
}
