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
    return mallopt(M_ARENA_MAX, 2) == 1 ? 0 : -1;
#else
    return -1;
#endif
}
