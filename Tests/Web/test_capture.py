"""The capture page."""

import json
import re

from scenes import PASSWORD, Site, agree, app, begin_registration, finish, new, start_camera
from server import REPOSITORY, Run
from testing import test

STAGE = ".stage"
# Waits for the end of a capture and keeps what it asked for.
RECORDING = """location.pathname === '/verified' || !!__web.named('Continue') || (globalThis.__asked = (globalThis.__asked ?? [])
    .concat(__web.shown('[data-name]')?.dataset.name ?? []), sessionStorage.setItem('asked', __asked), false)"""


def opened(world, site, server, app_id, **camera):
    """A registration whose capture page is open."""
    run, link = begin_registration(server, site, app_id)
    page = world.page(**camera)
    page.goto(link)
    page.find(".main")
    return run, link, page


@test("a person registers a face with the movements that the page asks for, and comes back to the app", 90, camera=True, always=True)
def registers(world):
    server, site = world.server(), Site()
    app_id = app(server, "liveness_active")
    # On a busy machine, frames come too late, and a person tries again.
    for attempt in range(3):
        run, link, page = opened(world, site, server, app_id)
        code = link.partition("#")[2]
        assert len(code) >= 20 and "#" not in page.address, "the one-time code has left the address"
        if attempt == 0:
            world.check(page, "before the camera")
        agree(page)
        page.see("No pictures are kept.")
        assert "A picture of your face is kept" not in page.text()
        page.click(".main")
        page.find("[data-name]")
        assert page.js("performance.getEntriesByType('resource').some(({ name }) => name.includes('/web/capture-worker.js'))"), "frames are encoded in a worker"
        if attempt == 0:
            world.check(page, "while capturing")
        page.wait("location.pathname === '/verified' || !!__web.named('Continue')", 75, "a verdict")
        if page.js("location.pathname === '/verified'"):
            break
        world.check(page, "refused")
        page.press("Continue")
        page.wait("location.pathname === '/verified'")
        assert finish(run) == "rejection"
        page.close()
    returned = site.query("/verified")
    assert set(returned) == {"sessionId", "state"}, returned
    assert finish(run) == "success"
    assert code not in server.log, "the code is in no log"
    assert page.js("history.length") <= 3


@test("a passive capture: a person registers a face by looking at the camera and blinking once", 90, camera=True)
def passive(world):
    server, site = world.server(), Site()
    app_id = app(server, "liveness_passive")
    # On a busy machine, frames come too late, and a person tries again.
    for _ in range(3):
        run, _, page = opened(world, site, server, app_id)
        start_camera(page)
        page.wait(RECORDING, 45, "a verdict")
        if page.js("location.pathname === '/verified'"):
            break
        page.close()
    assert finish(run) == "success"
    page.goto(f"{server.address}/verify")
    asked = set((page.js("sessionStorage.getItem('asked')") or "").split(","))
    assert "blink" in asked, asked
    assert not asked & {"turn_left", "turn_right", "look_up", "look_down", "open_mouth", "come_closer"}, asked


@test("each reason for which the server refuses a capture has its text, and only a face that left is told to stay in the oval")
def reasons(world):
    server, site = world.server(), Site()
    _, _, page = opened(world, site, server, app(server, "liveness_active"), shows="nobody")
    page.wait("!!document.querySelector('mien-capture')")
    schemas = json.loads((REPOSITORY / "docs" / "openapi.json").read_text(encoding="utf-8"))["components"]["schemas"]
    texts = json.loads((REPOSITORY / "Web" / "Languages" / "en.json").read_text(encoding="utf-8"))["texts"]
    # The page asks for the state of its capture, which ended for this reason.
    page.js("globalThis.fetch = async () => new Response(JSON.stringify({ status: 'failed', reasons: [globalThis.__reason] })), 0")
    oval = set()
    for reason in schemas["CaptureAnswer"]["properties"]["reasons"]["items"]["enum"]:
        page.js(f"(globalThis.__reason = {json.dumps(reason)}, document.querySelector('mien-capture').start(), 0)")
        page.find(".view [role=alert]")
        shown = page.js("__web.shown('.view [role=alert]').textContent")
        assert shown == texts[f"refusal_{reason}"], f"{reason}: {shown}"
        if "left the oval" in shown:
            oval.add(reason)
    assert oval == {"face_lost", "face_jumped"}, oval
    page.close()


@test("a used link says so, and a capture that is open in this browser goes on", camera=True)
def used_link(world):
    server, site = world.server(), Site()
    run, link, page = opened(world, site, server, app(server))
    other = world.page()
    other.goto(link)
    other.see("This link has ended")
    world.check(other, "a used link")
    other.expect("410|404|not loaded|Failed to load")
    page.reload()
    page.find(".main")
    start_camera(page)
    page.wait("location.pathname === '/verified'", 40)
    assert finish(run) == "success"


@test("without a camera, and without permission, the page says what to do and tries again")
def no_camera(world):
    server, site = world.server(), Site()
    app_id = app(server)
    for fault, text in [("NotAllowedError", "allow|Camera|camera"), ("NotFoundError", "camera"), ("NotReadableError", "camera")]:
        run, link, page = opened(world, site, server, app_id, refuses=fault)
        start_camera(page)
        page.wait(f"/{text}/.test(__web.text()) && !!__web.shown('.main')")
        world.check(page, fault)
        page.js("__camera.set({ refuses: null })")
        page.click(".main")
        page.wait("location.pathname === '/verified'", 40)
        assert finish(run) == "success"
        page.close()


@test("a camera that is unplugged, and a person who gives up")
def gives_up(world):
    server, site = world.server(), Site()
    run, link, page = opened(world, site, server, app(server, "liveness_active"), shows="nobody")
    start_camera(page)
    page.find(STAGE)
    page.wait("__camera.live() === 1")
    page.js("__camera.unplug()")
    page.wait("!!__web.shown('.main') && !__web.shown('.stage')")
    world.check(page, "unplugged")
    page.press("Cancel")
    page.wait("location.pathname === '/verified'")
    assert page.js("globalThis.__camera ? __camera.live() : 0") == 0
    assert finish(run) == "rejection"


@test("nobody in front of the camera is told so; a second tab says that the capture goes on in the first", camera=True)
def second_tab(world):
    server, site = world.server(), Site()
    run, link, page = opened(world, site, server, app(server, "liveness_active"), shows="nobody")
    start_camera(page)
    page.see("Put your face in the oval", 30)
    world.check(page, "nobody is there")
    tab = world.page(profile=page.profile)
    tab.goto(link.partition("#")[0])
    start_camera(tab)
    tab.see("goes on elsewhere", 40)
    world.check(tab, "the second tab")
    assert page.has(".stage") and page.js("__camera.live()") == 1
    assert tab.js("__camera.live()") == 0, "only one tab uses the camera"


@test("a closed tab: the link has ended, and the app's journey can be tried again", 90, camera=True, always=True)
def closed_tab(world):
    server, site = world.server(), Site()
    run, link, page = opened(world, site, server, app(server, "liveness_active"), shows="nobody")
    start_camera(page)
    page.see("Put your face in the oval", 30)
    page.close()
    page = world.page()
    page.goto(link)
    page.see("This link has ended")
    page.expect("410|Failed to load")
    run, link, page = opened(world, site, server, app(server))
    start_camera(page)
    page.wait("location.pathname === '/verified'", 40)
    assert finish(run) == "success"


@test("a slow connection: pictures are narrower and have fewer bytes, and the capture goes on", 90, camera=True)
def slow(world):
    server, site = world.server(), Site()
    run, link, page = opened(world, site, server, app(server, "liveness_active"), shows="nobody")
    page.js("""(() => { const element = document.querySelector("mien-capture"), own = element.encode; globalThis.__sent = [];
        element.encode = async (video, side, quality) => { const bytes = await own(video, side, quality); __sent.push([side, quality, bytes.length]); return bytes; }; })()""")
    page.devtools("Network.enable")
    page.devtools("Network.emulateNetworkConditions", offline=False, latency=400, downloadThroughput=60_000, uploadThroughput=60_000)
    start_camera(page)
    page.see("Put your face in the oval", 40)
    page.js("new Promise((done) => setTimeout(done, 4000))")
    page.see("Put your face in the oval", 1)
    assert page.js("document.querySelector('mien-capture').roundTrip") > 300
    first, last = page.js("[__sent[0], __sent.at(-1)]")
    assert first[0] == last[0] == 480 and last[1] < first[1] and last[2] < first[2], (first, last)
    page.js("__camera.set({ shows: 'person' })")
    page.wait("['keep_still', 'wait', 'look_straight'].includes(__web.shown('[data-name]')?.dataset.name)", 20, "guidance for the person who came")


@test("a lost connection: the page says so, and goes on when it is back", 90, camera=True)
def offline(world):
    server, site = world.server(), Site()
    run, link, page = opened(world, site, server, app(server, "liveness_active"), shows="nobody")
    start_camera(page)
    page.see("Put your face in the oval", 30)
    page.offline()
    page.see("No connection", 20)
    world.check_access(page, "without a connection")
    world_check = [fault for fault in page.faults if "ERR_INTERNET_DISCONNECTED" not in fault]
    assert not world_check, world_check
    page.offline(False)
    page.wait("!__web.text().includes('No connection')", 20)
    page.js("__camera.set({ shows: 'person' })")
    page.wait("!!__web.shown('[data-name=keep_still]') || location.pathname === '/verified'", 20, "the same capture goes on")
    page.expect("ERR_INTERNET_DISCONNECTED|Failed to load")


def passes_after(world, server, site, disturb):
    """Captures movements, disturbs each attempt in the middle of them, and goes on until one passes. On a busy
    machine, frames come too late, and a person tries again."""
    app_id = app(server, "liveness_active")
    for attempt in range(4):
        run, link, page = opened(world, site, server, app_id)
        start_camera(page)
        page.find("[data-name=keep_still]", 30)
        disturb(page, attempt)
        page.wait(RECORDING, 75, "a verdict")
        if page.js("location.pathname === '/verified'"):
            break
        page.close()
    assert finish(run) == "success"


@test("a connection that is lost in the middle of the movements: the same capture passes once it is back", 150, camera=True)
def lost(world):
    def disturb(page, attempt):
        page.offline()
        page.js("new Promise((done) => setTimeout(done, 1200))")
        page.offline(False)
        page.expect("ERR_INTERNET_DISCONNECTED|Failed to load")

    passes_after(world, world.server(), Site(), disturb)


@test("a server that dies in the middle of the movements: the page says so, and one tap begins the same capture again", 240, camera=True)
def dies(world):
    # A server that no other test uses.
    server = world.server(CAPTURE_LIVE_SESSIONS="99")
    errors = "ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|Failed to load"

    def disturb(page, attempt):
        server.die_and_return()
        page.expect(errors)
        page.wait("!!__web.named('Try again')", 60, "the capture was interrupted")
        page.see("This check was interrupted")
        if attempt == 0:
            world.check(page, "interrupted")
        page.expect(errors)
        page.press("Try again")

    passes_after(world, server, Site(), disturb)


@test("only the keyboard: from the link to the result, with a visible focus", camera=True, always=True)
def keyboard(world):
    server, site = world.server(), Site()
    run, link, page = opened(world, site, server, app(server))
    for _ in range(8):
        page.keys("Tab")
        if page.js("(() => { let e = document.activeElement; while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement; return e?.matches('.main') && e.matches(':focus-visible') })()"):
            break
    else:
        raise AssertionError("Tab does not reach the button that starts the camera")
    page.keys("Enter")
    page.wait("location.pathname === '/verified'", 40)
    assert finish(run) == "success"


@test("a person who cannot blink says so, and registers with the other movements", 120, camera=True)
def accommodation(world):
    server, site = world.server(), Site()
    app_id = app(server, "liveness_active")
    for _ in range(3):
        run, link, page = opened(world, site, server, app_id)
        agree(page)
        page.press("I can’t do some movements")
        page.see("Which movements can’t you do?")
        world.check(page, "the movements")
        page.js("__web.shown('input[value=blink]').click()")
        page.press("Continue")
        page.wait("!__web.shown('input[value=blink]') && !!__web.shown('.main')")
        page.click(".main")
        page.wait(RECORDING, 75, "a verdict")
        if page.js("location.pathname === '/verified'"):
            break
        page.press("Continue")
        page.wait("location.pathname === '/verified'")
        page.close()
    assert finish(run) == "success"
    page.goto(f"{server.address}/verify")
    asked = page.js("sessionStorage.getItem('asked')") or ""
    assert "turn" in asked or "look" in asked or "mouth" in asked, asked
    assert "blink" not in asked, asked


@test("the page in Spanish and Arabic, on a phone, in the dark, and with reduced motion")
def languages(world):
    server, site = world.server(), Site()
    app_id = app(server)
    for language, direction in [("es", "ltr"), ("ar", "rtl")]:
        run, link = begin_registration(server, site, app_id)
        page = world.page(size=(390, 844))
        page.media(prefers_color_scheme="dark", prefers_reduced_motion="reduce")
        page.devtools("Network.setExtraHTTPHeaders", headers={"accept-language": language})
        page.goto(link)
        page.find(".main")
        assert page.js("[document.documentElement.lang, getComputedStyle(document.body).direction]") == [language, direction]
        world.check(page, f"{language} on a phone")
        # A name in the other direction of writing stays in one piece.
        assert page.js("document.getElementById('app-name').dir") == "auto"
        named = page.js("""import("/web/page.js").then(({ text }) => text("capture_returning", { app: "Yahoo!" }))""")
        assert ("\u2068Yahoo!\u2069" in named) == (direction == "rtl") and "Yahoo!" in named, named
        assert page.js("document.documentElement.scrollWidth <= innerWidth"), "nothing is cut off sideways"
        start_camera(page)
        page.wait("location.pathname === '/verified'", 40)
        assert finish(run) == "success"


@test("bytes of the page, and its first paint")
def figures(world):
    server, site = world.server(), Site()
    run, link, page = opened(world, site, server, app(server))
    bytes_, paint, count = page.js("""(() => { const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
        return [entries.reduce((sum, entry) => sum + entry.transferSize, 0), performance.getEntriesByName("first-contentful-paint")[0]?.startTime, entries.length]; })()""")
    print(f"    capture page: {bytes_ / 1000:.1f} kB in {count} requests, first paint after {paint:.0f} ms")
    assert 0 < bytes_ <= 150_000
    assert paint <= 1000


@test("hostile names of apps are shown as text", always=True)
def hostile(world):
    server, site = world.server(), Site()
    title = "<img src=x onerror=alert(1)></script><script>alert(2)</script>{{t.x}} & “quotes”"
    run, link, page = opened(world, site, server, app(server, title=title))
    assert page.js("document.querySelector('img[src=x]') === null && document.scripts.length") <= 6
    page.wait(f"document.title.includes('<img src=x') || __web.text().includes('<img src=x')", 5, "the name as text")
    world.check(page, "a hostile name")
