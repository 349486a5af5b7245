"""What several tests do: apps with pages of their own, links to the capture page, and people in front of it."""

import http.server
import itertools
import threading
import urllib.parse

import specimens
import testing
from server import Run

PASSWORD = "correct horse battery"
numbers = itertools.count(1)


class Site:
    """An app's own pages: a dictionary of paths, each an HTML text or a function of the query. Others are answered with their path and query."""

    def __init__(self, pages=None, host="localhost"):
        self.pages, self.requests = pages or {}, []
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                site.requests.append(self.path)
                path, _, query = self.path.partition("?")
                body = site.pages.get(path)
                if callable(body):
                    body = body(dict(urllib.parse.parse_qsl(query)))
                if body is None:
                    body = "<title>The app</title><main><h1>The app</h1></main>"
                self.send_response(200)
                self.send_header("content-type", "text/javascript" if path.endswith(".js") else "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(f'<!doctype html><html lang="en"><link rel="icon" href="data:,">{body}'.encode() if not path.endswith(".js") else body.encode())

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer((host, 0), Handler)
        self.origin = f"http://{host}:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def query(self, path):
        """The parameters with which a page was last asked for."""
        for request in reversed(self.requests):
            if request.partition("?")[0] == path:
                return dict(urllib.parse.parse_qsl(request.partition("?")[2]))
        return None

    def close(self):
        self.http.shutdown()
        self.http.server_close()


def new(word):
    """A name that no other test uses."""
    return f"{word}{next(numbers)}"


def app(server, mode="image", title="Sample shop", **settings):
    """An app whose captures need `mode`, which may use the sign-in page."""
    name = new("app")
    server.admin("POST", "/v1/apps", {
        "id": name, "name": title, "type": "public", "first_party": True,
        "settings": {"liveness": {"mode": mode}, "sign_in_page": True, **settings}})
    return name


def verification(name, callback, purpose="registration"):
    """A journey whose face is registered on the capture page."""
    steps = {
        "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "login"}, "on": {"password": "check"}},
        "check": {"type": "authenticate_password", "config": {"username": "login.username", "password": "login.password"}, "on": {"success": "consent", "failure": "no"}},
        "consent": {"type": "record_consent", "config": {"text_version": "face-1", "title": "Your face", "text": "We keep numbers computed from your face.",
                                                       "failure_behavior": "abort"}, "on": {"success": "verify"}},
        "verify": {"type": "identity_verification", "config": {"documents": "none", "callback_url": callback, "output_variable": "verified"},
                   "on": {"allow": "register", "challenge": "no", "deny": "no", "failure": "no"}},
        "register": {"type": "register_face", "config": {"consent": {"text_version": "face-1"}}, "on": {"success": "done", "failure": "no"}},
        "done": {"type": "complete_journey"}, "no": {"type": "reject_access"}}
    return {"id": name, "version": 1, "title": "Register a face", "start": "form", "steps": steps}


def begin_registration(server, site, app_id="default_application", user=None):
    """A user's journey that waits for the capture page. Returns the journey and the link."""
    journey, user = new("register-"), user or new("ada")
    try:
        server.user(user, PASSWORD)
    except Exception as error:
        if "409" not in str(error):
            raise
    server.journey(verification(journey, f"{site.origin}/verified"))
    run = Run(server, journey, app_id)
    run.respond("password", {"username": user, "password": PASSWORD})
    run.respond("client_input")
    assert run.step == "identityVerification", run.answer
    run.user = user
    return run, run.answer["data"]["payload"]["endpoint"]


def agree(page):
    """Agrees, if the page asks for that, and arrives at the page that explains what follows."""
    page.find(".main")
    if page.has(".terms"):
        page.click(".main")
        page.wait("!__web.shown('.terms') && !!__web.shown('.main')")


def start_camera(page):
    """Agrees, and passes the page that explains what follows."""
    agree(page)
    page.click(".main")


def finish(run):
    """What became of the journey once its person came back."""
    return run.respond("client_input")["journey_step_id"]


# Documents

class DocumentSession:
    """A verification session that an app with credentials of its own has made."""

    def __init__(self, server, site, title="Sample shop", **more):
        self.server, name = server, new("rp")
        made = server.admin("POST", "/v1/apps", {"id": name, "name": title, "type": "confidential", "first_party": True, "settings": {"liveness": {"mode": "image"}}})
        token = server.call("POST", "/oauth2/token", {"grant_type": "client_credentials", "client_id": name, "client_secret": made["client_secret"]}, form=True)
        self.headers = {"authorization": f"Bearer {token['access_token']}"}
        made = server.call("POST", "/verify/api/v1/verification", {"callback_url": f"{site.origin}/verified", "state": "s t&a=te", **more}, headers=self.headers)
        self.id, self.url, self.start_token = made["session_id"], made["url"], made["start_token"]

    def result(self):
        return self.server.call("GET", f"/verify/api/v1/verification/{self.id}/result", headers=self.headers)

    def images(self):
        """The pictures by their type."""
        path = f"/verify/api/v1/verification/{self.id}/images"
        return {one["type"]: self.server.bytes(f"{path}/{one['id']}", self.headers) for one in self.server.call("GET", path, headers=self.headers)["session_images"]}

    @property
    def own(self):
        return {"authorization": f"Bearer {self.start_token}"}

    def missing(self):
        return self.server.call("GET", "/v1/verification/session", headers=self.own)["missing_images"]

    def cancel(self):
        self.server.call("DELETE", "/v1/verification/session", headers=self.own)


def card_camera(world, card):
    """What the camera on the back needs to see a document."""
    return {"card": card, "cards": {name: specimens.specimen(world, testing.WORK, name) for name in ("passport", "card_front", "card_back")}}


def choose(page, kind, country="AT", texts=None, check=None):
    """Says which document it is, and arrives at the page that asks for its first picture."""
    page.find("#country")
    page.js(f"(() => {{ const list = document.getElementById('country'); list.value = '{country}'; list.dispatchEvent(new Event('change')); }})()")
    page.click(f"input[value={kind}]")
    if check:
        check.check(page, "the choice of a document")
    page.press((texts or {}).get("button_continue", "Continue"))
    page.wait("!!document.querySelector('input[data-side]')", why="the first picture")
