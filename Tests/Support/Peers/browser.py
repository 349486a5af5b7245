"""Tests passkeys in a real browser: headless Chromium with virtual authenticators, controlled over its debugging protocol.

{"chromium": its path, "server": http://localhost:port, "ada", "eve": access tokens}. Prints one line per scene, {"scene": name, …}: {"status", "body"} if
the server responded, {"error": a DOMException's name} if the browser refused. The page replaces the server's response, because the server has no page of
its own; the page's requests reach the server. No other host is looked up.
"""

import base64
import json
import os
import socket
import subprocess
import tempfile
import threading

from common import end_with_parent, settings, tell

options = settings()
server = options["server"]
# Another page on the same host: browsers allow it to use the domain's passkeys, but the server does not.
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    elsewhere = f"http://localhost:{free.getsockname()[1]}"

PAGE = """<!doctype html><title>Passkeys</title><script>
async function post(path, body, access) {
  const headers = {"content-type": "application/json"};
  if (access) headers.authorization = "Bearer " + access;
  const answer = await fetch(path, {method: "POST", headers, body: JSON.stringify(body)});
  return {status: answer.status, body: await answer.json()};
}
async function make(publicKey) {
  const options = PublicKeyCredential.parseCreationOptionsFromJSON(publicKey);
  return (await navigator.credentials.create({publicKey: options})).toJSON();
}
async function use(publicKey) {
  const options = PublicKeyCredential.parseRequestOptionsFromJSON(publicKey);
  return (await navigator.credentials.get({publicKey: options})).toJSON();
}
async function register(access, change) {
  const asked = await post("/v1/webauthn/register/options", {attestation: change.attestation || "none"}, access);
  if (asked.status != 200) return asked;
  const credential = await make({...asked.body.publicKey, ...change});
  return post("/v1/webauthn/register", {credential, name: "Made by Chromium"}, access);
}
async function signIn(username, change) {
  const wanted = {client_id: "default_application"};
  if (username) wanted.username = username;
  const asked = await post("/v1/webauthn/login/options", wanted);
  if (asked.status != 200) return asked;
  const credential = await use({...asked.body.publicKey, ...change});
  return {...await post("/v1/webauthn/login", {client_id: "default_application", credential}), credential};
}
</script>"""


class Browser:
    """Exchanges messages that end with a zero byte, on descriptors 3 (to the browser) and 4 (from it)."""

    def __init__(self, path, folder):
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()

        def descriptors():
            # Move the descriptors aside first: one may occupy the other's number.
            read, write = os.dup(to_read), os.dup(from_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        arguments = [path, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={folder}", "--no-first-run", "--disable-gpu"]
        arguments += ["--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update"]
        arguments += ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost"]
        if os.geteuid() == 0:
            # Chromium's sandbox does not work for root, and containers run tests as root.
            arguments.append("--no-sandbox")
        self.process = subprocess.Popen(
            [*arguments, "about:blank"],
            preexec_fn=descriptors,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        self.output, self.input = to_write, os.fdopen(from_read, "rb")
        self.number, self.answers, self.changed = 0, {}, threading.Condition()
        self.session = None
        self.events = set()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        rest = b""
        while more := self.input.read1(1 << 16):
            rest += more
            *messages, rest = rest.split(b"\0")
            for message in map(json.loads, messages):
                if message.get("method") == "Fetch.requestPaused":
                    self.serve(message["params"])
                with self.changed:
                    if "id" in message:
                        self.answers[message["id"]] = message
                    else:
                        self.events.add(message["method"])
                    self.changed.notify_all()
        with self.changed:
            self.answers = None
            self.changed.notify_all()

    def serve(self, paused):
        body = base64.b64encode(PAGE.encode()).decode()
        headers = [{"name": "content-type", "value": "text/html"}]
        self.send("Fetch.fulfillRequest", requestId=paused["requestId"], responseCode=200, responseHeaders=headers, body=body)

    def send(self, method, **parameters):
        with self.changed:
            self.number += 1
            number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        return number

    def ask(self, method, **parameters):
        number = self.send(method, **parameters)
        with self.changed:
            self.changed.wait_for(lambda: self.answers is None or number in self.answers, timeout=120)
            answer = (self.answers or {}).pop(number, {"error": {"message": "the browser does not answer"}})
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open_page(self):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")
        self.ask("Fetch.enable", patterns=[{"urlPattern": "http://localhost:*/passkeys.html"}])
        self.ask("WebAuthn.enable")

    def go(self, origin):
        self.events.discard("Page.loadEventFired")
        self.ask("Page.navigate", url=f"{origin}/passkeys.html")
        with self.changed:
            if not self.changed.wait_for(lambda: "Page.loadEventFired" in self.events, timeout=60):
                raise RuntimeError("the page does not load")

    def call(self, function, *arguments):
        """Returns the result of the page's function, or {"error": the name of the thrown exception}."""
        words = ", ".join(json.dumps(argument) for argument in arguments)
        text = f"{function}({words}).catch(error => ({{error: error.name, message: error.message}}))"
        result = self.ask("Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True, userGesture=True)
        return result["result"].get("value") or {"error": "none", "message": json.dumps(result)}

    def authenticator(self, **changes):
        standard = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True}
        standard["automaticPresenceSimulation"] = True
        return self.ask("WebAuthn.addVirtualAuthenticator", options={**standard, **changes})["authenticatorId"]


def play(browser):
    browser.open_page()
    browser.go(server)
    # A browser reports a refusal only at the timeout, so that pages cannot detect existing users.
    short = {"timeout": 2000}

    own = browser.authenticator()
    tell(scene="register", **browser.call("register", options["ada"], {}))
    signed_in = browser.call("signIn", None, {})
    # Adding another passkey requires a sign-in with the first one.
    tell(scene="register twice", **browser.call("register", signed_in["body"]["access_token"], {}))
    tell(scene="sign in", **signed_in)
    tell(scene="sign in by name", **browser.call("signIn", "ada", {}))
    tell(scene="sign in as nobody", **browser.call("signIn", "nobody", short))
    tell(scene="replay", **browser.call("post", "/v1/webauthn/login", {"client_id": "default_application", "credential": signed_in["credential"]}))

    # A copy of the key continues its own counter.
    [copy] = browser.ask("WebAuthn.getCredentials", authenticatorId=own)["credentials"]
    tell(scene="sign in again", **browser.call("signIn", None, {}))
    browser.ask("WebAuthn.removeCredential", authenticatorId=own, credentialId=copy["credentialId"])
    browser.ask("WebAuthn.addCredential", authenticatorId=own, credential={**copy, "signCount": copy["signCount"] - 1})
    tell(scene="clone", **browser.call("signIn", None, {}))
    browser.ask("WebAuthn.removeCredential", authenticatorId=own, credentialId=copy["credentialId"])
    browser.ask("WebAuthn.addCredential", authenticatorId=own, credential={**copy, "signCount": copy["signCount"] + 100})
    tell(scene="no clone", **browser.call("signIn", None, {}))

    # A user with their own passkey requests another user's account.
    asked = browser.call("post", "/v1/webauthn/login/options", {"client_id": "default_application", "username": "eve"})["body"]["publicKey"]
    credential = browser.call("use", {**asked, "allowCredentials": []})
    tell(scene="another user", **browser.call("post", "/v1/webauthn/login", {"client_id": "default_application", "credential": credential}))

    # A page of another origin: its operator forwards the browser's response to the server.
    creating = browser.call("post", "/v1/webauthn/register/options", {}, options["eve"])["body"]["publicKey"]
    using = browser.call("post", "/v1/webauthn/login/options", {"client_id": "default_application"})["body"]["publicKey"]
    browser.go(elsewhere)
    used, made = browser.call("use", using), browser.call("make", creating)
    browser.go(server)
    tell(scene="another origin", **browser.call("post", "/v1/webauthn/login", {"client_id": "default_application", "credential": used}))
    tell(scene="registered elsewhere", **browser.call("post", "/v1/webauthn/register", {"credential": made}, options["eve"]))

    # Another authenticator that attests its model.
    browser.ask("WebAuthn.removeVirtualAuthenticator", authenticatorId=own)
    key = browser.authenticator(transport="usb")
    tell(scene="attested", **browser.call("register", options["eve"], {"attestation": "direct"}))
    eve = browser.call("signIn", "eve", {})
    tell(scene="eve signs in", **eve)

    # The user was not verified, or the authenticator cannot verify users.
    browser.ask("WebAuthn.setUserVerified", authenticatorId=key, isUserVerified=False)
    tell(scene="not verified", **browser.call("signIn", "eve", short))
    browser.ask("WebAuthn.removeVirtualAuthenticator", authenticatorId=key)
    browser.authenticator(protocol="u2f", transport="usb", hasResidentKey=False, hasUserVerification=False, isUserVerified=False)
    tell(scene="u2f", **browser.call("register", eve["body"]["access_token"], short))
    tell(scene="end")


end_with_parent()
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    browser = Browser(options["chromium"], folder)
    try:
        play(browser)
    finally:
        browser.process.terminate()
        browser.process.wait()
# The thread that waits for the parent is still reading.
os._exit(0)
