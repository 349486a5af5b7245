"""The editor of journeys in the admin portal."""

import json

from browser import Chromium, Firefox
from journeys import EDITOR, fit, long, names, sample, saved, select, when_checked
from portal import SignedIn
from scenes import new
from testing import test

def opened(world, path, kind=Chromium, credential=None, **options):
    mien = world.server()
    portal = SignedIn(mien, credential)
    page = world.page(kind, people=None, size=(1500, 1200), **options)
    page.goto(portal.origin + path)
    return mien, portal, page


def editor(world, journey, kind=Chromium, credential=None):
    mien, portal, page = opened(world, f"/admin/journeys/{journey}", kind, credential)
    when_checked(page)
    return mien, portal, page


def definition(page):
    return page.js(f"{EDITOR}.definition")


@test("journeys: a journey is opened, edited, undone, checked, saved, and published by mouse", 90)
def by_mouse(world):
    journey = saved(world.server())
    mien, portal, page = opened(world, "/admin/journeys")
    page.find(f'a[href="/admin/journeys/{journey}"]')
    world.check(page, "the list of journeys")
    page.click(f'a[href="/admin/journeys/{journey}"]')
    when_checked(page)
    world.check(page, "the editor")
    before = definition(page)

    # A setting.
    select(page, "form")
    page.click('[data-setting="title"] textarea')
    page.keys("Hello ")
    page.wait(f"{EDITOR}.definition.steps.form.config.title?.includes('Hello ')")
    # Its letters are undone together.
    page.press("Undo")
    assert definition(page) == before
    page.press("Redo")

    world.check(page, "the form of a step")

    # A step, connected with the mouse.
    page.press("Add step")
    page.find("dialog select")
    page.choose("dialog select", "information")
    page.js("(() => { const input = document.querySelector('dialog input'); input.value = 'welcome'; input.dispatchEvent(new Event('input')); })()")
    world.check(page, "the dialog of a new step")
    page.click('dialog button[value="done"]')
    page.find('.journey-node[data-step="welcome"]')
    page.see("Step welcome")
    page.wait(f"{EDITOR}.isChecked && {EDITOR}.findings('welcome').some((one) => one.code === 'unreachable_step')", why="the finding that no path leads there")
    fit(page)
    page.drag('.journey-port[data-from="check"][data-outcome="success"]', '.journey-node[data-step="welcome"] rect')
    page.wait(f"{EDITOR}.definition.steps.check.on.success === 'welcome'", why="the connection")
    # Without a next step, the outcome goes back to its loop, from where it is led elsewhere.
    page.wait(f"{EDITOR}.isChecked")
    page.see("back to tries")
    fit(page)
    page.drag('.journey-port[data-from="welcome"][data-outcome="success"]', '.journey-node[data-step="done"] rect')
    page.wait(f"{EDITOR}.definition.steps.welcome.on?.success === 'done'")
    page.wait(f"{EDITOR}.isChecked && !{EDITOR}.errors.length")

    # A finding, at its setting.
    fit(page)
    select(page, "check")
    page.click('[data-setting="username"] input')
    page.chord("End")
    page.keys("x")
    page.wait("document.querySelector('[data-setting=\"username\"] .field-error')?.textContent.includes('does not have this member')", why="the finding in place")
    assert page.js("document.querySelector('[data-setting=\"username\"] input').getAttribute('aria-invalid')") == "true"
    assert page.js("document.querySelector('.journey-node[data-step=\"check\"]').dataset.problem") == "error"
    world.check(page, "a finding in place")
    page.press("Undo")
    page.wait(f"{EDITOR}.isChecked && !{EDITOR}.errors.length")

    # Save and publish.
    page.press("Save as version 2")
    page.see("Version 2 is saved.")
    draft = mien.admin("GET", f"/v1/journeys/{journey}/versions/2")
    assert draft == definition(page) and draft["steps"]["check"]["on"]["success"] == "welcome"
    page.press("Publish")
    page.see("Publish version 2?")
    page.see("These changes go live")
    world.check(page, "the question before publishing")
    page.click('dialog button[value="yes"]')
    page.see("Version 2 is published.")
    states = {one["version"]: one["state"] for one in mien.admin("GET", "/v1/journeys")["items"] if one["id"] == journey}
    assert states == {1: "retired", 2: "published"}, states

    # And back.
    page.click(f'a[href="/admin/journeys/{journey}/versions/1"]')
    page.wait(f"location.pathname.endsWith('/versions/1') && {EDITOR}?.isChecked")
    page.press("Roll back to this version")
    page.see("Roll back to version 1?")
    page.click('dialog button[value="yes"]')
    page.see("Version 1 is published.")
    world.check(page, "the journey after the way back")
    portal.close()


@test("journeys: a journey is opened, edited, undone, checked, saved, and published by keyboard alone", 90, always=True)
def by_keyboard(world):
    journey = saved(world.server())
    mien, portal, page = editor(world, journey)
    # From the heading to the tree of steps.
    page.tab_to("[role=treeitem]")
    before = definition(page)

    # Letters find a step; Enter opens its form.
    page.keys("form", "Enter")
    page.wait("document.activeElement.textContent === 'Step form'")
    page.tab_to('[data-setting="title"] textarea')
    page.keys("Hi")
    assert definition(page)["steps"]["form"]["config"]["title"].endswith("Hi")
    page.chord("Control", "z")
    assert definition(page) == before
    page.chord("Control", "Shift", "z")

    # Completion: a variable is proposed and taken.
    page.keys("Escape", "check", "Enter")
    page.wait("document.activeElement.textContent === 'Step check'")
    page.tab_to('[data-setting="username"] input')
    page.chord("Control", "a")
    page.keys("form.user")
    page.wait("document.activeElement.getAttribute('aria-expanded') === 'true'")
    world.check(page, "proposals")
    # Until it is complete, the finding is at its place.
    page.wait("document.querySelector('[data-setting=\"username\"] .field-error')?.textContent.includes('does not have this member')", why="the finding in place")
    page.keys("ArrowDown", "Enter")
    assert page.js("document.activeElement.value") == "form.username"

    # A new step after an outcome: the tree shows outcomes, Enter asks what follows.
    page.keys("Escape", "check")
    page.chord("ArrowRight")
    page.chord("ArrowRight")
    assert page.js("document.activeElement.textContent").startswith("success"), page.js("document.activeElement.textContent")
    page.keys("Enter")
    page.see("What follows success of check?")
    page.keys("Tab", "Inform", "Tab")
    page.chord("Control", "a")
    page.keys("welcome", "Enter")
    page.wait(f"{EDITOR}.definition.steps.welcome?.type === 'information' && {EDITOR}.definition.steps.check.on.success === 'welcome'", why="the new step")
    page.keys("Escape", "welcome")
    # Its outcomes are shown, because it is new.
    page.chord("ArrowRight")
    page.keys("Enter")
    page.see("What follows success of welcome?")
    page.keys("done", "Enter")
    page.wait(f"{EDITOR}.definition.steps.welcome.on?.success === 'done'")
    page.wait(f"{EDITOR}.isChecked && !{EDITOR}.errors.length")

    # Remove, and undo that.
    page.keys("refused")
    page.chord("Delete")
    page.wait(f"!('refused' in {EDITOR}.definition.steps)")
    page.chord("Control", "z")
    page.wait(f"'refused' in {EDITOR}.definition.steps")

    page.chord("Control", "s")
    page.see("Version 2 is saved.")
    assert mien.admin("GET", f"/v1/journeys/{journey}/versions/2") == definition(page)
    page.tab_to("#journey-publish", "Shift")
    page.keys("Enter")
    page.see("Publish version 2?")
    page.keys("Enter")
    page.see("Version 2 is published.")
    world.check(page, "the journey after publishing")
    portal.close()


@test("journeys: in Firefox, steps are connected with the mouse, and a draft is saved with the keyboard", 90, always=True)
def in_firefox(world):
    journey = saved(world.server())
    mien, portal, page = editor(world, journey, Firefox)
    fit(page)
    page.drag('.journey-port[data-from="check"][data-outcome="success"]', '.journey-node[data-step="refused"] rect')
    page.wait(f"{EDITOR}.definition.steps.check.on.success === 'refused'", why="the connection")
    page.click("[role=tab]:nth-of-type(3)")
    page.wait(f"{EDITOR}.findings(null).some((one) => one.message.includes(\"path leads to a complete_journey step\"))", why="the finding")
    page.js(f"{EDITOR}.tree.focus()")
    page.chord("Control", "z")
    assert definition(page)["steps"]["check"]["on"]["success"] == "done"
    page.chord("Control", "Shift", "z")
    page.chord("Control", "s")
    page.see("Version 2 is saved.")
    assert mien.admin("GET", f"/v1/journeys/{journey}/versions/2")["steps"]["check"]["on"]["success"] == "refused"
    portal.close()


@test("journeys: two administrators who save the same version do not overwrite each other", 60)
def conflict(world):
    journey = saved(world.server())
    mien, portal, page = editor(world, journey)
    page.js(f"{EDITOR}.setField(['title'], 'Mine')")
    page.press("Save as version 2")
    page.see("Version 2 is saved.")
    other = {**mien.admin("GET", f"/v1/journeys/{journey}/versions/2"), "title": "Theirs"}
    mien.admin("PUT", f"/v1/journeys/{journey}/versions/2", other)
    page.js(f"{EDITOR}.setField(['title'], 'Mine again')")
    page.press("Save")
    page.see("Replace version 2?")
    page.see("Theirs")
    world.check_after(page, "the question before replacing", "409")
    page.keys("Escape")
    assert mien.admin("GET", f"/v1/journeys/{journey}/versions/2")["title"] == "Theirs"
    page.press("Save")
    page.see("Replace version 2?")
    page.click('dialog button[value="yes"]')
    page.wait(f"!{EDITOR}.history.isChanged", why="saving")
    assert mien.admin("GET", f"/v1/journeys/{journey}/versions/2")["title"] == "Mine again"
    page.expect("409")
    portal.close()


@test("journeys: an incomplete draft is saved, and is not offered to be published", 60)
def incomplete(world):
    journey = saved(world.server())
    mien, portal, page = editor(world, journey)
    page.js(f"{EDITOR}.remove('done', null)")
    page.press("Save as version 2")
    page.see("It has errors and cannot be published")
    colors = page.js("""(() => {
        const shown = document.querySelector(".toast-warning"), success = document.createElement("div");
        success.className = "toast toast-info";
        shown.parentElement.append(success);
        const colors = [shown, success].map((one) => getComputedStyle(one).borderInlineStartColor);
        success.remove();
        return colors;
    })()""")
    assert colors[0] != colors[1], "a version that cannot be published does not look like a success"
    page.wait("document.querySelector('#journey-publish').disabled", why="publishing is not offered")
    assert "Correct the errors" in page.js("document.querySelector('#journey-publish').title")
    assert not page.has("dialog")
    page.wait(f"{EDITOR}.findings(null).some((one) => one.message.includes('path leads to a complete_journey step'))", why="the finding")
    world.check(page, "a version that cannot be published")
    portal.close()


@test("journeys: an auditor sees the picture, the findings, and a simulation, and can change nothing", 60)
def auditor(world):
    mien = world.server()
    journey = saved(mien)
    credential = mien.admin("POST", "/v1/administrators", {"name": "Grace", "role": "auditor"})["credential"]
    _, portal, page = editor(world, journey, credential=credential)
    before = definition(page)
    assert page.js("[...document.querySelectorAll('main button')].every((button) => !/^(Save|Publish|Add step|Undo)/.test(button.textContent))")
    select(page, "form")
    assert page.js("[...document.querySelectorAll('.journey-form input, .journey-form select, .journey-form textarea, .journey-form button')].every((one) => one.disabled)")
    assert page.js("document.querySelector('.journey-port') === null")
    page.js(f"{EDITOR}.tree.focus()")
    page.chord("Delete")
    page.chord("Control", "z")
    assert definition(page) == before
    page.press("Simulation")
    page.press("Start")
    page.see("form asks: loginForm")
    world.check(page, "the editor of an auditor")
    portal.close()


@test("journeys: a simulated run shows its way, asks what the journey asks, and hides what is typed", 60)
def simulation(world):
    journey = saved(world.server())
    mien, portal, page = editor(world, journey)
    page.press("Simulation")
    page.press("Start")
    page.see("form asks: loginForm")
    world.check(page, "a simulated prompt")
    page.press("Send")
    page.see("The answer is not valid. ")
    said = page.js("document.querySelector('.journey-trace .field-error').textContent")
    assert "client_response_not_valid" not in said and said.endswith("."), said
    page.js("(() => { const [name, password] = document.querySelectorAll('.journey-prompt .field .input:not(select)'); name.value = 'ada'; password.value = 'hidden-8c1d'; })()")
    assert page.js("document.querySelector('.journey-prompt input[type=password]') !== null")
    page.press("Send")
    page.see("The app is told: invalid_credentials")
    assert "hidden-8c1d" not in page.text()
    assert page.js("document.querySelector('.journey-node[data-step=\"check\"]').dataset.passed") == "yes"
    page.js("(() => { const [name, password] = document.querySelectorAll('.journey-prompt .field .input:not(select)'); name.value = 'ada'; password.value = 'correct horse battery'; })()")
    page.press("Send")
    page.see("Success. Signed in: usr_ada; amr: pwd.")
    world.check(page, "the end of a simulated run")
    page.press("Take back the last answer")
    page.see("The app is told: invalid_credentials")
    page.press("Client code")
    page.click('.journey-node[data-step="form"]')
    page.press("Client code")
    page.see("enum Form")
    page.see("export const form")
    world.check(page, "generated code")
    portal.close()


@test("journeys: a saved version is tried on the server with a test account, and a person's account looks unknown", 60)
def trial(world):
    journey = saved(world.server())
    mien, portal, page = editor(world, journey)
    person, tester = new("ada"), new("tester")
    mien.user(person)
    mien.user(tester, is_test=True)
    page.press("On the server")
    page.wait("document.querySelector('select option[value=default_application]') !== null")
    page.press("Start")
    page.see("form asks: loginForm")
    world.check(page, "a prompt of a trial")
    for name, seen in [(person, "The app is told: invalid_credentials"), (tester, "Success. Signed in:")]:
        page.js("(() => { const [name, password] = document.querySelectorAll('.journey-prompt .field .input:not(select)'); name.value = %s; password.value = 'correct horse battery'; })()" % json.dumps(name))
        page.press("Send")
        page.see(seen)
        assert "correct horse battery" not in page.text()
    world.check(page, "the end of a trial")
    events = [one["event"] for one in mien.admin("GET", "/v1/audit?order=newest")["items"]]
    assert events.index("journey.trial-ended") < events.index("journey.trial-started")
    portal.close()


@test("journeys: every example journey opens, has no findings, and is drawn without overlaps", 90)
def examples(world):
    mien = world.server()
    for name in names():
        # This server checks no documents, and so refuses the sample that needs one.
        if name == "document-registration":
            continue
        journey = saved(mien, name)
        _, portal, page = editor(world, journey)
        assert definition(page) == {**sample(name), "id": journey, "version": 1}, name
        assert page.js(f"{EDITOR}.errors") == [], name
        overlaps = page.js(f"""(() => {{ const all = [...{EDITOR}.picture.places.values()];
            return all.flatMap((a, at) => all.slice(at + 1).filter((b) => Math.abs(a.x - b.x) < 184 && Math.abs(a.y - b.y) < 56)).length; }})()""")
        assert overlaps == 0 and page.js("document.querySelectorAll('.journey-node').length") == len(sample(name)["steps"]), name
        page.close()
        portal.close()


PROPERTIES = r"""
const [document_, value, diff, layout, graph] = await Promise.all(["document", "value", "diff", "layout", "graph"].map((name) => import(`/admin/assets/journeys/${name}.js`)));
const { History } = document_, { isSame } = value;
let state = seed;
const random = (below) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor((state / 2 ** 32) * below); };
const pick = (all) => all[random(all.length)];
// What this editor does not know: members, wrong types, and a name that means something to JavaScript.
const odd = JSON.parse('{"__proto__": {"a": 1}, "constructor": [1, {"toString": null}], "x-note": {"deep": [[[{}]]]}, "": 0.5}');
const strange = (definition) => Object.fromEntries([...Object.entries(odd), ...Object.entries(definition), ["steps", Object.fromEntries([
  ...Object.entries(definition.steps).map(([name, one]) => [name, { ...one, ...Object.fromEntries([["x-own", odd]]), config: { ...one.config, unknown: [odd] } }]),
  ["__proto__", { type: "made_up", config: 7, on: ["form"] }], ["odd", null], ["text", "text"]])]]);
const edits = [
  (d) => document_.addStep(d, document_.freeName(d, pick(["form", "check", "a b", ""])), pick(["information", "loop"]), { text: "x" }),
  (d) => document_.removeStep(d, pick(Object.keys(document_.steps(d)))),
  (d) => document_.renameStep(d, pick(Object.keys(document_.steps(d))), pick(["renamed", "other", "__proto__", "not a name"])),
  (d) => document_.connect(d, pick(Object.keys(document_.steps(d))), pick(["success", "failure", "next", "__proto__"]), pick(Object.keys(document_.steps(d)))),
  (d) => document_.disconnect(d, pick(Object.keys(document_.steps(d))), pick(["success", "failure", "password", "body"])),
  (d) => document_.setSetting(d, pick(Object.keys(document_.steps(d))), pick([["title"], ["branches", 0, "id"], ["__proto__", "x"], ["a", "b", "c"]]), pick(["x", undefined, { y: 1 }, 3])),
  (d) => document_.setLabel(d, pick(Object.keys(document_.steps(d))), pick(["Label", ""])),
  (d) => document_.setField(d, pick([["title"], ["limits", "max_steps"], ["__proto__"], ["start"]]), pick(["x", 7, undefined])),
];
// The same value with its members in another order.
const turned = (one) => Array.isArray(one) ? one.map(turned) : one && typeof one === "object" ? Object.fromEntries(Object.entries(one).reverse().map(([key, part]) => [key, turned(part)])) : one;
const problems = [];
for (const text of texts) {
  const plain = JSON.parse(text), history = new History(JSON.parse(JSON.stringify(strange(plain))));
  const start = JSON.stringify(history.value);
  if (!isSame(JSON.parse(JSON.stringify(plain)), JSON.parse(text))) problems.push("a definition changes when it is written");
  const states = [];
  for (let number = 0; number < 120 && Object.keys(document_.steps(history.value)).length; number++) {
    const before = JSON.stringify(history.value);
    if (history.apply(pick(edits)(history.value), "edit")) {
      states.push(before);
      // Each single edit is undone exactly, in order and content.
      const after = JSON.stringify(history.value);
      history.undo();
      if (JSON.stringify(history.value) !== before) problems.push("undo differs");
      history.redo();
      if (JSON.stringify(history.value) !== after) problems.push("redo differs");
    } else if (JSON.stringify(history.value) !== before) problems.push("an edit without an effect changes something");
    // Members that no edit names stay.
    for (const [key, one] of Object.entries(odd)) if (key !== "__proto__" && !isSame(Object.getOwnPropertyDescriptor(history.value, key)?.value, one)) problems.push(`lost ${key}`);
  }
  for (const before of states.reverse()) { history.undo(); if (JSON.stringify(history.value) !== before) { problems.push("undo of many differs"); break; } }
  if (JSON.stringify(history.value) !== start) problems.push("undoing everything differs from the start");
  while (history.canRedo) history.redo();
  if ({}.a !== undefined || Object.prototype.x !== undefined) problems.push("a prototype was changed");
  // A drawing is the same each time, has every step once, and its edges end at their steps.
  const drawn = graph.graphOf(history.value, new Map(), null), one = layout.layout(drawn), two = layout.layout(graph.graphOf(turned(history.value), new Map(), null));
  if (JSON.stringify([...one.nodes], null) !== JSON.stringify([...two.nodes]) || JSON.stringify([...one.edges]) !== JSON.stringify([...two.edges])) problems.push("the layout is not deterministic");
  if (one.nodes.size !== drawn.nodes.length || one.edges.size !== drawn.edges.length) problems.push("the layout lacks parts");
  for (const edge of drawn.edges) {
    const { points, isBack, isSelf } = one.edges.get(edge.id), from = one.nodes.get(edge.from), to = one.nodes.get(edge.to);
    if (isSelf) continue;
    const near = (point, node) => Math.abs(point[0] - node.x) <= layout.size.width / 2 && Math.abs(Math.abs(point[1] - node.y) - layout.size.height / 2) <= 1;
    if (!near(points[0], from) || !near(points.at(-1), to)) problems.push(`the edge ${edge.id} does not reach its steps`);
    if (isBack ? to.layer >= from.layer : from.layer >= to.layer) problems.push(`the edge ${edge.id} has the wrong direction`);
  }
  // A version differs from itself in nothing, and from another in what an edit did.
  if (!diff.isEmpty(diff.difference(history.value, JSON.parse(JSON.stringify(history.value))))) problems.push("a version differs from itself");
  const edited = document_.setSetting(plain, Object.keys(plain.steps)[0], ["added_setting"], "x"), found = diff.difference(plain, edited);
  if (found.fields.length || found.steps.length !== 1 || found.steps[0].changes[0].path !== "config.added_setting") problems.push(`difference: ${JSON.stringify(found)}`);
}
return problems;
"""


@test("journeys: no edit loses what the editor does not know, and every edit can be undone exactly", 60)
def properties(world):
    texts = [json.dumps(sample(name)) for name in names()]
    _, portal, page = opened(world, "/admin/journeys")
    page.see("Journeys")
    for seed in range(1, 9):
        problems = page.js(f"(async (seed, texts) => {{ {PROPERTIES} }})({seed}, {json.dumps(texts)})")
        assert problems == [], f"seed {seed}: {problems[:5]}"
    portal.close()


@test("journeys: completion proposes what can be read at the caret, and diffs name steps and settings", 60)
def pure(world):
    _, portal, page = opened(world, "/admin/journeys")
    page.see("Journeys")
    found = page.js(r"""(async () => {
      const { complete } = await import("/admin/assets/journeys/expression.js"), { difference } = await import("/admin/assets/journeys/diff.js");
      const variables = [{ path: "form", always: true }, { path: "form.username", always: true }, { path: "form.password", always: true, secret: true }, { path: "fallback", always: false }];
      const names = (text, options, caret = text.length) => complete(text, caret, variables, options).items.map((item) => item.text);
      const version = (steps, more = {}) => ({ id: "j", version: 1, title: "J", start: "a", steps, ...more });
      const one = { type: "information", config: { text: "Hi" }, on: { success: "b" } }, end = { type: "complete_journey" };
      return {
        start: names("f"), member: names("form."), typed: names("form.us"), secret: names("form.p", { mayReadSecrets: true }), hidden: names("form.p"),
        quoted: names("'form."), method: names("form.username.st"), outside: names("Hello form", { isTemplate: true }), inside: names("Hello {{form.u", { isTemplate: true }), closed: names("{{form}} f", { isTemplate: true }),
        operator: names("size(form.username) > 1 && f"), middle: complete("form.usern == 'x'", 7, variables, {}),
        same: difference(version({ a: one }), { ...version({ a: { on: one.on, config: one.config, type: one.type } }), version: 2 }),
        changed: difference(version({ a: one, b: end, c: end }), version({ a: { ...one, config: { text: "Ho", title: "T" } }, b2: end, d: { type: "loop" } }, { title: "K" })),
      };
    })()""")
    assert found["start"] == ["fallback", "form", "false"], found["start"]
    assert "username" in found["member"] and "password" not in found["member"] and "size()" in found["member"]
    assert found["typed"] == ["username"] and found["secret"] == ["password"] and found["hidden"] == []
    assert found["quoted"] == [] and found["method"] == ["startsWith()"] and found["outside"] == [] and found["closed"] == []
    assert found["inside"] == ["username", "upperAscii()"], found["inside"]
    assert "form" in found["operator"]
    assert (found["middle"]["from"], found["middle"]["to"]) == (5, 10)
    assert found["same"] == {"fields": [], "steps": []}
    changed = found["changed"]
    assert [one["path"] for one in changed["fields"]] == ["title"]
    assert [(one["name"], one["kind"]) for one in changed["steps"]] == [("a", "changed"), ("b2", "renamed"), ("c", "removed"), ("d", "added")], changed["steps"]
    assert [(one["path"], one["kind"]) for one in changed["steps"][0]["changes"]] == [("config.text", "changed"), ("config.title", "added")]
    portal.close()


@test("journeys: an edit of a journey of 200 steps draws only what it changes", 60)
def incremental(world):
    mien = world.server()
    journey = long(200)
    mien.admin("PUT", f"/v1/journeys/{journey['id']}/versions/1?incomplete=true", journey)
    _, portal, page = editor(world, journey["id"])
    assert page.js("document.querySelectorAll('.journey-node').length") == 200
    changed = page.js(f"""(async () => {{
      const editor = {EDITOR}, kept = [...document.querySelectorAll('.journey-node, .journey-edge')], records = [];
      const observer = new MutationObserver((all) => records.push(...all));
      observer.observe(document.querySelector('.journey-picture'), {{ subtree: true, childList: true, attributes: true, characterData: true }});
      editor.checker.stop();
      const {{ setLabel }} = await import('/admin/assets/journeys/document.js');
      editor.apply(setLabel(editor.definition, 'step100', 'Another label'), 'label');
      editor.checker.stop();
      records.push(...observer.takeRecords());
      const steps = new Set(records.map((record) => (record.target.nodeType === 3 ? record.target.parentElement : record.target).closest('.journey-node, .journey-edge, .journey-port')?.dataset.step));
      return {{ steps: [...steps], kept: kept.every((one) => one.isConnected) }};
    }})()""")
    assert changed == {"steps": ["step100"], "kept": True}, changed
    portal.close()
