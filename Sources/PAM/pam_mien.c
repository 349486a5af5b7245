// pam_mien: signs people in on a Linux desktop with their face. docs/linux-desktop.md describes it.
//
// The module runs in programs such as login and sudo, so it is small, links neither Swift nor a
// network of ours, and allocates nothing that grows. It decides only whether a face may be asked
// for at all; the service behind the socket looks into the camera and judges.
//
//   auth  sufficient  pam_mien.so  [socket=PATH] [timeout=SECONDS]
//
// What pam_sm_authenticate returns:
//   PAM_SUCCESS            the person's face was accepted, live
//   PAM_AUTH_ERR           another face, or not a live one
//   PAM_AUTHINFO_UNAVAIL   no face can be judged now: service, camera, networks, time, too many attempts
//   PAM_IGNORE             a face is not wanted: remote session, nobody enrolled, a password was typed
// Everything but PAM_SUCCESS leaves the decision to the modules below, which ask for the password.

#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <security/pam_modutil.h>
#include <systemd/sd-login.h>

enum {
    MAX_NAME = 32,     // bytes of a user's name
    MAX_LINE = 256,    // bytes of a request or of a line of an answer
    MAX_LINES = 400,   // lines of an answer
    QUICK_SECONDS = 10 // for an answer that needs no camera; the service may have to start
};

static const char *const asked_key = "mien_asked";

struct options {
    const char *socket;
    int seconds;
};

// Returns 0 if an option is unknown or out of range.
static int read_options(pam_handle_t *pamh, int count, const char **words, struct options *options) {
    options->socket = "/run/mien-desktop/socket";
    options->seconds = 45;
    for (int i = 0; i < count; i++) {
        if (strncmp(words[i], "socket=/", 8) == 0) {
            options->socket = words[i] + 7;
        } else if (strncmp(words[i], "timeout=", 8) == 0) {
            char *end = NULL;
            long seconds = strtol(words[i] + 8, &end, 10);
            if (end == words[i] + 8 || *end != 0 || seconds < 1 || seconds > 120) {
                pam_syslog(pamh, LOG_ERR, "timeout must be 1 to 120 seconds");
                return 0;
            }
            options->seconds = (int)seconds;
        } else {
            pam_syslog(pamh, LOG_ERR, "unknown option %.64s; allowed are socket=PATH and timeout=SECONDS", words[i]);
            return 0;
        }
    }
    return 1;
}

// Names that fit into a request: what useradd allows, and names of directories such as ada@example.org.
static int is_name(const char *name) {
    size_t length = strnlen(name, MAX_NAME + 1);
    if (length == 0 || length > MAX_NAME || name[0] == '-') return 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        if (!(isalnum(c) && c < 128) && !strchr("._-@", c)) return 0;
    }
    return 1;
}

// MARK: Where the person is

enum terminal { terminal_none, terminal_console, terminal_display, terminal_pseudo, terminal_other };

static int is_number(const char *text) {
    if (!*text) return 0;
    for (; *text; text++) {
        if (!isdigit((unsigned char)*text)) return 0;
    }
    return 1;
}

static enum terminal terminal_kind(const char *name) {
    if (!name || !*name) return terminal_none;
    if (strncmp(name, "/dev/", 5) == 0) name += 5;
    if (strncmp(name, "tty", 3) == 0 && is_number(name + 3)) return terminal_console;
    if (strncmp(name, "pts/", 4) == 0 && is_number(name + 4)) return terminal_pseudo;
    // A display of this machine has no host before the colon.
    if (name[0] == ':' && isdigit((unsigned char)name[1])) return terminal_display;
    return terminal_other; // a serial line, “ssh”, a display elsewhere
}

// A session is local only if logind says so: not remote, at a seat, and in front.
static int session_is_local(const char *session) {
    char *seat = NULL;
    if (sd_session_is_remote(session) != 0) return 0;
    if (sd_session_get_seat(session, &seat) < 0 || !seat) return 0;
    int has_seat = *seat != 0;
    free(seat);
    return has_seat && sd_session_is_active(session) > 0;
}

static const char *text_item(pam_handle_t *pamh, int kind) {
    const void *value = NULL;
    return pam_get_item(pamh, kind, &value) == PAM_SUCCESS ? value : NULL;
}

// Whether the person sits in front of this machine. What cannot be known counts as remote.
static int is_local(pam_handle_t *pamh, const char *user) {
    static const char *const variables[] = {"SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"};
    const char *host = text_item(pamh, PAM_RHOST);
    if (host && *host) return 0;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        // Not secure_getenv: a variable can only forbid.
        if (getenv(variables[i]) || pam_getenv(pamh, variables[i])) return 0;
    }
    enum terminal terminal = terminal_kind(text_item(pamh, PAM_TTY));
    if (terminal == terminal_other) return 0;

    char *session = NULL;
    if (sd_pid_get_session(0, &session) >= 0 && session) {
        int local = session_is_local(session);
        free(session);
        return local;
    }
    // Before a session begins: login on a console, and display managers.
    uid_t caller = getuid();
    if (caller == 0 && (terminal == terminal_console || terminal == terminal_display)) return 1;
    // Programs of a desktop's user manager belong to no session, but to a person who has one.
    if (caller == 0) {
        struct passwd *entry = pam_modutil_getpwnam(pamh, user);
        if (!entry) return 0;
        caller = entry->pw_uid;
    }
    if (sd_uid_get_display(caller, &session) < 0 || !session) return 0;
    int local = session_is_local(session);
    free(session);
    return local;
}

// MARK: The service

static long long milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

// Connects to a socket on which root listens; -1 otherwise.
static int connect_service(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -1;
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    struct ucred peer;
    socklen_t size = sizeof peer;
    // systemd listens for the service, which itself is not root.
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

struct reader {
    int fd;
    long long deadline;
    char bytes[MAX_LINE];
    size_t count;
};

// Reads one line without its end into `line`. Returns 0 when there is none in time, or it is malformed.
static int read_line(struct reader *reader, char line[MAX_LINE]) {
    for (;;) {
        char *end = memchr(reader->bytes, '\n', reader->count);
        if (end) {
            size_t length = (size_t)(end - reader->bytes);
            memcpy(line, reader->bytes, length);
            line[length] = 0;
            reader->count -= length + 1;
            memmove(reader->bytes, end + 1, reader->count);
            for (size_t i = 0; i < length; i++) {
                if (line[i] < ' ' || line[i] > '~') return 0;
            }
            return 1;
        }
        if (reader->count == sizeof reader->bytes) return 0;
        long long left = reader->deadline - milliseconds_now();
        if (left <= 0) return 0;
        struct pollfd waiting = {.fd = reader->fd, .events = POLLIN};
        int ready = poll(&waiting, 1, (int)left);
        if (ready < 0 && errno != EINTR) return 0;
        if (ready <= 0) continue;
        ssize_t got = recv(reader->fd, reader->bytes + reader->count, sizeof reader->bytes - reader->count, 0);
        if (got == 0) return 0;
        if (got < 0 && errno != EAGAIN && errno != EINTR) return 0;
        if (got > 0) reader->count += (size_t)got;
    }
}

// Sends a request and copies the last line of the answer. Shows the others, if the service may speak.
// Returns 0 if there is no such answer in time.
static int ask(pam_handle_t *pamh, const struct options *options, const char *verb, const char *user, int seconds,
               int shows, char answer[MAX_LINE]) {
    char request[MAX_LINE];
    int length = snprintf(request, sizeof request, "mien-desktop/1 %s %s\n", verb, user);
    if (length < 0 || (size_t)length >= sizeof request) return 0;
    struct reader reader = {.deadline = milliseconds_now() + seconds * 1000LL};
    reader.fd = connect_service(options->socket);
    if (reader.fd < 0) return 0;
    int complete = 0;
    if (send(reader.fd, request, (size_t)length, MSG_NOSIGNAL) == length) {
        for (int lines = 0; lines < MAX_LINES && read_line(&reader, answer); lines++) {
            if (strncmp(answer, "show ", 5) != 0) {
                complete = 1;
                break;
            }
            if (shows) pam_info(pamh, "%s", answer + 5);
        }
    }
    close(reader.fd); // tells the service to stop, if it still looks
    return complete;
}

// MARK: Asking the person

enum wish { wish_face, wish_password, wish_nothing };

// The prompt comes before the camera opens. One key, Enter, confirms; a typed password is passed on, so
// that programs with a single field, such as screen lockers, need no second one.
static enum wish ask_person(pam_handle_t *pamh) {
    char *typed = NULL;
    if (pam_prompt(pamh, PAM_PROMPT_ECHO_OFF, &typed,
                   "Password, or press Enter to use your face (opens the camera): ") != PAM_SUCCESS ||
        !typed) {
        return wish_nothing;
    }
    enum wish wish = wish_face;
    size_t length = strlen(typed);
    if (length > 0) wish = pam_set_item(pamh, PAM_AUTHTOK, typed) == PAM_SUCCESS ? wish_password : wish_nothing;
    explicit_bzero(typed, length);
    free(typed);
    return wish;
}

static void forget(pam_handle_t *pamh, void *name, int status) {
    (void)pamh, (void)status;
    free(name);
}

// Remembers whose face was asked for and not accepted: if the password is right afterwards, the service
// unlocks the face. The name, because programs such as sudo set PAM_USER to somebody else before
// pam_sm_setcred.
static void remember(pam_handle_t *pamh, const char *user) {
    char *name = strdup(user);
    if (name && pam_set_data(pamh, asked_key, name, forget) != PAM_SUCCESS) free(name);
}

static int unavailable(pam_handle_t *pamh, const char *reason) {
    // A word of the service's, without a name.
    pam_syslog(pamh, LOG_NOTICE, "no face was judged: %.64s", reason);
    return PAM_AUTHINFO_UNAVAIL;
}

// The result that an answer of the service means. Any answer but “accepted” is no success.
static int result(pam_handle_t *pamh, const char *user, const char *answer) {
    if (strcmp(answer, "accepted") == 0) return PAM_SUCCESS;
    remember(pamh, user);
    if (strncmp(answer, "refused ", 8) == 0) {
        pam_syslog(pamh, LOG_NOTICE, "the face was refused: %.64s", answer + 8);
        pam_info(pamh, "The face was not accepted. Use the password.");
        return PAM_AUTH_ERR;
    }
    pam_info(pamh, "No face could be judged. Use the password.");
    return unavailable(pamh, strncmp(answer, "unavailable ", 12) == 0 ? answer + 12 : "malformed answer");
}

PAM_EXTERN int pam_sm_authenticate(pam_handle_t *pamh, int flags, int count, const char **words) {
    struct options options;
    const char *user = NULL;
    char answer[MAX_LINE];
    // Forget the name of an earlier attempt in this program: login asks several people in turn.
    pam_set_data(pamh, asked_key, NULL, NULL);
    if (!read_options(pamh, count, words, &options)) return PAM_AUTHINFO_UNAVAIL;
    if (pam_get_user(pamh, &user, NULL) != PAM_SUCCESS || !user) return PAM_AUTHINFO_UNAVAIL;
    // Without a prompt, no camera may open; with a password, none is needed.
    if ((flags & PAM_SILENT) || text_item(pamh, PAM_AUTHTOK)) return PAM_IGNORE;
    if (!is_name(user) || !is_local(pamh, user)) return PAM_IGNORE;

    if (!ask(pamh, &options, "ready", user, QUICK_SECONDS, 0, answer)) return unavailable(pamh, "no service");
    if (strcmp(answer, "unavailable not-enrolled") == 0) return PAM_IGNORE;
    if (strcmp(answer, "unavailable locked") == 0) {
        remember(pamh, user);
        pam_info(pamh, "The face is locked after failed attempts, until you use the password.");
        return unavailable(pamh, "locked");
    }
    if (strcmp(answer, "ready") != 0) return unavailable(pamh, answer);

    switch (ask_person(pamh)) {
    case wish_password: return PAM_IGNORE;
    case wish_nothing: return unavailable(pamh, "no confirmation");
    case wish_face: break;
    }
    if (!ask(pamh, &options, "check", user, options.seconds, 1, answer)) {
        remember(pamh, user);
        pam_info(pamh, "No face could be judged in time. Use the password.");
        return unavailable(pamh, "no answer in time");
    }
    return result(pamh, user, answer);
}

// After another module signed the person in.
PAM_EXTERN int pam_sm_setcred(pam_handle_t *pamh, int flags, int count, const char **words) {
    struct options options;
    const void *asked = NULL;
    char answer[MAX_LINE];
    if (!(flags & PAM_DELETE_CRED) && geteuid() == 0 &&
        pam_get_data(pamh, asked_key, &asked) == PAM_SUCCESS && asked &&
        read_options(pamh, count, words, &options)) {
        ask(pamh, &options, "authenticated", asked, QUICK_SECONDS, 0, answer);
        pam_set_data(pamh, asked_key, NULL, NULL);
    }
    // PAM_IGNORE would leave a stack whose only module is this one without a result.
    return PAM_SUCCESS;
}
