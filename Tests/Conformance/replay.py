"""A server that answers as recorded, once, and says in what the requests of a client differ from the recorded ones."""

import copy
import http.server
import json
import pathlib
import sys
import threading
import urllib.parse

from templates import TYPES, Chain, Mismatch, Names, filled, matches, matches_proof, matches_text, special

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
# What a browser may load beside the recording: the page of the test, and the scripts.
PAGE = b"<!doctype html><meta charset=utf-8><title>Recorded exchanges</title><link rel=icon href=data:,><h1>Recorded exchanges</h1>"


def check_request(request, method, path, headers, body, names, chains):
    """Raises Mismatch if a request is not as recorded."""
    if method != request["method"]:
        raise Mismatch(f"the method is {method}, and {request['method']} was recorded")
    matches_text(request["path"], path, names, "path")
    wanted = request.get("headers", {})
    for name in {"authorization", "dpop", *wanted}:
        value = headers.get(name)
        if name not in wanted:
            if value is not None:
                raise Mismatch(f"the header {name} was not recorded")
        elif value is None:
            raise Mismatch(f"the header {name} is missing")
        elif name == "dpop":
            matches_proof(wanted[name]["$proof"], value, method, path, names)
        else:
            matches(wanted[name], value, names, f"header {name}")
    # {} and no body mean the same where a request has no data.
    if not request.get("body"):
        if body not in (b"", b"{}"):
            raise Mismatch(f"the body has {len(body)} bytes, and none was recorded")
        return
    (kind, content), found = special(request["body"]), (headers.get("content-type") or "").partition(";")[0].strip()
    if found != TYPES.get(kind, "application/json"):
        raise Mismatch(f"the content type is {found or 'missing'}, and {TYPES.get(kind, 'application/json')} was recorded")
    if kind == "$picture":
        if body[:2] != b"\xff\xd8":
            raise Mismatch("the body is not a JPEG")
    elif kind == "$frames":
        nonce = names.values[content]
        chains.setdefault(nonce, Chain(nonce)).take(body)
    elif kind == "$form":
        fields = urllib.parse.parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=True)
        if len(dict(fields)) != len(fields):
            raise Mismatch("the form repeats a field")
        matches(content, dict(fields), names)
    else:
        try:
            value = json.loads(body)
        except ValueError:
            raise Mismatch("the body is not JSON") from None
        matches(request["body"], value, names)


def with_news(value, name=""):
    """The value as a later server may send it: each object has members, and each list of guidance a word, that no client knows yet."""
    if isinstance(value, list):
        return [with_news(element) for element in value] + (["later_word"] if name == "guidance" else [])
    if not isinstance(value, dict):
        return value
    more = {key: with_news(member, key) for key, member in value.items()}
    if name == "client_response_options":
        return {**more, "later_option": {"type": "later_type", "label": "Later", "later_member": 1}}
    return more if name == "properties" else {**more, "later_member": {"list": [None, 1.5, "text"], "none": None}}


class Replay:
    """The state of one run of a recording."""

    def __init__(self, recording, adds_news=False):
        # What an administrator did in between changed the answers, which are recorded.
        self.exchanges, self.adds_news = [one for one in recording["exchanges"] if "request" in one], adds_news
        self.values = {**recording.get("names", {}), **recording.get("values", {})}
        self.next, self.given, self.problems, self.chains, self.lock = 0, 0, [], {}, threading.Lock()

    def begin(self, address):
        self.names = Names(address, self.values)

    def answer(self, method, path, headers, body):
        """Status, headers, and body of the response; None if the connection is to be lost."""
        with self.lock:
            exchange = self.find(method, path)
            chains = copy.deepcopy(self.chains) if exchange and exchange["response"].get("ignores") else self.chains
            try:
                if exchange is None:
                    raise Mismatch("the recording has ended")
                check_request(exchange["request"], method, path, headers, body, self.names, chains)
            except Mismatch as mismatch:
                problem = f"{method} {path}, exchange {self.next + 1}: {mismatch}"
                self.problems.append(problem)
                return 500, {"content-type": "application/problem+json"}, json.dumps({"code": "server_error", "status": 500, "detail": problem}).encode()
            self.names.values["next_frame"] = max((chain.number for chain in self.chains.values()), default=1)
            response = exchange["response"]
            if not exchange.get("any_time"):
                self.given += 1
                if self.given >= exchange.get("repeat", 1):
                    self.next, self.given = self.next + 1, 0
            if response.get("lost"):
                return None
            fields = {name: filled(value, self.names) for name, value in response.get("headers", {}).items()}
            if "text" in response:
                return response["status"], fields, response["text"].encode()
            if "body" not in response:
                return response["status"], fields, b""
            content = filled(response["body"], self.names)
            return response["status"], {"content-type": "application/json", **fields}, json.dumps(with_news(content) if self.adds_news else content).encode()

    def find(self, method, path):
        """The exchange of a request: the next one, or one that may come at any time."""
        while self.next < len(self.exchanges) and self.exchanges[self.next].get("any_time"):
            self.next += 1
        for exchange in self.exchanges:
            if exchange.get("any_time") and (exchange["request"]["method"], exchange["request"]["path"]) == (method, path):
                return exchange
        return self.exchanges[self.next] if self.next < len(self.exchanges) else None

    def end(self):
        """What was wrong."""
        left = [one for one in self.exchanges[self.next:] if not one.get("any_time")]
        if left and not self.problems:
            self.problems.append(f"{len(left)} exchanges were not asked for, from {left[0]['request']['method']} {left[0]['request']['path']} on")
        return self.problems


def handler(replay):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def handle_request(self):
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            if self.headers.get("transfer-encoding"):
                body = self.read_chunks()
            page = self.page() if self.command == "GET" else None
            answer = page or replay.answer(self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            self.close_connection = True
            if answer is None:
                return
            status, fields, content = answer
            self.send_response(status)
            for name, value in {**fields, "content-length": str(len(content)), "connection": "close", "cache-control": "no-store"}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def read_chunks(self):
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def page(self):
            path = urllib.parse.urlsplit(self.path).path
            if path == "/":
                return 200, {"content-type": "text/html; charset=utf-8"}, PAGE
            files = {"/mien.js": "Web/Assets/mien.js", "/player.js": "Tests/Web/player.js"}
            if path in files:
                return 200, {"content-type": "text/javascript; charset=utf-8"}, (REPOSITORY / files[path]).read_bytes()
            return None

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = handle_request

    return Handler


def serve(path, adds_news):
    """Prints the address, serves until standard input ends, and prints what was wrong, a line each. Returns whether nothing was."""
    replay = Replay(json.loads(pathlib.Path(path).read_text(encoding="utf-8")), adds_news)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(replay))
    server.daemon_threads = True
    address = f"http://127.0.0.1:{server.server_port}"
    replay.begin(address)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(address, flush=True)
    sys.stdin.read()
    server.shutdown()
    problems = replay.end()
    print("\n".join(problems), end="\n" if problems else "")
    return not problems
