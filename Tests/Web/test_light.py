"""The colors of the capture page, which a face reflects."""

from scenes import Site, agree, app, begin_registration, finish
from testing import test

# Notes the colors of the server's answers, and those that fill the page, with the session's time.
NOTED = """(() => {
    const element = document.querySelector("mien-capture"), own = globalThis.fetch;
    globalThis.__drawn = []; globalThis.__shown = [];
    globalThis.fetch = async (...request) => {
        const answer = await own(...request), copy = answer.clone();
        copy.json().then(({ light }) => light?.colors?.forEach((color) => {
            if (!(color.begin <= (__drawn.at(-1)?.begin ?? -1))) __drawn.push(color);
        }), () => {});
        return answer;
    };
    const note = () => {
        const color = __web.shown(".lit")?.style.getPropertyValue("--l");
        if (color && color !== __shown.at(-1)?.color) __shown.push({ color, at: element.session.now });
        requestAnimationFrame(note);
    };
    note();
})()"""


def opened(world, server, site, app_id, reduced=False, **camera):
    run, link = begin_registration(server, site, app_id)
    page = world.page(**camera)
    if reduced:
        page.media(prefers_reduced_motion="reduce")
    page.goto(link)
    page.find(".main")
    agree(page)
    page.js(NOTED)
    return run, page


def lit_app(server, light="observe", mode="liveness_active", **more):
    return app(server, liveness={"mode": mode, "light": light, **more})


def last_capture(server):
    """What the audit log says about the last capture."""
    return [entry["detail"] for entry in server.admin("GET", "/v1/audit")["items"] if entry["event"].startswith("capture.")][-1]


def judged(page):
    page.wait("location.pathname === '/verified' || !!__web.named('Continue')", 75, "a verdict")
    return page.js("location.pathname === '/verified'")


@test("light: the page fills with the colors that the server drew, in order and in time, and a face that reflects them passes where they are required", 200, camera=True, always=True)
def follows(world):
    server, site = world.server(), Site()
    app_id = lit_app(server, "require", mode="liveness_passive")
    # On a busy machine, frames come too late, and a person tries again.
    for attempt in range(4):
        run, page = opened(world, server, site, app_id)
        page.see("the screen changes color")
        page.see("photosensitive epilepsy")
        assert not page.js("!!__web.named('Start without colors')"), "the policy requires the colors"
        if attempt == 0:
            world.check(page, "before the colors")
        page.click(".main")
        page.wait("(globalThis.__shown ?? []).length >= 3", 40, "colors")
        if attempt == 0:
            world.check(page, "in color")
            box = page.js("(() => { const { x, y, width, height } = __web.shown('.lit').getBoundingClientRect(); return [x, y, width - innerWidth, height - innerHeight]; })()")
            assert box == [0, 0, 0, 0], f"the color fills the screen: {box}"
        page.wait("__shown.length >= 8 || location.pathname === '/verified' || !!__web.named('Continue')", 40, "more colors")
        drawn, shown = page.js("[globalThis.__drawn ?? null, globalThis.__shown ?? null]")
        if drawn and len(shown) >= 4:
            compare(drawn, shown)
        if judged(page):
            break
        page.press("Continue")
        page.wait("location.pathname === '/verified'")
        page.close()
    assert finish(run) == "success"
    assert last_capture(server)["measured"]["light"] > 0.65


def compare(drawn, shown):
    """Each color was shown once, in the order of the server, at its time."""
    colors = [color["color"] for color in drawn]
    first = colors.index(shown[0]["color"])
    assert [one["color"] for one in shown] == colors[first:first + len(shown)], (drawn, shown)
    for one, due in list(zip(shown, drawn[first:]))[1:]:
        # A busy machine draws few frames of a page.
        assert -5 <= one["at"] - due["begin"] <= 400, (one, due)
    changes = [b["at"] - a["at"] for a, b in zip(shown, shown[1:])]
    assert min(changes) >= 300, changes


@test("light: a face in other light is refused where the colors are required", 120, camera=True)
def recording(world):
    server, site = world.server(), Site()
    app_id = lit_app(server, "require", mode="liveness_passive")
    run, page = opened(world, server, site, app_id, lit=0)
    page.click(".main")
    assert not judged(page)
    page.press("Continue")
    page.wait("location.pathname === '/verified'")
    assert finish(run) == "rejection"
    assert last_capture(server)["reasons"] == ["light_not_followed"], last_capture(server)


@test("light: gentle colors, of those who choose them and of those who asked for less motion, are pale", 90, camera=True)
def gentle(world):
    server, site = world.server(), Site()
    app_id = lit_app(server)
    for reduced in [False, True]:
        run, page = opened(world, server, site, app_id, reduced=reduced)
        if reduced:
            assert not page.js("!!__web.named('Start with gentle colors')"), "they are the ones that it starts with"
            page.click(".main")
        else:
            page.press("Start with gentle colors")
        page.wait("__shown.length >= 3", 40, "colors")
        colors = {one["color"] for one in page.js("__shown")}
        assert all(set(color[i:i + 2] for i in (1, 3, 5)) == {"bc", "ff"} for color in colors), colors
        page.close()


@test("light: people start without colors where they are observed, or the policy allows it; a page that shows none is told why it is refused", 120, camera=True)
def without(world):
    server, site = world.server(), Site()
    for app_id in [lit_app(server), lit_app(server, "require", light_accommodation=True)]:
        run, page = opened(world, server, site, app_id)
        page.see("If that applies to you, start without colors")
        page.press("Start without colors")
        page.find("[data-name]", 40)
        page.js("new Promise((done) => setTimeout(done, 1500))")
        assert page.js("__drawn.length + __shown.length") == 0
        page.close()
    run, page = opened(world, server, site, lit_app(server, "require"))
    # As a page of an earlier version.
    page.js("(() => { const element = document.querySelector('mien-capture'); element.session.light = async () => element.session.answer; })()")
    page.click(".main")
    page.see("This check needs the colors of the screen", 40)
    world.check(page, "no colors")
    page.press("Continue")
    page.wait("location.pathname === '/verified'")
    assert finish(run) == "rejection"
