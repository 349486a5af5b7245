"""measure.py: the figures of the capture page: bytes, first paint, and the time from a frame to its guidance while five people are in front of their
cameras, one in a browser and four played by this program, at ten frames a second each. The server runs every network, as it does by default.
"""

import base64
import os
import pathlib
import sys
import threading
import time

import server
import testing
from scenes import PASSWORD, Site, app, begin_registration, start_camera
from server import Run

sys.path.insert(0, str(server.REPOSITORY / "Examples" / "LiveCapture"))
import live_capture  # noqa: E402

PEOPLE, RATE, CAPTURES = 4, 10, 4


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def frames(page, count=40):
    """Pictures of the drawn person, as the page encodes them."""
    made = page.js(f"""(async () => {{
      const video = document.createElement("video"), made = [], canvas = new OffscreenCanvas(640, 480), pen = canvas.getContext("2d");
      video.srcObject = await navigator.mediaDevices.getUserMedia({{ video: true }});
      video.muted = true;
      await video.play();
      for (let i = 0; i < {count}; i++) {{
        await new Promise((done) => setTimeout(done, 60));
        pen.drawImage(video, 0, 0);
        const bytes = new Uint8Array(await (await canvas.convertToBlob({{ type: "image/jpeg", quality: 0.85 }})).arrayBuffer());
        made.push(btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")));
      }}
      return made;
    }})()""")
    return [base64.b64decode(picture) for picture in made]


class Person(threading.Thread):
    """Sends frames until it is told to stop, in one capture after another."""

    def __init__(self, mien, app_id, user, pictures, offset):
        super().__init__(daemon=True)
        self.mien, self.app, self.user, self.pictures, self.offset = mien, app_id, user, pictures, offset
        self.stopping, self.times, self.fault = False, [], None

    def run(self):
        try:
            time.sleep(self.offset)
            while not self.stopping:
                run = Run(self.mien, "face-login", self.app)
                run.respond("face", {"user_identifier": self.user})
                capture = live_capture.Capture(self.mien.address, run.start_token)
                due, at = time.monotonic(), 0
                while not self.stopping and capture.answer["status"] == "open":
                    time.sleep(max(0, due - time.monotonic()))
                    taken = []
                    while due <= time.monotonic():
                        taken.append((capture.elapsed - int((time.monotonic() - due) * 1000), self.pictures[at % len(self.pictures)]))
                        due, at = due + 1 / RATE, at + 1
                    begun = time.monotonic()
                    capture.push(taken[-8:])
                    self.times.append((time.monotonic() - begun) * 1000)
        except Exception as error:
            self.fault = error


def main():
    world = testing.World()
    try:
        # The network against prints and screens runs, but refuses nobody: it calls drawn heads no faces.
        mien, site = world.server(FACE_PRESENTATION="observe"), Site()
        print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the first capture")
        app_id = app(mien, "liveness_active")
        page = world.page()
        run, link = begin_registration(mien, site, app_id)
        page.goto(link)
        page.find(".main")
        sizes = page.js("""[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].map((e) => [new URL(e.name).pathname, e.transferSize, e.encodedBodySize])""")
        for name, sent, body in sizes:
            print(f"  {sent:7d} {name}")
        print(f"capture page: {sum(sent for _, sent, _ in sizes) / 1000:.1f} kB in {len(sizes)} requests")
        print(f"first paint: {page.js('performance.getEntriesByName(`first-contentful-paint`)[0].startTime'):.0f} ms")
        for number in range(PEOPLE):
            mien.user(f"load{number}", PASSWORD)
        pictures = frames(page)
        page.close()
        people = [Person(mien, app_id, f"load{number}", pictures, number / RATE / PEOPLE) for number in range(PEOPLE)]
        times, alone = [], []
        for number in range(1 + CAPTURES):
            if number == 1:
                for person in people:
                    person.start()
                time.sleep(2)
            run, link = begin_registration(mien, site, app_id)
            page = world.page()
            page.goto(link)
            page.find(".main")
            page.js("performance.setResourceTimingBufferSize(5000), globalThis.__times = [], new PerformanceObserver((list) => { for (const e of list.getEntries()) if (e.name.endsWith('/v1/capture/frames')) __times.push(e.duration); sessionStorage.setItem('times', JSON.stringify(__times)); }).observe({ type: 'resource', buffered: true })")
            start_camera(page)
            page.wait("location.pathname === '/verified' || (!__web.shown('.stage') && !!__web.shown('.main'))", 60)
            page.goto(f"{mien.address}/verify")
            (alone if number == 0 else times).extend(page.js("JSON.parse(sessionStorage.getItem('times') ?? '[]')"))
            page.close()
        for person in people:
            person.stopping = True
        for person in people:
            person.join(30)
            if person.fault:
                print(f"  a played person stopped: {person.fault}")
        print(f"load {os.getloadavg()[0]:.1f} after the last one")
        others = [value for person in people for value in person.times]
        for name, values in [("alone", alone), (f"with {PEOPLE} others", times), ("the others", others)]:
            print(f"guidance round trip, {name}: p50 {percentile(values, 0.5):.0f} ms, p95 {percentile(values, 0.95):.0f} ms, {len(values)} requests")
    finally:
        world.close()


if __name__ == "__main__":
    main()
