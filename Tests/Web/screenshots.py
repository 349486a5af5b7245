"""screenshots.py [WORD…]: writes pictures of every page to .build/screenshots: light, dark, on a phone, and from right to left. Those that README.md
and docs/web-pages.md show are copied to docs/images/web. Everyone in them is drawn."""

import json
import pathlib
import shutil
import sys

import server
import testing
from scenes import PASSWORD, DocumentSession, Site, agree, app, begin_registration, card_camera, choose as choose_document, new, start_camera
from journeys import fit, select, when_checked
from test_document import SERVER as DOCUMENTS
from test_handoff import code as phone_code
from test_portal import locked_user, sign_in as sign_in_to_portal, unclear_case
from test_portal_account import setup_link
from test_signin import Client, face_way, password
from test_steps import shop_with

FOLDER = server.REPOSITORY / ".build" / "screenshots"
SHOWN_FOLDER = server.REPOSITORY / "docs" / "images" / "web"
SHOWN = {"document-camera-good-phone.png", "sign-in-light.png", "capture-movement-dark.png", "capture-movement-phone.png", "sign-in-rtl.png", "capture-phone-code-phone.png"}
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

    @property
    def texts(self):
        return json.loads((server.REPOSITORY / "Web" / "Languages" / f"{self.language}.json").read_text(encoding="utf-8"))["texts"]

    def document(self, kind=None, **camera):
        """The document page, with the consent, or before the first picture of a document."""
        session = DocumentSession(self.world.server(**DOCUMENTS), self.site)
        page = self.page(**{**card_camera(self.world, "passport" if kind == "passport" else "card_front"), "tremble": 0, **camera})
        page.session = session
        page.goto(session.url)
        page.find(".consent")
        if kind:
            page.press(self.texts["document_consent_agree"])
            choose_document(page, kind, texts=self.texts)
        return page

    def photographed(self, page):
        """Takes the next picture by hand."""
        page.press(self.texts["button_camera"])
        page.wait("document.querySelector('.scan-view video')?.videoWidth > 0")
        page.click(".shutter")
        page.see(self.texts["document_good"], 60)

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


def step(name, step_type, **config):
    """A picture of a step's page, after the password."""
    @scene(name)
    def one(studio):
        client = shop_with(studio.server, {"first": {"type": step_type, **({"config": config} if config else {}), "on": {"success": "done", "failure": "no"}}})
        user = new("ada")
        studio.server.user(user, PASSWORD)
        page = studio.page()
        page.goto(client.link())
        password(page, user)
        page.wait("!__web.shown('[name=f_password]')")
        page.find("main h1")
        return page


DATA = {"amount": "'12.50 EUR'", "to": "'NL01 BANK 0123'"}
step("step-email-code", "email_otp_authentication")
step("step-token-registration", "register_otp", kind="hotp")
step("step-device-key", "register_native_biometrics")


@scene("account-passkey")
def passkey(studio):
    client, user, page = studio.account()
    page.click("a[href*='/account/passkey']")
    page.find("main form .button-primary")
    return page


@scene("step-consent")
def step_consent(studio):
    client = shop_with(studio.server, {
        "first": {"type": "record_consent", "config": {"text_version": "terms-1", "title": "Our terms", "text": "We keep your order for ten years, because the law requires it.\nWe keep nothing else.",
                                                      "cancel_behavior": "cancel_branch", "failure_behavior": "abort"}, "on": {"success": "done", "cancel": "no"}}})
    return after_password(studio, client)


@scene("step-information")
def step_information(studio):
    client = shop_with(studio.server, {
        "first": {"type": "information", "config": {"title": "Welcome back", "text": "Your order is on its way."}, "on": {"next": "done"}}})
    return after_password(studio, client)


@scene("step-new-password")
def step_password(studio):
    client, user, page = studio.account()
    page.click("form[action*='/account/recovery-codes'] button")
    page.find(".codes")
    code = page.js("document.querySelector('.codes li').textContent.trim()")
    page.close()
    reset = Client(studio.server, studio.site, app(studio.server, redirect_uris=[f"{studio.site.origin}/back"], sign_in_journey="password-reset"))
    page = studio.page()
    page.goto(reset.link())
    page.click("button[name=branch][value=recovery_code], button[name=option][value=recovery_code]")
    page.find("[name=f_code]")
    page.fill("[name=f_user_identifier]", user)
    page.fill("[name=f_code]", code)
    page.keys("Enter")
    page.find("[name=f_new_password]")
    return page


def after_password(studio, client):
    user = new("ada")
    studio.server.user(user, PASSWORD)
    page = studio.page()
    page.goto(client.link())
    password(page, user)
    page.wait("!__web.shown('[name=f_password]')")
    page.find("main h1")
    return page


@scene("sign-in-choose")
def choose(studio):
    client, user = studio.client()
    page = studio.page()
    page.goto(client.link(login_hint=user))
    page.find("[name=f_password]")
    page.click("[name=remember]")
    page.fill("[name=f_password]", PASSWORD)
    page.keys("Enter")
    page.wait("location.pathname === '/back'")
    page.goto(client.link(prompt="select_account"))
    page.find(".list-links")
    return page


@scene("sign-in-permission")
def permission(studio):
    name = new("app")
    studio.server.admin("POST", "/v1/apps", {"id": name, "name": "Weather club", "type": "public", "first_party": False,
                                             "settings": {"sign_in_page": True, "redirect_uris": [f"{studio.site.origin}/back"]}})
    page = after_password(studio, Client(studio.server, studio.site, name))
    page.find("button[value=allow]")
    return page


@scene("sign-out")
def sign_out(studio):
    client, user, page = studio.account()
    page.click("form[action*='/signout'] button")
    page.wait("location.pathname === '/signout'")
    return page


@scene("capture-phone-number")
def phone_number(studio):
    _, _, _, link = phone_code(studio.world, studio.site, app(studio.server), studio.server)
    page = studio.page()
    page.goto(link)
    page.find(".qr-number")
    return page


@scene("capture-accommodation")
def accommodation(studio):
    page = studio.capture()
    agree(page)
    page.press(studio.texts["capture_cannot"])
    page.find("input[value=blink]")
    return page


@scene("document-consent")
def document_consent(studio):
    return studio.document()


@scene("document-choice")
def document_choice(studio):
    page = studio.document()
    page.press(studio.texts["document_consent_agree"])
    page.find("#country")
    page.js("(() => { const list = document.getElementById('country'); list.value = 'US'; list.dispatchEvent(new Event('change')); })()")
    page.click("input[value=driverLicense]")
    return page


@scene("document-front")
def document_front(studio):
    return studio.document("idCard")


@scene("document-passport")
def document_passport(studio):
    return studio.document("passport")


@scene("document-camera-reflection")
def document_reflection(studio):
    page = studio.document("idCard", glare=True)
    page.press(studio.texts["button_camera"])
    page.wait("document.querySelector('.scan-word')?.dataset.word === 'glare'", 60)
    return page


@scene("document-camera-good")
def document_good(studio):
    page = studio.document("idCard")
    page.press(studio.texts["button_camera"])
    page.find(".scan-good", 60)
    return page


@scene("document-again")
def document_again(studio):
    page = studio.document("idCard", glare=True)
    page.press(studio.texts["button_camera"])
    page.wait("document.querySelector('.scan-view video')?.videoWidth > 0")
    page.click(".shutter")
    page.find(".photo", 60)
    return page


@scene("document-back")
def document_back(studio):
    page = studio.document("idCard")
    studio.photographed(page)
    page.see(studio.texts["document_back_title_idCard"])
    return page


@scene("document-check")
def document_check(studio):
    page = document_back(studio)
    page.js("__camera.set({ card: 'card_back' })")
    studio.photographed(page)
    start_camera(page)
    page.see(studio.texts["document_check_title"], 60)
    return page


@scene("document-stop")
def document_stop(studio):
    page = studio.document("idCard")
    page.press(studio.texts["button_cancel"])
    page.see(studio.texts["document_cancel_title"])
    return page


@scene("document-camera-denied")
def document_denied(studio):
    page = studio.document("passport", refuses="NotAllowedError")
    page.press(studio.texts["button_camera"])
    page.see(studio.texts["camera_title"])
    return page


@scene("document-unreadable")
def document_unreadable(studio):
    page = studio.document("passport", card="card_front")
    studio.photographed(page)
    start_camera(page)
    page.press(studio.texts["document_send"])
    page.see(studio.texts["document_again_title"], 90)
    return page


@scene("message-faulty-request")
def faulty(studio):
    page = studio.page()
    page.goto(f"{studio.server.address}/oauth2/authorize?client_id=nobody")
    page.find("main h1")
    return page


@scene("message-link-expired")
def expired(studio):
    page = studio.page()
    page.goto(f"{studio.server.address}/notices?code=expired")
    page.find("main h1")
    return page


def in_language(studio, page, server):
    """Chooses the studio's language in the portal."""
    page.goto(f"{server.admin_address}/admin/nothing")
    page.find("main h1")
    page.js(f"localStorage.setItem('mien.language', '{studio.language}')")


def portal(studio, path, selector="main h1", administrator=None):
    server = studio.world.server(IDENTITY_SOURCES="registry")
    page = studio.page()
    in_language(studio, page, server)
    sign_in_to_portal(page, server, administrator)
    page.goto(f"{server.admin_address}/admin{path(server) if callable(path) else path}")
    page.find(f"main {selector}")
    page.settle()
    return page


def portal_scene(name, path, selector="h1"):
    scene(f"portal-{name}")(lambda studio: portal(studio, path, selector))


portal_scene("overview", "", ".chart, .tile")
portal_scene("apps", "/apps", "tbody")
portal_scene("app-new", "/apps/new")
portal_scene("app", "/apps/default_application", "pre")
portal_scene("journeys", "/journeys", "tbody")
portal_scene("users", lambda server: locked_user(server) and "/users", "tbody")
portal_scene("user-new", "/users/new")
portal_scene("user", lambda server: f"/users/{locked_user(server)[1]}", ".tag-bad")
portal_scene("reviews", lambda server: unclear_case(server) and "/reviews", "tbody")
portal_scene("review", lambda server: f"/reviews/identities/{unclear_case(server)[1]}", ".checks")
portal_scene("audit", "/audit", "tbody")
portal_scene("administrators", "/administrators", "tbody")
portal_scene("account", "/account", "section")
for part in ["", "/faces", "/licenses", "/registry", "/master-keys", "/server"]:
    portal_scene(f"settings{part.replace('/', '-')}", f"/settings{part}", "section")


@scene("portal-journey")
def portal_journey(studio):
    page = portal(studio, "/journeys/face-login", ".journey-node")
    when_checked(page)
    fit(page)
    select(page, "form")
    return page


@scene("portal-user-erase")
def portal_erase(studio):
    page = portal(studio, lambda server: f"/users/{locked_user(server)[1]}", ".button-danger")
    page.click("main .button-danger")
    page.find("dialog[open]")
    return page


@scene("portal-sign-in")
def portal_sign_in(studio):
    page = studio.page()
    in_language(studio, page, studio.server)
    page.goto(f"{studio.server.admin_address}/admin")
    page.find("[name=code]")
    return page


@scene("portal-setup")
def portal_setup(studio):
    page = studio.page()
    in_language(studio, page, studio.server)
    page.goto(setup_link(studio.server))
    page.click("input[value=password]")
    page.find(".qr-code")
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
                        height = size[1] if page.has(".stage") or page.has(".scan") else max(size[1], page.js("document.documentElement.scrollHeight"))
                        page.resize(size[0], height)
                        page.bidi.send("input.performActions", context=page.context, actions=[
                            {"type": "pointer", "id": "mouse", "actions": [{"type": "pointerMove", "x": 1, "y": 1}]}])
                        page.js("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
                        page.screenshot(path, whole=False)
                        if path.name in SHOWN:
                            shutil.copy(path, SHOWN_FOLDER)
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
