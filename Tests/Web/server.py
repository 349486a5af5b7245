"""A real `mien serve` on the loopback interface with a temporary data folder, and the calls that tests prepare it with."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
PHOTOS = pathlib.Path(os.environ["MIEN_HOME"]) / "demo" / "photos" if "MIEN_HOME" in os.environ else None


class Refused(Exception):
    """The server refused a request of the test."""

    def __init__(self, status, body):
        super().__init__(f"{status} {body}")
        self.status, self.body = status, body


class StayHere(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(StayHere)


class Server:
    """Settings are those of the environment, without MIEN_."""

    # Passwords are cheap, and limits are far away: many browsers come from one address.
    settings = {
        "HOST": "localhost", "PORT": "0", "ADMIN_LISTEN": "127.0.0.1:0", "PASSWORD_MEMORY_KIB": "8192", "PASSWORD_PASSES": "1",
        "LIMIT_LIVE_CAPTURES_PER_MINUTE": "1000", "LIMIT_GUESSES_PER_MINUTE": "1000", "LIMIT_STARTS_PER_MINUTE": "10000",
        "CAPTURE_LIVE_SESSIONS": "100", "LOG_LEVEL": "debug", "FACE_PRECISION": "f32",
    }

    def __init__(self, samples=True, **settings):
        self.folder = tempfile.mkdtemp(prefix="mien-web-")
        program = os.environ.get("MIEN_PROGRAM") or str(REPOSITORY / ".build/tests/debug/mien")
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("MIEN_") or key == "MIEN_HOME"}
        environment = {**inherited, "MIEN_DATA": f"{self.folder}/data",
                       **({"MIEN_FACE_CACHE": f"{os.environ['MIEN_HOME']}/cache/networks"} if "MIEN_HOME" in os.environ else {}),
                       **{f"MIEN_{key}": str(value) for key, value in {**self.settings, **settings}.items()}}
        self.log_path = pathlib.Path(self.folder) / "log"
        self.command, self.environment = [program, "serve"] + (["--with-samples"] if samples else []), environment
        self.begin()
        self.credential = re.search(r"adm_[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", self.log)[0]

    def begin(self):
        before = len(self.log) if self.log_path.exists() else 0
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=self.environment)
        try:
            self.wait_for_addresses(before)
        except BaseException:
            self.stop()
            raise

    def wait_for_addresses(self, before):
        deadline = time.monotonic() + 120
        while not (found := re.search(r"^Listening on (\S+)", self.log[before:], re.M)):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server did not start:\n{self.log[-3000:]}")
            time.sleep(0.05)
        self.address = found[1]
        self.admin_address = re.search(r"^Admin API on (\S+)", self.log[before:], re.M)[1]

    def die_and_return(self):
        """Kills the process without notice, and starts it again on the same data and ports."""
        self.process.kill()
        self.process.wait(10)
        self.environment["MIEN_PORT"] = self.address.rpartition(":")[2]
        self.environment["MIEN_ADMIN_LISTEN"] = self.admin_address.rpartition("/")[2]
        self.begin()

    @property
    def log(self):
        return self.log_path.read_text(encoding="utf-8", errors="replace")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)
        shutil.rmtree(self.folder, ignore_errors=True)

    # Requests

    def send(self, method, path, body=None, headers=None, form=False, admin=False):
        """Status, headers, and JSON (or text) of an answer."""
        headers, data = dict(headers or {}), None
        if body is not None:
            data = body if isinstance(body, bytes) else (urllib.parse.urlencode(body) if form else json.dumps(body)).encode()
            headers.setdefault("content-type", "application/x-www-form-urlencoded" if form else "application/json")
        if admin:
            headers.setdefault("authorization", f"Bearer {self.credential}")
        request = urllib.request.Request((self.admin_address if admin else self.address) + path, data, headers, method=method)
        try:
            with OPENER.open(request, timeout=60) as response:
                status, fields, content = response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            status, fields, content = error.code, error.headers, error.read()
        try:
            content = json.loads(content)
        except ValueError:
            content = content.decode("utf-8", "replace")
        return status, fields, content

    def bytes(self, path, headers):
        """The content of a picture."""
        with OPENER.open(urllib.request.Request(self.address + path, headers=headers), timeout=60) as response:
            return response.read()

    def call(self, method, path, body=None, **options):
        status, _, content = self.send(method, path, body, **options)
        if not 200 <= status < 300:
            raise Refused(status, content)
        return content

    def admin(self, method, path, body=None):
        return self.call(method, path, body, admin=True)

    # Preparation

    def user(self, name, password="correct horse battery", **more):
        return self.admin("POST", "/v1/users", {"username": name, "email": f"{name}@example.org", "password": password, **more})["id"]

    def app(self, name, **settings):
        return self.admin("PUT", f"/v1/apps/{name}", {"name": settings.pop("title", name.title()), "settings": settings})

    def journey(self, definition, version=1):
        name = definition["id"]
        self.admin("PUT", f"/v1/journeys/{name}/versions/{version}", definition)
        self.admin("POST", f"/v1/journeys/{name}/versions/{version}/publish", {})

    def audit(self):
        items, after = [], None
        answer = self.admin("GET", "/v1/audit")
        return answer["items"]


class Run:
    """A journey, as an app's server runs it."""

    def __init__(self, server, journey, app="default_application", **more):
        self.server = server
        self.answer = server.call("POST", f"/v1/journeys/{journey}/start", {"client_id": app, **more})

    def respond(self, option, data=None):
        self.answer = self.server.call("POST", "/v1/journeys/respond", {"state": self.answer["state"], "option": option, "data": data or {}})
        return self.answer

    @property
    def step(self):
        return self.answer["journey_step_id"]

    @property
    def start_token(self):
        data = self.answer.get("data", {})
        return data.get("start_token") or data.get("payload", {}).get("start_token")
