"""`mien.js` in an app's own page, without the element: its size, the chain of frames, journeys, and signing in."""

import json

from scenes import PASSWORD, Site, new
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


@test("mien.js has at most 30 kB, and its types name everything that it exports")
def size(world):
    assert len(MODULE.read_bytes()) <= 30_000
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


@test("mien.js: a journey with a wrong and a right answer, saved and restored; its token becomes a session that renews itself")
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
