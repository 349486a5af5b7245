"""Asks a server of one's own in turn for users of several kinds and compares how long it takes. Used by scripts/measure-strangers."""

import http.client
import json
import os
import random
import statistics
import sys
import time
import urllib.parse

public, admin = (
    http.client.HTTPConnection(place.hostname, place.port) for place in (urllib.parse.urlsplit(text) for text in sys.argv[1:3])
)
tries = int(sys.argv[3])
random.seed(1)


def send(method, path, body=None, isAdmin=False):
    headers = {"content-type": "application/json"}
    if isAdmin:
        headers["authorization"] = "Bearer " + os.environ["MIEN_CREDENTIAL"]
    data = None if body is None else json.dumps(body)
    connection = admin if isAdmin else public
    begun = time.perf_counter()
    connection.request(method, path, data, headers)
    answer = connection.getresponse()
    text = answer.read()
    took = time.perf_counter() - begun
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


def user(name, **more):
    return send("POST", "/v1/users", {"username": name, "email": name + "@example.org", **more}, True)[0]["id"]


# A lock comes after five wrong guesses: each of these is guessed at four times at most.
few = 4
for index in range((tries + few - 1) // few):
    for what in ("password", "ask", "answer"):
        user(f"{what}-{index}", password="a password nobody has")
user("locked", password="a password nobody has")
suspended = user("suspended", password="a password nobody has")
send("PATCH", f"/v1/users/{suspended}", {"state": "suspended"}, True)
for _ in range(6):
    password("locked")
    answer("locked")


def name_of(kind, what, index):
    return {"known": f"{what}-{index // few}", "unknown": f"nobody-{what}-{index // few}", "again": f"nothing-{what}-{index // few}"}.get(kind, kind)


def difference(a, b):
    """Of the medians, in µs, with the middle 95 % of what drawing again gives."""
    drawn = sorted(
        statistics.median(random.choices(a, k=len(a))) - statistics.median(random.choices(b, k=len(b))) for _ in range(1000)
    )
    return (statistics.median(a) - statistics.median(b)) * 1e6, drawn[25] * 1e6, drawn[975] * 1e6


print(f"{tries} tries of each kind, in random order, one after another.\n")
print("| what is asked | about whom | median | 90 % below | more than for nobody (95 %) |")
print("|---|---|---|---|---|")
for title, what, act, kinds in [
    ("a wrong password", "password", password, ["unknown", "again", "known", "locked", "suspended"]),
    ("send me a code", "ask", ask, ["unknown", "again", "known", "suspended"]),
    ("a wrong code", "answer", answer, ["unknown", "again", "known", "locked", "suspended"]),
]:
    for kind in kinds:
        act(name_of(kind, what, 0) if kind not in ("known",) else f"{what}-0")
    times = {kind: [] for kind in kinds}
    order = [(kind, index) for kind in kinds for index in range(tries)]
    random.shuffle(order)
    for kind, index in order:
        times[kind].append(act(name_of(kind, what, index)))
    words = {"unknown": "nobody of that name", "again": "nobody, other names", "known": "a user", "locked": "a user who is locked", "suspended": "a suspended user"}
    for kind in kinds:
        median, high = statistics.median(times[kind]) * 1e3, statistics.quantiles(times[kind], n=10)[8] * 1e3
        middle, least, most = difference(times[kind], times["unknown"]) if kind != "unknown" else (0, 0, 0)
        more = "" if kind == "unknown" else f"{middle:+.0f} µs ({least:+.0f} … {most:+.0f})"
        print(f"| {title} | {words[kind]} | {median:.2f} ms | {high:.2f} ms | {more} |", flush=True)
