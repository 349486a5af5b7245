"""measure_journeys.py: how long an edit of a journey of 200 steps takes until the page is laid out again, in Chromium.

  MIEN_WEB_SCRIPT=Tests/Web/measure_journeys.py scripts/test-web
"""

import os

import testing
from journeys import long, when_checked
from portal import SignedIn

ROUNDS = 40
SCRIPT = r"""(async () => {
  const editor = document.querySelector(".page").journeyEditor, { setLabel, connect, addStep, removeStep, setSetting } = await import("/admin/assets/journeys/document.js");
  const edits = {
    "a label": (d, n) => setLabel(d, "step100", `Label ${n}`),
    "a setting": (d, n) => setSetting(d, "step99", ["text"], `Text ${n}`),
    "a connection": (d, n) => connect(d, "step96", "false", n % 2 ? "step110" : "step104"),
    "a step added or removed": (d, n) => n % 2 ? removeStep(d, "extra") : addStep(d, "extra", "information", { text: "x" }),
  };
  const times = {};
  for (const [name, edit] of Object.entries(edits)) {
    times[name] = [];
    for (let number = 0; number < ROUNDS; number++) {
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      const start = performance.now();
      editor.apply(edit(editor.definition, number), name);
      // Styles and layout, as the next frame would compute them.
      document.querySelector(".journey-picture").getBoundingClientRect();
      document.querySelector(".journey-tree").getBoundingClientRect();
      times[name].push(performance.now() - start);
      editor.checker.stop();
    }
  }
  return times;
})()""".replace("ROUNDS", str(ROUNDS))


def main():
    world = testing.World()
    try:
        mien = world.server()
        journey = long(200)
        mien.admin("PUT", f"/v1/journeys/{journey['id']}/versions/1?incomplete=true", journey)
        portal = SignedIn(mien)
        page = world.page(people=None, size=(1500, 1200))
        page.goto(f"{portal.origin}/admin/journeys/{journey['id']}")
        when_checked(page, 30)
        print(f"200 steps, {page.js('document.querySelectorAll(chr).length'.replace('chr', repr('.journey-edge')))} ways; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        for name, times in page.js(SCRIPT).items():
            ordered = sorted(times)
            print(f"{name}: p50 {ordered[len(ordered) // 2]:.1f} ms, p95 {ordered[int(len(ordered) * 0.95)]:.1f} ms, most {ordered[-1]:.1f} ms, {len(ordered)} edits")
    finally:
        world.close()


if __name__ == "__main__":
    main()
