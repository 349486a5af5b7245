#ifndef CMIEN_FOLDERS_H
#define CMIEN_FOLDERS_H

// Renaming that Swift's view of the C library leaves out. Any thread.

// Gives `from` the name `to`, which must be free. 0, or -1 with errno: EEXIST when it is not free, EINVAL when the file system cannot.
int mien_rename_new(const char *from, const char *to);

// Exchanges the two names in one step. Both must be there. 0, or -1 with errno: EINVAL when the file system cannot.
int mien_rename_exchange(const char *a, const char *b);

#endif
