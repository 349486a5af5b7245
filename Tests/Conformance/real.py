"""Sends the recorded requests to a real `mien serve`, and compares its answers with the recorded ones, or records them."""

import copy
import json
import pathlib
import re
import secrets
import sys
import time

from templates import Chain, Mismatch, Names, filled, made_request, matches, parts_of, special

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "docs/conformance"
sys.path.insert(0, str(REPOSITORY / "Tests/Web"))
from server import Refused, Server  # noqa: E402

# Drawn heads are no faces to the network against prints, and look alike each time.
SETTINGS = {"FACE_PRESENTATION": "off", "FACE_LIVENESS_REPLAY_DAYS": "0", "IDENTITY_DOCUMENTS": "passport,idCard,driverLicense", "LOG_LEVEL": "warning"}
# The fields of answers that clients read.
FIELDS = ("content-type", "retry-after", "www-authenticate", "dpop-nonce")
# Members whose values differ each time, and their placeholders.
SECRETS = {"state", "token", "device_token", "start_token", "access_token", "refresh_token", "id_token", "nonce", "session_id", "sub", "sid", "kid", "at_hash"}
TIMES = {"expires_at", "expiration"}
NUMBERS = {"frames_left", "quality", "progress", "countdown", "elapsed", "next_frame", "expires_in", "iat", "exp", "auth_time"}
# Longest time for answers that come after work of the server, in seconds.
PATIENCE = 60
# A gap between frames that ends a live capture, or makes it last longer.
GAP = 0.4


def recordings(words):
    paths = sorted(path for path in FOLDER.glob("*.json") if not words or any(word in path.stem for word in words))
    return [(path, json.loads(path.read_text(encoding="utf-8"))) for path in paths]


def pretty(value, indent=0):
    """JSON, with what fits into a line in one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= 140 or not isinstance(value, (dict, list)) or not value:
        return flat
    space, is_object = " " * (indent + 2), isinstance(value, dict)
    parts = [f"{json.dumps(name, ensure_ascii=False)}: {pretty(member, indent + 2)}" for name, member in value.items()] if is_object else [
        pretty(element, indent + 2) for element in value]
    return ("{" if is_object else "[") + "\n" + ",\n".join(space + part for part in parts) + "\n" + " " * indent + ("}" if is_object else "]")


def picture(name):
    """A drawn picture: `owner` and `card_front` of Tests/Apple/Pictures."""
    folder = REPOSITORY / "Tests/Apple/Pictures"
    return next(path for size in ("2048", "1280", "640") if (path := folder / f"{name}-{size}.jpg").exists()).read_bytes()


class Slow(Exception):
    """This machine holds frames up, so that a live capture cannot be compared."""


class Run:
    """The requests of one recording, sent to a server."""

    def __init__(self, server, recording):
        self.server, self.recording = server, recording
        mark = secrets.token_hex(4)
        self.names = Names(server.address, {name: f"{value}-{mark}" for name, value in recording.get("names", {}).items()})
        self.chains, self.began, self.frame, self.gap = {}, {}, 0, 0

    def prepare(self):
        for request in self.recording.get("prepare", []):
            self.ask_administrator(request)

    def ask_administrator(self, request):
        answer = self.server.admin(request["method"], filled(request["path"], self.names), filled(request["body"], self.names) if "body" in request else None)
        if "answer" in request:
            matches(request["answer"], answer, self.names, "the administrator's answer")

    def send(self, request):
        """Status, fields, and content of the answer."""
        method, path, headers, body = made_request(request, self.names, picture, self.frames)
        status, fields, content = self.server.send(method, path, body or None, headers)
        return status, {name.lower(): value for name, value in fields.items() if name.lower() in FIELDS}, content

    def frames(self, nonce):
        """Two pictures of a person, who is never quite still, as a camera takes them."""
        chain = self.chains.setdefault(nonce, Chain(nonce))
        began, body = self.began.setdefault(nonce, time.monotonic()), b""
        for _ in range(2):
            time.sleep(0.09)
            self.frame += 1
            now = int((time.monotonic() - began) * 1000)
            self.gap = max(self.gap, (now - chain.milliseconds) / 1000)
            body += chain.append(now, picture(f"owner-{self.frame % 40 + 1}"))
        return body

    def compare(self, response, answer):
        """Raises Mismatch if the answer is not as recorded."""
        status, fields, content = answer
        wanted = {**({"content-type": "application/json"} if "body" in response else {}), **response.get("headers", {})}
        found = {**fields, **({"content-type": fields["content-type"].partition(";")[0]} if "content-type" in fields else {})}
        if status != response["status"]:
            raise Mismatch(f"the status is {status}, and {response['status']} was recorded: {str(content)[:300]}")
        matches(wanted, found, self.names, "headers")
        matches(response.get("body", ""), content, self.names)

    def recorded(self, response, answer, number):
        """The response to record: placeholders that still fit stay."""
        status, fields, content = answer
        headers = {name: value if name != "content-type" else value.partition(";")[0] for name, value in fields.items()}
        if headers.get("content-type") == "application/json":
            del headers["content-type"]
        old = response or {}
        new = {"status": status}
        if headers:
            new["headers"] = self.templated(old.get("headers"), headers, number)
        if content != "":
            new["body"] = self.templated(old.get("body"), content, number)
        return new

    def templated(self, template, value, number, name=""):
        """The template of a value: what it was, where that still fits."""
        kind, content = special(template)
        if kind or not isinstance(template, (dict, list, type(None))):
            before = dict(self.names.values)
            try:
                matches(template, value, self.names)
                return template
            except Mismatch:
                self.names.values = before
        if kind == "$jwt":
            header, claims, _, _ = parts_of(value, name)
            return {"$jwt": {"header": self.templated(content.get("header"), header, number), "claims": self.templated(content["claims"], claims, number)}}
        if isinstance(value, dict):
            members = template if isinstance(template, dict) else {}
            return {key: self.templated(members.get(key), member, number, key) for key, member in value.items()}
        if isinstance(value, list):
            old = template if isinstance(template, list) and len(template) == len(value) else [None] * len(value)
            return [self.templated(one, element, number) for one, element in zip(old, value)]
        if name in NUMBERS:
            made = f"{{{{number {name}}}}}"
        elif name in TIMES:
            made = f"{{{{time {name}}}}}"
        elif not isinstance(value, str):
            return value
        else:
            known = [key for key, bound in self.names.values.items() if isinstance(bound, str) and len(bound) >= 8 and bound == value]
            if known:
                made = f"{{{{{known[0]}}}}}"
            elif name in SECRETS:
                new = next(new for new in (f"{name} {number}", f"{name} {number} of the data") if new not in self.names.values)
                made = f"{{{{{new}}}}}"
            else:
                made = value
                for key, bound in self.names.values.items():
                    if isinstance(bound, str) and len(bound) >= 16:
                        made = made.replace(bound, f"{{{{{key}}}}}")
        matches(made, value, self.names)
        return made

    def play(self, records):
        """Sends the requests. Returns the exchanges, with what was recorded; raises Mismatch for what differs."""
        exchanges, polled = copy.deepcopy(self.recording["exchanges"]), []
        for number, exchange in enumerate(exchanges, 1):
            if "administrator" in exchange:
                self.ask_administrator(exchange["administrator"])
            elif "repeat" in exchange:
                polled.append(exchange)
            elif "made" not in exchange:
                try:
                    answer = self.poll(exchange["request"], polled)
                    if records:
                        exchange["response"] = self.recorded(exchange.get("response"), answer, number)
                    else:
                        self.compare(exchange["response"], answer)
                except Mismatch as mismatch:
                    raise Mismatch(f"exchange {number}, {exchange['request']['method']} {exchange['request']['path']}: {mismatch}") from None
                polled = []
        return exchanges

    def poll(self, request, polled):
        """The answer to a request, which is sent again as long as its answer is that of an exchange before it."""
        end = time.monotonic() + PATIENCE
        while True:
            answer = self.send(request)
            if time.monotonic() > end or not any(self.fits(exchange["response"], answer) for exchange in polled):
                return answer
            time.sleep(polled[-1].get("pause", 0))

    def fits(self, response, answer):
        before = dict(self.names.values)
        try:
            self.compare(response, answer)
            return True
        except Mismatch:
            self.names.values = before
            return False


def play(server, recording, records):
    """A busy machine holds frames up, which ends a live capture: two more tries."""
    for _ in range(3):
        run = Run(server, recording)
        run.prepare()
        try:
            return run.play(records)
        except Mismatch:
            if run.gap < GAP:
                raise
    raise Slow(f"this machine held frames up for {run.gap:.1f} s")


def main(mode, words):
    servers, passed, failed, skipped = {}, 0, 0, 0
    try:
        for path, recording in recordings(words):
            if all("made" in one for one in recording["exchanges"]):
                continue
            settings = {**SETTINGS, **recording.get("settings", {})}
            key = json.dumps(settings, sort_keys=True)
            try:
                server = servers.get(key) or servers.setdefault(key, Server(**settings))
                exchanges = play(server, recording, mode == "record")
                passed += 1
                print(f"✔ a server answers as recorded in {path.name}", flush=True)
                if mode == "record":
                    path.write_text(pretty({**recording, "exchanges": exchanges}) + "\n", encoding="utf-8")
            except Slow as reason:
                skipped += 1
                print(f"– {path.name}: {reason}", flush=True)
            except (Mismatch, Refused, RuntimeError, OSError) as error:
                failed += 1
                print(f"✘ {path.name}: {error}", flush=True)
    finally:
        for server in servers.values():
            server.stop()
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return not failed
