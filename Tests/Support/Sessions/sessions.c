// A logind for tests, preloaded in place of libsystemd's functions. The variable TEST_SESSION is “local”, “remote”
// (a session over the network), “background” (local, but another one is in front), “seatless”, or
// absent (no session).

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static const char *session(void) {
    const char *name = getenv("TEST_SESSION");
    return name ? name : "";
}

int sd_pid_get_session(pid_t pid, char **name) {
    (void)pid;
    if (!*session()) return -ENODATA;
    *name = strdup("1");
    return 0;
}

int sd_uid_get_display(uid_t uid, char **name) {
    (void)uid, (void)name;
    return -ENODATA;
}

int sd_session_is_remote(const char *name) {
    (void)name;
    return strcmp(session(), "remote") == 0;
}

int sd_session_is_active(const char *name) {
    (void)name;
    return strcmp(session(), "background") != 0;
}

int sd_session_get_seat(const char *name, char **seat) {
    (void)name;
    if (strcmp(session(), "seatless") == 0) return -ENODATA;
    *seat = strdup("seat0");
    return 0;
}
