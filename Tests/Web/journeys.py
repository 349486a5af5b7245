"""Journeys for tests of their editor, and what is done in it."""

import json

from scenes import new
from server import REPOSITORY


def sample(name):
    """One of the example journeys."""
    return json.loads((REPOSITORY / "Examples" / "Journeys" / f"{name}.json").read_text(encoding="utf-8"))


def names():
    return sorted(path.stem for path in (REPOSITORY / "Examples" / "Journeys").glob("*.json") if not path.stem.endswith(".test"))


def saved(mien, name="password-login"):
    """The ID of a journey of the test's own, published as version 1."""
    definition = {**sample(name), "id": new("journey"), "version": 1}
    mien.journey(definition)
    return definition["id"]


def long(count):
    """A journey of so many steps: conditions, forms, and checks in a row, with ways back, ways ahead, and shared ends."""
    steps = {"done": {"type": "complete_journey"}, "refused": {"type": "reject_access"}}
    chain = [f"step{number}" for number in range(count - 2)]
    for number, name in enumerate(chain):
        after = chain[number + 1] if number + 1 < len(chain) else "done"
        ahead = chain[min(number + 4, len(chain) - 1)]
        if number % 4 == 0:
            steps[name] = {"type": "condition", "config": {"expression": "has(form.username)"}, "on": {"true": after, "false": ahead}}
        elif number % 4 == 1:
            steps[name] = {"type": "login_form", "config": {"branches": [{"id": "password"}, {"id": "other"}], "output_variable": "form"}, "on": {"password": after, "other": ahead}}
        elif number % 4 == 2:
            steps[name] = {"type": "authenticate_password", "config": {"username": "form.username", "password": "form.password"}, "on": {"success": after, "failure": chain[number - 1] if number % 8 == 2 else "refused"}}
        else:
            steps[name] = {"type": "information", "config": {"text": f"Part {number}"}, "on": {"success": after}}
    return {"id": new("journey"), "version": 1, "title": f"{count} steps", "start": chain[0], "steps": steps}


# The editor

EDITOR = "document.querySelector('.page').journeyEditor"


def when_checked(page, seconds=15):
    """Waits until the editor is there and the server has checked what is in it."""
    page.find(".journey-node", seconds)
    page.wait(f"{EDITOR}.isChecked", seconds, "a check of the definition")


def fit(page):
    """Shows the whole picture."""
    page.js(f"{EDITOR}.picture.fit()")


def select(page, step):
    """Clicks a step, whose form opens."""
    page.click(f'.journey-node[data-step="{step}"]')
    page.wait(f"document.querySelector('.journey-form h2').textContent.includes({json.dumps(step)})", why=f"the form of {step}")
