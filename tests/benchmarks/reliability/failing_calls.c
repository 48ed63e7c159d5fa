/* Loaded before all else (LD_PRELOAD), it makes one chosen call of those that write below a folder fail. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static char below[PATH_MAX];
static volatile long seen, fails_at;
static volatile long long room = -1;
static volatile int reason, paused = 1;
static char failed[16];

/* Begin to count the calls below a folder; that of the given number, from 1, fails with an errno. 0 lets all pass. */
void calls_watch(const char *folder, long number, int why) {
    snprintf(below, sizeof below, "%s", folder);
    fails_at = number, reason = why, seen = 0, room = -1, paused = 0, failed[0] = 0;
}

/* From now on only so many bytes can be written; -1 for any number. */
void calls_room(long long bytes) { room = bytes; }
void calls_pause(int pause) { paused = pause; }
long calls_seen(void) { return seen; }
const char *calls_failed(void) { return failed; }

static int is_below(const char *path) { return path && !strncmp(path, below, strlen(below)); }

static int fd_is_below(int fd) {
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_below(path);
}

static int fails(const char *call) {
    if (__sync_add_and_fetch(&seen, 1) != fails_at) return 0;
    snprintf(failed, sizeof failed, "%s", call);
    errno = reason;
    return 1;
}

static int has_no_room(size_t bytes) {
    if (room < 0) return 0;
    if ((long long)bytes > room) { errno = ENOSPC; return 1; }
    __sync_sub_and_fetch(&room, (long long)bytes);
    return 0;
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

#define ON_PATH(name, path, parameters, arguments, ...)                       \
    int name parameters {                                                     \
        int before = errno;                                                   \
        if (!paused && is_below(path) && fails(#name)) return -1;             \
        errno = before;                                                       \
        return REAL(int, name, __VA_ARGS__) arguments;                        \
    }
#define ON_OPEN(name)                                                         \
    int name(const char *path, int flags, ...) {                              \
        va_list more;                                                         \
        va_start(more, flags);                                                \
        mode_t mode = va_arg(more, mode_t);                                   \
        va_end(more);                                                         \
        if (!paused && is_below(path) && fails("open")) return -1;            \
        return REAL(int, name, const char *, int, ...)(path, flags, mode);    \
    }
#define ON_FD(name, parameters, arguments, ...)                               \
    int name parameters {                                                     \
        if (!paused && fd_is_below(fd) && fails(#name)) return -1;            \
        return REAL(int, name, __VA_ARGS__) arguments;                        \
    }
#define ON_WRITE(name, parameters, arguments, ...)                            \
    ssize_t name parameters {                                                 \
        if (!paused && fd_is_below(fd) && (fails("write") || has_no_room(size))) return -1; \
        return REAL(ssize_t, name, __VA_ARGS__) arguments;                    \
    }

ON_OPEN(open)
ON_OPEN(open64)
ON_PATH(rename, to, (const char *from, const char *to), (from, to), const char *, const char *)
ON_PATH(mkdir, path, (const char *path, mode_t mode), (path, mode), const char *, mode_t)
ON_FD(fsync, (int fd), (fd), int)
ON_FD(fdatasync, (int fd), (fd), int)
ON_FD(ftruncate, (int fd, off_t size), (fd, size), int, off_t)
ON_FD(ftruncate64, (int fd, off64_t size), (fd, size), int, off64_t)
ON_WRITE(write, (int fd, const void *data, size_t size), (fd, data, size), int, const void *, size_t)
ON_WRITE(pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at), int, const void *, size_t, off_t)
ON_WRITE(pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at), int, const void *, size_t, off64_t)
