"""The admin portal: an app is created, a user is unlocked, and a case is decided, with the mouse and with the keyboard alone."""

import json

from browser import Chromium, Firefox
from scenes import PASSWORD, new
from server import Run
from test_portal_account import code, setup_link
from testing import test


def sign_in(page, server, administrator=None):
    """Signs the page's browser in as an administrator, the first one by default, with a password and an authenticator app."""
    link = server.admin("POST", f"/v1/administrators/{administrator}/setup-code")["link"] if administrator else setup_link(server)
    offer = link.split("#")[1]
    secret = server.call("POST", "/v1/administrator/setup/options", {"code": offer}, admin=True, headers={"mien-portal": "1"})["authenticator_app"]["secret"]
    page.goto(f"{server.admin_address}/admin")
    page.find("main h1")
    body = {"code": offer, "name": new("grace"), "password": PASSWORD, "one_time_code": code(secret)}
    status = page.js("""fetch("/v1/administrator/setup", { method: "POST", headers: { "content-type": "application/json", "mien-portal": "1" },
      body: JSON.stringify(%s) }).then((answer) => answer.status)""" % json.dumps(body))
    assert status in (200, 201, 204), status
    page.expect("401")


def portal(world, server, path="", administrator=None, kind=Chromium):
    page = world.page(kind, people=None)
    sign_in(page, server, administrator)
    page.goto(f"{server.admin_address}/admin{path}")
    page.find("nav.navigation a, .menu-button")
    page.find("main h1")
    return page


def focused(page):
    return page.js("(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.labels?.[0]?.textContent ?? document.activeElement?.textContent ?? '').trim()")


def tab_to(page, name, most=120):
    """Presses the tab key until the element with this name has the focus."""
    for _ in range(most):
        if focused(page) == name:
            return
        page.keys("Tab")
    raise AssertionError(f"the keyboard does not reach {name!r}; it ended at {focused(page)!r}")


def locked_user(server):
    """A user whose password is locked by an administrator."""
    name = new("ada")
    user = server.user(name)
    password = server.admin("GET", f"/v1/users/{user}/authenticators")["items"][0]["id"]
    server.call("POST", f"/v1/users/{user}/authenticators/{password}/lock", admin=True)
    return name, user


def lock(server, user):
    return server.admin("GET", f"/v1/users/{user}/authenticators")["items"][0]["lock"]


@test("portal: with the mouse, an app is created and its settings are changed, with errors beside their fields", 90, always=True)
def app_by_mouse(world):
    server, name = world.server(), new("app")
    page = portal(world, server, "/apps")
    world.check(page, "the list of apps")
    page.press("New app")
    page.find("input[name=name]")
    page.press("Create app")
    page.find("[aria-invalid=true]")
    world.check_after(page, "an app without a name", "400")
    page.fill("input[name=name]", "Portal shop")
    page.fill("input[name=id]", name)
    page.js("document.querySelector('[value=confidential]').click()")
    page.press("Create app")
    page.see("shown only once")
    secret = page.js("[...document.querySelectorAll('dialog code')].at(-1).textContent")
    # It is the app's: the server gives a token for it.
    token = server.call("POST", "/oauth2/token", {"grant_type": "client_credentials", "client_id": name, "client_secret": secret}, form=True)
    assert token["access_token"]
    world.check(page, "the secret")
    page.press("I have stored it")
    page.wait(f"location.pathname === '/admin/apps/{name}'")
    page.see("Quick start")
    assert secret not in page.text(), "the secret is shown once"
    assert name in page.text()
    world.check(page, "an app")
    page.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    world.check(page, "all settings of an app")
    label = "Threshold of a face match"
    page.js(f"[...document.querySelectorAll('label')].find((one) => one.textContent === {json.dumps(label)}).control.focus()")
    page.keys("60")
    page.see("1 in 100,000")
    page.js("[...document.querySelectorAll('label')].find((one) => one.textContent === 'Redirect addresses').control.focus()")
    page.keys("ftp://nowhere")
    page.press("Save")
    page.see("Must be an absolute https URL")
    world.check_after(page, "a wrong address", "400")
    page.js("(() => { const one = [...document.querySelectorAll('label')].find((one) => one.textContent === 'Redirect addresses').control; one.value = 'https://shop.example.org/in'; one.dispatchEvent(new Event('input', { bubbles: true })); })()")
    page.press("Save")
    page.see("Saved.")
    settings = server.admin("GET", f"/v1/apps/{name}")["settings"]
    assert settings["face_threshold"] == 60 and settings["redirect_uris"] == ["https://shop.example.org/in"], settings


@test("portal: with the mouse, apps share faces, and one of them leaves", 90)
def face_group_by_mouse(world):
    server, names = world.server(), [new("app"), new("app")]
    for name in names:
        server.admin("POST", "/v1/apps", {"id": name, "name": f"App {name}"})
    page = portal(world, server, "/apps")
    page.press("Shared faces")
    page.see("No apps share faces.") if not server.admin("GET", "/v1/face-groups")["items"] else None
    page.press("New group")
    page.find("input[maxlength='100']")
    page.press("Create the group")
    page.find("[aria-invalid=true], .alert")
    world.check_after(page, "a group without a name", "400")
    page.fill("input[maxlength='100']", "Office")
    for name in names:
        page.click(f"input[value='{name}']")
    world.check(page, "a new group")
    page.press("Create the group")
    page.see("The group was created.")
    page.find("input[type=number]")
    world.check(page, "a group")
    made = next(one for one in server.admin("GET", "/v1/face-groups")["items"] if set(names) <= set(one["app_ids"]))
    assert made["max_age"] == 300 and made["name"] == "Office", made
    page.click(f"input[value='{names[0]}']")
    page.press("Save the group")
    page.see("Take apps out of the group?")
    world.check(page, "the question before apps leave")
    page.js("document.querySelector('dialog .button-danger').click()")
    page.see("The group is saved.")
    assert server.admin("GET", f"/v1/face-groups/{made['id']}")["app_ids"] == names[1:]
    server.admin("DELETE", f"/v1/face-groups/{made['id']}")


@test("portal: with the mouse, a user is found by name and unlocked", 90)
def unlock_by_mouse(world):
    server = world.server()
    name, user = locked_user(server)
    page = portal(world, server, "/users")
    world.check(page, "the list of users")
    page.fill("input[type=search]", "nobody-has-this-name")
    page.press("Search")
    page.see("Nothing matches")
    page.js("document.querySelector('input[type=search]').value = ''")
    page.fill("input[type=search]", name)
    page.press("Search")
    page.press(name)
    page.wait(f"location.pathname === '/admin/users/{user}'")
    page.see("by an administrator")
    world.check(page, "a user who is locked")
    assert lock(server, user) == "disabled"
    page.press("Unlock")
    page.see("is unlocked.")
    assert lock(server, user) == "open"
    page.press("Erase user")
    page.see("Account with its names")
    world.check(page, "what erasing a user removes")
    page.press("Cancel")
    assert server.admin("GET", f"/v1/users/{user}")["id"] == user


@test("portal: with the keyboard alone, an app is created and a user is found and unlocked", 120)
def by_keyboard(world):
    server, name = world.server(), new("app")
    username, user = locked_user(server)
    page = portal(world, server, "/apps")
    tab_to(page, "New app")
    page.keys("Enter")
    page.wait("document.activeElement?.name === 'name'")
    page.keys("Keyboard shop", "Tab", name)
    tab_to(page, "Create app")
    page.keys("Enter")
    page.wait(f"location.pathname === '/admin/apps/{name}'")
    page.wait("document.activeElement?.tagName === 'H1'", why="the focus moves to the heading")
    assert server.admin("GET", f"/v1/apps/{name}")["name"] == "Keyboard shop"
    page.goto(f"{server.admin_address}/admin/users")
    page.find("tbody tr")
    tab_to(page, "Find a user")
    page.keys(username, "Enter")
    page.wait("document.querySelectorAll('tbody tr').length === 1")
    tab_to(page, username)
    page.keys("Enter")
    page.wait(f"location.pathname === '/admin/users/{user}'")
    page.find("[aria-label^='Unlock']")
    tab_to(page, page.js("document.querySelector('[aria-label^=\"Unlock\"]').getAttribute('aria-label')"))
    page.keys("Enter")
    page.see("is unlocked.")
    assert lock(server, user) == "open"


@test("portal: the audit log is verified, and pages hide what a role may not do", 180)
def pages(world):
    server = world.server()
    page = portal(world, server)
    # test_portal_languages.py visits every page.
    for path, text in [("", "Overview"), ("/settings/server", "Find a setting"), ("/nothing", "Not found")]:
        page.goto(f"{server.admin_address}/admin{path}")
        page.see(text)
        world.check(page, path or "the overview")
    page.goto(f"{server.admin_address}/admin/audit")
    page.press("Verify the chain")
    page.see("The log is unchanged")
    page.media(prefers_color_scheme="dark")
    world.check(page, "the audit log in the dark")
    auditor = server.admin("POST", "/v1/administrators", {"name": "Auditor", "role": "auditor"})["id"]
    page = portal(world, server, "/apps", auditor)
    page.find("tbody tr")
    assert not page.has("a[href='/admin/apps/new']") and not page.has("a[href='/admin/reviews']")
    page.goto(f"{server.admin_address}/admin/apps/default_application")
    page.see("Your role may read the settings")
    world.check(page, "an app for an auditor")


@test("portal: an app's page says why its requests were refused and which services see its tokens; a token for programs is made and revoked", 90)
def app_facts(world):
    server = world.server(APPS_REGISTRATION="true")
    server.admin("POST", "/v1/apps", {"id": "webmail", "name": "Web mail", "type": "confidential"})
    server.admin("POST", "/v1/apps", {"id": "mail", "name": "Mail", "type": "confidential", "settings": {"introspection_apps": ["webmail"]}})
    server.send("POST", "/oauth2/token", {"client_id": "webmail", "client_secret": "guessed", "grant_type": "client_credentials"}, form=True)
    page = portal(world, server, "/apps/webmail")
    page.see("The client_id is unknown, or the client_secret is wrong.")
    page.see("Its tokens are seen by")
    world.check(page, "an app with refused requests")
    page.click("main dl a[href='/admin/apps/mail']")
    page.see("Sees the tokens of")
    page.goto(f"{server.admin_address}/admin")
    page.see("Refused requests of apps by error")
    page.goto(f"{server.admin_address}/admin/app-registration")
    page.see("There are no tokens.")
    page.fill("main form input[maxlength='100']", "Build server")
    page.press("Make a token")
    page.see("It is shown only once.")
    token = page.js("[...document.querySelectorAll('dialog code, dialog [dir=ltr]')].map((one) => one.textContent).find((text) => text.startsWith('irt_'))")
    world.check(page, "a token")
    page.press("Close")
    made = server.send("POST", "/oauth2/register", {"client_name": "Dashboard", "redirect_uris": ["https://dashboard.example.org/back"]},
                       {"authorization": f"Bearer {token}"})
    assert made[0] == 201, made
    page.goto(f"{server.admin_address}/admin/app-registration")
    page.see("Used up or expired")
    world.check(page, "the tokens")
    page.goto(f"{server.admin_address}/admin/apps/{made[2]['client_id']}")
    page.see("Registered by a program")


@test("portal: the directory of an organization gets a token, which is shown once and revoked")
def directories(world):
    server = world.server()
    organization = server.admin("POST", "/v1/organizations", {"name": new("Northwind ")})["id"]
    page = portal(world, server, f"/organizations/{organization}")
    page.see("No directory manages these people.")
    page.fill("[name=scim_name]", "Entra ID")
    page.fill("[name=scim_domains]", "northwind")
    page.press("Create a token")
    page.see("ust be domains of mail addresses")
    world.check_after(page, "a domain that is none", "400")
    page.fill("[name=scim_domains]", ".example, north.example")
    page.press("Create a token")
    page.see("It is shown only once.")
    token = page.js("[...document.querySelectorAll('dialog code, dialog [dir=ltr]')].map((one) => one.textContent).find((text) => text.startsWith('sct_'))")
    world.check(page, "a token of a directory")
    page.press("Close")
    page.see("north.example, northwind.example")
    page.see("Never")
    directory = {"authorization": f"Bearer {token}", "content-type": "application/scim+json"}
    made = server.send("POST", "/scim/v2/Users", {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
                       "userName": new("grace") + "@northwind.example"}, directory)
    assert made[0] == 201, made
    page.goto(f"{server.admin_address}/admin/organizations/{organization}")
    page.see("@northwind.example")
    world.check(page, "the tokens of a directory")
    page.click("[aria-label='Revoke the token Entra ID']")
    page.click("dialog button.button-danger")
    page.see("The token Entra ID is revoked.")
    assert server.send("GET", "/scim/v2/Users", None, directory)[0] == 401


@test("portal: nobody who is not signed in sees anything but the way in")
def signed_out(world):
    server = world.server()
    page = world.page(people=None)
    page.goto(f"{server.admin_address}/admin/users")
    page.find("main h1")
    assert not page.has("nav.navigation a") and "usr_" not in page.text()
    world.check_after(page, "signed out", "401")


REGISTRY = b"id,first_name,last_name,address,city,state,postal_code,country,date_of_birth,deceased,fraud\n1,Johns,Smits,222333 Peechtres Place,,,30318,US,1975-02-28,,\n"
ALMOST = {"firstName": "JOHNE", "lastName": "SMITH", "address": "222333 PEACHTREE PLACE", "postalCode": "30318", "country": "US", "dateOfBirth": "1975-02-28"}


def unclear_case(server):
    """The case of a user whose personal data nearly agrees with the registry."""
    status, _, answer = server.send("POST", "/v1/registry/people", REGISTRY, {"content-type": "text/csv"}, admin=True)
    assert status == 200, answer
    name = new("john")
    user = server.user(name)
    run = Run(server, "password-login")
    token = run.respond("password", {"username": name, "password": "correct horse battery"})["token"]
    access = server.call("POST", "/oauth2/token", {
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "default_application",
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "subject_token": token}, form=True)["access_token"]
    headers = {"authorization": f"Bearer {access}"}
    version = server.call("GET", "/v1/identity/consent/content", headers=headers)["version"]
    server.call("POST", "/v1/identity/consent", {"version": version}, headers=headers)
    assert server.call("POST", "/v1/identity/verify", ALMOST, headers=headers)["verified"] is False
    cases = [one for one in server.admin("GET", "/v1/verifications/cases")["items"] if one["user"] == user]
    return user, cases[0]["id"]


def level(server, user):
    return server.admin("GET", f"/v1/users/{user}/verification")["verification_method"]


@test("portal: a review is decided with the mouse", 90)
def review_by_mouse(world):
    server = world.server(IDENTITY_SOURCES="registry")
    user, case = unclear_case(server)
    page = portal(world, server, "/reviews")
    world.check(page, "the queue")
    page.press(case)
    page.see("222333 PEACHTREE PLACE")
    world.check(page, "a case")
    page.press("Accept")
    page.see("Accept this identity?")
    world.check(page, "before a decision")
    assert level(server, user) == "NONE"
    page.click("dialog .button-primary")
    page.see("Decided: Accepted.")
    assert level(server, user) == "KNOWLEDGE_OF_PII"


@test("portal: a review is decided with the keyboard alone", 90)
def review_by_keyboard(world):
    server = world.server(IDENTITY_SOURCES="registry")
    user, case = unclear_case(server)
    page = portal(world, server, "/reviews")
    page.find("tbody a")
    tab_to(page, case)
    page.keys("Enter")
    page.see("What the person stated")
    tab_to(page, "Reject")
    page.keys("Enter")
    page.find("dialog[open]")
    # A dangerous choice is not the first one.
    assert focused(page) == "Cancel"
    tab_to(page, "Reject")
    page.keys("Enter")
    page.see("Decided: Rejected.")
    assert level(server, user) == "NONE"


@test("an app of a product is created with the product's settings, and without an address it is not")
def product(world):
    server, name = world.server(), new("app")
    page = portal(world, server, "/apps/new")
    page.fill("input[name=name]", "Mail")
    page.fill("input[name=id]", name)
    assert page.has("input[name=redirect]") and not page.has("input[name=url]")
    page.find("select[name=product]")
    page.choose("select[name=product]", "roundcube")
    page.find("input[name=url]")
    assert not page.has("input[name=redirect]") and not page.has("input[name=type]")
    world.check(page, "a new app of a product")
    page.press("Create app")
    page.see("such as https://mail.example.org")
    page.fill("input[name=url]", "https://mail.example.org/")
    page.press("Create app")
    page.press("I have stored it")
    page.wait(f"location.pathname === '/admin/apps/{name}'")
    made = server.admin("GET", f"/v1/apps/{name}")
    assert made["type"] == "confidential" and made["settings"]["requires_pkce"] is False, made
    assert made["settings"]["redirect_uris"] == ["https://mail.example.org/index.php/login/oauth"], made
    # A product to which no browser returns has no address.
    page.goto(f"{page.address.split('/admin')[0]}/admin/apps/new")
    page.find("select[name=product]")
    page.choose("select[name=product]", "dovecot")
    assert not page.has("input[name=url]") and not page.has("input[name=redirect]")
    world.check(page, "a new app without an address")


@test("Firefox: the portal's main path: an app is created, and a user is found and unlocked", 120)
def firefox(world):
    world.running(Firefox)
    server, name = world.server(), new("app")
    username, user = locked_user(server)
    page = portal(world, server, "/apps/new", kind=Firefox)
    page.fill("input[name=name]", "Firefox shop")
    page.fill("input[name=id]", name)
    page.press("Create app")
    page.wait(f"location.pathname === '/admin/apps/{name}'")
    page.see("Quick start")
    world.check(page, "an app")
    page.goto(f"{server.admin_address}/admin/users")
    page.find("tbody tr")
    page.fill("input[type=search]", username)
    page.press("Search")
    page.press(username)
    page.wait(f"location.pathname === '/admin/users/{user}'")
    page.press("Unlock")
    page.see("is unlocked.")
    assert lock(server, user) == "open"
    world.check(page, "a user")
