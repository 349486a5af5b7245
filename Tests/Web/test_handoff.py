"""A computer without a camera, and a phone that has one."""

from scenes import Site, app, begin_registration, finish, start_camera
from testing import test


def code(world, site, app_id, server=None):
    """A computer that shows its code. Returns the journey, the page, the number, and the address in the code."""
    run, link = begin_registration(server or world.server(), site, app_id)
    page = world.page(people=None)
    page.goto(link)
    page.find(".main")
    page.js("""(() => { const own = fetch; globalThis.fetch = async (...all) => { const answer = await own(...all);
        if (String(all[0]).endsWith("/handoff") && all[1]?.method === "POST") globalThis.__handoff = await answer.clone().json(); return answer; }; })()""")
    page.press("Use my phone instead")
    page.find(".qr-number")
    number = page.js("__web.shown('.qr-number').textContent.trim()")
    assert len(number) == 3 and number.isdigit(), number
    assert page.js("__web.shown('.qr-code path').getAttribute('d').length") > 1000
    offer = page.wait("globalThis.__handoff")
    assert offer["number"] == number and offer["expires_in"] <= 120, offer
    return run, page, number, offer["link"]


def starts(page):
    """The status with which the API answers this browser's attempt to start the capture."""
    status = page.js("""(async () => {
        const { capture } = await (await fetch("/verify/session")).json(), { csrf } = JSON.parse(document.getElementById("page-data").textContent);
        return (await fetch("/v1/capture/start", { method: "POST", headers: { "x-mien-capture": capture, "x-mien-csrf": csrf } })).status;
    })()""")
    page.expect(str(status))
    return status


@test("a computer shows a code and a number; the phone shows the same, and captures; the computer goes on", 90, camera=True, always=True)
def handoff(world):
    server, site = world.server(), Site()
    run, computer, number, link = code(world, site, app(server))
    world.check(computer, "the code")
    phone = world.page(size=(390, 844))
    phone.goto(link)
    phone.find(".qr-number")
    assert phone.js("__web.shown('.qr-number').textContent.trim()") == number
    facts = phone.text()
    assert "Sample shop" in facts and "127.0.0.1" in facts or "::1" in facts, facts
    world.check(phone, "the comparison")
    computer.see("Compare the number")
    world.check(computer, "opened")
    phone.press("Yes, it is the same")
    phone.see("Confirm the number on your computer, too.")
    world.check(phone, "agreed on the phone")
    assert starts(phone) == 409, "the phone holds no start token before the computer agrees"
    computer.see("Does your phone show this number?")
    assert number in computer.text() and "127.0.0.1" in computer.text()
    world.check(computer, "the comparison")
    computer.press("Yes, it is the same")
    start_camera(phone)
    computer.wait("location.pathname === '/verified'", 60)
    phone.see("go back to Sample shop")
    world.check(phone, "done")
    assert finish(run) == "success"


@test("the code on a computer works once; refusing its number ends the capture, and the computer returns to the app")
def refused(world):
    server, site = world.server(), Site()
    run, computer, number, link = code(world, site, app(server))
    phone = world.page(people=None)
    phone.goto(link)
    phone.find(".qr-number")
    other = world.page(people=None)
    other.goto(link)
    other.see("This link has ended")
    other.expect("410|Failed to load")
    phone.press("No, stop")
    phone.wait("!__web.shown('.qr-number')")
    world.check(phone, "stopped")
    computer.wait("location.pathname === '/verified'", 30)
    assert finish(run) == "rejection"


@test("somebody else who photographs the code is refused on the computer; a newer code ends an older one")
def photographed(world):
    server, site = world.server(), Site()
    run, computer, number, link = code(world, site, app(server))
    computer.press("Back")
    computer.press("Use my phone instead")
    computer.wait(f"__web.shown('.qr-number')?.textContent.trim() && globalThis.__handoff.link !== {link!r}")
    newer = computer.js("globalThis.__handoff.link")
    late = world.page(size=(390, 844))
    late.goto(link)
    late.see("This link has ended")
    late.expect("410")
    thief = world.page(size=(390, 844))
    thief.goto(newer)
    thief.press("Yes, it is the same")
    thief.see("Confirm the number on your computer, too.")
    assert starts(thief) == 409
    computer.see("Does your phone show this number?")
    computer.press("No, stop")
    computer.wait("location.pathname === '/verified'", 20)
    thief.see("This link has ended", 20)
    assert finish(run) == "rejection"
