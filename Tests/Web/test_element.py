"""`<mien-capture>` in an app's own page, which hosts the module itself."""

import json

from browser import Chromium
from scenes import PASSWORD, Site, new, start_camera
from server import REPOSITORY, Run
from testing import test

PAGE = """<title>The app</title><style>mien-capture { display: block; height: 40rem }</style>
<main><h1>The app</h1><div id="place"></div><p id="end" role="status"></p></main>
<script type="module">
import "/mien.js";
globalThis.capture = (server, token) => {
  const element = document.createElement("mien-capture");
  element.setAttribute("server", server);
  element.setAttribute("start-token", token);
  for (const name of ["mien-done", "mien-fail", "mien-cancel"])
    element.addEventListener(name, ({ detail }) => { document.getElementById("end").textContent = name + " " + (detail?.reasons ?? []).join(" "); });
  document.getElementById("place").replaceChildren(element);
};
</script>"""


def shop(server, mode):
    """An app, with a page that has the element."""
    site = Site({"/": PAGE, "/mien.js": (REPOSITORY / "Web" / "Assets" / "mien.js").read_text(encoding="utf-8")})
    name = new("app")
    server.admin("POST", "/v1/apps", {"id": name, "name": "Shop", "type": "public", "first_party": True,
                                      "settings": {"liveness": {"mode": mode}, "web_origins": [site.origin]}})
    return site, name


def capture(world, site, server, run, kind=Chromium, **camera):
    page = world.page(kind, **camera)
    page.goto(site.origin + "/")
    page.wait("!!globalThis.capture")
    page.js(f"capture({json.dumps(server.address)}, {json.dumps(run.start_token)})")
    page.find(".main")
    return page


def registration(server, name, user):
    run = Run(server, "face-registration", name)
    run.respond("password", {"username": user, "password": PASSWORD})
    run.respond("client_input")
    return run


def passes(world, site, server, begin, **camera):
    """A capture that passes. On a busy machine, frames come too late, and a person tries again."""
    for _ in range(3):
        run = begin()
        page = capture(world, site, server, run, **camera)
        start_camera(page)
        page.wait("__web.text().includes('mien-done') || !!__web.named('Continue')", 75, "a verdict")
        if not page.has(".sign") or "mien-done" in page.text():
            break
        page.press("Continue")
        page.see("mien-fail")
        why = page.text()
        page.close()
    else:
        raise AssertionError(f"three captures failed: {why}")
    return run, page


def registered(world, site, server, name, user):
    server.user(user, PASSWORD)
    run, page = passes(world, site, server, lambda: registration(server, name, user))
    assert run.respond("client_input")["journey_step_id"] == "success"
    page.close()


def login(server, name, user):
    run = Run(server, "face-login", name)
    run.respond("face", {"user_identifier": user})
    return run


@test("<mien-capture>: a person registers a face and signs in with it, with random movements", 120, camera=True)
def live(world):
    server = world.server()
    site, name = shop(server, "liveness_active")
    user = new("ada")
    registered(world, site, server, name, user)
    page = capture(world, site, server, login(server, name, user))
    world.check(page, "before the camera")
    start_camera(page)
    page.find("[data-name=keep_still]")
    world.check(page, "while capturing")
    page.close()
    run, page = passes(world, site, server, lambda: login(server, name, user))
    assert run.respond("client_input")["journey_step_id"] == "success"


@test("<mien-capture>: pictures; a stranger is refused", 90, camera=True, always=True)
def pictures(world):
    photo = world.photo("biden.jpg")
    server = world.server()
    site, name = shop(server, "image")
    user = new("ada")
    registered(world, site, server, name, user)
    run = login(server, name, user)
    page = capture(world, site, server, run)
    start_camera(page)
    page.see("mien-done", 30)
    assert run.respond("client_input")["journey_step_id"] == "success"
    page.close()
    run = login(server, name, user)
    page = capture(world, site, server, run, shows="photo", photo=photo)
    start_camera(page)
    page.see("mien-done", 30)
    assert run.respond("client_input").get("error_data"), "a good picture of somebody else"


@test("<mien-capture>: a still photo, and a person who does not follow, are refused", 120, camera=True)
def refused(world):
    photo = world.photo("obama.jpg")
    server = world.server()
    site, name = shop(server, "liveness_active")
    user = new("ada")
    server.user(user, PASSWORD)
    for camera in [{"shows": "photo", "photo": photo, "sway": 0}, {"obeys": False}]:
        page = capture(world, site, server, login(server, name, user), **camera)
        start_camera(page)
        page.wait("!!__web.named('Continue')", 75, "a refusal")
        world.check(page, "refused")
        page.press("Continue")
        page.see("mien-fail")
        page.close()


@test("<mien-capture>: a session that looks like an earlier one is refused as a replay", 120, camera=True)
def replay(world):
    server = world.server(FACE_LIVENESS_REPLAY_DAYS="7")
    site, name = shop(server, "liveness_active")
    user = new("ada")
    registered(world, site, server, name, user)
    # On a busy machine, frames come too late, or differ enough to pass. Each capture that passes is one
    # more that the next may look like.
    for _ in range(4):
        page = capture(world, site, server, login(server, name, user))
        start_camera(page)
        page.wait("__web.text().includes('mien-done') || !!__web.named('Continue')", 75, "a verdict")
        said = page.text()
        if "mien-done" not in said:
            page.press("Continue")
            page.see("mien-fail")
            said = page.text()
        page.close()
        if "replayed" in said:
            return
    raise AssertionError(said)


@test("<mien-capture>: no permission, and a person who cancels")
def no_camera(world):
    server = world.server()
    site, name = shop(server, "image")
    user = new("ada")
    server.user(user, PASSWORD)
    page = capture(world, site, server, login(server, name, user), refuses="NotAllowedError")
    start_camera(page)
    page.wait("!!__web.shown('.main') && !__web.shown('.tips') && __web.text().includes('amera')")
    world.check(page, "no permission")
    page.js("__camera.set({ refuses: null })")
    page.click(".main")
    page.see("mien-done", 30)
    page.close()
    page = capture(world, site, server, login(server, name, user), shows="nobody")
    start_camera(page)
    page.wait("__camera.live() === 1")
    page.press("Cancel")
    page.see("mien-cancel")
    assert page.js("__camera.live()") == 0, "the camera is off"
