"""The account pages, apps of others, and more than one account in a browser."""

import json

from scenes import PASSWORD, Site, app, new, start_camera
from test_signin import Client, password, registered, shop
from testing import test


def account(world, **settings):
    """A user who is signed in on the account pages."""
    server = world.server()
    site, app_id = shop(server, **settings)
    client, user = Client(server, site, app_id), new("ada")
    server.user(user, PASSWORD)
    page = world.page()
    page.goto(f"{server.address}/account?client_id={app_id}")
    password(page, user)
    page.find("a[href*='/account/remove/account/me']")
    return server, client, user, page


@test("the account: recovery codes are shown once, the password is changed, data are downloaded, and the account is deleted", 90)
def whole_account(world):
    server, client, user, page = account(world)
    world.check(page, "the account")
    page.press("Make new codes")
    page.find(".codes")
    world.check(page, "the codes")
    assert page.js("document.querySelectorAll('.codes li').length") == 10
    page.click("main .button-primary")
    page.find("a[href*='/account/password']")
    assert page.js("fetch(document.querySelector('a[href*=\"/account/data\"]').href).then((answer) => answer.json()).then((data) => JSON.stringify(data).length)") > 200
    page.click("a[href*='/account/password']")
    page.find("[name=current]")
    world.check(page, "a new password")
    page.fill("[name=current]", PASSWORD)
    page.fill("[name=new]", "another horse battery")
    page.keys("Enter")
    page.find("[role=status], [name=f_password]")
    if page.has("[name=f_password]"):
        # A changed password ends older sign-ins.
        password(page, user, "another horse battery")
    page.click("a[href*='/account/remove/account/me']")
    page.find(".button-danger")
    world.check(page, "before the account is deleted")
    page.click("main .button-danger")
    page.wait("location.pathname !== '/account/remove/account/me' || !__web.shown('.button-danger')")
    page.expect("401|404")
    assert server.send("GET", "/v1/users", admin=True)[2]["items"] is not None
    assert user not in str(server.admin("GET", "/v1/users"))


@test("a face is listed on the account page and removed there", 90, camera=True, always=True)
def remove_face(world):
    server = world.server()
    site, app_id = shop(server)
    client, user = Client(server, site, app_id), new("ada")
    server.user(user, PASSWORD)
    page = registered(world, server, client, user)
    world.check(page, "with a face")
    page.click("[aria-labelledby=s-faces] .list-actions a")
    page.find(".button-danger")
    world.check(page, "before the face is removed")
    page.click("main .button-danger")
    page.wait("location.pathname === '/account' && !!document.querySelector('[aria-labelledby=s-faces] .empty')")


@test("with a password and a face, a change asks once for what is missing, and goes on where it began", 120, camera=True)
def step_up(world):
    server = world.server()
    site, app_id = shop(server)
    client, user = Client(server, site, app_id), new("ada")
    server.user(user, PASSWORD)
    page = registered(world, server, client, user)
    page.click("a[href*='/account/password']")
    page.see("also needs your face")
    world.check(page, "what is missing")
    page.press("Continue")
    page.find("[name=f_user_identifier]")
    assert not page.has("[name=f_password]") and page.js("document.querySelector('[name=f_user_identifier]').value") == user
    world.check(page, "the way that is left")
    page.press("Continue")
    page.find(".main", 30)
    page.click(".main")
    page.find("[name=new]", 75)
    assert page.js("location.pathname") == "/account/password"
    page.goto(f"{server.address}/account/passkey?client_id={app_id}")
    page.find("#passkey-start")


def change(page, begin, done):
    """Begins a change, confirms at most once that it is the person, and waits until the change is allowed."""
    link = "main.card-center a.button-primary[href*='/signin/']"
    begin()
    found = page.wait(f"({done}) ? 'done' : __web.shown({json.dumps(link)}) ? 'asked' : ''", why="the change, or what it needs")
    if found == "done":
        return
    page.click(link)
    page.wait("location.pathname.startsWith('/signin/') && !!__web.shown('#passkey-start, [name=f_user_identifier]')", why="a way to confirm")
    if page.has("#passkey-start"):
        page.click("#passkey-start")
    else:
        page.press("Continue")
        page.find(".main", 30)
        page.click(".main")
    page.wait("location.pathname.startsWith('/account')", 75, "the way back from the step-up")
    begin()
    page.wait(done, why="the change after one step-up")


def each_change(world, ways):
    """Makes changes for a user who has a password and these ways."""
    server = world.server()
    site, app_id = shop(server)
    client, user = Client(server, site, app_id), new("ada")
    server.user(user, PASSWORD)
    address = lambda path="": f"{server.address}/account{path}?client_id={app_id}"

    def sign_in():
        page.goto(address())
        page.find("[name=f_username]")
        # The browser may know the name.
        page.js("document.querySelector('[name=f_username]').value = ''")
        password(page, user)
        page.find("a[href*='/account/remove/account/me']")

    def make_codes():
        page.goto(address())
        page.press("Make new codes")

    def delete():
        page.goto(address("/remove/account/me"))
        page.click("main .button-danger")

    if "face" in ways:
        page = registered(world, server, client, user)
    else:
        page = world.page(people=None)
        sign_in()
    page.authenticator()
    if "codes" in ways:
        change(page, make_codes, "!!__web.shown('.codes')")
    if "passkey" in ways:
        change(page, lambda: page.goto(address("/passkey")), "!!__web.shown('#passkey-name')")
        page.click("main form .button-primary")
        page.wait("document.querySelectorAll('[aria-labelledby=\"s-passkeys\"] .list-item').length === 1", why="the passkey")
    # A sign-in with the password alone, which is too weak where the account has more.
    page.goto(address())
    page.click("form[action*='/signout'] button")
    page.wait("location.pathname === '/signout'")
    sign_in()
    change(page, lambda: page.goto(address("/password")), "!!__web.shown('[name=new]')")
    change(page, lambda: page.goto(address("/passkey")), "!!__web.shown('#passkey-name')")
    change(page, make_codes, "!!__web.shown('.codes')")
    change(page, delete, "__web.text().includes('Your account is deleted')")
    page.expect("401|404")
    page.close()


@test("with a password, and with a passkey, recovery codes, or both, each change takes at most one step-up", 120)
def changes(world):
    for ways in [(), ("codes",), ("passkey",), ("passkey", "codes")]:
        each_change(world, ways)


@test("with a face, and with a passkey, recovery codes, or both, each change takes at most one step-up", 300, camera=True)
def changes_with_face(world):
    for ways in [("face",), ("face", "codes"), ("face", "passkey"), ("face", "passkey", "codes")]:
        each_change(world, ways)


@test("the app of somebody else asks for permission first; declining goes back without a code")
def permission(world):
    server = world.server()
    site, name = Site(), new("app")
    server.admin("POST", "/v1/apps", {"id": name, "name": "Other <b>shop</b>", "type": "public", "first_party": False,
                                      "settings": {"sign_in_page": True, "redirect_uris": [f"{site.origin}/back"]}})
    client, user = Client(server, site, name), new("ada")
    server.user(user, PASSWORD)
    page = world.page(people=None)
    page.goto(client.link())
    password(page, user)
    page.find("button[value=allow]")
    assert page.js("document.querySelector('main b')") is None and "Other <b>shop</b>" in page.text(), "the name is text"
    world.check(page, "permission")
    page.click("button[value=deny]")
    page.wait("location.pathname === '/back'")
    assert site.query("/back")["error"] == "access_denied"
    page.goto(client.link())
    page.click("button[value=allow]")
    page.wait("location.pathname === '/back'")
    client.claims()


@test("prompt=none answers without a page; an account that is remembered can be chosen; login_hint fills in the name")
def prompts(world):
    server = world.server()
    site, app_id = shop(server)
    client, user = Client(server, site, app_id), new("ada")
    server.user(user, PASSWORD)
    page = world.page(people=None)
    page.goto(client.link(prompt="none"))
    page.wait("location.pathname === '/back'")
    assert site.query("/back")["error"] == "login_required"
    page.goto(client.link(login_hint=user))
    page.find("[name=f_password]")
    assert page.js("document.querySelector('[name=f_username]').value") == user
    page.click("[name=remember]")
    page.fill("[name=f_password]", PASSWORD)
    page.keys("Enter")
    page.wait("location.pathname === '/back'")
    client.claims()
    page.goto(client.link(prompt="select_account"))
    page.find(".list-links")
    assert user in page.text()
    world.check(page, "the choice")
    assert not page.has("[value=forget]"), "somebody who is signed in is not forgotten"
    page.click(".list-links button[name=account]")
    page.wait("location.pathname === '/back' || !!__web.shown('[name=f_password]')")
    page.goto(f"{server.address}/account?client_id={app_id}")
    page.click("form[action*='/signout'] button")
    page.wait("location.pathname === '/signout'")
    page.goto(client.link(prompt="select_account"))
    world.check(page, "the choice after signing out")
    page.click(".list-links [value=forget]")
    page.wait("!__web.shown('.list-links [value=forget]')")
    assert user not in page.text()


@test("texts of a journey and names of people are shown as text")
def hostile(world):
    server = world.server()
    journey = new("hostile-")
    evil = "<img src=x onerror=alert(1)>"
    server.journey({"id": journey, "version": 1, "title": evil, "start": "say", "steps": {
        "say": {"type": "information", "config": {"title": evil, "text": evil + "</script><script>alert(2)</script>"}, "on": {"next": "form"}},
        "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "login"}, "on": {"password": "check"}},
        "check": {"type": "authenticate_password", "config": {"username": "login.username", "password": "login.password"}, "on": {"success": "done", "failure": "no"}},
        "done": {"type": "complete_journey"}, "no": {"type": "reject_access"}}})
    site, app_id = shop(server, sign_in_journey=journey)
    page = world.page(people=None)
    page.goto(Client(server, site, app_id).link())
    page.see("<img src=x onerror=alert(1)>")
    assert page.js("document.querySelectorAll('img[src=x]').length") == 0
    world.check(page, "hostile texts")
