// Linux's own scheduling of the calling thread, for which C libraries have no function that Swift could call.
#ifdef __linux__

#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// The first version of `struct sched_attr` (sched_setattr(2)); every kernel knows it.
struct belfry_sched_attr {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    // For an ordinary thread its slice in nanoseconds, since Linux 6.12. Earlier ones ignore it.
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
};

// -1 and `errno` where the system refuses it.
static inline int belfry_set_schedule(int32_t nice, uint64_t slice) {
    struct belfry_sched_attr schedule = {.size = sizeof(schedule), .policy = SCHED_OTHER, .nice = nice, .runtime = slice};
    return (int)syscall(SYS_sched_setattr, 0, &schedule, 0);
}

// The nice value and the slice, which is 0 before Linux 6.12.
static inline int belfry_get_schedule(int32_t *nice, uint64_t *slice) {
    struct belfry_sched_attr schedule = {0};
    int result = (int)syscall(SYS_sched_getattr, 0, &schedule, sizeof(schedule), 0);
    *nice = schedule.nice;
    *slice = schedule.runtime;
    return result;
}

#endif
