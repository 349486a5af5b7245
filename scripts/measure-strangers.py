"""Sends names of several kinds to a server and compares its response times. Used by scripts/measure-strangers."""

import http.client
import json
import os
import random
import statistics
import sys
import time
import urllib.parse

public, admin = (
    http.client.HTTPConnection(url.hostname, url.port) for url in (urllib.parse.urlsplit(text) for text in sys.argv[1:3])
)
part, tries = sys.argv[3], int(sys.argv[4])
used = {}
random.seed(1)


def send(method, path, body=None, isAdmin=False):
    headers = {"content-type": "application/json"}
    if isAdmin:
        headers["authorization"] = "Bearer " + os.environ["MIEN_CREDENTIAL"]
    data = None if body is None else json.dumps(body)
    connection = admin if isAdmin else public
    # The server ends connections that are idle for 30 s.
    if time.monotonic() - used.get(connection, -100) > 15:
        connection.close()
        connection.connect()
    begun = time.perf_counter()
    connection.request(method, path, data, headers)
    answer = connection.getresponse()
    text = answer.read()
    took = time.perf_counter() - begun
    used[connection] = time.monotonic()
    if answer.status >= 300:
        sys.exit(f"{method} {path}: {answer.status} {text[:300]}")
    return json.loads(text or b"null"), took


def start(journey):
    return send("POST", f"/v1/journeys/{journey}/start", {"client_id": "default_application"})[0]["state"]


def respond(state, option, data):
    return send("POST", "/v1/journeys/respond", {"state": state, "option": option, "data": data})


def password(name):
    return respond(start("password-login"), "password", {"username": name, "password": "not the password"})[1]


def ask(name):
    return respond(start("recovery-email"), "email_code", {"user_identifier": name})[1]


def answer(name):
    state = respond(start("recovery-email"), "email_code", {"user_identifier": name})[0]["state"]
    return respond(state, "client_input", {"passcode": "000000000"})[1]


def token(name):
    state = respond(start("measured-otp"), "otp", {"user_identifier": name})[0]["state"]
    return respond(state, "client_input", {"passcode": "00000000"})[1]


def passkeys(name):
    return send("POST", "/v1/webauthn/login/options", {"client_id": "default_application", "username": name})[1]


def sign_up(names):
    username, address = names
    data = {"username": username, "email": address, "password": "correct horse battery"}
    return respond(start("sign-up"), "account", data)[1]


def sign_up_code(names):
    username, address = names
    data = {"username": username, "email": address, "password": "correct horse battery"}
    state = respond(start("sign-up"), "account", data)[0]["state"]
    return respond(state, "client_input", {"passcode": "000000"})[1]


def user(name, **more):
    return send("POST", "/v1/users", {"username": name, "email": name + "@example.org", **more}, True)[0]["id"]


def difference(a, b):
    """Returns the difference of the medians in µs, with its bootstrapped 95 % interval."""
    drawn = sorted(
        statistics.median(random.choices(a, k=len(a))) - statistics.median(random.choices(b, k=len(b))) for _ in range(1000)
    )
    return (statistics.median(a) - statistics.median(b)) * 1e6, drawn[25] * 1e6, drawn[975] * 1e6


words = {
    "unknown": "nobody of that name", "again": "nobody, other names", "known": "a user", "locked": "a user who is locked",
    "suspended": "a suspended user", "free": "a free name and address", "free again": "the same, others", "taken name": "a name that is taken",
    "taken address": "an address that is taken", "both": "name and address of one user", "other name": "another name of a user",
    "without": "a user without one",
}


def measure(title, act, kinds, name_of):
    """Prints rows of the table. The other kinds are compared with the first."""
    for kind in kinds:
        act(name_of(kind, -1))
    times = {kind: [] for kind in kinds}
    order = [(kind, index) for kind in kinds for index in range(tries)]
    random.shuffle(order)
    for kind, index in order:
        times[kind].append(act(name_of(kind, index)))
    for kind in kinds:
        median, high = statistics.median(times[kind]) * 1e3, statistics.quantiles(times[kind], n=10)[8] * 1e3
        middle, least, most = difference(times[kind], times[kinds[0]])
        more = "" if kind == kinds[0] else f"{middle:+.0f} µs ({least:+.0f} … {most:+.0f})"
        print(f"| {title} | {words[kind]} | {median:.2f} ms | {high:.2f} ms | {more} |", flush=True)


# Five wrong guesses cause a lock, so each account gets at most four.
few = 4


def refusals():
    journey = {
        "id": "measured-otp", "version": 1, "title": "One-time code", "start": "form",
        "steps": {
            "form": {
                "type": "login_form",
                "config": {"branches": [{"id": "otp"}], "output_variable": "form"},
                "on": {"otp": "check"},
            },
            "check": {
                "type": "authenticate_otp",
                "config": {"user_identifier": "form.user_identifier", "max_attempts": 1, "failure_behavior": "abort"},
                "on": {"success": "done"},
            },
            "done": {"type": "complete_journey"},
        },
    }
    for index in range(-1, (tries + few - 1) // few):
        for what in ("password", "ask", "answer"):
            user(f"{what}-{index}", password="a password nobody has")
    user("locked", password="a password nobody has")
    user("taken", password="a password nobody has")
    suspended = user("suspended", password="a password nobody has")
    send("PATCH", f"/v1/users/{suspended}", {"state": "suspended"}, True)
    for _ in range(6):
        password("locked")
        answer("locked")

    def named(what):
        def name_of(kind, index):
            number = index // few if index >= 0 else -1
            return {"known": f"{what}-{number}", "unknown": f"nobody-{what}-{number}", "again": f"nothing-{what}-{number}"}.get(kind, kind)

        return name_of

    measure("a wrong password", password, ["unknown", "again", "known", "locked", "suspended"], named("password"))
    measure("send me a code", ask, ["unknown", "again", "known", "suspended"], named("ask"))
    measure("a wrong code", answer, ["unknown", "again", "known", "locked", "suspended"], named("answer"))
    measure("options for a passkey", passkeys, ["unknown", "again", "known", "suspended"], named("password"))
    send("PUT", "/v1/journeys/measured-otp/versions/1", journey, True)
    send("POST", "/v1/journeys/measured-otp/versions/1/publish", {}, True)
    # These users have no OTP token. An owner of one is refused after the same writes, which the lock gate's tests count.
    measure("a wrong one-time code", token, ["unknown", "again", "known", "suspended"], named("password"))

    def signing_up(what):
        def name_of(kind, index):
            name = f"{what}-{kind.replace(' ', '-')}-{index}"
            address = name + "@example.net"
            return {
                "taken name": ("taken", address), "taken address": (name, "taken@example.org"), "both": ("taken", "taken@example.org"),
            }.get(kind, (name, address))

        return name_of

    kinds = ["free", "free again", "taken name", "taken address", "both"]
    measure("sign up", sign_up, kinds, signing_up("new"))
    measure("a wrong code at sign-up", sign_up_code, kinds, signing_up("code"))


def limits():
    """Measures refusals by limits. Each name allows one guess per minute: earlier guesses drain the bucket, later ones find it empty."""
    for index in range(-1, (tries + few - 1) // few):
        user(f"dry-{index}", password="a password nobody has")
        user(f"pair-{index}", password="a password nobody has")
    drained = {}

    def drain(name):
        # The bucket refills after a minute, so it is drained again earlier.
        if time.monotonic() - drained.get(name, -100) > 20:
            password(name)
            drained[name] = time.monotonic()

    def dry(name):
        drain(name)
        return password(name)

    def name_of(kind, index):
        number = index // few if index >= 0 else -1
        return {"known": f"dry-{number}", "unknown": f"nobody-dry-{number}", "again": f"nothing-dry-{number}"}[kind]

    measure("a password, when the limit is reached", dry, ["unknown", "again", "known"], name_of)

    def second(names):
        """Guesses at `names[1]` after the limit of `names[0]` is reached."""
        password(names[0])
        password(names[0])
        return password(names[1])

    def pair_of(kind, index):
        name = {"other name": "pair", "unknown": "nobody-pair", "again": "nothing-pair"}[kind] + f"-{index}"
        return name, name + "@example.org"

    for index in range((tries + few - 1) // few, tries):
        user(f"pair-{index}", password="a password nobody has")
    measure("a password, when the limit of another name is reached", second, ["unknown", "again", "other name"], pair_of)


{"refusals": refusals, "limits": limits}[part]()
