#define _GNU_SOURCE
#include "CMienSocket.h"

#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#ifdef SO_PEERCRED

static int new_socket(const char *path, struct sockaddr_un *address) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address->sun_path, path);
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

// Whether a process listens at the address.
static int is_served(const struct sockaddr_un *address) {
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0) return 1;
    int served = connect(probe, (const struct sockaddr *)address, sizeof *address) == 0 || errno == EAGAIN;
    close(probe);
    return served;
}

int mien_socket_listen(const char *path) {
    struct sockaddr_un address;
    int listener = new_socket(path, &address);
    if (listener < 0) return -1;
    struct stat entry;
    if (lstat(path, &entry) == 0 && S_ISSOCK(entry.st_mode)) {
        if (is_served(&address)) {
            close(listener);
            errno = EADDRINUSE;
            return -1;
        }
        unlink(path);
    }
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || chmod(path, 0666) != 0 || listen(listener, 16) != 0) {
        int reason = errno;
        close(listener);
        errno = reason;
        return -1;
    }
    return listener;
}

int mien_socket_inherited(void) {
    const char *process = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    if (!process || !count || strtol(process, NULL, 10) != getpid() || strtol(count, NULL, 10) != 1) return -1;
    return 3;
}

int mien_socket_accept(int listener, int milliseconds, uint32_t *user) {
    struct pollfd waiting = {.fd = listener, .events = POLLIN};
    int ready = poll(&waiting, 1, milliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) return -1;
    if (ready < 0) return -2;
    int accepted = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted < 0) return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED ? -1 : -2;
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(accepted, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        close(accepted);
        return -2;
    }
    *user = peer.uid;
    return accepted;
}

ptrdiff_t mien_socket_read(int socket, void *bytes, size_t capacity) {
    ssize_t got = recv(socket, bytes, capacity, MSG_DONTWAIT);
    if (got >= 0) return got;
    return errno == EAGAIN || errno == EINTR ? -1 : -2;
}

int mien_socket_write(int socket, const void *bytes, size_t count) {
    return send(socket, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)count ? 0 : -1;
}

int mien_socket_is_open(int socket) {
    struct pollfd state = {.fd = socket, .events = POLLRDHUP};
    return poll(&state, 1, 0) >= 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) == 0;
}

#else

int mien_socket_listen(const char *path) {
    (void)path;
    errno = ENOTSUP;
    return -1;
}
int mien_socket_inherited(void) { return -1; }
int mien_socket_accept(int listener, int milliseconds, uint32_t *user) {
    (void)listener, (void)milliseconds, (void)user;
    return -2;
}
ptrdiff_t mien_socket_read(int socket, void *bytes, size_t capacity) {
    (void)socket, (void)bytes, (void)capacity;
    return -2;
}
int mien_socket_write(int socket, const void *bytes, size_t count) {
    (void)socket, (void)bytes, (void)count;
    return -1;
}
int mien_socket_is_open(int socket) {
    (void)socket;
    return 0;
}

#endif

void mien_socket_close(int socket) { close(socket); }

int mien_user_id(const char *name, uint32_t *id) {
    struct passwd entry, *found = NULL;
    char buffer[16384];
    if (getpwnam_r(name, &entry, buffer, sizeof buffer, &found) != 0 || !found) return -1;
    *id = found->pw_uid;
    return 0;
}
