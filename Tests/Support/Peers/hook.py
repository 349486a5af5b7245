"""A webhook receiver that behaves according to the path. Prints {"port"}, then each call: path, headers, body, and the result of docs/webhooks.md's signature check.

{"certificate", "key": PEM files for https, "page": docs/webhooks.md, "secret"}
GET answers with {}, and /answer/TEXT with the JSON in base64url; it prints how often a path was asked for.
/ok  /text  /empty  /deep  /big  /endless  /redirect  /hang  /drip  /drop  /busy-then-ok/N  /status/N
"""

import base64
import http.server
import json
import pathlib
import re
import ssl
import time

from common import end_with_parent, settings, tell

options = settings()
page = {}
if "page" in options:
    # Run the code from the page that readers copy.
    exec(re.search(r"```python\n(.*?)```", pathlib.Path(options["page"]).read_text(), re.S).group(1), page)
calls = {}


class Hook(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        calls[self.path] = calls.get(self.path, 0) + 1
        tell(path=self.path, method="GET", count=calls[self.path])
        text = self.path.removeprefix("/answer/")
        self.answer(200, b"{}" if text == self.path else base64.urlsafe_b64decode(text + "=="))

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        calls[self.path] = calls.get(self.path, 0) + 1
        isOurs = None
        if page:
            isOurs = page["is_from_mien"](options["secret"].encode(), self.headers["mien-signature"], body, time.time())
        tell(
            path=self.path, method="POST", headers={k.lower(): v for k, v in self.headers.items()}, body=json.loads(body), text=body.decode(), valid=isOurs
        )
        self.act(self.path.split("?")[0].strip("/").split("/"))

    def act(self, words):
        if words[0] == "ok":
            self.answer(200, b'{"decision": "allow", "score": 0.5}')
        elif words[0] == "text":
            self.answer(200, b"all is well", "text/plain")
        elif words[0] == "empty":
            self.answer(204, b"")
        elif words[0] == "deep":
            self.answer(200, b"[" * 5000 + b"]" * 5000)
        elif words[0] == "big":
            self.answer(200, b'"' + b"x" * 70_000 + b'"')
        elif words[0] == "endless":
            self.send_response(200)
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            chunk = b"2000\r\n" + b"x" * 0x2000 + b"\r\n"
            count = 0
            try:
                while count < 10_000:
                    self.wfile.write(chunk)
                    count += 1
            except OSError:
                pass
            tell(chunks=count)
            self.close_connection = True
        elif words[0] == "redirect":
            self.send_response(307)
            self.send_header("location", "/ok")
            self.send_header("content-length", "0")
            self.end_headers()
        elif words[0] == "hang":
            time.sleep(3600)
        elif words[0] == "drip":
            self.send_response(200)
            self.send_header("content-length", "60000")
            self.end_headers()
            count = 0
            try:
                while count < 600:
                    self.wfile.write(b"x")
                    self.wfile.flush()
                    count += 1
                    time.sleep(0.1)
            except OSError:
                pass
            tell(dripped=count)
            self.close_connection = True
        elif words[0] == "drop":
            self.close_connection = True
        elif words[0] == "busy-then-ok":
            self.answer(503 if calls[self.path] <= int(words[1]) else 200, b"{}")
        else:
            self.answer(int(words[1]), b"{}")

    def answer(self, status, body, kind="application/json"):
        self.send_response(status)
        self.send_header("content-type", kind)
        if status != 204:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def get_request(self):
        connection, address = super().get_request()
        tell(connected=True)
        return connection, address

    def handle_error(self, request, client_address):
        pass


end_with_parent()
server = Server(("127.0.0.1", 0), Hook)
if "certificate" in options:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options["certificate"], options["key"])
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
tell(port=server.server_address[1])
server.serve_forever()
