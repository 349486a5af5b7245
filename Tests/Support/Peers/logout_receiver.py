"""An app's receiver of back-channel logout, written from OpenID Connect Back-Channel Logout 1.0 §2.6 with PyJWT. Prints {"port"}, then each call: path, and the token's claims or {"error"}.

{"keys": the JWKS URL, "audience", "issuer"}
/logout  /busy/N: 503 for the first N calls  /refuse: 400  /redirect: 307
"""

import http.server
import urllib.parse

import jwt

from common import end_with_parent, settings, tell

EVENT = "http://schemas.openid.net/event/backchannel-logout"
calls = {}
seen = set()


def validated(body):
    fields = urllib.parse.parse_qs(body, strict_parsing=True)
    assert list(fields) == ["logout_token"] and len(fields["logout_token"]) == 1, "one logout_token"
    token = fields["logout_token"][0]
    header = jwt.get_unverified_header(token)
    assert header["typ"] == "logout+jwt", "typ"
    key = jwt.PyJWKClient(options["keys"]).get_signing_key_from_jwt(token)
    claims = jwt.decode(
        token, key.key, algorithms=["ES256"], audience=options["audience"], issuer=options["issuer"], options={"require": ["iss", "aud", "iat", "exp", "jti", "events"]}
    )
    assert claims["events"] == {EVENT: {}}, "events"
    assert "sub" in claims and "sid" in claims and "nonce" not in claims, "sub, sid, no nonce"
    assert claims["exp"] - claims["iat"] <= 120, "lifetime"
    assert claims["jti"] not in seen, "replay"
    seen.add(claims["jti"])
    return claims


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        calls[self.path] = calls.get(self.path, 0) + 1
        words = self.path.strip("/").split("/")
        try:
            tell(path=self.path, claims=validated(body), type=self.headers["content-type"])
        except Exception as error:
            tell(path=self.path, error=f"{type(error).__name__}: {error}")
        if words[0] == "busy" and calls[self.path] <= int(words[1]):
            self.answer(503)
        elif words[0] == "refuse":
            self.answer(400)
        elif words[0] == "redirect":
            self.answer(307)
        else:
            self.answer(200)

    def answer(self, status):
        self.send_response(status)
        if status == 307:
            self.send_header("location", "/logout")
        self.send_header("cache-control", "no-store")
        self.send_header("content-length", "0")
        self.end_headers()


options = settings()
end_with_parent()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
server.daemon_threads = True
tell(port=server.server_address[1])
server.serve_forever()
