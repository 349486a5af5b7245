"""Organizations: the pages at /organization, the portal's page, and the choice on the sign-in page, with the mouse and with the keyboard alone."""

import json

from browser import Firefox
from scenes import PASSWORD, app, new
from server import Run
from test_portal import portal, tab_to
from test_signin import Client, password, shop
from testing import test


def organization(server, name, **members):
    """An organization with members: names and their roles."""
    made = server.admin("POST", "/v1/organizations", {"name": name})["id"]
    for user, roles in members.items():
        server.admin("POST", f"/v1/organizations/{made}/members", {"user": user, "roles": roles})
    return made


def people(server, *words):
    """Users with names that no other test uses."""
    names = [new(word) for word in words]
    for name in names:
        server.user(name, PASSWORD)
    return names


def servers(world):
    """A server whose only app with a sign-in page is this file's, because /organization signs in through the first."""
    server = world.server(RECOVERY_HOLD_HOURS="23")
    if not any(one["settings"].get("sign_in_page") for one in server.admin("GET", "/v1/apps")["items"]):
        app(server)
    return server


def visit(world, server, user, path="", **options):
    """A page at /organization of a user who signs in."""
    page = world.page(people=None, **options)
    page.goto(f"{server.address}/organization{path}")
    password(page, user)
    page.wait("location.pathname.startsWith('/organization')")
    page.find("main h1")
    return page


def members(server, made):
    return {one["username"]: one["roles"] for one in server.admin("GET", f"/v1/organizations/{made}/members")["items"]}


def lock_by_failures(server, user):
    for _ in range(6):
        run = Run(server, "password-login")
        run.respond("password", {"username": user, "password": "not the right one"})


@test("organization: with the mouse, an administrator invites, changes roles, unlocks, and removes, and others see nothing of it", 150)
def by_mouse(world):
    server = servers(world)
    ada, bob, eve = people(server, "ada", "bob", "eve")
    north = organization(server, "Northwind Traders", **{ada: ["admin"]})
    south = organization(server, "Southwind", **{eve: ["admin"]})
    page = visit(world, server, ada)
    page.see("Northwind Traders")
    assert "Southwind" not in page.text()
    world.check(page, "the own organizations")
    page.press("Manage")
    page.wait(f"location.pathname === '/organization/{north}'")
    page.see("Nobody is invited at the moment.")
    world.check(page, "an organization")
    page.fill("input[name=identifier]", "a b")
    page.press("Invite")
    page.find("[aria-invalid=true]")
    world.check_after(page, "an invitation of nobody", "400")
    page.js("document.querySelector('input[name=identifier]').value = ''")
    page.fill("input[name=identifier]", f"{bob}@example.org")
    page.fill("input[name=roles]", "billing")
    page.press("Invite")
    page.see("is invited.")
    page.find("tbody tr")

    other = visit(world, server, bob)
    other.see("Invitation to Northwind Traders")
    world.check(other, "an invitation")
    other.press("Accept")
    other.see("You belong to Northwind Traders now.")
    assert members(server, north) == {ada: ["admin"], bob: ["billing"]}
    assert not other.has(f"a[href='/organization/{north}']"), "a member manages nothing"
    other.goto(f"{server.address}/organization/{north}")
    other.see("Only administrators")
    world.check_after(other, "a member who is no administrator", "403")

    foreign = visit(world, server, eve, f"/{north}")
    foreign.see("Not found")
    assert "Northwind" not in foreign.text()
    foreign.expect("404")

    lock_by_failures(server, bob)
    page.reload()
    page.see("Member since")
    page.fill("input[type=search]", bob)
    page.press("Search")
    page.wait("document.querySelectorAll('.paged-list tbody tr').length === 1")
    page.press(bob)
    page.wait("location.pathname.includes('/members/')")
    page.see("locked")
    world.check(page, "a member")
    page.press("Unlock")
    page.see("is unlocked.")
    page.settle()
    page.js("document.querySelector('input[name=admin]').click()")
    page.press("Save")
    page.see("are saved.")
    assert members(server, north)[bob] == ["admin", "billing"]
    page.press("Remove from the organization")
    page.find("dialog[open]")
    world.check(page, "before a member is removed")
    page.js("document.querySelector('dialog .button-danger').click()")
    page.see("is no longer a member.")
    assert members(server, north) == {ada: ["admin"]} and members(server, south) == {eve: ["admin"]}
    page.media(prefers_color_scheme="dark")
    world.check(page, "an organization in the dark")
    page.resize(390, 844)
    world.check(page, "an organization on a phone")


@test("organization: with the keyboard alone, an invitation is accepted, a member is found, and the role is changed", 150)
def by_keyboard(world):
    server = servers(world)
    ada, bob = people(server, "ada", "bob")
    north = organization(server, "Northwind", **{ada: ["admin"]})
    server.admin("POST", f"/v1/organizations/{north}/invitations", {"identifier": bob, "roles": ["admin"]})
    page = visit(world, server, bob)
    page.wait("document.activeElement?.tagName === 'H1'", why="the focus moves to the heading")
    tab_to(page, "Accept the invitation to Northwind")
    page.keys("Enter")
    page.wait(f"location.pathname === '/organization/{north}'")
    page.find("tbody tr")
    tab_to(page, "Find a member")
    page.keys(ada, "Enter")
    page.wait("document.querySelectorAll('.paged-list tbody tr').length === 1")
    tab_to(page, ada)
    page.keys("Enter")
    page.wait("location.pathname.includes('/members/')")
    page.wait("document.activeElement?.tagName === 'H1'")
    tab_to(page, "Roles in apps")
    page.keys("stock")
    tab_to(page, "Save")
    page.keys("Enter")
    page.see("are saved.")
    assert members(server, north)[ada] == ["admin", "stock"]
    tab_to(page, "Remove from the organization")
    page.keys("Enter")
    page.find("dialog[open]")
    page.keys("Escape")
    page.wait("!document.querySelector('dialog[open]')")
    assert ada in members(server, north)


@test("organization: the main path works in Firefox", 120)
def in_firefox(world):
    server = servers(world)
    (ada,) = people(server, "ada")
    north = organization(server, "Northwind", **{ada: ["admin"]})
    page = visit(world, server, ada, kind=Firefox)
    page.press("Manage")
    page.wait(f"location.pathname === '/organization/{north}'")
    page.fill("input[name=identifier]", "grace@example.org")
    page.press("Invite")
    page.see("is invited.")
    assert server.admin("GET", f"/v1/organizations/{north}/invitations")["items"][0]["identifier"] == "grace@example.org"


@test("sign-in: a member of several organizations chooses one, and somebody without one is told so", 120)
def choice(world):
    server = servers(world)
    ada, una = people(server, "ada", "una")
    organization(server, "Northwind", **{ada: []})
    south = organization(server, "Southwind", **{ada: ["stock"]})
    site, app_id = shop(server, organizations={"use": "require"})
    client = Client(server, site, app_id)
    page = world.page(people=None)
    page.goto(client.link())
    password(page, ada)
    page.see("Choose an organization")
    world.check(page, "organizations to choose from")
    tab_to(page, "SSouthwind")
    page.keys("Enter")
    page.wait("location.pathname === '/back'")
    claims = client.claims()
    assert claims["org_id"] == south and claims["org_name"] == "Southwind" and claims["org_roles"] == ["stock"], claims
    page = world.page(people=None)
    page.goto(client.link())
    password(page, una)
    page.see("belongs to no organization")
    world.check(page, "nobody's member")
    page.press("Back to the app")
    page.wait("location.pathname === '/back'")
    assert site.query("/back")["error"] == "access_denied"


@test("portal: an organization is created, its members and apps are managed, and it is deleted after a preview", 150)
def in_portal(world):
    server = servers(world)
    (ada,) = people(server, "ada")
    page = portal(world, server, "/organizations")
    world.check(page, "the list of organizations")
    page.press("New organization")
    page.find("input[name=name]")
    page.press("Create")
    page.find("[aria-invalid=true]")
    world.check_after(page, "an organization without a name", "400")
    name = new("Portal Traders ")
    page.fill("input[name=name]", name)
    page.press("Create")
    page.see("is created.")
    page.wait("/organizations\\/org_/.test(location.pathname)")
    made = page.js("location.pathname.split('/').at(-1)")
    page.see("Nobody matches.")
    world.check(page, "an organization in the portal")
    page.fill("input[name=user]", ada)
    page.js("[...document.querySelectorAll('input[name=admin]')].at(-1).click()")
    page.press("Add or invite")
    page.see("is a member.")
    assert members(server, made) == {ada: ["admin"]}
    page.find(".paged-list tbody tr")
    world.check(page, "an organization with a member")
    page.click("[aria-label^='Change the roles of']")
    page.find("dialog[open] input[name=roles]")
    world.check(page, "the roles of a member")
    page.fill("dialog input[name=roles]", "billing")
    page.js("document.querySelector('dialog .button-primary').click()")
    page.see("are saved.")
    assert members(server, made)[ada] == ["admin", "billing"]
    user = server.admin("GET", f"/v1/users?identifier={ada}")["items"][0]["id"]
    page.goto(f"{server.admin_address}/admin/users/{user}")
    page.see(name.strip())
    world.check(page, "a user with an organization")
    page.goto(f"{server.admin_address}/admin/organizations/{made}")
    page.settle()
    page.press("Delete the organization")
    page.see("Memberships")
    world.check(page, "what deleting an organization removes")
    page.fill("dialog input", made)
    page.js("document.querySelector('dialog .button-danger').click()")
    page.see("is deleted.")
    status = server.send("GET", f"/v1/organizations/{made}", admin=True)[0]
    assert status == 404, status
    assert server.admin("GET", f"/v1/users/{user}")["id"] == user


@test("portal: with the keyboard alone, an organization is found by name and gets an administrator", 120)
def in_portal_by_keyboard(world):
    server, name = servers(world), new("Keyboard Traders ")
    (ada,) = people(server, "ada")
    made = organization(server, name)
    page = portal(world, server, "/organizations")
    page.find("tbody tr")
    tab_to(page, "Find an organization")
    page.keys(name.lower(), "Enter")
    page.wait("document.querySelectorAll('tbody tr').length === 1")
    tab_to(page, name)
    page.keys("Enter")
    page.wait(f"location.pathname === '/admin/organizations/{made}'")
    page.find("input[name=user]")
    tab_to(page, "User")
    page.keys(ada)
    tab_to(page, "Administrator of the organization")
    page.keys(" ")
    tab_to(page, "Add or invite")
    page.keys("Enter")
    page.see("is a member.")
    assert members(server, made) == {ada: ["admin"]}, json.dumps(members(server, made))
