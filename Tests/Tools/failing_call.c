// Fails one call of a process, once: the nth of a class of calls; or some in a row, from the nth on. Preloaded with LD_PRELOAD; failing_call.py builds it, says which
// call fails, and reads what came of it.
//
// The file that FAILING_CALL names is mapped, so that its counts outlive whatever becomes of the process.

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

// The order of CLASSES in failing_call.py.
enum call_class { RUNTIME_ALLOCATION, ALLOCATION, MAP, OPEN, READ, WRITE, SYNC, TRUNCATE, NAME, LOOK, LOCK, DESCRIPTOR, CONNECT, WAIT, CONTROL, THREAD, CLASSES };

enum { PLACE_OCTETS = 256, RUNTIMES_OCTETS = 256, SHORT = -1 };

struct plan {
    int64_t class, nth, times;
    // What a file, a socket, and any other descriptor fails with; SHORT is half of what was asked for.
    int64_t error_of_file, error_of_socket, error_of_other;
    _Atomic int64_t counts[CLASSES];
    _Atomic int64_t has_failed;
    char place[PLACE_OCTETS];
    // Parts of the names of libraries that end the process where an allocation fails, each with a comma behind it.
    char runtimes[RUNTIMES_OCTETS];
};

static struct plan *plan;

enum { MOST_RANGES = 256 };
static struct { uintptr_t begin, end; } ranges[MOST_RANGES];
static int range_count;

static int note_runtime(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size, (void)context;
    // The program itself has no name.
    const char *name = object->dlpi_name[0] ? strrchr(object->dlpi_name, '/') : "/program";
    char part[64];
    for (const char *begin = plan->runtimes, *end; name && (end = strchr(begin, ',')); begin = end + 1) {
        size_t length = (size_t)(end - begin);
        if (length >= sizeof part) continue;
        memcpy(part, begin, length);
        part[length] = 0;
        if (!strstr(name, part)) continue;
        for (int index = 0; index < object->dlpi_phnum && range_count < MOST_RANGES; index++) {
            const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
            if (segment->p_type != PT_LOAD) continue;
            ranges[range_count].begin = object->dlpi_addr + segment->p_vaddr;
            ranges[range_count++].end = object->dlpi_addr + segment->p_vaddr + segment->p_memsz;
        }
        break;
    }
    return 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAILING_CALL");
    long file = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0) : -1;
    if (file < 0) return;
    void *mapped = (void *)syscall(SYS_mmap, 0, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (mapped == MAP_FAILED) return;
    plan = mapped;
    dl_iterate_phdr(note_runtime, NULL);
}

static int is_runtime(const void *caller) {
    for (int index = 0; index < range_count; index++)
        if ((uintptr_t)caller >= ranges[index].begin && (uintptr_t)caller < ranges[index].end) return 1;
    return 0;
}

// Whether this call is the one: 0, or what it fails with.
static int failure(enum call_class class, int descriptor, const char *name, const void *caller) {
    if (!plan) return 0;
    int64_t number = atomic_fetch_add(&plan->counts[class], 1) + 1;
    if (plan->class != class || number < plan->nth || number >= plan->nth + plan->times) return 0;
    struct stat what = {0};
    int error = (int)plan->error_of_file;
    if (descriptor >= 0 && !syscall(SYS_fstat, descriptor, &what) && !S_ISREG(what.st_mode) && !S_ISDIR(what.st_mode))
        error = (int)(S_ISSOCK(what.st_mode) ? plan->error_of_socket : plan->error_of_other);
    if (!error) return 0;
    // Linux gives these for a connection that is over, and then nothing more comes over it: libpq goes on to wait for the rest.
    if (S_ISSOCK(what.st_mode) && (error == EPIPE || error == ECONNRESET || error == ETIMEDOUT)) syscall(SYS_shutdown, descriptor, SHUT_RDWR);
    atomic_store(&plan->has_failed, 1);
    Dl_info found = {0};
    const char *library = dladdr(caller, &found) && found.dli_fname ? strrchr(found.dli_fname, '/') : NULL;
    snprintf(plan->place, sizeof plan->place, "%s in %s+%#lx %s", name, library ? library + 1 : "?",
             (unsigned long)((uintptr_t)caller - (uintptr_t)found.dli_fbase), found.dli_sname ? found.dli_sname : "");
    return error;
}

#define CALLER __builtin_return_address(0)
#define REAL(name)                             \
    static __typeof__(&name) real;             \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)

// A call that returns `failed` and leaves its error in errno.
#define WRAP(class, descriptor, result, failed, name, parameters, arguments) \
    result name parameters {                                                 \
        REAL(name);                                                          \
        int error = failure(class, descriptor, #name, CALLER);               \
        if (!error) return real arguments;                                   \
        errno = error;                                                       \
        return failed;                                                       \
    }
// The same for what moves octets, which may also move fewer.
#define WRAP_MOVE(class, name, parameters, arguments, half)        \
    ssize_t name parameters {                                      \
        REAL(name);                                                \
        int error = failure(class, file, #name, CALLER);           \
        if (error == SHORT) { half; error = 0; }                   \
        if (!error) return real arguments;                         \
        errno = error;                                             \
        return -1;                                                 \
    }
#define HALF size = (size + 1) / 2

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static int allocation_fails(const char *name, const void *caller) {
    int error = failure(is_runtime(caller) ? RUNTIME_ALLOCATION : ALLOCATION, -1, name, caller);
    if (error) errno = ENOMEM;
    return error;
}

void *malloc(size_t size) { return allocation_fails("malloc", CALLER) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return allocation_fails("calloc", CALLER) ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return allocation_fails("realloc", CALLER) ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) {
    return allocation_fails("aligned_alloc", CALLER) ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void **result, size_t alignment, size_t size) {
    if (allocation_fails("posix_memalign", CALLER)) return ENOMEM;
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}
char *strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = allocation_fails("strdup", CALLER) ? NULL : __libc_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

#define MAPPING (void *at, size_t size, int protection, int flags, int file, off_t offset)
WRAP(MAP, -1, void *, MAP_FAILED, mmap, MAPPING, (at, size, protection, flags, file, offset))
WRAP(MAP, -1, void *, MAP_FAILED, mmap64, MAPPING, (at, size, protection, flags, file, offset))

void *mremap(void *old, size_t old_size, size_t size, int flags, ...) {
    REAL(mremap);
    va_list rest;
    va_start(rest, flags);
    void *at = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
    va_end(rest);
    int error = failure(MAP, -1, "mremap", CALLER);
    if (!error) return real(old, old_size, size, flags, at);
    errno = error;
    return MAP_FAILED;
}

#define WRAP_OPEN(name, parameters, arguments)                              \
    int name parameters {                                                   \
        REAL(name);                                                         \
        va_list rest;                                                       \
        va_start(rest, flags);                                              \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest);                                                       \
        int error = failure(OPEN, -1, #name, CALLER);                       \
        if (!error) return real arguments;                                  \
        errno = error;                                                      \
        return -1;                                                          \
    }
WRAP_OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
WRAP_OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
WRAP_OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
WRAP(OPEN, -1, FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode))
WRAP(OPEN, -1, FILE *, NULL, fopen64, (const char *path, const char *mode), (path, mode))
WRAP(OPEN, -1, DIR *, NULL, opendir, (const char *path), (path))

WRAP_MOVE(READ, read, (int file, void *octets, size_t size), (file, octets, size), HALF)
WRAP_MOVE(READ, pread, (int file, void *octets, size_t size, off_t at), (file, octets, size, at), HALF)
WRAP_MOVE(READ, pread64, (int file, void *octets, size_t size, off_t at), (file, octets, size, at), HALF)
WRAP_MOVE(READ, recv, (int file, void *octets, size_t size, int flags), (file, octets, size, flags), HALF)
WRAP_MOVE(READ, recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags), (void)0)
WRAP_MOVE(READ, readv, (int file, const struct iovec *pieces, int count), (file, pieces, count), count = count > 1 ? count / 2 : count)
ssize_t recvfrom(int file, void *octets, size_t size, int flags, struct sockaddr *from, socklen_t *length) {
    REAL(recvfrom);
    int error = failure(READ, file, "recvfrom", CALLER);
    if (error == SHORT) size = (size + 1) / 2, error = 0;
    if (!error) return real(file, octets, size, flags, from, length);
    errno = error;
    return -1;
}

WRAP_MOVE(WRITE, write, (int file, const void *octets, size_t size), (file, octets, size), HALF)
WRAP_MOVE(WRITE, pwrite, (int file, const void *octets, size_t size, off_t at), (file, octets, size, at), HALF)
WRAP_MOVE(WRITE, pwrite64, (int file, const void *octets, size_t size, off_t at), (file, octets, size, at), HALF)
WRAP_MOVE(WRITE, send, (int file, const void *octets, size_t size, int flags), (file, octets, size, flags), HALF)
WRAP_MOVE(WRITE, sendmsg, (int file, const struct msghdr *message, int flags), (file, message, flags), (void)0)
WRAP_MOVE(WRITE, writev, (int file, const struct iovec *pieces, int count), (file, pieces, count), count = count > 1 ? count / 2 : count)

WRAP(SYNC, file, int, -1, fsync, (int file), (file))
WRAP(SYNC, file, int, -1, fdatasync, (int file), (file))
WRAP(TRUNCATE, file, int, -1, ftruncate, (int file, off_t size), (file, size))
WRAP(TRUNCATE, file, int, -1, ftruncate64, (int file, off_t size), (file, size))

WRAP(NAME, -1, int, -1, rename, (const char *old, const char *new), (old, new))
WRAP(NAME, -1, int, -1, unlink, (const char *path), (path))
WRAP(NAME, -1, int, -1, rmdir, (const char *path), (path))
WRAP(NAME, -1, int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(NAME, file, int, -1, fchmod, (int file, mode_t mode), (file, mode))

WRAP(LOOK, -1, int, -1, stat, (const char *path, struct stat *what), (path, what))
WRAP(LOOK, -1, int, -1, stat64, (const char *path, struct stat64 *what), (path, what))
WRAP(LOOK, -1, int, -1, lstat, (const char *path, struct stat *what), (path, what))
WRAP(LOOK, -1, int, -1, lstat64, (const char *path, struct stat64 *what), (path, what))
WRAP(LOOK, -1, int, -1, fstat, (int file, struct stat *what), (file, what))
WRAP(LOOK, -1, int, -1, fstat64, (int file, struct stat64 *what), (file, what))
WRAP(LOOK, -1, int, -1, access, (const char *path, int mode), (path, mode))
WRAP(LOOK, -1, ssize_t, -1, readlink, (const char *path, char *octets, size_t size), (path, octets, size))
WRAP(LOOK, -1, char *, NULL, getcwd, (char *octets, size_t size), (octets, size))

#define WRAP_CONTROL(name)                                   \
    int name(int file, int command, ...) {                   \
        REAL(name);                                          \
        va_list rest;                                        \
        va_start(rest, command);                             \
        void *argument = va_arg(rest, void *);               \
        va_end(rest);                                        \
        int error = failure(LOCK, file, #name, CALLER);      \
        if (!error) return real(file, command, argument);    \
        errno = error;                                       \
        return -1;                                           \
    }
WRAP_CONTROL(fcntl)
WRAP_CONTROL(fcntl64)
WRAP(LOCK, file, int, -1, flock, (int file, int operation), (file, operation))

WRAP(DESCRIPTOR, -1, int, -1, socket, (int domain, int type, int protocol), (domain, type, protocol))
WRAP(DESCRIPTOR, -1, int, -1, socketpair, (int domain, int type, int protocol, int pair[2]), (domain, type, protocol, pair))
WRAP(DESCRIPTOR, -1, int, -1, eventfd, (unsigned first, int flags), (first, flags))
WRAP(DESCRIPTOR, -1, int, -1, epoll_create1, (int flags), (flags))
WRAP(DESCRIPTOR, -1, int, -1, timerfd_create, (int clock, int flags), (clock, flags))
WRAP(DESCRIPTOR, -1, int, -1, pipe2, (int pair[2], int flags), (pair, flags))

#define ADDRESS const struct sockaddr *address, socklen_t length
WRAP(CONNECT, file, int, -1, connect, (int file, ADDRESS), (file, address, length))
WRAP(CONNECT, file, int, -1, bind, (int file, ADDRESS), (file, address, length))
int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
    REAL(getaddrinfo);
    return failure(CONNECT, -1, "getaddrinfo", CALLER) ? EAI_AGAIN : real(host, service, hints, result);
}

#define SETS fd_set *readable, fd_set *writable, fd_set *exceptional
WRAP(WAIT, -1, int, -1, poll, (struct pollfd *files, nfds_t count, int timeout_ms), (files, count, timeout_ms))
WRAP(WAIT, -1, int, -1, ppoll, (struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *mask),
     (files, count, timeout, mask))
WRAP(WAIT, -1, int, -1, select, (int count, SETS, struct timeval *timeout), (count, readable, writable, exceptional, timeout))
WRAP(WAIT, -1, int, -1, pselect, (int count, SETS, const struct timespec *timeout, const sigset_t *mask),
     (count, readable, writable, exceptional, timeout, mask))
WRAP(WAIT, -1, int, -1, epoll_wait, (int set, struct epoll_event *events, int most, int timeout_ms), (set, events, most, timeout_ms))

WRAP(CONTROL, -1, int, -1, setsockopt, (int file, int level, int name, const void *value, socklen_t length),
     (file, level, name, value, length))
WRAP(CONTROL, -1, int, -1, getsockopt, (int file, int level, int name, void *value, socklen_t *length), (file, level, name, value, length))
WRAP(CONTROL, -1, int, -1, epoll_ctl, (int set, int operation, int file, struct epoll_event *event), (set, operation, file, event))
WRAP(CONTROL, -1, int, -1, timerfd_settime, (int file, int flags, const struct itimerspec *new, struct itimerspec *old),
     (file, flags, new, old))

// It returns its error.
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    REAL(pthread_create);
    int error = failure(THREAD, -1, "pthread_create", CALLER);
    return error ? error : real(thread, attributes, body, argument);
}
