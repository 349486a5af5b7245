"""The pages of a journey's other steps: codes, consent, waiting, one-time-code tokens, transactions, and new passwords."""

import email
import email.policy
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

from scenes import PASSWORD, new
from test_signin import Client, password, shop
from testing import test

PIN = "4711"


class Phone:
    """A device with one-time-code tokens: `mien token`, with a home of its own."""

    def __init__(self, server):
        self.server, self.folder = server, tempfile.TemporaryDirectory(prefix="mien-phone-")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def __call__(self, *words, lines=(PIN,)):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("MIEN_")}
        environment |= {"HOME": self.folder.name, "MIEN_HOME": self.folder.name, "XDG_STATE_HOME": f"{self.folder.name}/state", "MIEN_SERVER": self.server.address}
        done = subprocess.run(
            [os.environ["MIEN_PROGRAM"], "token", *words, "--json"], input="".join(line + "\n" for line in lines), env=environment,
            capture_output=True, text=True, timeout=30)
        assert done.returncode == 0, f"mien token {words[0]}: {done.returncode} {done.stderr}"
        return json.loads(done.stdout) if done.stdout.strip() else None


def mailed_code(server, address):
    """The code in the newest mail to an address."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        for path in sorted(pathlib.Path(server.folder, "data", "outbox").glob("*.eml"), reverse=True):
            mail = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
            found = address in mail["to"] and re.search(r"\b(\d{6,8})\b", mail.get_content())
            if found:
                return found[1]
        time.sleep(0.1)
    raise AssertionError("no mail with a code")


def shop_with(server, steps, start="form"):
    """An app whose sign-in page runs this journey. It begins with the password unless `start` says otherwise."""
    journey = new("steps-")
    sign_in = {
        "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "login"}, "on": {"password": "check"}},
        "check": {"type": "authenticate_password", "config": {"username": "login.username", "password": "login.password"}, "on": {"success": "first", "failure": "no"}},
        "done": {"type": "complete_journey"}, "no": {"type": "reject_access"}}
    server.journey({"id": journey, "version": 1, "title": "Sign in", "start": start, "steps": {**sign_in, **steps}})
    site, app_id = shop(server, sign_in_journey=journey)
    return Client(server, site, app_id)


def arrive(page, client):
    page.wait("location.pathname === '/back'", 20)
    return client.claims()


@test("a code by email, a consent, a text, and a pause, each on a page of its own")
def mail_and_consent(world):
    server, user = world.server(), new("ada")
    client = shop_with(server, {
        "first": {"type": "email_otp_authentication", "on": {"success": "terms", "failure": "no"}},
        "terms": {"type": "record_consent", "config": {"text_version": "terms-1", "title": "Our terms", "text": "One.\nTwo <b>.", "button": "Fine by me",
                                                      "cancel_behavior": "cancel_branch", "failure_behavior": "abort"}, "on": {"success": "read", "cancel": "no"}},
        "read": {"type": "information", "config": {"title": "Welcome", "text": "Hello."}, "on": {"next": "pause"}},
        "pause": {"type": "wait_for_time", "config": {"seconds": 2}, "on": {"success": "done", "failure": "no"}}})
    server.user(user, PASSWORD)
    page = world.page(people=None, size=(390, 844))
    page.goto(client.link())
    password(page, user)
    page.find("[name=f_passcode], .input-code")
    world.check(page, "the code")
    page.fill(".input-code", "000000")
    page.keys("Enter")
    page.find("[role=alert]")
    page.expect("401")
    world.check(page, "a wrong code")
    # People copy codes with spaces.
    code = mailed_code(server, f"{user}@example.org")
    page.fill(".input-code", f"{code[:3]} {code[3:]}")
    page.keys("Enter")
    page.see("Our terms")
    assert "Two <b>." in page.text()
    world.check(page, "the consent")
    page.press("Fine by me")
    page.see("Hello.")
    world.check(page, "the text")
    page.press("Continue")
    page.find(".waiting")
    world.check(page, "the pause")
    assert arrive(page, client)["sub"]


@test("a consent that is declined ends the sign-in without a code")
def declined(world):
    server, user = world.server(), new("ada")
    client = shop_with(server, {
        "first": {"type": "record_consent", "config": {"text_version": "terms-1", "title": "Our terms", "text": "One.", "cancel_behavior": "cancel_branch", "failure_behavior": "abort"},
                  "on": {"success": "done", "cancel": "no"}}})
    server.user(user, PASSWORD)
    page = world.page(people=None)
    page.goto(client.link())
    password(page, user)
    page.see("Our terms")
    page.click("main form:has([name=option]):not(#step-form) .button-quiet")
    page.wait("!__web.text().includes('Our terms')")
    page.expect("401|403")
    world.check(page, "declined")
    assert "code" not in (client.site.query("/back") or {})


@test("a one-time-code token is registered, signs in, signs a transaction, and approves one", 90)
def tokens(world):
    server, user = world.server(), new("ada")
    data = {"amount": "'12.50'", "to": "'NL01'"}
    client = shop_with(server, {
        "first": {"type": "register_otp", "config": {"kind": "hotp"}, "on": {"success": "code", "failure": "no"}},
        "code": {"type": "authenticate_otp", "on": {"success": "sign", "failure": "no"}},
        "sign": {"type": "transaction_signing_otp", "config": {"approval_data": data}, "on": {"success": "approve", "failure": "no"}},
        "approve": {"type": "transaction_approval_otp", "config": {"approval_data": data}, "on": {"success": "done", "failure": "no"}}})
    server.user(user, PASSWORD)
    page = world.page(people=None)
    page.goto(client.link())
    password(page, user)
    with Phone(server) as phone:
        offer = page.wait("__web.shown('.code-long')?.textContent.trim()")
        world.check(page, "the registration")
        token = phone("provision", "--name", "Ada's phone", lines=(offer, PIN))
        page.fill(".input-code", phone("code")["code"])
        page.keys("Enter")
        page.wait("!__web.shown('.code-long')")
        world.check(page, "the code")
        page.fill(".input-code", phone("code")["code"])
        page.keys("Enter")
        page.see("12.50")
        challenge = page.wait("__web.shown('.mono')?.textContent.trim()")
        world.check(page, "the signature")
        signed = phone("sign", "--challenge", challenge, "--data", "amount=12.50", "--data", "to=NL01")
        page.fill(".input-code", signed["response"])
        page.keys("Enter")
        code = page.wait("__web.shown('.qr-number')?.textContent.trim()")
        assert "NL01" in page.text()
        world.check(page, "the approval")
        phone("approve", code)
        claims = arrive(page, client)
        assert {"pwd", "otp"} <= set(claims["amr"]), claims
        assert token["id"]


@test("a forgotten password: a recovery code, and a new password", 60)
def forgotten(world):
    server, user = world.server(), new("ada")
    site, app_id = shop(server)
    server.user(user, PASSWORD)
    page = world.page(people=None)
    page.goto(f"{server.address}/account?client_id={app_id}")
    password(page, user)
    page.press("Make new codes")
    page.find(".codes")
    code = page.js("document.querySelector('.codes li').textContent.trim()")
    page.close()
    site, app_id = shop(server, sign_in_journey="password-reset")
    client = Client(server, site, app_id)
    page = world.page(people=None)
    page.goto(client.link())
    page.click("button[name=branch][value=recovery_code], button[name=option][value=recovery_code]")
    page.find("[name=f_code]")
    page.fill("[name=f_user_identifier]", user)
    page.fill("[name=f_code]", code)
    page.keys("Enter")
    page.find("[name=f_new_password]")
    assert page.js("document.querySelector('[name=f_new_password]').autocomplete") == "new-password"
    world.check(page, "the new password")
    page.press("Show")
    assert page.js("document.querySelector('[name=f_new_password]').type") == "text"
    page.fill("[name=f_new_password]", "another horse battery")
    page.keys("Enter")
    arrive(page, client)
