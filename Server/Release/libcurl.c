/* libcurl for the program of `make release`: opened when it is first used.
 *
 * FoundationNetworking and the SDK ask for libcurl, and linked into a program it would make the whole program ask for it
 * at its start. Only the simulated devices use it, with the SDK's own transport; a server never does. So these functions
 * stand in its place, and a machine without libcurl runs everything else.
 *
 * They are those that lib_CFURLSessionInterface.a and the SDK name; one that a later toolchain adds is an error of the
 * linker.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void *function(const char *name) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr,
                "belfry: simulated devices need libcurl, which this machine lacks. On Debian: "
                "apt-get install libcurl4. (%s)\n",
                dlerror());
        exit(1);
    }
    return found;
}

/* Two threads that come first at the same time find the same. */
#define FORWARD(result, name, parameters, arguments)                                   \
    __attribute__((visibility("hidden"))) result name parameters {                     \
        static result(*_Atomic known) parameters;                                      \
        result(*forward) parameters = known;                                           \
        if (!forward) known = forward = (result(*) parameters)function(#name);         \
        return forward arguments;                                                      \
    }

/* Whatever libcurl takes as its last argument here is as wide as a pointer: long, curl_off_t, or a pointer. */
_Static_assert(sizeof(void *) == 8 && sizeof(long) == 8, "an argument of curl_easy_setopt is not as wide as a pointer");
#define FORWARD_ANY(name, first, second)                                               \
    __attribute__((visibility("hidden"))) int name(first a, second b, ...) {           \
        static int (*_Atomic known)(first, second, ...);                               \
        int (*forward)(first, second, ...) = known;                                    \
        if (!forward) known = forward = (int (*)(first, second, ...))function(#name);  \
        va_list rest;                                                                  \
        va_start(rest, b);                                                             \
        void *value = va_arg(rest, void *);                                            \
        va_end(rest);                                                                  \
        return forward(a, b, value);                                                   \
    }

FORWARD(int, curl_global_init, (long flags), (flags))
FORWARD(char *, curl_version, (void), ())
FORWARD(void *, curl_version_info, (int age), (age))
FORWARD(void, curl_free, (void *memory), (memory))

FORWARD(void *, curl_easy_init, (void), ())
FORWARD(void, curl_easy_cleanup, (void *easy), (easy))
FORWARD(int, curl_easy_pause, (void *easy, int mask), (easy, mask))
FORWARD(const char *, curl_easy_strerror, (int code), (code))
FORWARD_ANY(curl_easy_setopt, void *, int)
FORWARD_ANY(curl_easy_getinfo, void *, int)

FORWARD(void *, curl_multi_init, (void), ())
FORWARD(int, curl_multi_cleanup, (void *multi), (multi))
FORWARD(int, curl_multi_add_handle, (void *multi, void *easy), (multi, easy))
FORWARD(int, curl_multi_remove_handle, (void *multi, void *easy), (multi, easy))
FORWARD(int, curl_multi_assign, (void *multi, int socket, void *pointer), (multi, socket, pointer))
FORWARD(void *, curl_multi_info_read, (void *multi, int *left), (multi, left))
FORWARD(int, curl_multi_socket_action, (void *multi, int socket, int events, int *running),
        (multi, socket, events, running))
FORWARD(int, curl_multi_perform, (void *multi, int *running), (multi, running))
FORWARD(int, curl_multi_poll, (void *multi, void *others, unsigned count, int milliseconds, int *ready),
        (multi, others, count, milliseconds, ready))
FORWARD(int, curl_multi_wakeup, (void *multi), (multi))
FORWARD_ANY(curl_multi_setopt, void *, int)

FORWARD(void *, curl_slist_append, (void *list, const char *text), (list, text))
FORWARD(void, curl_slist_free_all, (void *list), (list))

FORWARD(void *, curl_url, (void), ())
FORWARD(int, curl_url_get, (const void *url, int what, char **part, unsigned flags), (url, what, part, flags))
FORWARD(int, curl_url_set, (void *url, int what, const char *part, unsigned flags), (url, what, part, flags))
