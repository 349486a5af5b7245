"""Runs the tests of the pages, and counts them. A test is a function of the `World`, which has the browsers and servers.

Two workers run at once, each a process with browsers and servers of its own. One of them runs the tests in which a camera has to be in time, and only
it: two captures at once on a small machine delay each other. The other worker runs the tests that only click and read. The worker that finishes first
takes over some of these. MIEN_WEB_WORKERS=1 runs everything in one.
"""

import contextlib
import multiprocessing
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


def test(title, seconds=60, camera=False, always=False):
    """Registers a test, in the order of the files.

    `camera`: a capture has to be in time, so none may run beside it. `always`: `make test` runs it; the others run in `make prove`.
    """
    def register(function):
        if always or os.environ.get("MIEN_WEB_TESTS") != "always":
            TESTS.append((title, seconds, function, camera))
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
        """Checks that a page is accessible in its present state, when it has been drawn."""
        page.settle("main")
        # Colors change slowly on a busy machine, and are those of neither theme meanwhile.
        page.js("Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished)).then(() => 0)")
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


def out_of_time(*_):
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


class Work:
    """What is left to do, shared by the workers."""

    def __init__(self, chosen, workers):
        # By place in TESTS. The first worker goes from the front, the second one from the back of what needs no camera.
        self.cameras = [number for number in chosen if TESTS[number][3]]
        self.others = [number for number in chosen if not TESTS[number][3]]
        self.lock = multiprocessing.Lock()
        self.front, self.back, self.camera = (multiprocessing.Value("i", 0, lock=False) for _ in range(3))
        self.passed, self.failed, self.skipped = (multiprocessing.Value("i", 0, lock=False) for _ in range(3))
        # A place for each worker, and who may ask for all of them.
        self.places, self.sole = multiprocessing.Semaphore(workers), multiprocessing.Lock()
        self.workers = workers

    @contextlib.contextmanager
    def place(self, sole=False):
        """Holds the place of one test, or all of them, so that no other test runs. A worker that has died holds its place for at most 200 s."""
        with self.sole if sole else contextlib.nullcontext():
            held = sum(self.places.acquire(timeout=200) for _ in range(self.workers if sole else 1))
            try:
                yield
            finally:
                for _ in range(held):
                    self.places.release()

    def take(self, worker, alone):
        """The next test of a worker; None if nothing is left for it."""
        with self.lock:
            if worker == 0 and self.camera.value < len(self.cameras):
                self.camera.value += 1
                return self.cameras[self.camera.value - 1]
            if self.front.value + self.back.value >= len(self.others):
                return None
            if worker == 0 and not alone:
                self.back.value += 1
                return self.others[-self.back.value]
            self.front.value += 1
            return self.others[self.front.value - 1]

    def tell(self, counter, *lines):
        """Counts a test, and prints its lines together."""
        with self.lock:
            if counter is not None:
                counter.value += 1
            print("\n".join(lines), flush=True)


def run_test(work, world, number, late):
    """Runs a test, tells how it went, and counts it."""
    title, seconds, function, _ = TESTS[number]
    start = time.monotonic()
    if late:
        return work.tell(work.skipped, f"– {title}: {late}")
    with work.place():
        problem, reason = attempt(world, title, seconds, function)
    # A browser or a camera that a busy machine holds up for half a second ends a live capture: one more try with the machine to itself, and it is told.
    if problem:
        work.tell(None, f"↻ {title}: again after", *("    " + line for line in problem.strip().splitlines()[-2:]))
        with work.place(sole=True):
            problem, reason = attempt(world, title, seconds, function)
    took = f"{time.monotonic() - start:.1f} s"
    if reason:
        return work.tell(work.skipped, f"– {title}: {reason}")
    if problem:
        return work.tell(work.failed, f"✘ {title} ({took})", *("    " + line for line in problem.strip().splitlines()))
    return work.tell(work.passed, f"✔ {title} ({took})")


def run_worker(work, worker, alone, end):
    """Runs tests until none is left for this worker."""
    signal.signal(signal.SIGALRM, out_of_time)
    world, limit = World(), float(os.environ.get("MIEN_WEB_SECONDS", "900"))
    try:
        while (number := work.take(worker, alone)) is not None:
            run_test(work, world, number, f"all tests together may take {limit:.0f} s (MIEN_WEB_SECONDS)" if time.monotonic() > end else None)
    finally:
        signal.alarm(0)
        world.close()


def main(words):
    chosen = [number for number, one in enumerate(TESTS) if not words or any(word.lower() in one[0].lower() for word in words)]
    count = 1 if len(chosen) < 2 else int(os.environ.get("MIEN_WEB_WORKERS", "2"))
    work, end = Work(chosen, count), time.monotonic() + float(os.environ.get("MIEN_WEB_SECONDS", "900"))
    workers = [multiprocessing.Process(target=run_worker, args=(work, worker, count == 1, end)) for worker in range(count)]
    for worker in workers:
        worker.start()

    def stop(*_):
        # Workers exit normally on this signal, so that their browsers and servers are stopped, too.
        for worker in workers:
            worker.terminate()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    for worker in workers:
        worker.join()
    left = len(chosen) - work.passed.value - work.failed.value - work.skipped.value
    for worker in workers:
        if worker.exitcode:
            print(f"✘ a worker ended with {worker.exitcode}", flush=True)
    # Tests that no worker came to are no success.
    failed = work.failed.value + left
    print(f"{work.passed.value} passed, {failed} failed" + (f", {work.skipped.value} skipped" if work.skipped.value else ""), flush=True)
    return 1 if failed or any(worker.exitcode for worker in workers) else 0
