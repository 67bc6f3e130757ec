// SPDX-License-Identifier: GPL-2.0-or-later
// A library to be preloaded (LD_PRELOAD) that makes the n-th call of a kind fail, counted from the begin of main():
//   ISCSISCOPE_FAULT=alloc:N      an allocation (malloc, calloc, realloc, and with them operator new)
//   ISCSISCOPE_FAULT=alloc:N:on   this one and all later ones
//   ISCSISCOPE_FAULT=io:N         a call that opens, reads, writes, looks at, creates or renames files
//   ISCSISCOPE_FAULT=trace        none, but each call of the kind io becomes a line of the log
// ISCSISCOPE_FAULT_LOG names the log. At the end of the program it gets the numbers of calls counted, of blocks that
// were allocated since the begin of main() and not freed, and of calls that failed.
//
// Removing is never made to fail: what is then left behind is nobody's mistake. The library allocates nothing.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
static bool later_too;
static int log_file = -1;
static atomic_bool armed;    // within main(): calls are counted and may fail
static atomic_bool counting; // from the begin of main() to the end of the program: blocks are counted
static atomic_long calls, blocks, failures;

static void put(const char *text) {
    (void)syscall(SYS_write, log_file, text, strlen(text));
}

// Counts a call and returns whether it is to fail.
static bool fails(enum kind of) {
    if (!atomic_load(&armed) || kind != of)
        return false;
    const long n = atomic_fetch_add(&calls, 1) + 1;
    if (n != chosen && !(later_too && n > chosen))
        return false;
    atomic_fetch_add(&failures, 1);
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

static void *counted(void *block) {
    if (block != NULL && atomic_load(&counting))
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
    snprintf(line, sizeof line, "calls %ld blocks %ld failures %ld\n", atomic_load(&calls), atomic_load(&blocks),
             atomic_load(&failures));
    put(line);
}

#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

typedef int start_function(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                           void (*)(void), void *);

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
    real_main = main;
    return NEXT(start_function *, "__libc_start_main")(armed_main, argc, argv, init, fini, rtld_fini, stack_end);
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
#define READ_MODE(flags, mode)                                                                                         \
    mode_t mode = 0;                                                                                                   \
    if (((flags) & O_CREAT) != 0) {                                                                                    \
        va_list more;                                                                                                  \
        va_start(more, flags);                                                                                         \
        mode = va_arg(more, mode_t);                                                                                   \
        va_end(more);                                                                                                  \
    }

int open(const char *path, int flags, ...) {
    READ_MODE(flags, mode)
    return io_fails("open", path, EIO) ? -1 : NEXT(int (*)(const char *, int, ...), "open")(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    READ_MODE(flags, mode)
    return io_fails("open", path, EIO) ? -1 : NEXT(int (*)(const char *, int, ...), "open64")(path, flags, mode);
}

FILE *fdopen(int descriptor, const char *mode) {
    return io_fails("fdopen", "", EIO) ? NULL : NEXT(FILE * (*)(int, const char *), "fdopen")(descriptor, mode);
}

ssize_t read(int descriptor, void *to, size_t room) {
    return io_fails("read", "", EIO) ? -1 : NEXT(ssize_t(*)(int, void *, size_t), "read")(descriptor, to, room);
}

ssize_t pread64(int descriptor, void *to, size_t room, off64_t at) {
    return io_fails("pread", "", EIO)
               ? -1
               : NEXT(ssize_t(*)(int, void *, size_t, off64_t), "pread64")(descriptor, to, room, at);
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

int fsync(int descriptor) {
    return io_fails("fsync", "", EIO) ? -1 : NEXT(int (*)(int), "fsync")(descriptor);
}

int ftruncate64(int descriptor, off64_t size) {
    return io_fails("ftruncate", "", EIO) ? -1 : NEXT(int (*)(int, off64_t), "ftruncate64")(descriptor, size);
}

int fchmod(int descriptor, mode_t mode) {
    return io_fails("fchmod", "", EIO) ? -1 : NEXT(int (*)(int, mode_t), "fchmod")(descriptor, mode);
}

int fchown(int descriptor, uid_t user, gid_t group) {
    return io_fails("fchown", "", EIO) ? -1 : NEXT(int (*)(int, uid_t, gid_t), "fchown")(descriptor, user, group);
}

int rename(const char *from, const char *to) {
    return io_fails("rename", to, EIO) ? -1 : NEXT(int (*)(const char *, const char *), "rename")(from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    return io_fails("exchange", to, EIO)
               ? -1
               : NEXT(int (*)(int, const char *, int, const char *, unsigned), "renameat2")(from_folder, from,
                                                                                           to_folder, to, flags);
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
    return io_fails("realpath", path, EIO) ? NULL : NEXT(char *(*)(const char *, char *), "realpath")(path, to);
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
