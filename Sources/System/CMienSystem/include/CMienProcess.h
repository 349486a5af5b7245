#ifndef CMIENPROCESS_H
#define CMIENPROCESS_H

// What Swift's view of the C library leaves out: prctl(2), which is variadic, the limit for locked memory, and mallopt(3). Any thread.

// Whether this process may be dumped, and traced by others of its user: 1 yes, 0 no, 2 by root only, -1 with errno.
int mien_process_dumpable(void);

// Forbids dumps of this process, and tracing by others of its user. 0, or -1 with errno.
int mien_process_forbid_dumps(void);

// Locks all memory of this process, now and later, if the limit for locked memory is unlimited. 0 when it is locked, otherwise -1.
int mien_process_lock_memory(void);

// Lets all threads allocate from two arenas of the C library instead of up to eight for each processor, each of which keeps memory that the
// others cannot use, and returns blocks of 4 MiB and more to the system as soon as they are freed. Before other threads start. 0, or -1 where
// the C library has no arenas.
int mien_process_share_memory(void);

#endif
