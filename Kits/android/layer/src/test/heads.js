// heads.js FILE: renders the drawn head of the web tests in all poses that the camera plays, as raw pixels: a line of JSON with the
// poses and sizes, then RGBA of one after the other.
const fs = require("fs");
const path = require("path");
require(path.join(__dirname, "../../../../../Tests/Web/head.js"));

const poses = [{}];
for (let value = -42; value <= 42; value += 7) if (value) poses.push({ yaw: value });
for (const value of [-29, -22, -15, -8, 8, 15, 22, 29]) poses.push({ pitch: value });
for (const value of [0.35, 0.7, 1]) poses.push({ blink: value });
for (const value of [0.25, 0.5, 0.75, 1]) poses.push({ mouth: value });

const index = [], parts = [];
for (const pose of poses) {
  const { width, height, data } = globalThis.MienHead.renderHead("ada", pose, 80);
  const [name, value] = Object.entries(pose)[0] ?? ["front", 0];
  index.push({ name, value, width, height });
  parts.push(Buffer.from(data.buffer));
}
fs.writeFileSync(process.argv[2], Buffer.concat([Buffer.from(JSON.stringify(index) + "\n"), ...parts]));
