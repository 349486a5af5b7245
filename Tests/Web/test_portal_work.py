"""What administrators decide and try in the portal: reviews with pictures, a second reviewer, duplicate faces, connections, live sign-ins, and charts."""

import base64
import http.server
import json
import pathlib
import tempfile
import threading
import time

import specimens
from portal import SignedIn
from scenes import PASSWORD, app, new, numbers
from server import Run
from test_portal import level, unclear_case
from testing import WORK, test

INNER = "inner-7f3a9c"


class Service:
    """A service inside the network. It answers every request with this status, and with a body that is nobody's business."""

    def __init__(self, status=200, body=None):
        self.status, self.body, self.requests = status, body or {"result": "FOUND", "note": INNER}, []
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                service.requests.append(self.rfile.read(int(self.headers.get("content-length") or 0)))
                content = json.dumps(service.body).encode()
                self.send_response(service.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("localhost", 0), Handler)
        self.url = f"http://localhost:{self.http.server_port}/in"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()


def opened(world, server, path, credential=None):
    portal = SignedIn(server, credential)
    page = world.page(people=None)
    page.goto(f"{portal.origin}/admin{path}")
    page.find("main h1")
    return portal, page


def reviewer(server, name):
    return server.admin("POST", "/v1/administrators", {"name": name, "role": "reviewer"})["credential"]


@test("portal: a connection test shows the status of the service that answers, and never its body", 90)
def connections(world):
    source, hook, folder = Service(), Service(), pathlib.Path(tempfile.mkdtemp(prefix="mien-web-"))
    mapping = folder / "mapping.json"
    mapping.write_text(json.dumps({"name": "bureau", "send": {"firstName": "/first", "lastName": "/last"}, "outcome": {"at": "/result", "values": {"FOUND": "agrees"}}}))
    server = world.server(IDENTITY_SOURCES="http", IDENTITY_HTTP_URL=source.url, IDENTITY_HTTP_MAPPING=mapping, IDENTITY_HTTP_SECRET="s" * 32,
                          IDENTITY_HTTP_ALLOW_PRIVATE="true", WEBHOOK_HOSTS="localhost", WEBHOOK_ALLOW_PRIVATE="true", WEBHOOK_SECRET="w" * 32)
    name = app(server, identity={"webhook": hook.url})
    portal, page = opened(world, server, "/settings")
    page.see("Sources of identities")
    source_button, hook_button = (f"__web.all('button[aria-label]').find((one) => one.getAttribute('aria-label').startsWith('Test: ') && one.closest('tr').textContent.includes('{word}'))"
                                  for word in ("bureau", hook.url))
    page.js(f"{source_button}.click()")
    page.see("It works.")
    assert len(source.requests) == 1
    page.js(f"{hook_button}.click()")
    page.see("It works: status 200.")
    assert len(hook.requests) == 1 and json.loads(hook.requests[0])["event"] == "test"
    world.check(page, "connections that work")
    hook.status = source.status = 503
    page.js(f"{hook_button}.click()")
    page.see("It does not work: status 503")
    page.js(f"{source_button}.click()")
    page.wait("__web.text().split('status 503').length === 3", why="the status of the source")
    assert len(hook.requests) == 2 and len(source.requests) == 2
    world.check(page, "connections that do not work")
    assert INNER not in page.js("document.documentElement.outerHTML"), "the body of an inner service is not shown"
    # On the app's own page, too.
    page.goto(f"{portal.origin}/admin/apps/{name}")
    page.see("Exchange the code")
    page.press("Send a test")
    page.see("It does not work: status 503")
    assert len(hook.requests) == 3 and INNER not in page.js("document.documentElement.outerHTML")
    for part in (portal, source, hook):
        part.close()


@test("portal: the live sign-ins of a user are listed, and ended one by one or together", 90)
def sign_ins(world):
    server = world.server()
    name = new("ada")
    user = server.user(name)

    def signed_in():
        token = Run(server, "password-login").respond("password", {"username": name, "password": PASSWORD})["token"]
        return server.call("POST", "/oauth2/token", {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "default_application",
            "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "subject_token": token}, form=True)["access_token"]

    def works(token):
        return server.send("GET", "/v1/me/sign-ins", headers={"authorization": f"Bearer {token}"})[0]

    tokens = [signed_in() for _ in range(3)]
    assert [works(token) for token in tokens] == [200, 200, 200]
    portal, page = opened(world, server, f"/users/{user}")
    rows = "[...document.querySelectorAll('section')].find((one) => one.querySelector('h2')?.textContent === 'Sign-ins').querySelectorAll('tbody tr').length"
    assert page.js(rows) == 3
    world.check(page, "the sign-ins of a user")
    page.press("End")
    page.see("The sign-in has ended.")
    page.wait(f"{rows} === 2")
    assert sorted(works(token) for token in tokens) == [200, 200, 401]
    page.press("End all")
    page.see("End all sign-ins?")
    page.press("Cancel")
    assert page.js(rows) == 2
    page.press("End all")
    page.click("dialog .button-danger")
    page.see("All sign-ins have ended.")
    page.see("The user is signed in nowhere.")
    assert [works(token) for token in tokens] == [401, 401, 401]
    world.check(page, "a user without sign-ins")
    portal.close()


@test("portal: a person is asked again, and may try once more", 90)
def ask_again(world):
    server = world.server(IDENTITY_SOURCES="registry")
    user, case = unclear_case(server)
    portal, page = opened(world, server, f"/reviews/identities/{case}")
    page.press("Ask again")
    page.see("The attempt does not count")
    world.check(page, "before asking again")
    page.press("Cancel")
    assert "closed_at" not in server.admin("GET", f"/v1/verifications/cases/{case}")["case"]
    page.press("Ask again")
    page.click("dialog .button-primary")
    page.see("Decided: Asked again.")
    found = server.admin("GET", f"/v1/verifications/cases/{case}")["case"]
    assert [one["decision"] for one in found["decisions"]] == ["askAgain"] and found["closed_at"], found
    assert level(server, user) == "NONE"
    page.goto(f"{portal.origin}/admin/reviews/identities/{case}")
    page.see("This case is closed.")
    assert not page.js("!!__web.named('Accept')")
    world.check(page, "a closed case")
    portal.close()


@test("portal: a case that needs two reviewers is decided by the second one, and not twice by the first", 90)
def second_reviewer(world):
    server = world.server(IDENTITY_SOURCES="registry", IDENTITY_SECOND_REVIEWER="true")
    user, case = unclear_case(server)
    first, page = opened(world, server, f"/reviews/identities/{case}", reviewer(server, new("Grace ")))
    page.see("This case needs two reviewers who agree.")
    page.press("Accept")
    page.click("dialog .button-primary")
    page.see("A second reviewer decides, too.")
    assert level(server, user) == "NONE"
    page.find("tbody a")
    page.see("A second reviewer")
    world.check(page, "a case that waits for the second reviewer")
    # The same person does not count twice.
    page.press(case)
    page.see("Accepted by you")
    page.press("Accept")
    page.click("dialog .button-primary")
    page.find(".toast-error")
    page.expect("409")
    assert level(server, user) == "NONE"
    second, other = opened(world, server, f"/reviews/identities/{case}", reviewer(server, new("Edsger ")))
    other.see("Accepted by adm_")
    world.check(other, "the case of the second reviewer")
    other.press("Accept")
    other.click("dialog .button-primary")
    other.see("Decided: Accepted.")
    assert level(server, user) == "KNOWLEDGE_OF_PII"
    first.close()
    second.close()


STILL = """(async () => {
  const picture = await createImageBitmap(new Blob([Uint8Array.from(atob(%s), (letter) => letter.charCodeAt(0))]));
  const canvas = new OffscreenCanvas(480, 640), context = canvas.getContext("2d");
  context.fillStyle = "#9aa7b0";
  context.fillRect(0, 0, 480, 640);
  const width = 300, height = width * picture.height / picture.width;
  context.drawImage(picture, 90, 320 - height / 2, width, height);
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/jpeg", quality: 0.92 })).arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
})()"""


def still(world, who="ada"):
    """A JPEG of a drawn person who looks at the camera."""
    page = world.page(people=None)
    page.goto("about:blank")
    made = page.js(STILL % json.dumps(world.heads(who)["people"][who]["front"]))
    page.close()
    return base64.b64decode(made)


PERSON = f"""id,first_name,last_name,address,city,state,postal_code,country,date_of_birth,deceased,fraud
9,{specimens.GIVEN},{specimens.FAMILY},PRESI 12,,,1010,AT,1988-03-09,,
"""


def pictured_case(world, server):
    """The case of a user who has sent a passport with a still picture of their face, which proves nobody present."""
    name = new("nora")
    user = server.user(name)
    token = Run(server, "password-login").respond("password", {"username": name, "password": PASSWORD})["token"]
    access = server.call("POST", "/oauth2/token", {
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "default_application",
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "subject_token": token}, form=True)["access_token"]
    headers = {"authorization": f"Bearer {access}"}
    version = server.call("GET", "/v1/identity/consent/content", headers=headers)["version"]
    server.call("POST", "/v1/identity/consent", {"version": version}, headers=headers)
    # Known to the registry, so that the document is what is judged.
    status, _, answer = server.send("POST", "/v1/registry/people", PERSON.encode(), {"content-type": "text/csv"}, admin=True)
    assert status == 200, answer
    verified = server.call("POST", "/v1/identity/verify", {
        "firstName": specimens.GIVEN, "lastName": specimens.FAMILY, "address": "PRESI 12", "postalCode": "1010", "country": "AT", "dateOfBirth": "1988-03-09"}, headers=headers)
    assert verified["verified"] is True, verified
    pictures = {"image": specimens.photo(world, WORK, "passport"), "faceImage": still(world)}
    for part, content in pictures.items():
        server.call("PUT", f"/v1/identity/pictures/{part}", content, headers={**headers, "content-type": "image/jpeg"})
    server.call("POST", "/v1/identity/document", {"country": "AT", "documentType": "passport"}, headers=headers)
    # A worker reads the pictures.
    deadline = time.monotonic() + 60
    while not (cases := [one for one in server.admin("GET", "/v1/verifications/cases")["items"] if one["user"] == user]):
        assert time.monotonic() < deadline, server.admin("GET", f"/v1/users/{user}/verification")
        time.sleep(0.2)
    return headers, cases[0]["id"]


@test("portal: pictures of a case are shown beside its checks, enlarged, noted in the audit log, and gone after their time", 120)
def pictures(world):
    server = world.server(IDENTITY_SOURCES="registry", IDENTITY_DOCUMENTS="passport,idCard")
    person, case = pictured_case(world, server)
    portal, page = opened(world, server, f"/reviews/identities/{case}")
    page.wait("document.querySelectorAll('.picture img').length >= 2 && [...document.querySelectorAll('.picture img')].every((one) => one.complete && one.naturalWidth > 0)", why="the pictures")
    page.see("Every picture that is shown is noted in the audit log.")
    world.check(page, "pictures beside their checks")
    views = [one["detail"] for one in server.admin("GET", "/v1/audit?event=identity.viewed&order=newest")["items"] if one["detail"].get("case") == case]
    assert {one.get("image") for one in views} >= {"front", "selfie"} or len({json.dumps(one) for one in views}) >= 3, views
    page.click(".picture-button")
    page.find("dialog[open] .picture-large img")
    world.check(page, "an enlarged picture")
    page.press("Close")
    # A person who withdraws consent has the pictures erased, and the page says so.
    server.call("DELETE", "/v1/identity/consent", headers=person)
    page.reload()
    page.see("The personal data and pictures are erased.")
    assert not page.has(".picture img") and specimens.FAMILY not in page.text()
    world.check(page, "a case whose pictures are erased")
    portal.close()


@test("portal: faces that look alike are decided as two people, and as one person", 120)
def duplicates(world):
    server = world.server()
    name = app(server, duplicate_faces={"min_score": 48, "consent_versions": ["face-1"]})
    server.journey(registration := {
        "id": new("register-"), "version": 1, "title": "Register", "start": "form", "steps": {
            "form": {"type": "login_form", "config": {"branches": [{"id": "password"}], "output_variable": "login"}, "on": {"password": "check"}},
            "check": {"type": "authenticate_password", "config": {"username": "login.username", "password": "login.password"}, "on": {"success": "selfie", "failure": "no"}},
            "selfie": {"type": "selfie_acquisition", "config": {"output_variable": "selfie"}, "on": {"success": "register", "failure": "no"}},
            "register": {"type": "register_face", "config": {"consent": {"text_version": "face-1", "given": "true"}}, "on": {"success": "done", "failure": "no"}},
            "done": {"type": "complete_journey"}, "no": {"type": "reject_access"}}})
    picture = still(world)

    def register():
        user = new("ada")
        server.user(user)
        run = Run(server, registration["id"], name)
        run.respond("password", {"username": user, "password": PASSWORD})
        capture = run.start_token
        server.call("POST", "/v1/capture/start", {}, headers={"authorization": f"Bearer {capture}"})
        answer = server.call("POST", "/v1/capture/frames", picture, headers={"authorization": f"Bearer {capture}", "content-type": "image/jpeg"})
        assert answer["status"] == "passed", answer
        assert run.respond("client_input")["journey_step_id"] == "success", run.answer

    register()
    register()
    register()
    page = world.page(people=None)
    portal, page = opened(world, server, "/reviews")
    page.wait("[...document.querySelectorAll('section')].at(-1).querySelectorAll('tbody tr').length >= 2", 30, "cases of faces that look alike")
    cases = [one["id"] for one in server.admin("GET", "/v1/faces/duplicates")["items"]]
    world.check(page, "the queue of duplicate faces")
    page.press(cases[0])
    page.see("The account that was there before")
    page.see("looks this much alike")
    world.check(page, "two accounts side by side")
    page.press("Two people")
    page.see("Are these two people?")
    page.click("dialog .button-primary")
    page.see("Decided: Two people.")
    page.press(cases[1])
    page.press("One person")
    page.see("Nothing happens to the accounts by itself")
    page.click("dialog .button-primary")
    page.see("Decided: One person.")
    decided = {one: server.admin("GET", f"/v1/faces/duplicates/{one}")["case"] for one in cases[:2]}
    assert [[one["decision"] for one in decided[case]["decisions"]] for case in cases[:2]] == [["distinct"], ["duplicate"]], decided
    portal.close()


@test("portal: the overview draws what happened, and says the same in tables", 60)
def charts(world):
    # A server of its own, so that its counts are those of this test, also if it is tried again.
    server = world.server(SHUTDOWN_SECONDS=10 + next(numbers) % 40)
    name = new("ada")
    server.user(name)
    for password in [PASSWORD, PASSWORD, "wrong battery horse"]:
        Run(server, "password-login").respond("password", {"username": name, "password": password})
    portal, page = opened(world, server, "")
    page.see("Sign-ins")
    part = "[...document.querySelectorAll('section')].find((one) => one.querySelector('h2')?.textContent === 'Sign-ins')"
    shown = page.js(f"[...{part}.querySelectorAll('.chart-row')].map((row) => [...row.children].map((one) => one.textContent))")
    assert [[row[0], row[2]] for row in shown] == [["Password, accepted", "2"], ["Password, refused", "1"]], shown
    widths = page.js(f"[...{part}.querySelectorAll('.chart-bar')].map((bar) => bar.getBoundingClientRect().width)")
    assert abs(widths[0] - 2 * widths[1]) < 2, widths
    assert page.js(f"{part}.querySelector('[role=img]').getAttribute('aria-label')") == "Sign-ins: Password, accepted 2, Password, refused 1"
    page.js(f"{part}.querySelector('summary').click()")
    table = page.js(f"[...{part}.querySelectorAll('tbody tr')].map((row) => [...row.children].map((one) => one.textContent))")
    assert table == [["Password, accepted", "2"], ["Password, refused", "1"]], table
    tiles = page.js("Object.fromEntries([...document.querySelectorAll('.tile')].map((one) => [one.querySelector('dt').textContent, [...one.querySelectorAll('dd')].map((part) => part.textContent)]))")
    assert tiles["Successful authentications"] == ["2", "33.3% refused"], tiles
    world.check(page, "charts with data")
    page.media(prefers_color_scheme="dark")
    # Colors that are on their way are no state of the page.
    page.reload()
    page.see("Sign-ins")
    world.check(page, "charts in the dark")
    # One more, after refreshing.
    Run(server, "password-login").respond("password", {"username": name, "password": PASSWORD})
    page.press("Refresh")
    page.wait(f"{part}.querySelector('.chart-value').textContent === '3'", why="the new count")
    portal.close()


@test("portal: the first steps tick what is done, nothing stray is shown, and rules for locks keep their order", 90)
def first_steps(world):
    server = world.server(SHUTDOWN_SECONDS=10 + next(numbers) % 40)
    portal, page = opened(world, server, "")
    page.see("Create a user")
    step = "[...document.querySelectorAll('.started > li')].find((one) => one.textContent.includes('Create a user'))"
    assert "started-done" not in page.js(f"{step}.className")
    server.user(new("ada"))
    page.reload()
    page.see("Create a user")
    page.wait(f"{step}.classList.contains('started-done')", why="the step that is done is ticked")
    page.goto(f"{portal.origin}/admin/administrators")
    page.see("Open invitations")
    stray = "[...document.querySelector('main .page').childNodes].filter((one) => one.nodeType === Node.TEXT_NODE).map((one) => one.data)"
    assert page.js(stray) == [], page.js(stray)
    page.goto(f"{portal.origin}/admin/apps/default_application")
    page.find("input[type=checkbox]")
    rules = page.js("[...document.querySelectorAll('details .stack > .field label')].map((one) => one.textContent).filter((one) => one.startsWith('Own rule for'))")
    assert [one.removeprefix("Own rule for ") for one in rules] == ["passwords", "faces", "passkeys", "device keys", "OTP tokens", "mailed codes", "recovery codes"], rules
    portal.close()


@test("portal: signing out or another language with unsaved changes asks first, and Cancel leaves everything as it was", 90)
def unsaved(world):
    server = world.server()
    portal, page = opened(world, server, "/apps/default_application")
    page.find("input[type=checkbox]")
    page.js("(() => { const name = document.querySelector('form input.input'); name.value = 'Changed'; name.dispatchEvent(new Event('input', { bubbles: true })); })()")
    for leave in ["[...document.querySelectorAll('.header-account button')].at(-1)?.click()",
                  "(() => { const one = document.querySelector('select.language'); one.value = 'es'; one.dispatchEvent(new Event('change')); })()"]:
        page.js(leave)
        page.see("Leave without saving?")
        page.click('dialog button[value=""]')
        page.wait("!document.querySelector('dialog')")
        assert page.js("document.querySelector('form input.input').value") == "Changed"
        assert page.has("nav.navigation a") and page.js("document.querySelector('select.language').value") == "en"
    assert not any(method == "DELETE" for method, _ in portal.requests), "the session goes on"
    portal.close()


@test("portal: a failed request is told to the test of its page, also if the page says nothing about it", 60, always=True)
def reported(world):
    portal, page = opened(world, world.server(), "/users")
    page.find("tbody tr, .empty")
    assert not page.faults, page.faults
    page.js("fetch('/v1/users?limit=1', { headers: { 'mien-portal': '1' } }).then(() => 0)")
    deadline = time.monotonic() + 15
    while "request: 400 GET /v1/users" not in page.faults and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "request: 400 GET /v1/users" in page.faults, page.faults
    page.expect("400")
    assert not page.faults, page.faults
    portal.close()


@test("portal: a page whose part cannot be loaded says so, and shows the rest", 90)
def missing_parts(world):
    server = world.server()
    user = server.user(new("ada"))
    made = server.admin("POST", "/v1/organizations", {"name": new("Northwind ")})["id"]
    portal, page = opened(world, server, "")
    for path, parts, heading in [(f"/users/{user}", {"/v1/apps", f"/v1/users/{user}/verification"}, "Sign-ins"), ("/audit", {"/v1/administrators"}, "Chain"),
                                 (f"/organizations/{made}", {"/v1/apps"}, "Members")]:
        portal.broken = parts
        page.goto(f"{portal.origin}/admin{path}")
        page.find("main h2")
        page.wait(f"document.querySelectorAll('.toast-error').length === {len(parts)}", why=f"a message for each missing part of {path}")
        page.see("A part of this page is missing. Out of order.")
        assert any(heading in title for title in page.js("[...document.querySelectorAll('main h2')].map((one) => one.textContent)")), path
        world.check_after(page, f"{path} without a part", "500")
    portal.close()


@test("portal: what the server refuses is said beside its field in a sentence, without words of programs or commands", 90)
def sentences(world):
    server = world.server(IDENTITY_SOURCES="registry")
    portal, page = opened(world, server, "/users/new")
    page.press("Create user")
    page.see("Is required unless there is an external ID or a verified email address.")
    assert page.js("document.querySelector('[aria-invalid=true]').labels[0].textContent") == "User name"
    world.check_after(page, "a user without a name", "400")
    # A file's fault names the line, and not the row of the request.
    page.goto(f"{portal.origin}/admin/settings/registry")
    page.find("input[type=file]")
    page.js("""(() => {
        const files = new DataTransfer();
        files.items.add(new File(["id,first_name,last_name,address,postal_code,country,date_of_birth\\n1,Max,Muster,Weg 1,123,DE,1980-01-01\\n"], "people.csv", { type: "text/csv" }));
        document.querySelector("input[type=file]").files = files.files;
    })()""")
    page.press("Import")
    page.see("Line ")
    said = page.js("document.querySelector('.alert-error').textContent")
    assert said.startswith("Line ") and said.endswith(".") and "rows[" not in said, said
    world.check_after(page, "a file with a fault", "400")
    # Somebody without the right reads who can help, and no command.
    other, denied = opened(world, server, "/users", reviewer(server, new("Grace ")))
    denied.see("An owner of this server can change roles.")
    assert "mien admin" not in denied.text() and "adm_" not in denied.text(), denied.text()
    world.check_after(denied, "a page that the role may not see", "403")
    portal.close()
    other.close()


@test("portal: a registry's file in Windows-1252 is imported where that is chosen, and its letters are shown", 90)
def registry_encoding(world):
    server = world.server(IDENTITY_SOURCES="registry")
    portal, page = opened(world, server, "/settings/registry")

    def give():
        page.find("input[type=file]")
        page.js("""(() => {
            const rows = "id,first_name,last_name,address,postal_code,country,date_of_birth\\n1,Zo\\u00eb,Smith,222333 Peachtree Pl,30318,US,1975-02-28\\n";
            const files = new DataTransfer();
            files.items.add(new File([Uint8Array.from(rows, (letter) => letter.charCodeAt(0))], "people.csv", { type: "text/csv" }));
            document.querySelector("input[type=file]").files = files.files;
        })()""")

    give()
    page.press("Import")
    page.see("or state the encoding if Excel saved it as “CSV”.")
    world.check_after(page, "a file of another encoding", "400")
    give()
    page.choose("form:has(input[type=file]) select", "windows-1252")
    page.press("Import")
    page.see("1 row has letters beyond ASCII: ë.")
    page.see("1 person whom the source “registry” knows.")
    world.check(page, "the letters of a file")
    portal.close()


@test("portal: at an IP address, no passkey is offered, and the page says where passkeys work", 60)
def no_passkey(world):
    server = world.server()
    port = server.admin_address.rpartition(":")[2]
    page = world.page(people=None)
    page.goto(f"http://127.0.0.1:{port}/admin")
    page.find("[name=password]")
    page.see("Passkeys need a host name")
    assert not page.js("!!__web.named('Sign in with a passkey')")
    world.check_after(page, "the sign-in at an address", "401")
    # The link may be on two lines, whose middle is not part of it.
    page.js(f"document.querySelector(\"a[href^='http://localhost:{port}/']\").focus()")
    page.keys("Enter")
    page.wait("location.hostname === 'localhost' && !!__web.named('Sign in with a passkey')", why="a passkey at a name")
    page.expect("401")
