"""`mien.js` in an app's own page, without the element: its size, the chain of frames, journeys, and signing in."""

import json
import re

from scenes import PASSWORD, Site, new, start_camera, verification
from server import REPOSITORY
from testing import test

MODULE = REPOSITORY / "Web" / "Assets" / "mien.js"
VECTORS = REPOSITORY / "docs" / "live-capture.vectors.json"
PAGE = """<title>The app</title><main><h1>The app</h1></main>
<script type="module">import * as mien from "/mien.js"; globalThis.mien = mien;</script>"""


def opened(world, **settings):
    server = world.server()
    site, name = Site({"/": PAGE, "/mien.js": MODULE.read_text(encoding="utf-8")}), new("app")
    server.admin("POST", "/v1/apps", {"id": name, "name": "Shop", "type": "public", "first_party": True, "settings": {
        "web_origins": [site.origin], "redirect_uris": [site.origin + "/"], **settings}})
    page = world.page()
    page.goto(site.origin + "/")
    page.wait("!!globalThis.mien")
    page.js(f"[globalThis.server, globalThis.app] = {json.dumps([server.address, name])}")
    return server, site, name, page


@test("mien.js has at most 35 kB, and its types name everything that it exports")
def size(world):
    assert len(MODULE.read_bytes()) <= 35_000
    page = opened(world)[-1]
    types = (MODULE.parent / "mien.d.ts").read_text(encoding="utf-8")
    for name in page.js("Object.keys(mien)"):
        assert f" {name}" in types, name


@test("mien.js: the chain of frames and the body are as published")
def vectors(world):
    page = opened(world)[-1]
    published = json.loads(VECTORS.read_text(encoding="utf-8"))
    made = page.js("""(async vectors => {
      const { firstLink, nextLink, encodeFrames, decodeBase64URL: bytes, encodeBase64URL: text } = mien;
      let link = await firstLink(bytes(vectors.nonce));
      const first = text(link), frames = [];
      for (const { number, milliseconds, picture } of vectors.frames) {
        link = await nextLink(link, number, milliseconds, bytes(picture));
        frames.push({ number, milliseconds, link, picture: bytes(picture) });
      }
      return [first, frames.map(({ link }) => text(link)), text(await encodeFrames(frames).arrayBuffer())];
    })(%s)""" % json.dumps(published))
    assert made == [published["first_link"], [frame["link"] for frame in published["frames"]], published["body"]]


@test("mien.js: a journey with a wrong and a right answer, saved and restored; its token becomes a session that renews itself", always=True)
def journey(world):
    server, _, name, page = opened(world)
    user = new("ada")
    server.user(user, PASSWORD)
    page.expect("401")
    said = page.js("""(async (user, password) => {
      const { ido, Session, ClientResponseOptionType, IdoJourneyActionType } = mien, said = [];
      ido.init({ serverPath: server, clientId: app });
      let step = await ido.startJourney("password-login");
      said.push(step.journeyStepId === IdoJourneyActionType.LoginForm, step.clientResponseOptions.has(ClientResponseOptionType.Cancel));
      const restored = ido.restoreFromSerializedState(ido.serializeState());
      said.push(restored.journeyStepId === step.journeyStepId);
      try { new mien.Journeys().init({ serverPath: server, clientId: "other" }).restoreFromSerializedState(ido.serializeState()); } catch (error) { said.push(error.code); }
      step = await ido.submitClientResponse("password", { username: user, password: "not this one" });
      said.push(step.journeyStepId, step.errorData.code);
      step = await ido.submitClientResponse("password", { username: user, password });
      said.push(step.journeyStepId);
      try { await ido.submitClientResponse("password", {}); } catch (error) { said.push(error.code); }
      const session = await new Session({ server, clientId: app }).redeem({ grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt", subject_token: step.token });
      const first = await session.accessToken(), clock = performance.now.bind(performance);
      performance.now = () => clock() + 86400000;
      const [second, third] = await Promise.all([session.accessToken(), session.accessToken()]);
      performance.now = clock;
      said.push(first !== second && second === third, !!(await session.userInfo()).sub);
      const kept = JSON.stringify({ ...localStorage, ...sessionStorage });
      said.push(kept.includes(first) || kept.includes(second));
      await session.signOut();
      return said;
    })(%s, %s)""" % (json.dumps(user), json.dumps(PASSWORD)))
    assert said == [True, True, True, "invalid_state", "loginForm", "invalid_credentials", "success", "no_active_journey", True, True, False], said


@test("mien.js: the guide's sample, line for line: the page sends the person to the capture page, and goes on when they come back", 90, camera=True)
def guide(world):
    server, user, name = world.server(), new("ada"), new("app")
    server.user(user, PASSWORD)
    page_text = (REPOSITORY / "docs" / "guides" / "face-authentication-journeys.md").read_text(encoding="utf-8")
    sample = re.search(r"```js\n(.*?)```", page_text, re.S)[1]
    for old, own in [("https://login.example.org/mien.js", "/mien.js"), ('ido.init({ clientId: "shop" })', f"ido.init({{ serverPath: {json.dumps(server.address)}, clientId: {json.dumps(name)} }})"),
                     ('"registration", { accessToken }', f'"{name}-journey"')]:
        assert old in sample, old
        sample = sample.replace(old, own)
    # What the guide leaves to the app: its storage, and the other steps.
    own = """const loadFromLocalStorage = () => sessionStorage.getItem("journey"), saveToLocalStorage = async (state) => sessionStorage.setItem("journey", state);
    const handle = async (response) => {
      (globalThis.__steps ??= []).push(response.journeyStepId);
      switch (response.journeyStepId) {
        case "loginForm": return handle(await ido.submitClientResponse("password", { username: USER, password: WORD }));
        case "recordConsent": return handle(await ido.submitClientResponse(ClientResponseOptionType.ClientInput));
        case "identityVerification": return identityVerification(response);
        default: document.querySelector("h1").textContent = response.journeyStepId;
      }
    };""".replace("USER", json.dumps(user)).replace("WORD", json.dumps(PASSWORD))
    imported, _, rest = sample.partition("\n")
    site = Site({"/": f'<title>The app</title><main><h1>The app</h1></main><script type="module">{imported}\n{own}\n{rest}</script>',
                 "/mien.js": MODULE.read_text(encoding="utf-8")})
    server.admin("POST", "/v1/apps", {"id": name, "name": "Shop", "type": "public", "first_party": True,
                                      "settings": {"liveness": {"mode": "image"}, "web_origins": [site.origin]}})
    server.journey(verification(f"{name}-journey", f"{site.origin}/"))
    page = world.page()
    page.goto(site.origin + "/", wait="none")
    page.wait("location.pathname === '/verify'")
    start_camera(page)
    page.wait("location.pathname === '/' && document.querySelector('h1').textContent === 'success'", 40)
    assert set(site.query("/")) == {"sessionId", "state"}
    assert page.js("__steps") == ["success"], "the page went on with the saved journey"
