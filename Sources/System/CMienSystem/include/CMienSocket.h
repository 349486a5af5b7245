#ifndef CMIENSOCKET_H
#define CMIENSOCKET_H

#include <stddef.h>
#include <stdint.h>

// Local stream sockets that tell who is at the other end. Any thread. Descriptors are closed on exec; the caller closes them with mien_socket_close.

// Listens at `path`, where every user may connect. Replaces a socket on which nobody listens. The descriptor, or -1 with errno; EADDRINUSE if
// another process listens there.
int mien_socket_listen(const char *path);

// The socket on which systemd listens for this process, or -1 if it was started otherwise.
int mien_socket_inherited(void);

// Waits for a connection, at most `milliseconds`, or without end if that is negative. *user gets the user ID of the process at the other end when it
// connected. The descriptor, -1 when the time is over, -2 with errno.
int mien_socket_accept(int listener, int milliseconds, uint32_t *user);

// Reads what has arrived, without waiting: the number of bytes, 0 at the end, -1 when nothing has arrived yet, -2 with errno.
ptrdiff_t mien_socket_read(int socket, void *bytes, size_t capacity);

// Sends all bytes, without waiting. 0, or -1 if the other end has gone or does not read.
int mien_socket_write(int socket, const void *bytes, size_t count);

// Whether the other end is still there: 1 or 0.
int mien_socket_is_open(int socket);

void mien_socket_close(int socket);

// *id gets the user ID of the account `name`. 0, or -1 if there is none.
int mien_user_id(const char *name, uint32_t *id);

#endif
