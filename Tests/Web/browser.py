"""Real browsers, steered over WebDriver BiDi: Chromium by its driver, and Firefox ESR without one.

A `Browser` opens a `Page` in a fresh profile of its own, so that pages share no cookies unless a test asks for it. Every page collects what went
wrong in it: errors on the console, uncaught exceptions, and violations of its content security policy.
"""

import base64
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request

import websocket

HERE = pathlib.Path(__file__).parent


class BrowserError(Exception):
    """The browser refused a command."""


class Bidi:
    """A connection that sends commands and passes events to handlers."""

    def __init__(self, address):
        self.socket = websocket.create_connection(address, suppress_origin=True, timeout=60)
        self.socket.settimeout(None)
        self.number, self.waiting, self.handlers = 0, {}, []
        self.lock = threading.Lock()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            while True:
                text = self.socket.recv()
                if not text:
                    break
                message = json.loads(text)
                if message.get("id") is not None:
                    answer = self.waiting.pop(message["id"], None)
                    if answer:
                        answer[1] = message
                        answer[0].set()
                else:
                    for handler in list(self.handlers):
                        handler(message.get("method"), message.get("params", {}))
        except (OSError, websocket.WebSocketException, ValueError):
            pass
        for answer in list(self.waiting.values()):
            answer[0].set()

    def send(self, method, seconds=60, **parameters):
        return self.send_all(method, parameters, seconds)

    def send_all(self, method, parameters, seconds=60):
        with self.lock:
            self.number += 1
            number, answer = self.number, [threading.Event(), None]
            self.waiting[number] = answer
            self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        if not answer[0].wait(seconds):
            raise BrowserError(f"{method}: no answer within {seconds} s")
        message = answer[1]
        if message is None:
            raise BrowserError(f"{method}: the browser is gone")
        if "error" in message:
            raise BrowserError(f"{method}: {message['error']}: {message.get('message', '')[:500]}")
        return message["result"]


class Browser:
    """A running browser. `name` is for people."""

    name = ""
    cdp = False
    process, session, bidi, pages = None, None, None, ()

    def begin(self, address):
        self.bidi = Bidi(address)
        self.pages = []
        self.bidi.handlers.append(self.hear)

    def subscribe(self):
        self.bidi.send("session.subscribe", events=["log.entryAdded", "script.message"])

    def hear(self, method, parameters):
        source = parameters.get("source", {}).get("context")
        for page in self.pages:
            if page.context == source:
                page.hear(method, parameters)

    def page(self, camera=None, size=(1280, 900), profile=None, **settings):
        """A page in a profile of its own, or in that of another page. Further arguments set the camera: see camera.js."""
        page = Page(self, profile, camera, settings)
        self.pages.append(page)
        if size:
            page.resize(*size)
        return page

    def end_process(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)
        # A driver that is ended while it starts leaves its browser behind. Nobody else knows this folder.
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if f"--user-data-dir={self.folder}/" in path.read_text(encoding="utf-8", errors="replace"):
                    os.kill(int(path.parent.name), signal.SIGKILL)
            except OSError:
                pass
        # The browser's helpers may still write there for a moment.
        for _ in range(20):
            shutil.rmtree(self.folder, ignore_errors=True)
            if not os.path.exists(self.folder):
                break
            time.sleep(0.1)


class Chromium(Browser):
    name = "Chromium"
    program, driver = "/usr/bin/chromium", "/usr/bin/chromedriver"
    cdp = True

    def __init__(self, language="en"):
        self.folder = tempfile.mkdtemp(prefix="mien-web-")
        self.process = subprocess.Popen(
            [self.driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "HOME": self.folder, "TMPDIR": self.folder, "XDG_CONFIG_HOME": self.folder, "XDG_CACHE_HOME": self.folder})
        port = None
        for line in self.process.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                port = found[1]
                break
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        self.address = f"http://127.0.0.1:{port}"
        arguments = [
            "--headless=new", "--disable-dev-shm-usage", "--window-size=1280,900", "--force-color-profile=srgb", "--hide-scrollbars",
            "--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows",
            "--disable-features=Translate,MediaRouter", "--no-first-run", f"--lang={language}", f"--user-data-dir={self.folder}/profile"]
        if os.getuid() == 0:
            arguments.append("--no-sandbox")
        value = self.classic("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "webSocketUrl": True, "acceptInsecureCerts": True, "unhandledPromptBehavior": {"default": "ignore"},
            "goog:chromeOptions": {"binary": self.program, "args": arguments}}}})
        self.session = value["sessionId"]
        self.begin(value["capabilities"]["webSocketUrl"])
        self.subscribe()

    def classic(self, method, path, body=None):
        """A command of classic WebDriver."""
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.address + path, data, {"content-type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise BrowserError(f"{path}: {json.load(error)['value']['message'][:300]}") from None

    def close(self):
        try:
            if self.session:
                self.classic("DELETE", f"/session/{self.session}")
        except (BrowserError, OSError):
            pass
        self.end_process()


class Firefox(Browser):
    name = "Firefox ESR"
    program = "/usr/bin/firefox-esr"
    preferences = {
        "media.navigator.streams.fake": True, "media.navigator.permission.disabled": True, "media.autoplay.default": 0,
        "datareporting.policy.dataSubmissionEnabled": False, "browser.shell.checkDefaultBrowser": False, "app.update.enabled": False,
        "browser.startup.page": 0, "toolkit.telemetry.enabled": False, "remote.active-protocols": 1, "network.captive-portal-service.enabled": False,
        "network.connectivity-service.enabled": False, "browser.safebrowsing.malware.enabled": False, "browser.safebrowsing.phishing.enabled": False,
        "extensions.update.enabled": False, "browser.aboutwelcome.enabled": False, "services.settings.server": "data:,", "intl.accept_languages": "en",
    }

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="mien-web-")
        with open(f"{self.folder}/user.js", "w", encoding="utf-8") as file:
            for key, value in self.preferences.items():
                file.write(f"user_pref({json.dumps(key)}, {json.dumps(value)});\n")
        self.process = subprocess.Popen(
            [self.program, "--headless", "--no-remote", "--profile", self.folder, "--remote-debugging-port", "0", "--width=1280", "--height=900"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
            env={**os.environ, "HOME": self.folder, "TMPDIR": self.folder, "MOZ_HEADLESS": "1"})
        address = None
        for line in self.process.stderr:
            found = re.search(r"WebDriver BiDi listening on (ws://\S+)", line)
            if found:
                address = found[1]
                break
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.begin(address + "/session")
        self.bidi.send("session.new", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})
        self.subscribe()

    def close(self):
        try:
            if self.bidi:
                self.bidi.send("browser.close", seconds=10)
        except (BrowserError, OSError):
            pass
        self.end_process()


class Page:
    """A tab."""

    def __init__(self, browser, profile, camera, settings):
        self.browser, self.bidi = browser, browser.bidi
        self.profile = profile or self.bidi.send("browser.createUserContext")["userContext"]
        self.context = None
        self.faults = []
        # Runs in every document of the profile, also in tabs and windows that a page opens.
        script = (HERE / "watch.js").read_text(encoding="utf-8")
        if camera is not None:
            script += f"\n((heads, wanted) => {{{(HERE / 'camera.js').read_text(encoding='utf-8')}}})({json.dumps(camera)}, {json.dumps(settings)});"
        if not profile:
            self.bidi.send(
                "script.addPreloadScript", functionDeclaration=f"(report) => {{{script}}}", userContexts=[self.profile],
                arguments=[{"type": "channel", "value": {"channel": "fault"}}])
        self.context = self.bidi.send("browsingContext.create", type="tab", userContext=self.profile)["context"]

    # Errors

    def hear(self, method, parameters):
        if method == "script.message" and parameters.get("channel") == "fault":
            self.faults.append(parameters["data"].get("value", "?"))
        elif method == "log.entryAdded" and parameters.get("level") == "error":
            self.faults.append(f"{parameters.get('type')}: {parameters.get('text')}")

    def expect(self, *patterns):
        """Forgets faults that a test provoked: those that match one of the patterns."""
        self.faults = [fault for fault in self.faults if not any(re.search(pattern, fault) for pattern in patterns)]

    # Steering

    def goto(self, address, wait="complete"):
        self.bidi.send("browsingContext.navigate", context=self.context, url=address, wait=wait)

    def reload(self):
        self.bidi.send("browsingContext.reload", context=self.context, wait="complete")

    def back(self):
        self.bidi.send("browsingContext.traverseHistory", context=self.context, delta=-1)

    def js(self, expression, activate=False):
        """The value of an expression, which may be a promise."""
        result = self.bidi.send(
            "script.evaluate", expression=f"(async () => JSON.stringify(await ({expression})))()", target={"context": self.context},
            awaitPromise=True, resultOwnership="none", userActivation=activate)
        if result["type"] == "exception":
            raise BrowserError(f"{result['exceptionDetails']['text']} in {expression[:200]}")
        value = result["result"].get("value")
        return json.loads(value) if value else None

    def wait(self, expression, seconds=15, why=None):
        """Waits until an expression is true, across navigations, and returns its value."""
        deadline, problem = time.monotonic() + seconds, None
        while time.monotonic() < deadline:
            try:
                value = self.js(expression)
                if value:
                    return value
                problem = None
            except BrowserError as error:
                problem = error
            time.sleep(0.05)
        raise AssertionError(f"{why or expression} did not happen within {seconds} s{f' ({problem})' if problem else ''}; the page is {self.address}: {self.text()[:600]!r}")

    def settle(self, part=""):
        """Waits until the page, or a part of it, is not being drawn."""
        self.wait(f"!document.querySelector('{part}[aria-busy=true]')", why="the end of loading")

    def see(self, text, seconds=15):
        """Waits until the page shows a text."""
        return self.wait(f"__web.text().includes({json.dumps(text)})", seconds, f"the text {text!r}")

    def find(self, selector, seconds=15):
        """Waits until an element is shown, inside of elements with open shadow roots, too."""
        return self.wait(f"!!__web.shown({json.dumps(selector)})", seconds, f"the element {selector}")

    def has(self, selector):
        return self.js(f"!!__web.shown({json.dumps(selector)})")

    def click(self, selector, seconds=15):
        """Clicks with the mouse in the middle of an element."""
        self.find(selector, seconds)
        self.touch(f"__web.middle({json.dumps(selector)})")

    def press(self, text, seconds=15):
        """Clicks a button or a link by its words."""
        self.wait(f"!!__web.named({json.dumps(text)})", seconds, f"the button {text!r}")
        self.touch(f"__web.middle(null, {json.dumps(text)})")

    def touch(self, place):
        x, y = self.js(place)
        self.bidi.send("input.performActions", context=self.context, actions=[{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}])

    def keys(self, *keys):
        """Presses keys one after another. A text is typed; names are those of KEYS."""
        actions = []
        for key in keys:
            for letter in [KEYS[key]] if key in KEYS else key:
                actions += [{"type": "keyDown", "value": letter}, {"type": "keyUp", "value": letter}]
        self.bidi.send("input.performActions", context=self.context, actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def chord(self, *keys):
        """Presses keys together."""
        values = [KEYS.get(key, key) for key in keys]
        self.bidi.send("input.performActions", context=self.context, actions=[{"type": "key", "id": "keyboard", "actions": [
            *({"type": "keyDown", "value": value} for value in values), *({"type": "keyUp", "value": value} for value in reversed(values))]}])

    def tab_to(self, selector, *held, most=120):
        """Presses Tab until an element has the focus; with "Shift", backward."""
        for _ in range(most):
            if self.js(f"document.activeElement.matches({json.dumps(selector)})"):
                return
            self.chord(*held, "Tab")
        raise AssertionError(f"{selector} cannot be reached with Tab; the focus is in {self.js('document.activeElement.outerHTML.slice(0, 200)')}")

    def choose(self, selector, value):
        """Chooses from a menu."""
        self.js(f"(() => {{ const menu = document.querySelector({json.dumps(selector)}); menu.value = {json.dumps(value)}; menu.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()")

    def drag(self, start, end):
        """Drags with the mouse from the middle of an element to that of another, or to a point of the page."""
        middle = "(() => {{ const box = document.querySelector({}).getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        x, y = self.js(middle.format(json.dumps(start)))
        to_x, to_y = end if isinstance(end, (tuple, list)) else self.js(middle.format(json.dumps(end)))
        self.bidi.send("input.performActions", context=self.context, actions=[{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "x": round(x), "y": round(y)}, {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "x": round((x + to_x) / 2), "y": round((y + to_y) / 2), "duration": 30},
            {"type": "pointerMove", "x": round(to_x), "y": round(to_y), "duration": 30}, {"type": "pointerUp", "button": 0}]}])

    def fill(self, selector, text):
        self.find(selector)
        self.js(f"__web.focus({json.dumps(selector)})")
        self.keys(text)

    def upload(self, selector, *paths):
        """Chooses files in a file input, which may be hidden."""
        found = self.bidi.send("script.evaluate", expression=f"__web.all({json.dumps(selector)})[0]", target={"context": self.context}, awaitPromise=False)
        self.bidi.send("input.setFiles", context=self.context, element={"sharedId": found["result"]["sharedId"]}, files=[str(path) for path in paths])

    def text(self):
        try:
            return self.js("__web.text()") or ""
        except BrowserError:
            return ""

    @property
    def address(self):
        for context in self.bidi.send("browsingContext.getTree", root=self.context)["contexts"]:
            return context["url"]

    def resize(self, width, height, ratio=1):
        self.bidi.send("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height}, devicePixelRatio=ratio)

    def offline(self, off=True):
        self.bidi.send("emulation.setNetworkConditions", networkConditions={"type": "offline"} if off else None, contexts=[self.context])

    def devtools(self, command, **parameters):
        """A command of Chromium's own protocol."""
        session = self.bidi.send("goog:cdp.getSession", context=self.context)["session"]
        return self.bidi.send_all("goog:cdp.sendCommand", {"method": command, "params": parameters, "session": session})["result"]

    def media(self, **features):
        """Sets media features, such as prefers_color_scheme="dark"."""
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def authenticator(self):
        """Adds a virtual authenticator that verifies its user, as a phone does."""
        self.browser.classic("POST", f"/session/{self.browser.session}/window", {"handle": self.context})
        return self.browser.classic("POST", f"/session/{self.browser.session}/webauthn/authenticator", {
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True, "isUserConsenting": True,
            "isUserVerified": True})

    def screenshot(self, path, whole=True):
        data = self.bidi.send("browsingContext.captureScreenshot", context=self.context, origin="document" if whole else "viewport")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def close(self):
        try:
            self.bidi.send("browsingContext.close", context=self.context)
        except BrowserError:
            pass
        if self in self.browser.pages:
            self.browser.pages.remove(self)


KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Space": " ", "Escape": "\ue00c", "ArrowDown": "\ue015", "ArrowUp": "\ue013", "ArrowLeft": "\ue012",
        "ArrowRight": "\ue014", "Home": "\ue011", "End": "\ue010", "Delete": "\ue017", "Shift": "\ue008", "Control": "\ue009"}
