"""The admin portal in tests: an origin that signs in for the browser.

It passes every request to a server's admin listener and adds the credential that the first start printed, so that tests of pages need no sign-in of their
own; `test_portal*.py` test signing in. With MIEN_WEB_PORTAL=Web/Portal, the portal's files come from that folder, so that a changed page needs no build.
"""

import http.client
import http.server
import json
import mimetypes
import os
import threading
import urllib.parse

import server

FILES = os.environ.get("MIEN_WEB_PORTAL")
HOP = {"host", "connection", "content-length", "transfer-encoding", "keep-alive", "accept-encoding", "cookie"}
mimetypes.add_type("text/javascript", ".js")


class SignedIn:
    """Use `origin` in place of the server's admin address."""

    def __init__(self, mien, credential=None):
        self.requests = []
        # Paths whose requests are answered as if the server were out of order.
        self.broken = set()
        target = urllib.parse.urlsplit(mien.admin_address)
        credential = credential or mien.credential
        portal = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                portal.requests.append((self.command, self.path))
                if self.path.partition("?")[0] in portal.broken:
                    problem = {"title": "The server failed", "status": 500, "code": "server_error", "detail": "Out of order."}
                    return self.reply(500, {"content-type": "application/problem+json"}, json.dumps(problem).encode())
                asset = "/admin/assets/"
                if FILES and self.path.startswith(asset):
                    name = self.path[len(asset):].partition("?")[0]
                    path = server.REPOSITORY / ("Web/Shared" if name == "base.css" else FILES) / name
                    kind = mimetypes.guess_type(path.name)[0] or "text/plain"
                    return self.reply(200, {"content-type": kind}, path.read_bytes()) if path.is_file() else self.reply(404, {}, b"")
                headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP}
                headers["authorization"] = f"Bearer {credential}"
                connection = http.client.HTTPConnection(target.hostname, target.port, timeout=60)
                connection.request(self.command, self.path, body or None, headers)
                answer = connection.getresponse()
                content = answer.read()
                connection.close()
                if FILES and (answer.getheader("content-type") or "").startswith("text/html"):
                    content = (server.REPOSITORY / FILES / "index.html").read_bytes()
                return self.reply(answer.status, {name: value for name, value in answer.getheaders() if name.lower() not in HOP}, content)

            def reply(self, status, headers, content):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("localhost", 0), Handler)
        self.origin = f"http://localhost:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()
