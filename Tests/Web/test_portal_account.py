"""Administrators' sign-in to the portal: setup, invitation, passkey, password with an authenticator app, own methods."""

import base64
import hashlib
import hmac
import re
import sqlite3
import struct
import time

from testing import test

PASSWORD = "correct horse battery"


def code(secret, ahead=0):
    """A code of an authenticator app (RFC 6238), of `ahead` steps later."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(time.time()) // 30 + ahead), hashlib.sha1).digest()
    at = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[at:at + 4])[0] & 0x7fffffff) % 1_000_000:06d}"


def setup_link(server):
    """A new link for the first administrator."""
    me = server.admin("GET", "/v1/administrator")
    # Another owner makes it, because nobody who has sign-in methods makes one for themselves.
    if not hasattr(server, "other_owner"):
        server.other_owner = server.admin("POST", "/v1/administrators", {"name": "Second owner", "role": "owner"})["credential"]
    return server.call("POST", f"/v1/administrators/{me['id']}/setup-code?keep_credential=true", admin=True,
                       headers={"authorization": f"Bearer {server.other_owner}"})["link"]


def refill(page, selector, text):
    """Types into a field in place of what it holds."""
    page.js(f"document.querySelector({selector!r}).value = ''")
    page.fill(selector, text)


def signed_in(page):
    page.find(".header-me")
    page.wait("location.pathname === '/admin' && location.hash === ''")


@test("the portal: the link of the first start sets up a password and an app, once; signing out and in again", 90, always=True)
def first_run(world):
    # A server of its own: the link of its first start works once.
    server = world.server(SHUTDOWN_SECONDS="9")
    link = re.search(r"http://localhost:\d+/admin/setup#\S+", server.log)[0]
    page = world.page(people=None)
    page.goto(link)
    page.find("input[name=way]")
    assert "#" not in page.address, "the code leaves the address"
    world.check(page, "setup with a passkey")
    page.click("input[value=password]")
    page.find(".qr-code")
    world.check(page, "setup with a password")
    secret = page.js("document.querySelector('.qr-code').closest('.stack').querySelector('code').textContent")
    page.fill("[name=name]", "Ada")
    page.fill("[name=password]", "password")
    page.fill("[name=code]", code(secret))
    page.keys("Enter")
    page.see("too common")
    page.expect("400")
    world.check(page, "a refused password")
    refill(page, "[name=password]", PASSWORD)
    refill(page, "[name=code]", code(secret))
    page.keys("Enter")
    signed_in(page)
    assert "Ada" in page.js("document.querySelector('.header-me').textContent")

    other = world.page(people=None)
    other.goto(link)
    other.see("already used")
    other.expect("404")
    world.check(other, "a used link")

    page.press("Sign out")
    page.find("[name=password]")
    page.expect("401")
    world.check(page, "the sign-in")
    page.fill("[name=name]", "ada")
    page.fill("[name=password]", "wrong horse battery")
    page.fill("[name=code]", code(secret, 1))
    page.keys("Enter")
    page.see("refused")
    assert "refused" in page.js("document.querySelector('[name=password]').closest('form').querySelector('[role=alert]').textContent"), "beside its button"
    assert page.js("[...document.querySelectorAll('.alert')].filter((one) => one.textContent).length") == 1, "and nowhere else"
    page.expect("401")
    world.check(page, "a refused sign-in")
    refill(page, "[name=password]", PASSWORD)
    refill(page, "[name=code]", code(secret, 1))
    page.keys("Enter")
    signed_in(page)


@test("the portal: a passkey sets up and signs in, a second administrator is invited, and the own methods change", 90)
def passkey(world):
    server = world.server(SHUTDOWN_SECONDS="8")
    page = world.page(people=None)
    page.authenticator()
    page.goto(setup_link(server))
    page.fill("[name=name]", "Ada")
    page.fill("[name=passkey_name]", "Laptop")
    page.keys("Enter")
    signed_in(page)
    page.press("Sign out")
    page.press("Sign in with a passkey")
    page.find(".header-me")
    page.expect("401")

    page.click("a[href='/admin/account']")
    page.see("Laptop")
    world.check(page, "the own methods")
    page.press("Add a password")
    page.find(".dialog .qr-code")
    world.check(page, "a new authenticator app")
    secret = page.js("document.querySelector('.dialog .qr-code').closest('.stack').querySelector('code').textContent")
    page.fill(".dialog [name=password]", PASSWORD)
    page.fill(".dialog [name=code]", code(secret))
    page.keys("Enter")
    page.see("Change the password")
    page.press("Change the password")
    page.fill(".dialog [name=password]", "password")
    page.keys("Enter")
    page.wait("!!__web.shown('.dialog .field-error')", why="the fault of the new password")
    said = page.js("document.querySelector('.dialog .field-error').textContent")
    assert said[0].isupper() and said.endswith("."), said
    page.expect("400")
    page.press("Cancel")

    page.click("a[href='/admin/administrators']")
    page.find("[name=name]")
    world.check(page, "the administrators")
    page.fill("[name=name]", "Grace <b>Hopper</b>")
    page.keys("Enter")
    page.find(".dialog .copyable-text")
    world.check(page, "an invitation")
    invitation = page.js("document.querySelector('.dialog .copyable-text').textContent")
    page.press("Close")
    page.see("Open invitations")
    assert page.js("document.querySelector('main b')") is None, "the name is text"

    grace = world.page(people=None)
    grace.goto(invitation)
    grace.find("input[value=password]")
    world.check(grace, "an invitation is accepted")
    grace.click("input[value=password]")
    secret = grace.js("document.querySelector('.qr-code').closest('.stack').querySelector('code').textContent")
    grace.fill("[name=password]", PASSWORD)
    grace.fill("[name=code]", code(secret))
    grace.keys("Enter")
    signed_in(grace)
    assert "Operator" in grace.js("document.querySelector('.header-me').textContent")
    assert not grace.has("a[href='/admin/administrators']"), "operators do not manage administrators"


def age_sessions(server):
    """Lets the sign-ins to the portal be eleven minutes old, as a portal that was left open has them."""
    with sqlite3.connect(f"{server.folder}/data/mien.sqlite", timeout=30) as database:
        assert database.execute("UPDATE admin_session SET signed_in_at = signed_in_at - 660000").rowcount > 0
    database.close()


@test("the portal: after ten minutes, a change asks for the sign-in in place, and is made with it", 90)
def stale_sign_in(world):
    server = world.server(SHUTDOWN_SECONDS="7")
    server.admin("POST", "/v1/apps", {"id": "shop", "name": "Shop", "type": "confidential"})
    page = world.page(people=None)
    page.goto(re.search(r"http://localhost:\d+/admin/setup#\S+", server.log)[0])
    page.click("input[value=password]")
    page.find(".qr-code")
    secret = page.js("document.querySelector('.qr-code').closest('.stack').querySelector('code').textContent")
    page.fill("[name=name]", "Ada")
    page.fill("[name=password]", PASSWORD)
    page.fill("[name=code]", code(secret))
    page.keys("Enter")
    signed_in(page)

    # The host at which the administrator signed in.
    page.goto(server.admin_address.replace("127.0.0.1", "localhost") + "/admin/apps/shop")
    page.see("Quick start")
    age_sessions(server)
    page.press("Make a new secret")
    page.find("dialog .button-danger")
    page.js("document.querySelector('dialog .button-danger').click()")
    page.find("dialog [name=password]")
    page.expect("401")
    world.check(page, "the sign-in in place")
    # Canceling the sign-in leaves the app unchanged.
    page.press("Cancel")
    page.see("Sign in again before this change")
    assert "shown only once" not in page.text()

    page.press("Make a new secret")
    page.find("dialog .button-danger")
    page.js("document.querySelector('dialog .button-danger').click()")
    page.find("dialog [name=password]")
    page.expect("401")
    page.fill("dialog [name=name]", "ada")
    page.fill("dialog [name=password]", PASSWORD)
    page.fill("dialog [name=code]", code(secret, 1))
    page.keys("Enter")
    page.see("shown only once")
    assert page.address.endswith("/admin/apps/shop"), "the page stays"
