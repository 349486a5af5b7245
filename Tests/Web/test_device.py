"""Codes that people type or scan: of devices without a browser, and for authenticator apps."""

import base64
import hashlib
import hmac
import struct
import time
import urllib.parse

from scenes import PASSWORD, app, new
from testing import test


def form(server, path, **fields):
    status, _, content = server.send("POST", path, fields, form=True)
    return status, content


def signed_in(page, user):
    page.fill("[name=f_username]", user)
    page.fill("[name=f_password]", PASSWORD)
    page.keys("Enter")


@test("a television shows a code; its owner types it with the keyboard, compares, signs in, and the television is signed in", 90, always=True)
def television(world):
    server = world.server()
    name, user = app(server, title="Films", device_authorization=True), new("ada")
    server.user(user, PASSWORD)
    status, device = form(server, "/oauth2/device_authorization", client_id=name, scope="openid")
    assert status == 200, device

    def ask():
        return form(server, "/oauth2/token", client_id=name, device_code=device["device_code"], grant_type="urn:ietf:params:oauth:grant-type:device_code")

    assert ask()[1]["error"] == "authorization_pending"
    page = world.page(people=None)
    page.resize(320, 640)
    page.goto(device["verification_uri"])
    world.check(page, "the form for the code")
    page.fill("[name=user_code]", "BBBB-BBBB")
    page.keys("Enter")
    page.see("No device waits with this code")
    page.expect("400")
    world.check(page, "an unknown code")
    # The code stays, to be corrected.
    page.js("document.querySelector('[name=user_code]').select()")
    page.keys(device["user_code"].lower())
    page.keys("Enter")
    page.see("Sign in to Films on another device?")
    assert page.js("document.querySelector('.device-code').textContent") == device["user_code"]
    assert page.js("document.documentElement.scrollWidth <= innerWidth"), "it fits into 320 pixels"
    world.check(page, "the question")
    page.press("Continue")
    page.find("[name=f_password]")
    signed_in(page, user)
    page.see("The device is signed in")
    world.check(page, "the end")
    time.sleep(5)
    status, tokens = ask()
    assert status == 200 and tokens["id_token"], tokens
    # The link of a QR code fills the code in, and asks, too; a person who is signed in can refuse.
    _, device = form(server, "/oauth2/device_authorization", client_id=name)
    page.goto(device["verification_uri_complete"])
    assert page.js("document.querySelector('[name=user_code]').value") == device["user_code"]
    page.press("Continue")
    page.see(user)
    page.press("Do not allow")
    page.see("The device was refused")
    assert ask()[1]["error"] == "access_denied"


def code(secret, now):
    """What any authenticator app shows: RFC 6238."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(now) // 30), hashlib.sha1).digest()
    place = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[place:place + 4])[0] & 0x7fffffff) % 1000000:06}"


@test("a person adds an authenticator app: the QR code holds the secret, and a code of the app confirms it", 90, always=True)
def authenticator(world):
    server = world.server()
    name, user = app(server), new("ada")
    server.user(user, PASSWORD)
    page = world.page(people=None)
    page.goto(f"{server.address}/account?client_id={name}")
    signed_in(page, user)
    page.press("Add an authenticator app")
    page.find("svg.qr-code path")
    world.check(page, "the QR code")
    uri = urllib.parse.urlsplit(page.js("document.querySelector('a[href^=\"otpauth:\"]').getAttribute('href')"))
    secret = dict(urllib.parse.parse_qsl(uri.query))["secret"]
    assert page.js("document.querySelector('code').textContent") == secret
    box = page.js("(() => { const box = document.querySelector('svg.qr-code').getBoundingClientRect(); return [box.width, box.height]; })()")
    assert box[0] == box[1] and box[0] > 100, box
    page.fill("[name=passcode]", "000000" if code(secret, time.time()) != "000000" else "111111")
    page.keys("Enter")
    page.see("The code is wrong")
    page.expect("400")
    world.check(page, "a wrong code")
    page.fill("[name=name]", "My phone")
    page.fill("[name=passcode]", code(secret, time.time()))
    page.keys("Enter")
    page.see("The authenticator app was added")
    page.see("My phone")
    world.check(page, "the account with the app")
