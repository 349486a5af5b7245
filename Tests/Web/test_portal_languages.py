"""The admin portal in every language, in both directions, at every width, and for people who use the keyboard or want no motion."""

import json
import re

from portal import SignedIn
from scenes import new
from server import REPOSITORY
from test_portal import locked_user, tab_to, unclear_case
from testing import test

SERVER = {"IDENTITY_SOURCES": "registry"}
# Texts of the page that are a key, or that stayed English although the language has another text for them.
LEFT = """(async (tag) => {
  const [english, own] = await Promise.all(["en", tag].map(async (one) => (await (await fetch(`/admin/assets/languages/${one}.json`)).json()).texts));
  const said = new Set(Object.values(own).filter((text) => typeof text === "string"));
  const foreign = new Set(Object.entries(english).filter(([key, text]) => typeof text === "string" && !key.startsWith("organization.") && own[key] !== text && !said.has(text) && !/^home\\.(word|reason)\\./.test(key)).map(([, text]) => text));
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim(), parent = walker.currentNode.parentElement;
    // Names that people gave are in any language.
    if (!text || parent.closest("script, style, noscript, code, pre, a[dir=auto], .journey-row-name, .journey-picture, .journey-form h2")) continue;
    if (foreign.has(text)) found.push(`English: ${text}`);
    for (const word of text.split(/\\s+/)) if (Object.hasOwn(english, word)) found.push(`key: ${word}`);
    if (/\\{\\w+\\}/.test(text) && parent.closest("main")) found.push(`placeholder: ${text}`);
  }
  for (const element of document.querySelectorAll("[aria-label]")) {
    const text = element.getAttribute("aria-label");
    if (foreign.has(text) || Object.hasOwn(english, text)) found.push(`label: ${text}`);
  }
  return found;
})(%s)"""


def texts(language):
    """The texts of a language."""
    return json.loads((REPOSITORY / "Web" / "Portal" / "languages" / f"{language}.json").read_text(encoding="utf-8"))["texts"]


def opened(world, portal, language="en", size=(1280, 900)):
    """A page of somebody who has chosen this language."""
    page = world.page(people=None, size=size)
    page.goto(f"{portal.origin}/admin/nothing")
    page.js(f"localStorage.setItem('mien.language', '{language}')")
    return page


def go(page, portal, path):
    page.goto(f"{portal.origin}/admin{path}")
    page.find("main h1")
    page.settle()


def places(server):
    """An address of each page, with something on it."""
    user, case = unclear_case(server)
    locked_user(server)
    journey = server.admin("GET", "/v1/journeys")["items"][0]["id"]
    group = server.admin("POST", "/v1/face-groups", {"name": "Nordwind", "app_ids": ["default_application"]})["id"]
    return ["", "/apps", "/apps/new", "/apps/default_application", "/app-registration", "/face-groups", "/face-groups/new", f"/face-groups/{group}", "/journeys", f"/journeys/{journey}", "/users", "/users/new", f"/users/{user}", "/organizations", "/reviews",
            f"/reviews/identities/{case}", "/audit", "/settings", "/settings/faces", "/settings/licenses", "/settings/registry", "/settings/master-keys",
            "/settings/server", "/administrators", "/account", "/sign-in", "/setup", "/invitation", "/nothing"]


# Elements that stick out of the page, except for those that scroll by themselves.
WIDE = """document.documentElement.scrollWidth > innerWidth ? [...document.querySelectorAll("body *")].filter((one) => { const box = one.getBoundingClientRect();
  return (box.right > innerWidth + 1 || box.left < -1) && !one.closest(".table-area, pre, .journey-area, .visually-hidden, .skip-link"); }).slice(0, 5).map((one) => one.outerHTML.slice(0, 120)) : []"""


def check_language(world, language, direction, width):
    """Visits every page: its texts and accessibility, and whether it fits into a width."""
    server = world.server(**SERVER)
    portal = SignedIn(server)
    page, own = opened(world, portal, language), texts(language)
    for path in places(server):
        go(page, portal, path)
        assert page.js("[document.documentElement.lang, document.documentElement.dir]") == [language, direction]
        left = page.js(LEFT % json.dumps(language))
        assert left == [], f"{path}: {left[:8]}"
        world.check(page, f"{path or 'the overview'} in {language}")
        page.resize(width, 800)
        wide = page.js(WIDE)
        assert wide == [], f"{path} at {width}: {wide}"
        page.resize(1280, 900)
    go(page, portal, "/users")
    assert page.js("document.querySelector('main h1').textContent") == own["users.title"]
    assert page.js("[...document.querySelectorAll('nav.navigation a')].map((one) => one.textContent)")[1] == own["shell.nav_apps"]
    portal.close()


@test("portal: every page in Spanish: no text is missing, English, or a key, and all fits at a zoom of 200 %", 240)
def spanish(world):
    check_language(world, "es", "ltr", 640)


@test("portal: every page in Arabic, from right to left: no text is missing, English, or a key, and all fits into 320 pixels", 240)
def arabic(world):
    check_language(world, "ar", "rtl", 320)


@test("portal: the language is the person's choice, then the browser's, then English; it stays chosen", 60)
def choice(world):
    server = world.server(**SERVER)
    portal = SignedIn(server)
    # A browser that prefers a language that the portal lacks, then one that it has.
    page = world.page(people=None)
    page.devtools("Emulation.setUserAgentOverride", userAgent="test", acceptLanguage="xx,es-MX,en")
    go(page, portal, "/users")
    assert page.js("document.querySelector('main h1').textContent") == texts("es")["users.title"]
    # The choice, with the keyboard alone.
    page.tab_to("select.language")
    page.keys("E")
    page.wait("document.documentElement.lang === 'en'", why="English")
    page.find("main h1")
    assert page.js("document.querySelector('main h1').textContent") == "Users" and page.js("location.pathname") == "/admin/users"
    page.reload()
    page.see("Find a user")
    world.check(page, "the users after choosing English")
    # Nothing that it has: English.
    other = world.page(people=None)
    other.devtools("Emulation.setUserAgentOverride", userAgent="test", acceptLanguage="xx")
    go(other, portal, "/users")
    other.see("Find a user")
    # A choice that is no language is none.
    other.js("localStorage.setItem('mien.language', '../../evil')")
    other.reload()
    other.see("Find a user")
    portal.close()


@test("portal: numbers, times, lists, and plurals follow the language", 60)
def formats(world):
    portal = SignedIn(world.server(**SERVER))
    expected = {
        "en": ["1,234.5", "1 hour, 30 minutes", "0 seconds", "2 hours ago", "1.5 MB", "12.5%", "The log is unchanged: 1 entry.", "The log is unchanged: 2 entries."],
        "es": ["1234,5", "1 hora y 30 minutos", "0 segundos", "hace 2 horas", "1,5 MB", "12,5 %", "El registro no se ha alterado: 1 entrada.", "El registro no se ha alterado: 2 entradas."],
        "ar": ["1,234.5", "ساعة و30 دقيقة", "0 ثانية", "قبل ساعتين", "1.5 م.ب", "12.5%", "لم يتغيّر السجل: قيد واحد.", "لم يتغيّر السجل: قيدان."],
    }
    for language, wanted in expected.items():
        page = opened(world, portal, language)
        go(page, portal, "/audit")
        found = page.js("""(async () => {
          const s = await import("/admin/assets/strings.js");
          return [s.formatNumber(1234.5), s.formatDuration(5400), s.formatDuration(0), s.formatAgo(0, 7_300_000), s.formatBytes(1.5e6), s.formatShare(0.125), s.t("audit.whole", { count: 1 }), s.t("audit.whole", { count: 2 })];
        })()""")
        # Spaces that do not break, and marks of direction, are spaces and nothing here.
        plain = [re.sub("[\u200e\u200f\u061c]", "", re.sub("[\u00a0\u202f]", " ", text)) for text in found]
        assert plain == wanted, f"{language}: {plain}"
        few = page.js("""import("/admin/assets/strings.js").then((s) => [3, 11, 100].map((count) => s.t("audit.whole", { count })))""")
        assert len(set(re.sub(r"\d+", "", text) for text in few)) == (3 if language == "ar" else 1), few
        # Names in the other direction of writing stay in one piece.
        named = page.js("""import("/admin/assets/strings.js").then((s) => ["Yahoo!", "\\u05e9\\u05dc\\u05d5\\u05dd!"].map((name) => s.t("users.lock_named", { name })))""")
        apart = [text.endswith("!\u2069") and "\u2068" in text for text in named]
        assert apart == [language == "ar", True], named
        page.close()
    portal.close()


@test("portal: on a phone, the parts of the portal are in a menu, which Escape closes", 60)
def menu(world):
    portal = SignedIn(world.server(**SERVER))
    page = opened(world, portal, "en", (320, 800))
    go(page, portal, "/users")
    assert not page.has("nav.navigation a")
    page.press("Menu")
    page.find("nav.navigation a")
    world.check(page, "the menu on a phone")
    page.keys("Escape")
    assert not page.has("nav.navigation a") and page.js("document.activeElement.textContent") == "Menu"
    portal.close()


@test("portal: the focus goes back after a dialog, into the page after a step, and motion can be reduced", 90)
def focus(world):
    server = world.server(**SERVER)
    portal = SignedIn(server)
    name, user = locked_user(server)
    page = opened(world, portal)
    page.media(prefers_reduced_motion="reduce")
    go(page, portal, f"/users/{user}")
    moving = page.js("""[...document.querySelectorAll("*")].filter((one) => { const style = getComputedStyle(one);
      return style.transitionDuration.split(",").some((time) => parseFloat(time) > 0.001) || style.scrollBehavior === "smooth"; }).length""")
    assert moving == 0, moving
    for button in ["Suspend", "Mark as compromised", "Erase user"]:
        page.press(button)
        page.find("dialog[open]")
        inside = page.js("!!document.activeElement.closest('dialog')")
        assert inside, f"{button}: the focus is in the dialog"
        page.keys("Escape")
        page.wait("!document.querySelector('dialog')")
        assert page.js("document.activeElement.textContent") == button, page.js("document.activeElement.outerHTML.slice(0, 200)")
    # After a change, the focus is in the same section.
    page.press("Unlock")
    page.see("is unlocked.")
    page.wait("document.activeElement.textContent === 'Authenticators'", why="the focus in the same section")
    # After a link, it is at the new page's heading, and the title says where.
    page.press("Audit log")
    page.wait("document.activeElement.tagName === 'H1' && document.activeElement.textContent.startsWith('Audit log')", why="the focus at the heading")
    assert page.js("document.title") == "Audit log – Mien"
    # The link that skips the navigation comes first.
    page.reload()
    page.find("main h1")
    page.tab_to(".skip-link", "Shift")
    page.keys("Enter")
    assert page.js("document.activeElement.tagName") == "H1"
    portal.close()


@test("portal: with the keyboard alone, an administrator is invited, a setting of an app is changed, and the audit log is searched", 90)
def keyboard(world):
    server = world.server(**SERVER)
    portal, app, name = SignedIn(server), new("app"), new("Grace ")
    server.admin("POST", "/v1/apps", {"id": app, "name": "Keyboard shop", "type": "public", "first_party": True})
    page = opened(world, portal)
    go(page, portal, "/administrators")
    tab_to(page, "Name")
    page.keys(name, "Tab")
    page.keys("Auditor")
    tab_to(page, "Make an invitation")
    page.keys("Enter")
    page.find("dialog[open] .copyable-text")
    tab_to(page, "Close")
    page.keys("Enter")
    page.see("Open invitations")
    invited = {one["name"]: one["role"] for one in server.admin("GET", "/v1/administrators/invitations")["items"]}
    assert invited[name] == "auditor", invited

    go(page, portal, f"/apps/{app}")
    tab_to(page, "Failed attempts and locks")
    page.keys("Enter")
    tab_to(page, "Own rule for passwords")
    page.keys("Space")
    tab_to(page, "Failed attempts")
    page.keys("7")
    tab_to(page, "Save")
    page.keys("Enter")
    page.see("Saved.")
    assert server.admin("GET", f"/v1/apps/{app}")["settings"]["locks"]["password"]["failed_attempts"] == 7

    go(page, portal, "/audit")
    tab_to(page, "Event")
    page.keys("app.c")
    tab_to(page, "Search")
    page.keys("Enter")
    page.wait("[...document.querySelectorAll('tbody tr')].length > 0 && [...document.querySelectorAll('tbody tr td:nth-of-type(2)')].every((one) => one.textContent.startsWith('app.c'))", why="entries of this event only")
    portal.close()
