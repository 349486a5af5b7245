#include "CMienProcess.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

int mien_process_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

int mien_process_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int mien_process_lock_memory(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return -1;
    // Pages are locked when they are first used, so that memory that is only reserved costs nothing.
    return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
}

int mien_process_share_memory(void) {
#ifdef M_ARENA_MAX
    // The library would raise both thresholds after the first large block that is freed, such as those of a password's hash, and then
    // keep up to 64 MiB of such blocks.
    const int large = 4 * 1024 * 1024;
    const int done = mallopt(M_ARENA_MAX, 2) + mallopt(M_MMAP_THRESHOLD, large) + mallopt(M_TRIM_THRESHOLD, large);
    return done == 3 ? 0 : -1;
#else
    return -1;
#endif
}
