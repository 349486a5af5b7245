"""The sign-in and account pages, as apps and people use them."""

import json
import secrets
import time
import urllib.parse

from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.jwk import KeySet

from scenes import PASSWORD, Site, app, new, start_camera
from server import Run
from testing import test


class Client:
    """An app that signs its users in, with Authlib: nothing of Mien is in it."""

    def __init__(self, server, site, app_id):
        self.server, self.site, self.app = server, site, app_id
        self.about = server.call("GET", "/.well-known/openid-configuration")
        self.oauth = OAuth2Session(app_id, scope="openid", redirect_uri=f"{site.origin}/back", code_challenge_method="S256",
                                   token_endpoint_auth_method="none")

    def link(self, **more):
        self.verifier, self.nonce = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
        address, self.state = self.oauth.create_authorization_url(
            self.about["authorization_endpoint"], code_verifier=self.verifier, nonce=self.nonce, **more)
        return address

    def claims(self):
        """Redeems the code that came back, and returns the ID token's claims."""
        query = self.site.query("/back")
        assert query and query.get("state") == self.state, query
        assert "code" in query, query
        token = self.oauth.fetch_token(self.about["token_endpoint"], code=query["code"], code_verifier=self.verifier)
        keys = KeySet.import_key_set(self.server.call("GET", "/.well-known/jwks.json"))
        self.id_token = token["id_token"]
        claims = jwt.decode(self.id_token, keys, algorithms=["ES256"]).claims
        assert claims["nonce"] == self.nonce and claims["aud"] in (self.app, [self.app]), claims
        return claims


def shop(server, mode="image", **settings):
    site = Site()
    return site, app(server, mode, redirect_uris=[f"{site.origin}/back"], **settings)


def password(page, user, word=PASSWORD):
    page.fill("[name=f_username]", user)
    page.fill("[name=f_password]", word)
    page.keys("Enter")


def with_face(world, server, client, user, **camera):
    """Signs in with the password, and adds the face on the account pages."""
    page = world.page(**camera)
    page.goto(f"{server.address}/account?client_id={client.app}")
    password(page, user)
    page.press("Register your face")
    start_camera(page)
    return page


def registered(world, server, client, user, **camera):
    """The same, until it has succeeded. On a busy machine, frames come too late, and a person tries again."""
    for _ in range(3):
        page = with_face(world, server, client, user, **camera)
        page.wait("location.pathname === '/account' || !!__web.named('Continue')", 75, "a verdict")
        if not page.js("!!__web.named('Continue')"):
            return page
        said = page.text()
        page.close()
    raise AssertionError(said)


def face_way(page, user):
    """Chooses the face on the sign-in page."""
    page.click("button[name=branch][value=face]")
    page.fill("[name=f_user_identifier]", user)
    page.keys("Enter")


@test("an app signs its user in with a password, by authorization code and PKCE", always=True)
def by_password(world):
    server = world.server()
    site, app_id = shop(server)
    client, user = Client(server, site, app_id), new("ada")
    server.user(user, PASSWORD)
    page = world.page(people=None)
    page.goto(client.link())
    page.find("[name=f_password]")
    world.check(page, "the form")
    password(page, user, "wrong")
    page.find("[role=alert]")
    wrong = page.text()
    page.expect("401")
    world.check(page, "a wrong password")
    page.goto(client.link())
    password(page, new("nobody"), "wrong")
    page.find("[role=alert]")
    page.expect("401")
    assert page.text() == wrong, "an unknown name looks like a wrong password"
    page.goto(client.link())
    password(page, user)
    page.wait("location.pathname === '/back'")
    assert client.claims()["amr"] == ["pwd"]
    # Single sign-on: nobody is asked again, unless the app wants it.
    page.goto(client.link())
    page.wait("location.pathname === '/back'")
    client.claims()
    page.goto(client.link(prompt="login"))
    page.find("[name=f_password], .list-links")


@test("a sign-out opens a frame of each app in the browser, and goes on when they have loaded, or after a while", always=True)
def frames(world):
    server = world.server()
    settings = {"logout_scope": "browser", "frontchannel_logout_session_required": True}
    clients, sids = [], []
    user = new("ada")
    server.user(user, PASSWORD)
    page = world.page(people=None)
    for _ in range(2):
        site = Site()
        client = Client(server, site, app(server, redirect_uris=[f"{site.origin}/back"], post_logout_redirect_uris=[f"{site.origin}/bye"],
                                          frontchannel_logout_uri=f"{site.origin}/out", **settings))
        page.goto(client.link())
        if not clients:
            password(page, user)
        page.wait("location.pathname === '/back'")
        sids.append(client.claims()["sid"])
        clients.append(client)
    first, second = clients
    asked = []

    def slow(query):
        asked.append(query["sid"])
        time.sleep(8)
        return "<title>Out</title>"

    def out(client):
        page.goto(f"{server.address}/oauth2/logout?" + urllib.parse.urlencode(
            {"id_token_hint": client.id_token, "post_logout_redirect_uri": f"{client.site.origin}/bye", "state": "s"}), wait="none")

    out(second)
    page.wait("location.pathname === '/bye'")
    assert second.site.query("/bye") == {"state": "s"}
    for client, sid in zip(clients, sids):
        assert client.site.query("/out") == {"iss": client.about["issuer"], "sid": sid}, client.site.requests
    page.goto(first.link(prompt="none"))
    page.wait("location.pathname === '/back'")
    assert first.site.query("/back")["error"] == "login_required"
    # Without an address to return to, the page stays.
    page.goto(f"{server.address}/oauth2/logout?id_token_hint={second.id_token}")
    page.see("You are signed out")
    world.check(page, "signed out, with a frame")
    # An app that does not answer in time holds nobody up.
    page.goto(first.link())
    password(page, user)
    page.wait("location.pathname === '/back'")
    first.claims()
    first.site.pages["/out"] = slow
    begun = time.monotonic()
    out(first)
    page.wait("location.pathname === '/bye'")
    assert asked and 4 < time.monotonic() - begun < 8, time.monotonic() - begun


@test("a person adds a face on the account page, and an app signs the person in with it", 180, camera=True)
def by_face(world):
    server = world.server()
    site, app_id = shop(server, "liveness_active")
    client, user = Client(server, site, app_id), new("ada")
    server.user(user, PASSWORD)
    page = registered(world, server, client, user)
    world.check(page, "the account")
    page.close()
    page = world.page()
    page.goto(client.link())
    for _ in range(3):
        face_way(page, user)
        page.find(".main")
        world.check(page, "before the camera")
        start_camera(page)
        page.wait("location.pathname === '/back' || !!__web.named('Continue')", 75, "a verdict")
        if page.js("location.pathname === '/back'"):
            break
        page.press("Continue")
        page.find("[name=f_password], [name=f_user_identifier]")
        page.expect("401")
    assert "face" in client.claims()["amr"]


@test("a face of a group of apps: the consent names them, it signs in to the other app, and a third one right after it", 240, camera=True)
def shared_face(world):
    server = world.server()
    places = [shop(server, title=f"App {letter}") for letter in "ABC"]
    apps = [name for _, name in places]
    group = server.admin("POST", "/v1/face-groups", {"name": "Office", "app_ids": apps})["id"]
    clients, user = [Client(server, site, name) for site, name in places], new("ada")
    server.user(user, PASSWORD)
    page = world.page()
    page.goto(f"{server.address}/account?client_id={apps[0]}")
    password(page, user)
    page.press("Register your face")
    page.see("These apps share your face")
    for letter in "ABC":
        assert f"App {letter}" in page.text(), page.text()
    world.check(page, "the consent to share a face")
    start_camera(page)
    page.wait("location.pathname === '/account'", 75, "a verdict")
    page.see("App A")
    assert "App C" in page.text(), page.text()
    world.check(page, "the account with a shared face")
    page.close()
    page = world.page()
    page.goto(clients[1].link())
    face_way(page, user)
    page.find(".main")
    start_camera(page)
    page.wait("location.pathname === '/back'", 75, "a verdict")
    seen = clients[1].claims()
    assert "face" in seen["amr"], seen
    page.goto(clients[2].link())
    page.wait("location.pathname === '/back'")
    claims = clients[2].claims()
    assert (claims["amr"], claims["acr"], claims["auth_time"]) == (seen["amr"], seen["acr"], seen["auth_time"]), (claims, seen)
    # An app that left asks for itself.
    server.admin("PUT", f"/v1/face-groups/{group}", {"name": "Office", "app_ids": apps[:2]})
    page.goto(clients[2].link())
    page.find("[name=f_password]")


@test("a stranger is refused, and a name without an account looks the same", 90, camera=True)
def stranger(world):
    server = world.server()
    site, app_id = shop(server)
    client, user = Client(server, site, app_id), new("ada")
    server.user(user, PASSWORD)
    page = registered(world, server, client, user)
    page.close()
    page = world.page(shows="photo", photo=world.photo("biden.jpg"))
    said = []
    for name in (user, new("nobody")):
        page.goto(client.link())
        face_way(page, name)
        page.find(".main")
        said.append(page.text())
        start_camera(page)
        page.find("[role=alert]", 30)
        page.expect("401")
        world.check(page, "refused")
        said.append(page.text())
        said.append(page.js("[...document.querySelectorAll('main button, main [name]')].map((e) => e.name || e.textContent)"))
    assert said[:3] == said[3:], "the page tells whether the name has an account"
    assert not site.query("/back")


@test("a still photo is refused where a live person is required", 90, camera=True)
def still(world):
    server = world.server()
    site, app_id = shop(server, "liveness_active")
    client, user = Client(server, site, app_id), new("ada")
    server.user(user, PASSWORD)
    page = world.page(shows="photo", photo=world.photo("obama.jpg"), sway=0)
    page.goto(client.link())
    face_way(page, user)
    start_camera(page)
    page.wait("/didn.t work/.test(__web.text())", 50)
    world.check(page, "refused")


@test("a passkey is made on the account page, and signs in", always=True)
def passkey(world):
    server = world.server()
    site, app_id = shop(server)
    client, user = Client(server, site, app_id), new("ada")
    server.user(user, PASSWORD)
    page = world.page(people=None)
    page.authenticator()
    page.goto(f"{server.address}/account?client_id={app_id}")
    password(page, user)
    page.press("Add a passkey")
    page.find("main form .button-primary")
    world.check(page, "before the passkey")
    page.click("main form .button-primary")
    page.wait("__web.text().includes('asskey') && document.querySelectorAll('[aria-labelledby=\"s-passkeys\"] .list-item').length === 1")
    world.check(page, "with a passkey")
    page.click("form[action*='/signout'] button")
    page.wait("location.pathname === '/signout'")
    world.check(page, "signed out")
    page.goto(client.link(prompt="login"))
    page.press("Use a passkey")
    page.wait("location.pathname === '/back'")
    assert "pop" in client.claims()["amr"]


@test("going back in the browser's history answers no later step")
def history(world):
    server = world.server()
    site, app_id = shop(server)
    client, user = Client(server, site, app_id), new("ada")
    server.user(user, PASSWORD)
    page = world.page(people=None)
    page.goto(client.link())
    page.click("button[name=branch][value=face]")
    page.find("[name=f_user_identifier]")
    page.back()
    page.find("[name=f_password], [name=f_user_identifier]")
    page.reload()
    page.find("[name=f_password], [name=f_user_identifier]")
    if page.has("[name=f_user_identifier]"):
        page.click("button[name=branch][value=password]")
    password(page, user)
    page.wait("location.pathname === '/back'")
    client.claims()
    page.back()
    page.wait("document.readyState === 'complete'")
    page.expect("400")


@test("two tabs: each has a sign-in of its own; one that is answered in another tab shows where it is", 60)
def two_tabs(world):
    server = world.server()
    site, app_id = shop(server)
    client, user = Client(server, site, app_id), new("ada")
    server.user(user, PASSWORD)
    page = world.page(people=None)
    page.goto(client.link())
    page.find("[name=f_password]")
    address = page.address
    same = world.page(people=None, profile=page.profile)
    same.goto(address)
    same.find("[name=f_password]")
    page.click("button[name=branch][value=face]")
    page.find("[name=f_user_identifier]")
    # The other tab shows an older step: its answer changes nothing, and it shows the present one.
    password(same, user)
    same.find("[name=f_user_identifier]")
    own = world.page(people=None, profile=page.profile)
    own.goto(client.link())
    password(own, user)
    own.wait("location.pathname === '/back'")
    assert client.claims()["amr"] == ["pwd"]
    world.check(page, "the first tab")
    page.reload()
    page.find("[name=f_user_identifier]")


@test("denied the camera, a person signs in with the password instead; the end of a sign-in and a lost page are pages, too")
def other_way(world):
    server = world.server()
    site, app_id = shop(server, "liveness_active")
    client, user = Client(server, site, app_id), new("ada")
    server.user(user, PASSWORD)
    page = world.page(refuses="NotAllowedError")
    page.goto(client.link())
    face_way(page, user)
    start_camera(page)
    page.wait("!!__web.shown('.main') && __web.text().includes('amera is not available')")
    world.check(page, "no permission")
    page.press("Cancel")
    page.wait("!!__web.shown('[name=f_password], [name=f_user_identifier]') || !!__web.shown('form [value=restart]')")
    world.check(page, "after a canceled capture")
    page.expect("401")
    if page.has("form [value=restart]"):
        page.click("form [value=restart]")
        page.find("[name=f_password], [name=f_user_identifier]")
    if not page.has("[name=f_password]"):
        page.click("button[name=branch][value=password]")
    # The name that was entered for the face is still there.
    page.fill("[name=f_password]", PASSWORD)
    page.keys("Enter")
    page.wait("location.pathname === '/back'")
    assert client.claims()["amr"] == ["pwd"]
    page.goto(f"{server.address}/signin/unknown")
    page.wait("location.pathname !== '/signin/unknown' || !!__web.shown('main h1')")
    stranger = world.page(people=None)
    stranger.goto(f"{server.address}/signin/unknown")
    stranger.expect("400")
    world.check(stranger, "a sign-in that has ended")
    page.goto(f"{server.address}/account/remove/passkey/unknown?client_id={app_id}")
    page.click("main .button-danger")
    page.wait("!!__web.shown('main h1') && !__web.shown('.button-danger')")
    page.expect("404")
    world.check(page, "something that is gone")
    page.goto(f"{server.address}/oauth2/logout")
    page.find("main h1")
    world.check(page, "the question before signing out")


@test("no secret is in an address that the server logs")
def addresses(world):
    server = world.server()
    for word in ("csrf=", "password=", "code=", "start_token", "cap_"):
        lines = [line for line in server.log.splitlines() if word in line and "request.route" in line]
        assert not lines, lines[:3]
