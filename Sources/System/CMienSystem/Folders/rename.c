#define _GNU_SOURCE
#include "CMienFolders.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#ifdef RENAME_EXCHANGE

int mien_rename_new(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE); }
int mien_rename_exchange(const char *a, const char *b) { return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE); }

#else

int mien_rename_new(const char *from, const char *to) {
    (void)from, (void)to;
    errno = EINVAL;
    return -1;
}
int mien_rename_exchange(const char *a, const char *b) { return mien_rename_new(a, b); }

#endif
