"""The drawn people that the camera shows, rendered once by a browser and kept in .build/web."""

import base64
import hashlib
import json
import os
import pathlib

HERE = pathlib.Path(__file__).parent
SIZE = 80  # pixels of half a face's width as rendered; camera.js draws it at 95
POSES = ([("yaw", value) for value in range(-42, 43, 7) if value] + [("pitch", value) for value in (-29, -22, -15, -8, 8, 15, 22, 29)]
         + [("blink", value) for value in (0.35, 0.7, 1)] + [("mouth", value) for value in (0.25, 0.5, 0.75, 1)])
SKIN = {"ada": [226, 172, 142], "eve": [150, 98, 70]}
SHIRTS = {"ada": "#476a86", "eve": "#7c5a6b"}

RENDER = """
new Promise((done, failed) => {
  const work = %s, made = {};
  const address = URL.createObjectURL(new Blob([%s + `
    onmessage = async ({ data: [key, who, pose] }) => {
      const { width, height, data } = MienHead.renderHead(who, pose, %d), canvas = new OffscreenCanvas(width, height);
      canvas.getContext("2d").putImageData(new ImageData(data, width, height), 0, 0);
      const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/webp", quality: 0.92 })).arrayBuffer());
      let text = "";
      for (const byte of bytes) text += String.fromCharCode(byte);
      postMessage([key, btoa(text)]);
    };`], { type: "text/javascript" }));
  let left = work.length;
  for (let i = 0; i < 2; i++) {
    const worker = new Worker(address), next = () => { const job = work.shift(); if (job) worker.postMessage(job); else worker.terminate(); };
    worker.onmessage = ({ data: [key, picture] }) => { made[key] = picture; if (--left === 0) done(made); next(); };
    worker.onerror = (event) => failed(new Error(event.message));
    next();
  }
})"""


def heads(browser, folder, people=("ada",)):
    """What camera.js needs to draw these people."""
    source = (HERE / "head.js").read_text(encoding="utf-8")
    made = {}
    for who in people:
        key = hashlib.sha256(json.dumps([source, POSES, SIZE, who]).encode()).hexdigest()[:16]
        file = pathlib.Path(folder) / f"head-{who}-{key}.json"
        if not file.exists():
            work = [["front", who, {}]] + [[f"{name} {value}", who, {name: value}] for name, value in POSES]
            page = browser.page(size=None)
            try:
                page.goto("about:blank")
                pictures = page.js(RENDER % (json.dumps(work), json.dumps(source), SIZE))
            finally:
                page.close()
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(f".part{os.getpid()}")
            part.write_text(json.dumps(pictures), encoding="utf-8")
            part.rename(file)
        made[who] = json.loads(file.read_text(encoding="utf-8"))
    return {
        "people": made, "poses": [list(pose) for pose in POSES], "scale": SIZE / 95,
        "skin": SKIN, "shirt": SHIRTS}


def picture(path):
    """A file as camera.js takes it."""
    return base64.b64encode(pathlib.Path(path).read_bytes()).decode()
