// SPDX-License-Identifier: GPL-2.0-or-later
// A library to be preloaded (LD_PRELOAD) that makes the n-th call of a kind fail, counted from the begin of
// main():
//   ISCSISCOPE_FAULT=alloc:N      an allocation (malloc, calloc, realloc, and with them operator new)
//   ISCSISCOPE_FAULT=alloc:N:on   this one and all later ones
//   ISCSISCOPE_FAULT=io:N         a call that opens, reads, writes, looks at, creates or renames files
//   ISCSISCOPE_FAULT=alloc:sites  none, but the first call of each call site becomes a line "site N" of the
//   log, where ISCSISCOPE_FAULT=io:sites     N is the number of the call; a call site is told by the
//   functions that called ISCSISCOPE_FAULT=trace        none, but each call of the kind io becomes a line of
//   the log
// ISCSISCOPE_FAULT_LOG names the log. At the end of the program it gets the numbers of calls counted, of
// blocks that were allocated since the begin of main() and not freed, and of calls that failed.
// ISCSISCOPE_FAULT_SHARED names a file of 16 zero bytes in which the processes of a run count their calls and
// failures together: one call of one of them fails.
//
// Removing is never made to fail: what is then left behind is nobody's mistake. The library allocates
// nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// The allocator of the GNU C library under the names that nobody replaces.
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

enum kind { no_fault, alloc_fault, io_fault, trace };

static enum kind kind = no_fault;
static long chosen;
static bool later_too, sites_only;
static int log_file = -1;
static atomic_bool armed;    // within main(): calls are counted and may fail
static atomic_bool counting; // from the begin of main() to the end of the program: blocks are counted
static atomic_long blocks;
static _Thread_local bool making_thread; // the C library allocates for a thread that it makes
static struct counts { atomic_long calls, failures; } own, *counts = &own; // those of this process or of all

static void put(const char *text) {
    (void)syscall(SYS_write, log_file, text, strlen(text));
}

// True at the first call from a place, of which the return addresses of the last functions are taken. A table
// that is full or a race of two threads takes a known place for a new one, which does no harm.
static bool new_site(void) {
    enum { depth = 12, room = 1 << 16 };
    static _Atomic uint64_t known[room];
    static _Thread_local bool inside; // backtrace() may allocate
    if (inside)
        return false;
    inside = true;
    void *frames[depth];
    const int n = backtrace(frames, depth);
    inside = false;
    uint64_t hash = 14695981039346656037U; // FNV-1a over the addresses
    for (int i = 0; i < n; ++i)
        hash = (hash ^ (uintptr_t)frames[i]) * 1099511628211U;
    for (uint64_t at = hash % room, tried = 0; tried < room; at = (at + 1) % room, ++tried) {
        const uint64_t there = atomic_load(&known[at]);
        if (there == hash)
            return false;
        if (there == 0) {
            atomic_store(&known[at], hash);
            return true;
        }
    }
    return true;
}

// Counts a call and returns whether it is to fail.
static bool fails(enum kind of) {
    if (!atomic_load(&armed) || kind != of)
        return false;
    const long n = atomic_fetch_add(&counts->calls, 1) + 1;
    if (sites_only && new_site()) {
        char line[32];
        snprintf(line, sizeof line, "site %ld\n", n);
        put(line);
    }
    if (n != chosen && !(later_too && n > chosen))
        return false;
    atomic_fetch_add(&counts->failures, 1);
    return true;
}

static bool io_fails(const char *name, const char *path, int error) {
    if (kind == trace && atomic_load(&armed)) {
        char line[512];
        snprintf(line, sizeof line, "%s %s\n", name, path);
        put(line);
    }
    if (!fails(io_fault))
        return false;
    errno = error;
    return true;
}

static bool alloc_fails(void) {
    if (!fails(alloc_fault))
        return false;
    errno = ENOMEM;
    return true;
}

// What belongs to the stack of a thread is not counted: the C library keeps it for the next thread.
static void *counted(void *block) {
    if (block != NULL && atomic_load(&counting) && !making_thread)
        atomic_fetch_add(&blocks, 1);
    return block;
}

static int (*real_main)(int, char **, char **);

static void configure(void) {
    const char *fault = getenv("ISCSISCOPE_FAULT"), *log = getenv("ISCSISCOPE_FAULT_LOG");
    if (fault != NULL) {
        kind = strncmp(fault, "alloc", 5) == 0   ? alloc_fault
               : strncmp(fault, "io", 2) == 0    ? io_fault
               : strncmp(fault, "trace", 5) == 0 ? trace
                                                 : no_fault;
        const char *colon = strchr(fault, ':');
        chosen = colon != NULL ? atol(colon + 1) : 0;
        later_too = strstr(fault, ":on") != NULL;
        sites_only = strstr(fault, ":sites") != NULL;
        if (sites_only)
            (void)new_site(); // loads what backtrace() needs
    }
    const char *shared = getenv("ISCSISCOPE_FAULT_SHARED");
    const int file = shared != NULL ? (int)syscall(SYS_openat, AT_FDCWD, shared, O_RDWR | O_CLOEXEC) : -1;
    if (file >= 0) {
        void *page = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        (void)syscall(SYS_close, file);
        if (page != MAP_FAILED)
            counts = page;
    }
    if (log != NULL)
        log_file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

static int armed_main(int argc, char **argv, char **environment) {
    configure();
    atomic_store(&counting, kind != no_fault);
    atomic_store(&armed, kind != no_fault);
    const int code = real_main(argc, argv, environment);
    atomic_store(&armed, false);
    return code;
}

// Runs behind the destructors of the program's static objects.
__attribute__((destructor)) static void write_log(void) {
    if (!atomic_exchange(&counting, false))
        return;
    char line[128];
    snprintf(line, sizeof line, "calls %ld blocks %ld failures %ld\n", atomic_load(&counts->calls),
             atomic_load(&blocks), atomic_load(&counts->failures));
    put(line);
}

#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

typedef int start_function(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
    real_main = main;
    return NEXT(start_function *, "__libc_start_main")(armed_main, argc, argv, init, fini, rtld_fini,
                                                       stack_end);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*start)(void *), void *given) {
    typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    making_thread = true;
    const int result = NEXT(create *, "pthread_create")(thread, how, start, given);
    making_thread = false;
    return result;
}

void *malloc(size_t size) {
    return alloc_fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t number, size_t size) {
    return alloc_fails() ? NULL : counted(__libc_calloc(number, size));
}

void *realloc(void *block, size_t size) {
    if (alloc_fails())
        return NULL;
    void *grown = __libc_realloc(block, size);
    return block == NULL ? counted(grown) : grown;
}

void *aligned_alloc(size_t alignment, size_t size) {
    return alloc_fails() ? NULL : counted(__libc_memalign(alignment, size));
}

void *memalign(size_t alignment, size_t size) {
    return aligned_alloc(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = aligned_alloc(alignment, size);
    return *block == NULL ? ENOMEM : 0;
}

void free(void *block) {
    if (block != NULL && atomic_load(&counting))
        atomic_fetch_sub(&blocks, 1);
    __libc_free(block);
}

// Reads the mode that follows `flags` if the call creates a file.
#define READ_MODE(flags, mode)                                                                               \
    mode_t mode = 0;                                                                                         \
    if (((flags)&O_CREAT) != 0) {                                                                            \
        va_list more;                                                                                        \
        va_start(more, flags);                                                                               \
        mode = va_arg(more, mode_t);                                                                         \
        va_end(more);                                                                                        \
    }

int open(const char *path, int flags, ...) {
    READ_MODE(flags, mode)
    return io_fails("open", path, EIO) ? -1
                                       : NEXT(int (*)(const char *, int, ...), "open")(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    READ_MODE(flags, mode)
    return io_fails("open", path, EIO) ? -1
                                       : NEXT(int (*)(const char *, int, ...), "open64")(path, flags, mode);
}

FILE *fdopen(int descriptor, const char *mode) {
    return io_fails("fdopen", "", EIO) ? NULL
                                       : NEXT(FILE * (*)(int, const char *), "fdopen")(descriptor, mode);
}

ssize_t read(int descriptor, void *to, size_t room) {
    return io_fails("read", "", EIO) ? -1
                                     : NEXT(ssize_t(*)(int, void *, size_t), "read")(descriptor, to, room);
}

ssize_t pread64(int descriptor, void *to, size_t room, off64_t at) {
    return io_fails("pread", "", EIO)
               ? -1
               : NEXT(ssize_t(*)(int, void *, size_t, off64_t), "pread64")(descriptor, to, room, at);
}

ssize_t pread(int descriptor, void *to, size_t room, off_t at) {
    return pread64(descriptor, to, room, at);
}

ssize_t recv(int descriptor, void *to, size_t room, int flags) {
    return io_fails("recv", "", EIO)
               ? -1
               : NEXT(ssize_t(*)(int, void *, size_t, int), "recv")(descriptor, to, room, flags);
}

ssize_t send(int descriptor, const void *from, size_t size, int flags) {
    return io_fails("send", "", ENOBUFS)
               ? -1
               : NEXT(ssize_t(*)(int, const void *, size_t, int), "send")(descriptor, from, size, flags);
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags) {
    return io_fails("sendmsg", "", ENOBUFS)
               ? -1
               : NEXT(ssize_t(*)(int, const struct msghdr *, int), "sendmsg")(descriptor, message, flags);
}

int socket(int domain, int type, int protocol) {
    return io_fails("socket", "", EMFILE) ? -1
                                          : NEXT(int (*)(int, int, int), "socket")(domain, type, protocol);
}

int accept4(int descriptor, __SOCKADDR_ARG from, socklen_t *size, int flags) {
    return io_fails("accept4", "", EMFILE) ? -1
                                           : NEXT(int (*)(int, __SOCKADDR_ARG, socklen_t *, int),
                                                  "accept4")(descriptor, from, size, flags);
}

int ioctl(int descriptor, unsigned long request, ...) {
    va_list more;
    va_start(more, request);
    void *argument = va_arg(more, void *);
    va_end(more);
    return io_fails("ioctl", "", EIO)
               ? -1
               : NEXT(int (*)(int, unsigned long, ...), "ioctl")(descriptor, request, argument);
}

ssize_t write(int descriptor, const void *from, size_t size) {
    if (descriptor == STDERR_FILENO) // the sentence that is looked for
        return syscall(SYS_write, descriptor, from, size);
    return io_fails("write", "", ENOSPC)
               ? -1
               : NEXT(ssize_t(*)(int, const void *, size_t), "write")(descriptor, from, size);
}

ssize_t pwrite64(int descriptor, const void *from, size_t size, off64_t at) {
    return io_fails("pwrite", "", ENOSPC)
               ? -1
               : NEXT(ssize_t(*)(int, const void *, size_t, off64_t), "pwrite64")(descriptor, from, size, at);
}

ssize_t pwrite(int descriptor, const void *from, size_t size, off_t at) {
    return pwrite64(descriptor, from, size, at);
}

int fdatasync(int descriptor) {
    return io_fails("fdatasync", "", EIO) ? -1 : NEXT(int (*)(int), "fdatasync")(descriptor);
}

int fsync(int descriptor) {
    return io_fails("fsync", "", EIO) ? -1 : NEXT(int (*)(int), "fsync")(descriptor);
}

int ftruncate64(int descriptor, off64_t size) {
    return io_fails("ftruncate", "", EIO) ? -1 : NEXT(int (*)(int, off64_t), "ftruncate64")(descriptor, size);
}

int ftruncate(int descriptor, off_t size) {
    return ftruncate64(descriptor, size);
}

int fchmod(int descriptor, mode_t mode) {
    return io_fails("fchmod", "", EIO) ? -1 : NEXT(int (*)(int, mode_t), "fchmod")(descriptor, mode);
}

int fchown(int descriptor, uid_t user, gid_t group) {
    return io_fails("fchown", "", EIO) ? -1
                                       : NEXT(int (*)(int, uid_t, gid_t), "fchown")(descriptor, user, group);
}

int rename(const char *from, const char *to) {
    return io_fails("rename", to, EIO) ? -1 : NEXT(int (*)(const char *, const char *), "rename")(from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    return io_fails("exchange", to, EIO) ? -1
                                         : NEXT(int (*)(int, const char *, int, const char *, unsigned),
                                                "renameat2")(from_folder, from, to_folder, to, flags);
}

int mkdir(const char *path, mode_t mode) {
    return io_fails("mkdir", path, EIO) ? -1 : NEXT(int (*)(const char *, mode_t), "mkdir")(path, mode);
}

int stat(const char *path, struct stat *to) {
    return io_fails("stat", path, EIO) ? -1 : NEXT(int (*)(const char *, struct stat *), "stat")(path, to);
}

int lstat(const char *path, struct stat *to) {
    return io_fails("lstat", path, EIO) ? -1 : NEXT(int (*)(const char *, struct stat *), "lstat")(path, to);
}

int fstat(int descriptor, struct stat *to) {
    return io_fails("fstat", "", EIO) ? -1 : NEXT(int (*)(int, struct stat *), "fstat")(descriptor, to);
}

char *realpath(const char *path, char *to) {
    return io_fails("realpath", path, EIO) ? NULL
                                           : NEXT(char *(*)(const char *, char *), "realpath")(path, to);
}

// The descriptor is closed all the same, as Linux does it.
int close(int descriptor) {
    const bool failed = io_fails("close", "", EIO);
    const int result = NEXT(int (*)(int), "close")(descriptor);
    if (!failed)
        return result;
    errno = EIO;
    return -1;
}
