"""Plays recordings with a client that makes the recorded requests itself, and before each of them sends the same with a fault, which a replay has to find."""

import copy
import hashlib
import json
import pathlib
import time

import p256
from replay import REPOSITORY, Replay, with_news
from templates import Chain, Names, filled, made_request

SERVER = "http://127.0.0.1:1"
JPEG = b"\xff\xd8\xff\xd9"


class Client:
    """Makes the requests of a recording against a `Replay`, without a connection."""

    def __init__(self, recording):
        self.recording = recording
        self.replay = Replay(recording)
        self.replay.begin(SERVER)
        # Takes values from earlier answers, and invents the others as a client does.
        self.names, self.milliseconds = Names(SERVER, {**recording.get("names", {})}), 0

    def request(self, recorded):
        self.names.values.update({name: value for name, value in self.replay.names.values.items() if name not in self.names.values})
        return made_request(recorded, self.names, lambda _: JPEG, self.frames)

    def frames(self, nonce):
        # Sends again what the server did not accept.
        chain = copy.deepcopy(self.replay.chains.get(nonce)) or Chain(nonce)
        self.milliseconds += 40
        return chain.append(self.milliseconds, JPEG)

    def play(self, look=lambda request, recorded: None):
        """Returns what the replay found wrong. `look` sees each request before it is sent."""
        for exchange in self.replay.exchanges:
            for number in range(exchange.get("repeat", 1)):
                request = self.request(exchange["request"])
                if number == 0:
                    look(request, exchange["request"])
                self.replay.answer(*request)
        return self.replay.end()

    def finds(self, request):
        """Whether the replay, as it is now, finds a request wrong. It stays as it is."""
        trial = copy.copy(self.replay)
        trial.problems, trial.chains, trial.names = [], copy.deepcopy(self.replay.chains), copy.deepcopy(self.replay.names)
        trial.answer(*request)
        return bool(trial.problems)


def faults(request):
    """Changes that make a request another one, each with its name."""
    method, path, headers, body = request
    yield "method", ["PATCH", path, headers, body]
    yield "path", [method, path + "x", headers, body]
    for name, value in headers.items():
        yield f"no {name}", [method, path, {key: other for key, other in headers.items() if key != name}, body]
        yield f"another {name}", [method, path, {**headers, name: ("x" + value) if name != "content-type" else "text/plain"}, body]
    if "authorization" not in headers:
        yield "a token", [method, path, {**headers, "authorization": "Bearer x"}, body]
    if body:
        yield "no body", [method, path, headers, b""]
        yield "another body", [method, path, headers, bytes([body[0] ^ 1]) + body[1:]]
    else:
        yield "a body", [method, path, {**headers, "content-type": "application/json"}, b'{"more":1}']
    if headers.get("content-type") == "application/json" and body:
        members = json.loads(body)
        yield "a member", [method, path, headers, json.dumps({**members, "more": 1}).encode()]
        for name in members:
            yield f"no {name}", [method, path, headers, json.dumps({key: value for key, value in members.items() if key != name}).encode()]


def proof_faults(client, request, recorded):
    """Proofs that a server refuses."""
    method, path, headers, body = request
    key, token = client.names.key("proof"), recorded["headers"]["dpop"]["$proof"].get("token")
    ath = {"ath": p256.encode(hashlib.sha256(filled(token, client.names).encode()).digest())} if token else {}
    nonce = recorded["headers"]["dpop"]["$proof"].get("nonce")
    right = {"jti": "one-that-is-new", "htm": method, "htu": SERVER + path, "iat": int(time.time()), **ath, **({"nonce": nonce} if nonce else {})}
    header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": key.jwk}
    wrong = {"htm": "PATCH", "htu": SERVER + "/", "iat": right["iat"] - 3600, **({"ath": "x"} if token else {}), **({"nonce": "old"} if nonce else {})}
    for name, value in wrong.items():
        yield f"proof with another {name}", [method, path, {**headers, "dpop": key.jwt(header, {**right, name: value})}, body]
    yield "a forged proof", [method, path, {**headers, "dpop": p256.Key().jwt(header, right)}, body]


def check(recording, name):
    """The number of faults, and the problems."""
    client, count, problems = Client(recording), 0, []

    def look(request, recorded):
        nonlocal count
        wrong = list(faults(request)) + (list(proof_faults(client, request, recorded)) if "dpop" in request[2] else [])
        count += len(wrong)
        problems.extend(f"{name}, {request[0]} {request[1]}: {fault} was not found" for fault, other in wrong if not client.finds(other))

    problems += [f"{name}: {problem}" for problem in client.play(look)]
    return count, problems


def main():
    count, problems = 0, []
    for name in ("journey", "tokens-dpop", "proof-nonce", "biometric", "capture-live", "document"):
        recording = json.loads(pathlib.Path(REPOSITORY, "docs/conformance", f"{name}.json").read_text(encoding="utf-8"))
        found = check(recording, name)
        count, problems = count + found[0], problems + found[1]
        short = Client({**recording, "exchanges": recording["exchanges"][:1]})
        if not short.replay.end():
            problems.append(f"{name}: a client that makes no request passed")
    later = with_news({"client_response_options": {}, "guidance": ["wait"], "list": [{}]})
    if not {"later_member", "client_response_options"} <= set(later) or "later_option" not in later["client_response_options"] or later["guidance"] != ["wait", "later_word"]:
        problems.append("a later server has no news")
    print("\n".join(problems + [f"{count} faults in requests, of which {len(problems)} were not found"]))
    return not problems and count > 100
