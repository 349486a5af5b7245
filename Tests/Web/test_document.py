"""The page on which people photograph a document and show their face."""

import base64
import json
import pathlib
import tempfile

from browser import Firefox
from scenes import DocumentSession, Site, agree, card_camera, choose, start_camera
from testing import WORK, test

SERVER = {"IDENTITY_DOCUMENTS": "passport,idCard,driverLicense"}


def opened(world, site, kind="idCard", app_title="Sample shop", **camera):
    """A session whose page asks for the first picture of a document."""
    session = DocumentSession(world.server(**SERVER), site, title=app_title)
    page = world.page(**{**card_camera(world, "passport" if kind == "passport" else "card_front"), **camera})
    page.goto(session.url)
    page.press("I agree")
    choose(page, kind)
    return session, page


def word(page, name, seconds=30):
    """Waits until the page asks for this."""
    page.wait(f"document.querySelector('.scan-word')?.dataset.word === {json.dumps(name)}", seconds, f"the word {name}")


def shoot(page):
    """Takes the picture by hand, and waits until it is accepted."""
    page.press("Start camera")
    page.wait("document.querySelector('.scan-view video')?.videoWidth > 0")
    page.click(".shutter")
    page.see("Good photo", 60)


@test("a person photographs both sides of an identity card, which the page takes by itself, shows their face, and comes back to the app", 240, camera=True, always=True)
def card(world):
    site = Site()
    session = DocumentSession(world.server(**SERVER), site)
    page = world.page(**card_camera(world, "card_front"))
    page.goto(session.url)
    code = session.url.partition("#")[2]
    assert len(code) >= 20 and "#" not in page.address, "the one-time code has left the address"
    page.find(".consent")
    world.check(page, "the consent")
    page.press("I agree")
    page.find("#country")
    page.js("document.getElementById('country').value = ''")
    page.press("Continue")
    page.see("Choose the country")
    choose(page, "idCard", check=world)
    world.check(page, "before the camera")
    page.press("Start camera")
    page.find(".scan-good", 60)
    corners = page.js("document.querySelector('.scan-shape').getAttribute('points').split(' ').map((pair) => pair.split(',').map(Number))")
    # The card is 0.72 of the picture's width, in the middle.
    assert len(corners) == 4 and all(min(abs(x - 179), abs(x - 1101)) < 40 for x, _ in corners), corners
    page.see("Good photo", 60)
    page.see("Back of your identity card")
    world.check(page, "between the sides")
    page.js("__camera.set({ card: 'card_back' })")
    page.press("Start camera")
    word(page, "hold_still", 60)
    world.check(page, "in front of the camera")
    page.see("Good photo", 60)
    # The page says what becomes of the picture before it is taken.
    agree(page)
    page.see("A picture of your face is kept with your verification.")
    assert "No pictures are kept" not in page.text()
    page.click(".main")
    page.see("Check and send", 60)
    world.check(page, "the check")
    assert page.js("document.querySelectorAll('.thumb[src^=blob]').length") == 2
    page.press("Send")
    page.wait("location.pathname === '/verified'", 90)
    returned = site.query("/verified")
    assert returned == {"sessionId": session.id, "state": "s t&a=te"}, returned
    assert session.result()["status"] == "complete"
    images = session.images()
    assert set(images) == {"document_front", "document_back", "selfie"}, images
    assert images["document_front"][:2] == b"\xff\xd8" and len(images["document_front"]) > 100_000
    assert code not in session.server.log, "the code is in no log"


@test("one thing to do at a time: no document, cut off, too far away, dark, a reflection, a good one", 180, camera=True)
def guidance(world):
    session, page = opened(world, Site(), card=None, grain=False, tremble=0)
    page.press("Start camera")
    word(page, "no_document")
    assert page.has(".scan-word") and not page.has(".scan-found")
    for changes, name in [({"card": "card_front", "cardX": 0.75}, "cut_off"), ({"cardX": 0.5, "fill": 0.32}, "too_small"),
                          ({"fill": 0.72, "dark": 0.85}, "too_dark"), ({"dark": 0, "glare": True}, "glare")]:
        page.js(f"__camera.set({json.dumps(changes)})")
        word(page, name)
        assert len([line for line in page.js("[...document.querySelectorAll('.scan-word')].map((one) => one.textContent)")]) == 1
    world.check(page, "a reflection")
    assert page.has(".scan-found") and not page.has(".scan-good")
    # By hand, the server says no, in words.
    page.click(".shutter")
    page.see("A reflection hides a part of the document.", 60)
    world.check(page, "another photo")
    assert page.js("__camera.live()") == 0
    page.js("__camera.set({ glare: false })")
    page.press("Take another photo")
    page.see("Good photo", 60)
    assert session.missing() == ["document_back", "selfie"]


@test("a session that asks for it: a person tilts the document until a reflection has moved across it; it is not the first photo's: the page says so", 240, camera=True)
def tilting(world):
    site = Site()
    session = DocumentSession(world.server(**SERVER), site, required=["document", "document_live"])
    page = world.page(**card_camera(world, "passport"))
    page.goto(session.url)
    page.press("I agree")
    choose(page, "passport")
    shoot(page)
    page.see("Tilt your document", 60)
    page.see("Step 2 of 3")
    world.check(page, "before tilting")
    # Another document, with a reflection that moves.
    page.js("__camera.set({ card: 'card_front', tilts: 16, shine: true })")
    page.press("Start camera")
    page.find(".scan-progress")
    word(page, "tilt", 60)
    world.check(page, "while tilting")
    page.see("This is not the document in your first photo.", 90)
    world.check(page, "another document")
    page.js("__camera.set({ card: 'passport' })")
    page.press("Try again")
    page.see("Check and send", 120)
    assert session.missing() == []
    world.check(page, "the check, with a tilted document")
    page.press("Send")
    page.wait("location.pathname === '/verified'", 90)
    assert session.result()["checks"]["document_live"] == "passed", session.result()
    assert session.images()["document_tilt"][:2] == b"\xff\xd8"


@test("a document without reflections: the page says so, and the person goes on without", 180, camera=True)
def untilted(world):
    session = DocumentSession(world.server(**SERVER), Site(), required=["document", "document_live"])
    page = world.page(**card_camera(world, "passport"))
    page.goto(session.url)
    page.press("I agree")
    choose(page, "passport")
    shoot(page)
    page.js("__camera.set({ tilts: 16 })")
    page.press("Start camera")
    page.see("No light moved across the document.", 90)
    world.check(page, "without reflections")
    page.press("Continue without this")
    page.see("Left out", 60)
    world.check(page, "the check, without tilting")
    assert session.missing() == ["document_tilt"]
    page.press("Send")
    page.wait("location.pathname === '/verified'", 90)
    result = session.result()
    assert result["checks"]["document_live"] == "not_checked" and result["recommendation"] == "CHALLENGE", result


@test("without permission for the camera, photos come from files; the page names a file that is not a photo, and a photo without a document", 120, camera=True)
def files(world):
    session, page = opened(world, Site(), "passport", refuses="NotAllowedError")
    page.press("Start camera")
    page.see("The camera is not available")
    world.check(page, "no permission")
    folder = pathlib.Path(tempfile.mkdtemp(dir=WORK))
    (folder / "text.jpg").write_text("not a photo", encoding="utf-8")
    (folder / "passport.jpg").write_bytes(card_photo(world, "passport"))
    chooser = "input[type=file]:not([capture])"
    page.upload(chooser, folder / "text.jpg")
    page.see("This file is not a photo")
    world.check(page, "a bad file")
    page.upload(chooser, folder / "passport.jpg")
    page.see("Good photo", 60)
    assert session.missing() == ["selfie"], "a passport has one side"
    page.js("__camera.set({ refuses: null })")
    page.find(".main")
    page.press("Cancel")
    page.see("Your face was not recorded")
    world.check(page, "no face")
    page.press("Try again")
    start_camera(page)
    page.see("Check and send", 60)


def card_photo(world, name):
    """A photo of a document on a table, as a phone's own camera app takes it."""
    page = world.page(**card_camera(world, name), grain=False)
    try:
        page.goto(f"{world.server(**SERVER).address}/verify/document")
        page.expect("404|401|Failed to load")
        return base64.b64decode(page.js("""(async () => {
            const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } }), video = document.createElement("video");
            video.srcObject = stream; video.muted = true; await video.play();
            const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight); canvas.getContext("2d").drawImage(video, 0, 0);
            const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/jpeg", quality: 0.93 })).arrayBuffer());
            stream.getTracks().forEach((track) => track.stop());
            let text = ""; for (const byte of bytes) text += String.fromCharCode(byte); return btoa(text);
        })()"""))
    finally:
        page.close()


@test("a card in place of a passport: after sending, the page asks for another picture, in words, and takes it", 240, camera=True)
def unreadable(world):
    session, page = opened(world, Site(), "passport")
    page.js("__camera.set({ card: 'card_front' })")
    shoot(page)
    start_camera(page)
    page.press("Send")
    page.see("Another photo, please", 90)
    assert page.js("__web.shown('[role=alert]').textContent.length") > 20
    assert session.missing() == ["document_front"]
    world.check(page, "a document that cannot be read")
    page.js("__camera.set({ card: 'passport' })")
    page.press("Take another photo")
    shoot(page)
    page.press("Send")
    page.wait("location.pathname === '/verified'", 90)
    assert session.result()["status"] == "complete"


@test("a passport of another country than chosen: the page says so, and nothing that contradicts it, and offers another choice", 240, camera=True)
def other_country(world):
    session = DocumentSession(world.server(**SERVER), Site(), required=["document"])
    page = world.page(**card_camera(world, "passport"))
    page.goto(session.url)
    page.press("I agree")
    choose(page, "passport", "ES")
    shoot(page)
    page.press("Send")
    page.see("This document is from a different country than the one you chose.", 90)
    assert "We cannot read this document" not in page.text() and "Use another document" not in page.text()
    world.check(page, "a document of another country")
    page.press("Change the country or kind")
    choose(page, "passport", "AT")
    shoot(page)
    page.press("Send")
    page.wait("location.pathname === '/verified'", 90)
    assert session.result()["status"] == "complete"


@test("a person who reloads the page goes on where they were; who cancels comes back to the app, and the link has ended", 90, camera=True)
def reload(world):
    site = Site()
    session, page = opened(world, site)
    for _ in range(2):
        page.reload()
        page.see("Front of your identity card")
    shoot(page)
    page.reload()
    page.see("Back of your identity card")
    page.press("Cancel")
    page.see("Stop the check?")
    world.check(page, "stopping")
    page.press("Continue")
    page.see("Back of your identity card")
    page.press("Cancel")
    page.press("Stop the check")
    page.wait("location.pathname === '/verified'")
    assert site.query("/verified")["sessionId"] == session.id
    assert session.result()["status"] == "canceled"
    other = world.page(people=None)
    other.goto(session.url)
    other.see("This link has ended")
    world.check_after(other, "a used link", "410|404|Failed to load")


@test("a session that has ended elsewhere: the page says so", 60)
def ended(world):
    session, page = opened(world, Site())
    session.cancel()
    page.press("Use another document")
    page.press("Continue")
    page.see("The check was stopped")
    world.check_after(page, "ended", "409|Failed to load")


@test("only the keyboard: a person consents, chooses a document, and takes a picture", 90, camera=True)
def keyboard(world):
    session = DocumentSession(world.server(**SERVER), Site())
    page = world.page(**card_camera(world, "passport"))
    page.goto(session.url)
    page.find(".consent")

    def reach(selector):
        for _ in range(14):
            if page.js(f"document.activeElement.matches({json.dumps(selector)}) && document.activeElement.matches(':focus-visible')"):
                return
            page.keys("Tab")
        raise AssertionError(f"Tab does not reach {selector}: {page.text()[:300]}")

    reach(".button-primary")
    page.keys("Enter")
    page.find("#country")
    reach("#country")
    page.keys("Austria")
    page.wait("document.getElementById('country').value === 'AT'")
    reach("input[type=radio]")
    page.js("document.querySelector('input[value=passport]').focus()")
    page.keys("Space")
    reach(".button-primary")
    page.keys("Enter")
    page.see("Photo page of your passport")
    reach(".button-primary")
    page.keys("Enter")
    page.find(".shutter")
    reach(".shutter")
    page.wait("document.querySelector('.scan-view video')?.videoWidth > 0")
    page.keys("Enter")
    page.see("Good photo", 60)


@test("the document page in Spanish and Arabic, on a phone, in the dark, and with reduced motion", 120)
def languages(world):
    for language, direction in [("es", "ltr"), ("ar", "rtl")]:
        texts = json.loads((pathlib.Path(__file__).parents[2] / "Web" / "Languages" / f"{language}.json").read_text(encoding="utf-8"))["texts"]
        session = DocumentSession(world.server(**SERVER), Site())
        page = world.page(size=(390, 844), **card_camera(world, "card_front"))
        page.media(prefers_color_scheme="dark", prefers_reduced_motion="reduce")
        page.devtools("Network.setExtraHTTPHeaders", headers={"accept-language": language})
        page.goto(session.url)
        page.press(texts["document_consent_agree"])
        choose(page, "idCard", texts=texts)
        assert page.js("[document.documentElement.lang, getComputedStyle(document.body).direction]") == [language, direction]
        world.check(page, f"{language}: before the camera")
        page.press(texts["button_camera"])
        page.wait("document.querySelector('.scan-word')?.dataset.word && document.querySelector('.scan-view video')?.videoWidth > 0", 30)
        world.check(page, f"{language}: the camera")
        assert page.js("document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight"), "everything is in sight"
        page.close()


@test("a computer hands the check over to a phone, which takes the pictures; the computer goes on", 120, camera=True)
def handoff(world):
    site = Site()
    session, computer = opened(world, site, "passport")
    computer.js("""(() => { const own = fetch; globalThis.fetch = async (...all) => { const answer = await own(...all);
        if (String(all[0]).endsWith("/handoff") && all[1]?.method === "POST") globalThis.__handoff = await answer.clone().json(); return answer; }; })()""")
    computer.press("Use my phone instead")
    computer.find(".qr-number")
    world.check(computer, "the code")
    offer = computer.wait("globalThis.__handoff")
    phone = world.page(size=(390, 844), **card_camera(world, "passport"))
    phone.goto(offer["link"])
    phone.find(".qr-number")
    assert phone.js("__web.shown('.qr-number').textContent.trim()") == offer["number"]
    world.check(phone, "the comparison")
    phone.press("Yes, it is the same")
    phone.see("Confirm the number on your computer, too.")
    status = phone.js("""(async () => (await fetch("/v1/verification/session", { headers: { "x-mien-verification": %s } })).status)()""" % json.dumps(session.id))
    assert status in (401, 409), "the phone holds no start token before the computer agrees"
    phone.expect(str(status))
    computer.see("Does your phone show this number?")
    computer.press("Yes, it is the same")
    shoot(phone)
    start_camera(phone)
    phone.press("Send")
    computer.wait("location.pathname === '/verified'", 90)
    phone.see("You can close this page", 60)
    world.check(phone, "done")
    assert session.result()["status"] == "complete"


@test("hostile names and consent texts are shown as text on the document page; its bytes and first paint", 60)
def hostile(world):
    title = "<img src=x onerror=alert(1)></script><script>alert(2)</script>{{t.x}} & “quotes”"
    session, page = opened(world, Site(), app_title=title)
    assert page.js("document.querySelector('img[src=x]') === null")
    page.wait("__web.text().includes('<img src=x')", 5, "the name as text")
    world.check(page, "a hostile name")
    bytes_, paint, count = page.js("""(() => { const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
        return [entries.reduce((sum, entry) => sum + entry.transferSize, 0), performance.getEntriesByName("first-contentful-paint")[0]?.startTime, entries.length]; })()""")
    print(f"    document page: {bytes_ / 1000:.1f} kB in {count} requests, first paint after {paint:.0f} ms")
    assert 0 < bytes_ <= 150_000
    assert paint <= 1000


@test("the document page decides: the next step, what to say about previews, and when to take the picture", 30)
def decisions(world):
    page = world.page(people=None)
    page.goto(f"{world.server(**SERVER).address}/verify/document")
    page.expect("404|Failed to load")
    verdicts = page.js("""(async () => {
        const { angleBetween, facing, stepOf, drift, Guide, Pace, TiltGuide } = await import("/web/document-guide.js"), failures = [];
        const same = (what, value, wanted) => { if (JSON.stringify(value) !== JSON.stringify(wanted)) failures.push(`${what}: ${JSON.stringify(value)}, not ${JSON.stringify(wanted)}`); };
        const all = ["document_front", "document_back", "selfie"], open = { status: "requires_input", required: ["document", "selfie"], missing_images: all };
        same("consent", stepOf({ ...open, consent: { version: "1" } }), "consent");
        same("document", stepOf(open), "document");
        const chosen = { ...open, country: "AT", document_type: "idCard" };
        for (let taken = 0; taken < 8; taken++) {
            const missing = all.filter((_, bit) => !(taken >> bit & 1));
            same(`missing ${missing}`, stepOf({ ...chosen, missing_images: missing }), missing[0] ?? "check");
        }
        same("selfie only", stepOf({ ...open, required: ["selfie"], missing_images: ["selfie"] }), "selfie");
        for (const status of ["processing", "complete", "canceled", "expired"]) same(status, stepOf({ ...open, status }), status);
        same("recapture", stepOf({ ...chosen, status: "recapture", missing_images: ["document_back"] }), "document_back");

        const card = [[0.1, 0.1], [0.9, 0.1], [0.9, 0.8], [0.1, 0.8]], turned = [...card.slice(2), ...card.slice(0, 2)];
        same("drift", [drift(card, card), drift(card, turned), drift(null, card)].map(String), ["0", "0", "Infinity"]);
        const moved = (by) => card.map(([x, y]) => [x + by, y]), good = (corners = card) => ({ corners, faults: [], ready: true });
        const run = (answers, step = 400) => { const guide = new Guide(); return answers.map((answer, k) => guide.take(answer, k * step)); };
        same("three good ones in a row", run([good(), good(turned), good(moved(0.01))]).map((one) => one.shoot), [false, false, true]);
        same("too soon", run([good(), good(), good(), good()], 200).map((one) => one.shoot), [false, false, false, false]);
        same("long enough", run([good(), good(), good(), good(), good()], 200).map((one) => one.shoot), [false, false, false, false, true]);
        same("a moving document", run([good(), good(moved(0.1)), good(), good(moved(0.1)), good()]).some((one) => one.shoot), false);
        same("a fault between", run([good(), good(), { corners: card, faults: ["glare"], ready: false }, good(), good()]).some((one) => one.shoot), false);
        same("ready without corners", run(Array(5).fill({ corners: null, faults: [], ready: true })).some((one) => one.shoot || one.isGood), false);
        const fault = (...faults) => ({ corners: card, faults, ready: false });
        same("one thing at a time", run([fault("glare", "blurred"), fault("blurred"), fault("glare"), fault("blurred"), fault("blurred"), good()]).map((one) => one.word),
            ["glare", "glare", "glare", "glare", "blurred", "hold_still"]);
        same("no document", run([{ corners: null, faults: [], ready: false }])[0].word, "no_document");

        same("tilting", stepOf({ ...chosen, missing_images: ["document_tilt", "document_back"] }), "document_tilt");
        // What a camera with a focal length of 0.9 of its longer side sees of a card that turns.
        const turnedBy = (pitch, yaw) => {
            const [a, b] = [pitch, yaw].map((degrees) => (degrees * Math.PI) / 180);
            return [[-0.5, -0.3], [0.5, -0.3], [0.5, 0.3], [-0.5, 0.3]].map(([x, y]) => {
                const z = y * Math.sin(a), depth = 1.5 + z * Math.cos(b) - x * Math.sin(b);
                return [0.5 + (0.9 * (x * Math.cos(b) + z * Math.sin(b))) / depth, 0.5 + (0.9 * (4 / 3) * y * Math.cos(a)) / depth];
            });
        };
        const angle = (one, other) => Math.round(10 * angleBetween(facing(one, 4 / 3), facing(other, 4 / 3))) / 10;
        same("angles", [angle(turnedBy(0, 0), turnedBy(10, 0)), angle(turnedBy(0, -8), turnedBy(0, 12)), angle(turnedBy(5, 5), turnedBy(5, 5))], [10, 20, 0]);
        same("no corners", [facing(null, 1), facing([[0, 0], [1, 0], [2, 0], [3, 0]], 1)], [null, null]);
        const tilt = (angles) => { const guide = new TiltGuide(); return angles.map(([pitch, yaw], k) => guide.take({ corners: turnedBy(pitch, yaw), faults: ["glare"] }, k, 4 / 3).pictures); };
        same("enough pictures", tilt([[0, 0], [3, 0], [6, 0], [9, 0], [12, 0], [15, 0]]).at(-1), [0, 1, 2, 3, 4, 5]);
        same("too few", tilt([[0, 0], [15, 0]]).at(-1), null);
        same("one direction", tilt(Array(9).fill([4, 4])).at(-1), null);
        same("at most eight", tilt([...Array.from({ length: 10 }, (_, k) => [k, 2 * (k % 2)]), [20, 0]]).at(-1).length, 8);
        const guide = new TiltGuide();
        same("faults", [guide.take({ corners: turnedBy(0, 0), faults: ["blurred"] }, 0, 1).word, guide.take({ corners: null, faults: [] }, 0, 1).word,
            guide.take({ corners: turnedBy(0, 0), faults: ["glare"] }, 0, 4 / 3).word], ["blurred", "blurred", "tilt"]);

        const pace = new Pace(), sides = [];
        for (let k = 1; k <= 5; k++) { pace.took(3000, k * 3000); sides.push([pace.side, pace.quality]); }
        same("slower", sides, [[1280, 0.6], [1280, 0.45], [960, 0.45], [960, 0.45], [960, 0.45]]);
        same("a rest", pace.pause, 1500);
        for (let k = 0; k < 40; k++) pace.took(80, 20_000 + k * 1000);
        same("faster", [pace.side, pace.quality], [1280, 0.75]);
        same("the shortest rest", pace.pause, 150);
        return failures;
    })()""")
    assert not verdicts, "\n".join(verdicts)


@test("Firefox: a person photographs a passport, and shows their face", 120, camera=True)
def firefox(world):
    world.running(Firefox)
    site = Site()
    session = DocumentSession(world.server(**SERVER), site)
    page = world.page(Firefox, **card_camera(world, "passport"))
    page.goto(session.url)
    page.press("I agree")
    choose(page, "passport")
    shoot(page)
    start_camera(page)
    page.press("Send")
    page.wait("location.pathname === '/verified'", 90)
    assert session.result()["status"] == "complete"
