"""The quick starts of docs/quick-starts.md, each from a fresh user to "signed in with a face"."""

import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.request

from scenes import PASSWORD, Site, app, new, start_camera
from server import REPOSITORY
from test_signin import face_way, password
from testing import Skip, test

EXAMPLES = REPOSITORY / "Examples"


def add_face(world, server, app_id, user):
    page = world.page()
    page.goto(f"{server.address}/account?client_id={app_id}")
    password(page, user)
    page.press("Register your face")
    start_camera(page)
    page.wait("location.pathname === '/account'", 60)
    page.close()


@test("quick start: a single-page app", 90, camera=True, always=True)
def single_page(world):
    server, site = world.server(), Site()
    text = (EXAMPLES / "Web" / "single-page" / "index.html").read_text(encoding="utf-8")
    assert lines("Web/single-page/index.html") <= 60
    app_id = app(server, redirect_uris=[f"{site.origin}/"], web_origins=[site.origin])
    site.pages["/"] = text.split("<html lang=\"en\">", 1)[1].replace("http://localhost:8080", server.address).replace('"single-page"', f'"{app_id}"')
    user = new("ada")
    server.user(user, PASSWORD)
    add_face(world, server, app_id, user)
    page = world.page()
    page.goto(f"{site.origin}/")
    page.see("Nobody is signed in.")
    page.click("#in")
    face_way(page, user)
    start_camera(page)
    page.see("is signed in with a face.", 40)
    world.check(page, "signed in")
    page.click("#out")
    page.see("Nobody is signed in.")


def web_server(world, app_id, name, command):
    """Registers an app, runs its server, and signs a new person in to it with a face."""
    server = world.server()
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    settings = {"liveness": {"mode": "image"}, "sign_in_page": True, "redirect_uris": [f"http://localhost:{port}/back"]}
    try:
        made = server.admin("POST", "/v1/apps", {"id": app_id, "name": name, "type": "confidential", "first_party": True, "settings": settings})
    except Exception as error:
        raise AssertionError(f"the app: {error}") from None
    user = new("ada")
    server.user(user, PASSWORD)
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "MIEN_SERVER": server.address, "CLIENT_SECRET": made["client_secret"], "PORT": str(port)})
    try:
        deadline = time.monotonic() + 20
        while True:
            try:
                urllib.request.urlopen(f"http://localhost:{port}/", timeout=5).close()
                break
            except OSError:
                assert time.monotonic() < deadline and process.poll() is None, "the app did not start"
                time.sleep(0.1)
        add_face(world, server, app_id, user)
        page = world.page()
        page.goto(f"http://localhost:{port}/")
        page.see("Nobody is signed in.")
        page.click("a[href='/sign-in']")
        face_way(page, user)
        start_camera(page)
        page.see("is signed in with a face.", 40)
        page.click("a[href='/sign-out']")
        page.see("Nobody is signed in.")
        # A redirect of another sign-in is refused.
        page.goto(f"http://localhost:{port}/back?code=made-up&state=made-up")
        page.see("The sign-in was refused")
        page.expect("403|Failed to load")
    finally:
        process.terminate()
        process.wait(10)
        try:
            server.admin("DELETE", f"/v1/apps/{app_id}")
        except Exception:  # The next attempt says what is wrong.
            pass


def lines(path):
    return len((EXAMPLES / path).read_text(encoding="utf-8").splitlines())


@test("quick start: a server in Python", 90, camera=True)
def python(world):
    assert lines("Web/python/app.py") <= 60
    web_server(world, "python", "An app in Python", [sys.executable, str(EXAMPLES / "Web" / "python" / "app.py")])


@test("quick start: a server in Swift", 90, camera=True)
def swift(world):
    assert lines("Sources/WebSignIn/main.swift") <= 60
    program = pathlib.Path(os.environ["MIEN_PROGRAM"]).parent / "ExampleWebSignIn"
    if not program.exists():
        raise Skip(f"needs {program.name} beside the program of MIEN_PROGRAM: swift build --product {program.name}")
    web_server(world, "swift", "An app in Swift", [str(program)])
