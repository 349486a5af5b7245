"""`mien.js` makes the calls of the recorded exchanges that all clients replay (docs/conformance)."""

import json
import subprocess

from server import REPOSITORY
from testing import test

FOLDER = REPOSITORY / "docs" / "conformance"


def replay(page, path, recording, *options):
    """What the calls gave, and the requests had, otherwise than recorded."""
    server = subprocess.Popen([REPOSITORY / "scripts" / "exchanges", "replay", path, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip()
        page.goto(address + "/")
        faults = page.js(f'import("/player.js").then(({{ play }}) => play({json.dumps(recording)}, location.origin))')
        return faults + server.communicate(timeout=10)[0].splitlines()
    finally:
        server.kill()
        server.wait()


def register(path):
    recording = json.loads(path.read_text(encoding="utf-8"))
    if "web" not in recording["clients"]:
        return

    @test(f"mien.js: the recorded exchanges of {path.stem}, as they are, and with the news of a later server", always=True)
    def recorded(world):
        page = world.page(people=())
        for options in [(), ("--news",)]:
            faults = replay(page, path, recording, *options)
            assert not faults, f"{options}: {faults}"
        # Refusals and lost connections are part of the recordings.
        page.expect("Failed to load resource", "ERR_", r"\b[45]\d\d\b")


for file in sorted(FOLDER.glob("*.json")):
    register(file)
