"""screenshots.py [WORD…]: writes pictures of every page to docs/images/web: light, dark, on a phone, and from right to left. Everyone in them is drawn."""

import pathlib
import sys

import server
import testing
from scenes import PASSWORD, Site, app, begin_registration, new, start_camera
from test_signin import Client, face_way, password

FOLDER = server.REPOSITORY / "docs" / "images" / "web"
VARIANTS = [("light", "en", (1280, 800), "light"), ("dark", "en", (1280, 800), "dark"), ("phone", "en", (390, 844), "light"), ("rtl", "ar", (390, 844), "light")]
SCENES = []  # names and functions


def scene(name):
    def register(function):
        SCENES.append((name, function))
        return function
    return register


class Studio:
    """A page in one of the variants, and the means to bring it into a state."""

    def __init__(self, world, name, language, size, scheme):
        self.world, self.name, self.language, self.size, self.scheme = world, name, language, size, scheme
        self.server, self.site = world.server(), Site()

    def page(self, **camera):
        page = self.world.page(size=self.size, seed=3, grain=False, **camera)
        page.media(prefers_color_scheme=self.scheme, prefers_reduced_motion="reduce")
        page.devtools("Network.setExtraHTTPHeaders", headers={"accept-language": self.language})
        return page

    def capture(self, mode="liveness_active", **camera):
        run, link = begin_registration(self.server, self.site, app(self.server, mode))
        page = self.page(**camera)
        page.goto(link)
        page.find(".main")
        return page

    def client(self):
        app_id = app(self.server, redirect_uris=[f"{self.site.origin}/back"])
        user = new("ada")
        self.server.user(user, PASSWORD)
        return Client(self.server, self.site, app_id), user

    def account(self):
        client, user = self.client()
        page = self.page()
        page.authenticator()
        page.goto(f"{self.server.address}/account?client_id={client.app}")
        password(page, user)
        page.find(".list, .empty")
        return client, user, page


@scene("capture-start")
def capture_start(studio):
    return studio.capture()


@scene("capture-still")
def capture_still(studio):
    page = studio.capture(obeys=False)
    start_camera(page)
    page.find("[data-name=keep_still]")
    return page


@scene("capture-movement")
def capture_movement(studio):
    page = studio.capture(obeys=False)
    start_camera(page)
    page.wait("['turn_left','turn_right','look_up','look_down','open_mouth','come_closer','blink'].includes(__web.shown('[data-name]')?.dataset.name)", 20)
    return page


@scene("capture-failed")
def capture_failed(studio):
    page = studio.capture(obeys=False)
    start_camera(page)
    page.wait("!__web.shown('.stage') && !!__web.shown('.main')", 40)
    return page


@scene("capture-camera-denied")
def capture_denied(studio):
    page = studio.capture(refuses="NotAllowedError")
    start_camera(page)
    page.wait("!!__web.shown('.main') && !__web.shown('.tips')")
    return page


@scene("capture-link-used")
def capture_used(studio):
    page = studio.page()
    page.goto(f"{studio.server.address}/verify#used-before")
    page.find("h1")
    page.wait("!__web.shown('.spinner')")
    return page


@scene("capture-phone-code")
def capture_phone(studio):
    page = studio.capture(refuses="NotFoundError")
    start_camera(page)
    page.click("[slot=alternatives]")
    page.find(".qr-number")
    return page


@scene("sign-in")
def sign_in(studio):
    client, user = studio.client()
    page = studio.page()
    page.goto(client.link())
    page.find("[name=f_password]")
    return page


@scene("sign-in-refused")
def sign_in_refused(studio):
    page = sign_in(studio)
    password(page, "ada", "wrong")
    page.find("[role=alert]")
    return page


@scene("sign-in-face")
def sign_in_face(studio):
    page = sign_in(studio)
    page.click("button[name=branch][value=face]")
    page.find("[name=f_user_identifier]")
    return page


@scene("account")
def account(studio):
    client, user, page = studio.account()
    page.click("form[action*='/account/face'] button")
    start_camera(page)
    page.wait("location.pathname === '/account'", 60)
    return page


@scene("account-remove")
def account_remove(studio):
    client, user, page = studio.account()
    page.goto(f"{studio.server.address}/account/remove/account/me?client_id={client.app}")
    page.find(".button-danger")
    return page


@scene("account-recovery-codes")
def recovery_codes(studio):
    client, user, page = studio.account()
    page.click("form[action*='/account/recovery-codes'] button")
    page.find(".codes")
    return page


def main(words):
    FOLDER.mkdir(parents=True, exist_ok=True)
    world, failed = testing.World(), 0
    try:
        for name, make in SCENES:
            if words and not any(word in name for word in words):
                continue
            for variant, language, size, scheme in VARIANTS:
                path, problem = FOLDER / f"{name}-{variant}.png", None
                for _ in range(3):
                    studio = Studio(world, variant, language, size, scheme)
                    try:
                        page = make(studio)
                        page.js("document.activeElement?.matches('input') ? null : document.activeElement?.blur()")
                        page.js("new Promise((done) => setTimeout(done, 250))")
                        # Chromium shifts pictures of whole documents that run from right to left, so the window grows instead.
                        height = size[1] if page.has(".stage") else max(size[1], page.js("document.documentElement.scrollHeight"))
                        page.resize(size[0], height)
                        page.bidi.send("input.performActions", context=page.context, actions=[
                            {"type": "pointer", "id": "mouse", "actions": [{"type": "pointerMove", "x": 1, "y": 1}]}])
                        page.js("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
                        page.screenshot(path, whole=False)
                        problem = None
                    except Exception as error:  # A capture may fail on a busy machine; the other pages matter, too.
                        problem = error
                    studio.site.close()
                    world.end_test()
                    if not problem:
                        break
                failed += problem is not None
                print(f"✘ {path.name}: {problem}" if problem else f"✔ {path.name} {path.stat().st_size // 1000} kB", flush=True)
    finally:
        world.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
