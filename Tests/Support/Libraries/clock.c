// Replaces the wall clock of a program with the one in a file.
//
//   LD_PRELOAD=libMienTestClock.so TEST_CLOCK=/path/to/file program
//
// The file holds the milliseconds since 1970 as one int64_t in the machine's byte order. The test
// overwrites it, and the program sees the new time with its next call. Timers and sleeps use the
// monotonic clock, which stays real.

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic(int64_t) *shared;

__attribute__((constructor)) static void open_clock(void) {
    const char *path = getenv("TEST_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) shared = page;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    if (!is_wall || !shared) return (int)syscall(SYS_clock_gettime, clock, time);
    int64_t milliseconds = atomic_load(shared);
    time->tv_sec = milliseconds / 1000;
    time->tv_nsec = milliseconds % 1000 * 1000000;
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
