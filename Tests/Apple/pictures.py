#!/usr/bin/env python3
"""Tests/Apple/pictures.py: draws what the camera of the tests sees, once: both sides of an invented identity card on a table, and its owner.

Run it with the Python of scripts/test-web (.build/web-venv/bin/python). The card expires in 2035; draw a new one before. Nobody in these pictures exists.
"""

import base64
import datetime
import json
import pathlib
import sys
import types

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "Web"))

import browser  # noqa: E402
import heads  # noqa: E402
import specimens  # noqa: E402

# Made at the beginning of 2031 by its dates, so that it is valid from 2025 to 2035.
specimens.datetime = types.SimpleNamespace(date=type("date", (datetime.date,), {"today": classmethod(lambda day: datetime.date(2031, 1, 1))}))

DRAW = """
(async () => {
  const load = (text) => createImageBitmap(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
  const canvas = new OffscreenCanvas(%(width)d, %(height)d), pen = canvas.getContext("2d", { alpha: false }), W = canvas.width, H = canvas.height;
  const wall = pen.createLinearGradient(0, 0, W, H), picture = await load("%(picture)s");
  wall.addColorStop(0, "%(from)s"); wall.addColorStop(1, "%(to)s"); pen.fillStyle = wall; pen.fillRect(0, 0, W, H);
  pen.imageSmoothingQuality = "high";
  if (%(card)s) {
    const w = 0.72 * W, h = w * picture.height / picture.width;
    pen.translate(W / 2, H / 2); pen.rotate(0.03); pen.drawImage(picture, -w / 2, -h / 2, w, h);
  } else {
    const k = H * 127 / 480, cx = W / 2, cy = H / 2, scale = k / 127 / %(scale)f;
    pen.fillStyle = "%(skin)s"; pen.fillRect(cx - 0.4 * k, cy + 0.4 * k, 0.8 * k, 1.3 * k);
    pen.fillStyle = "#476a86"; pen.beginPath(); pen.ellipse(cx, cy + 2.5 * k, 1.75 * k, 1.2 * k, 0, 0, 7); pen.fill();
    const x = (%(sway)f ? 3 : 0) * Math.sin(%(sway)f), y = 2 * Math.cos(1.7 * %(sway)f);
    pen.drawImage(picture, cx + x - picture.width * scale / 2, cy + y - picture.height * scale / 2, picture.width * scale, picture.height * scale);
    // Light and shade move, and a sensor is never quiet.
    for (let i = 0; i < 9 && %(sway)f; i++) {
      const sx = cx + 90 * Math.sin(2.4 * i + 0.9 * %(sway)f), sy = cy + 110 * Math.cos(1.9 * i + 0.7 * %(sway)f);
      const spot = pen.createRadialGradient(sx, sy, 0, sx, sy, 60);
      spot.addColorStop(0, i %% 2 ? "rgb(255 246 230 / 0.16)" : "rgb(30 20 16 / 0.16)"); spot.addColorStop(1, "rgb(0 0 0 / 0)");
      pen.fillStyle = spot; pen.fillRect(sx - 60, sy - 60, 120, 120);
    }
    if (%(sway)f) {
      const pixels = pen.getImageData(0, 0, W, H);
      for (let i = 0; i < pixels.data.length; i++) if (i %% 4 !== 3) pixels.data[i] += Math.round(8 * (Math.random() - 0.5));
      pen.putImageData(pixels, 0, 0);
    }
  }
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/jpeg", quality: %(quality)f })).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
})()"""


def main():
    folder = HERE / "Pictures"
    folder.mkdir(exist_ok=True)
    chromium = browser.Chromium()
    try:
        drawn = heads.heads(chromium, HERE.parent.parent / ".build/web", ("ada",))
        world = types.SimpleNamespace(chromium=chromium, heads=lambda who: drawn)

        def draw(name, picture, size, **more):
            page = chromium.page(size=None)
            try:
                page.goto("about:blank")
                text = page.js(DRAW % {"width": size, "height": size * 3 // 4, "picture": picture, "quality": 0.85, "card": "true", "from": "#5f6a63",
                                       "to": "#4b5550", "scale": drawn["scale"], "skin": "rgb(140 107 88)", "sway": 0, **more})
            finally:
                page.close()
            (folder / f"{name}{'-%d' % more['sway'] if more.get('sway') else ''}-{size}.jpg").write_bytes(base64.b64decode(text))

        for name in ("card_front", "card_back"):
            picture = specimens.specimen(world, HERE.parent.parent / ".build/web", name)
            for size in (1280, 2048):
                draw(name, picture, size)
        face = json.loads(json.dumps(drawn["people"]["ada"]["front"]))
        for size in (640, 1280):
            draw("owner", face, size, **{"card": "false", "from": "#c3cdd2", "to": "#98a5ac"})
        for number in range(1, 41):
            draw("owner", face, 640, **{"card": "false", "from": "#c3cdd2", "to": "#98a5ac", "sway": number, "quality": 0.6})
    finally:
        chromium.close()


if __name__ == "__main__":
    main()
