// Loaded before a server in the tests (LD_PRELOAD): while the file that READ_ONLY_SWITCH names has a 1, what lies below
// READ_ONLY_FOLDER cannot be written, as on a file system that the kernel has made read-only because its disk failed.
// A test cannot have that from the kernel: it makes no file system read-only on which files are open for writing.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const volatile long long *state;
static char folder[PATH_MAX];

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("READ_ONLY_SWITCH"), *below = getenv("READ_ONLY_FOLDER");
    if (!path || !below || !realpath(below, folder)) return;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    void *map = mmap(0, sizeof *state, PROT_READ, MAP_SHARED, file, 0);
    if (map != MAP_FAILED) state = map;
    close(file);
}

static int is_read_only(void) { return state && *state; }

static int is_below(const char *path) {
    size_t length = strlen(folder);
    return length && strncmp(path, folder, length) == 0 && path[length] == '/';
}

// The folder is named by its real path, and so is the data directory that a test gives a server.
static int refuses_path(const char *path) { return is_read_only() && is_below(path); }

static int refuses_file(int file) {
    if (!is_read_only()) return 0;
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_below(path);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define REFUSE(condition) \
    if (condition) { \
        errno = EROFS; \
        return -1; \
    }

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        REFUSE((flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) && refuses_path(path)) \
        return NEXT(name)(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

ssize_t write(int file, const void *bytes, size_t count) {
    REFUSE(refuses_file(file))
    return NEXT(write)(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    REFUSE(refuses_file(file))
    return NEXT(pwrite)(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    REFUSE(refuses_file(file))
    return NEXT(pwrite64)(file, bytes, count, offset);
}

int ftruncate(int file, off_t length) {
    REFUSE(refuses_file(file))
    return NEXT(ftruncate)(file, length);
}

int ftruncate64(int file, off64_t length) {
    REFUSE(refuses_file(file))
    return NEXT(ftruncate64)(file, length);
}

int unlink(const char *path) {
    REFUSE(refuses_path(path))
    return NEXT(unlink)(path);
}

int rename(const char *from, const char *to) {
    REFUSE(refuses_path(from) || refuses_path(to))
    return NEXT(rename)(from, to);
}

int mkdir(const char *path, mode_t mode) {
    REFUSE(refuses_path(path))
    return NEXT(mkdir)(path, mode);
}
