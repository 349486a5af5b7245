"""Runs the tests of the pages, and counts them. A test is a function of the `World`, which has the browsers and servers."""

import os
import pathlib
import signal
import sys
import time
import traceback
import zipfile

import browser
import heads
import server

TESTS = []
WORK = server.REPOSITORY / ".build" / "web"
TAGS = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]


class Skip(Exception):
    """This test cannot run here, for this reason."""


def test(title, seconds=60):
    """Registers a test, in the order of the files."""
    def register(function):
        TESTS.append((title, seconds, function))
        return function
    return register


class World:
    """What tests share. Everything is started when it is first needed, and stopped at the end."""

    def __init__(self):
        # Exit normally on these signals, so that browsers and servers are stopped, too.
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: sys.exit(130))
        self.browsers, self.servers, self.drawn, self.rules = {}, {}, {}, None

    def running(self, kind):
        if kind not in self.browsers:
            needed = [kind.program] + ([kind.driver] if kind is browser.Chromium else [])
            missing = [path for path in needed if not os.access(path, os.X_OK)]
            if missing:
                raise Skip(f"needs {', '.join(missing)}: run scripts/setup --tests")
            made = kind.__new__(kind)
            self.browsers[kind] = made
            try:
                made.__init__()
            except Exception:
                self.browsers.pop(kind).close()
                raise
        return self.browsers[kind]

    @property
    def chromium(self):
        return self.running(browser.Chromium)

    @property
    def firefox(self):
        return self.running(browser.Firefox)

    def heads(self, *people):
        """The drawn people that a camera shows."""
        people = people or ("ada",)
        if people not in self.drawn:
            self.drawn[people] = heads.heads(self.chromium, WORK, people)
        return self.drawn[people]

    def server(self, **settings):
        """A server with these settings. Servers are shared: a test makes users and apps of its own."""
        # Drawn heads are no faces to the network against prints, and every session of one looks alike.
        settings = {"FACE_PRESENTATION": "off", "FACE_LIVENESS_REPLAY_DAYS": "0", **settings}
        key = tuple(sorted(settings.items()))
        if key not in self.servers:
            self.servers[key] = server.Server(**settings)
        return self.servers[key]

    def page(self, kind=browser.Chromium, people=("ada",), **options):
        return self.running(kind).page(self.heads(*people) if people else None, **options)

    def photo(self, name):
        """A photo of the demo, which is not in the repository."""
        path = server.PHOTOS and server.PHOTOS / name
        if not path or not path.exists():
            raise Skip("needs the demo photos: run scripts/setup")
        return heads.picture(path)

    def axe(self):
        if self.rules is None:
            folder = pathlib.Path(os.environ["MIEN_HOME"]) / "downloads"
            wheels = sorted(folder.glob("pytest_playwright_axe-*.whl"))
            if not wheels:
                raise Skip("needs axe-core: run scripts/setup --tests")
            with zipfile.ZipFile(wheels[-1]) as wheel:
                self.rules = wheel.read("pytest_playwright_axe/resources/axe.min.js").decode()
        return self.rules

    def check(self, page, state):
        """Checks that a page is accessible in its present state, and that nothing went wrong in it."""
        self.check_access(page, state)
        assert not page.faults, f"{state}: " + "\n".join(page.faults)

    def check_access(self, page, state):
        """Checks that a page is accessible in its present state."""
        source = self.axe()
        if not page.js("typeof globalThis.axe === 'object'"):
            page.js(f"(() => {{ {source}; }})()")
        found = page.js(f"""axe.run(document, {{ runOnly: {TAGS}, resultTypes: ["violations"] }}).then(({{ violations }}) => violations.map((v) => v.id + ": " + v.nodes.map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? n.all[0]?.message ?? n.none[0]?.message ?? "")).join("; ")))""")
        assert not found, f"{state}: " + "\n".join(found)

    def check_after(self, page, state, *faults):
        """The same, after faults that a test provoked."""
        page.expect(*faults)
        self.check(page, state)

    def end_test(self):
        """Closes the pages, and returns what went wrong in them."""
        faults = []
        for one in self.browsers.values():
            for page in list(one.pages):
                faults += page.faults
                page.close()
        return faults

    def close(self):
        for part in [*self.browsers.values(), *self.servers.values()]:
            try:
                part.close() if isinstance(part, browser.Browser) else part.stop()
            except Exception:  # Stop the others, too.
                traceback.print_exc()


class Late(Exception):
    """A test took too long."""


def late(*_):
    raise Late("took too long")


def picture_failure(world, title):
    """Keeps pictures of the pages in which a test failed."""
    folder = WORK / "failures"
    folder.mkdir(parents=True, exist_ok=True)
    name = "".join(letter if letter.isalnum() else "-" for letter in title.lower())[:60]
    for number, page in enumerate([page for one in world.browsers.values() for page in one.pages]):
        try:
            page.screenshot(folder / f"{name}-{number}.png")
        except Exception:  # The failure itself matters more.
            pass


def attempt(world, title, seconds, function):
    """Runs a test. Returns the problem, and the reason if it was skipped."""
    problem = reason = None
    try:
        signal.alarm(seconds)
        function(world)
    except Skip as why:
        reason = str(why)
    except Exception as error:
        problem = "".join(traceback.format_exception(error)[-6:])
        signal.alarm(0)
        picture_failure(world, title)
    finally:
        signal.alarm(0)
    faults = world.end_test()
    if faults and not reason:
        problem = (problem or "") + "in the page: " + "\n".join(faults)
    return problem, reason


def main(words):
    signal.signal(signal.SIGALRM, late)
    chosen = [one for one in TESTS if not words or any(word.lower() in one[0].lower() for word in words)]
    limit, began, world = float(os.environ.get("MIEN_WEB_SECONDS", "600")), time.monotonic(), World()
    passed = failed = skipped = 0
    try:
        for title, seconds, function in chosen:
            start = time.monotonic()
            if start - began > limit:
                problem, reason = None, f"all tests together may take {limit:.0f} s (MIEN_WEB_SECONDS)"
            else:
                problem, reason = attempt(world, title, seconds, function)
                # A browser or a camera that a busy machine holds up for half a second ends a live capture: one more try, and it is told.
                if problem:
                    print(f"↻ {title}: again after\n" + "\n".join("    " + line for line in problem.strip().splitlines()[-2:]), flush=True)
                    problem, reason = attempt(world, title, seconds, function)
            took = f"{time.monotonic() - start:.1f} s"
            if reason:
                skipped += 1
                print(f"– {title}: {reason}", flush=True)
            elif problem:
                failed += 1
                print(f"✘ {title} ({took})\n" + "\n".join("    " + line for line in problem.strip().splitlines()), flush=True)
            else:
                passed += 1
                print(f"✔ {title} ({took})", flush=True)
    finally:
        signal.alarm(0)
        world.close()
        print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""), flush=True)
    return 1 if failed else 0
