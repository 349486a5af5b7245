// A camera that a test steers. It replaces getUserMedia before a document's own scripts run, draws people of head.js, and performs the actions that
// the page asks for, as a person does who reads them. `heads` holds rendered heads as pictures, `wanted` the first settings. A page that asks for the
// camera on the back (`facingMode: "environment"`) sees a table with a document instead.
const WIDTH = 640, HEIGHT = 480, RATE = 15;
const state = {
  who: "ada",         // a name in `heads`
  shows: "person",    // person | photo (a still picture in `pictures.photo`) | paper (a print of the person, held up) | recording | nobody
  obeys: true,        // performs what the page asks for
  yaw: 0, pitch: 0, blink: 0, mouth: 0, zoom: 1, x: 0, y: 0,
  sway: 1,            // 0 is a tripod in front of a statue
  dark: 0,            // 0...1
  lit: 0.3,           // how strongly the face reflects the color that fills the page; 0 is a recording of somebody else's room
  grain: true,        // false is for pictures of pages, which are smaller then
  refuses: null,      // the name of the error that getUserMedia ends with
  delay: 0,           // milliseconds until getUserMedia answers
  recording: null,    // an earlier session's poses, from `recorded`, to be sent again with its seed
  seed: Math.floor(Math.random() * 1e6), // the light of a session: with the same one, it is a replay of another
  table: { width: 1280, height: 960 }, // pixels of the camera on the back
  cards: {},          // documents as pictures, by name: see specimens.py
  card: null,         // the one that lies on the table, by name
  fill: 0.72,         // its width as a share of the picture's
  turn: 2,            // degrees
  cardX: 0.5, cardY: 0.5, // its center
  glare: false, blur: 0, second: null, // a reflection; pixels; another document
  tremble: 1,         // pixels by which a hand moves
  tilts: 0, shine: false, // degrees by which it turns to both sides; whether a lamp's reflection moves across it then
  ...wanted,
};
const pictures = {}, recorded = [], tracks = [];
let asked = null, askedAt = 0, lastTime = 0, began = 0, frames = 0, timer = 0;

const bitmap = async (base64) => createImageBitmap(new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]));
const ready = {};
const load = (who) => (ready[who] ??= (async () => {
  const made = {};
  await Promise.all(Object.entries(heads.people[who]).map(async ([pose, data]) => { made[pose] = await bitmap(data); }));
  pictures[who] = made;
})());
const loadPhoto = async () => { if (state.photo && !pictures.photo) pictures.photo = await bitmap(state.photo); };

// The action that the page asks for now, in words.
const ACTIONS = ["blink", "turn_left", "turn_right", "look_up", "look_down", "open_mouth", "come_closer"];
let looked = 0, seen = null;
const look = (time) => {
  if (time - looked < 60) return seen;
  looked = time;
  const word = __web.shown("[data-name]");
  return (seen = word?.textContent && ACTIONS.includes(word.dataset.name) ? word.dataset.name : null);
};

// Moves as MienTesting's LivenessActor does: 0.3 s after an instruction, at the speed of a person.
const move = (time) => {
  const dt = Math.min(0.2, (time - lastTime) / 1000);
  lastTime = time;
  const now = look(time);
  if (now !== asked) { asked = now; askedAt = time; }
  const since = (time - askedAt) / 1000 - 0.3, doing = since >= 0 ? asked : null;
  const approach = (key, target, speed) => { state[key] += Math.max(-speed * dt, Math.min(speed * dt, target - state[key])); };
  approach("yaw", doing === "turn_left" ? 42 : doing === "turn_right" ? -42 : 0, 90);
  approach("pitch", doing === "look_up" ? 29 : doing === "look_down" ? -29 : 0, 60);
  if (doing === "come_closer") approach("zoom", 1.52, 0.6);
  approach("mouth", doing === "open_mouth" ? 1 : 0, 3);
  // Closed for 0.3 s, every 1.2 s: slow enough for a busy machine that reads few pictures.
  state.blink = doing === "blink" ? Math.max(0, Math.min(1, (0.25 - Math.abs((since % 1.2) - 0.3)) / 0.1)) : 0;
};

const nearest = (key, value) => {
  const made = pictures[state.who], choices = heads.poses.filter(([name]) => name === key);
  const [, best] = choices.reduce((a, b) => (Math.abs(b[1] - value) < Math.abs(a[1] - value) ? b : a), ["", 0]);
  return best === 0 ? made.front : made[`${key} ${best}`];
};
const head = () => {
  const { yaw, pitch, blink, mouth } = state;
  const [key, share] = [["yaw", Math.abs(yaw) / 42], ["pitch", Math.abs(pitch) / 29], ["blink", blink], ["mouth", mouth]].reduce((a, b) => (b[1] > a[1] ? b : a));
  return share < 0.04 ? pictures[state.who].front : nearest(key, state[key]);
};

const canvas = document.createElement("canvas"), pen = canvas.getContext("2d", { alpha: false });
canvas.width = WIDTH; canvas.height = HEIGHT;
let noise = Math.floor(Math.random() * 4294967296);
const random = () => ((noise = (Math.imul(noise, 1664525) + 1013904223) >>> 0) / 4294967296);

const room = () => {
  const wall = pen.createLinearGradient(0, 0, WIDTH, HEIGHT);
  wall.addColorStop(0, "#c3cdd2"); wall.addColorStop(1, "#98a5ac");
  pen.fillStyle = wall; pen.fillRect(0, 0, WIDTH, HEIGHT);
  pen.fillStyle = "#d8d2c4"; pen.fillRect(40, 50, 96, 130); pen.fillStyle = "#8fb2a2"; pen.fillRect(50, 60, 76, 110);
  pen.fillStyle = "#7f8a86"; pen.fillRect(0, 430, WIDTH, 50);
};
const person = (sx, sy) => {
  const skin = heads.skin[state.who], k = state.zoom * 127, cx = WIDTH / 2 + state.x + sx, cy = HEIGHT / 2 + 6 + state.y + sy;
  const shade = (part) => `rgb(${skin.map((value) => Math.round(value * part)).join(" ")})`;
  pen.fillStyle = shade(0.62);
  pen.beginPath(); pen.moveTo(cx - 0.36 * k, cy + 0.4 * k); pen.lineTo(cx - 0.44 * k, cy + 1.6 * k); pen.lineTo(cx + 0.44 * k, cy + 1.6 * k); pen.lineTo(cx + 0.36 * k, cy + 0.4 * k); pen.fill();
  pen.fillStyle = heads.shirt[state.who];
  pen.beginPath(); pen.moveTo(cx - 1.75 * k, cy + 2.6 * k); pen.bezierCurveTo(cx - 1.6 * k, cy + 1.6 * k, cx - 0.9 * k, cy + 1.5 * k, cx - 0.42 * k, cy + 1.28 * k);
  pen.quadraticCurveTo(cx, cy + 1.62 * k, cx + 0.42 * k, cy + 1.28 * k); pen.bezierCurveTo(cx + 0.9 * k, cy + 1.5 * k, cx + 1.6 * k, cy + 1.6 * k, cx + 1.75 * k, cy + 2.6 * k); pen.fill();
  const picture = head(), scale = (k / 127) / heads.scale, width = picture.width * scale, height = picture.height * scale;
  pen.imageSmoothingQuality = "high";
  pen.drawImage(picture, cx - width / 2, cy - height / 2, width, height);
};

// Light and shade move over the room, differently in every session, as they do over a living face.
const unit = (index) => { let v = Math.imul(state.seed + 1, 2654435761) ^ Math.imul(index + 1, 40503); v = Math.imul(v ^ (v >>> 15), 2246822519); v = Math.imul(v ^ (v >>> 13), 3266489917); return ((v ^ (v >>> 16)) >>> 0) / 4294967296; };
const light = (t, cx, cy) => {
  for (let i = 0; i < 9; i++) {
    const a = unit(8 * i), b = unit(8 * i + 1), c = unit(8 * i + 2), r = (26 + 60 * unit(8 * i + 3)) * state.zoom;
    const x = cx + (a - 0.5) * 190 * state.zoom + 9 * Math.sin((0.5 + c) * t + 6 * b), y = cy + (b - 0.5) * 240 * state.zoom + 9 * Math.cos((0.4 + a) * t + 6 * c);
    const spot = pen.createRadialGradient(x, y, 0, x, y, r), tone = i % 2 ? "255 246 230" : "30 20 16", strength = 0.1 + 0.13 * unit(8 * i + 4);
    spot.addColorStop(0, `rgb(${tone} / ${strength})`); spot.addColorStop(1, `rgb(${tone} / 0)`);
    pen.fillStyle = spot; pen.fillRect(x - r, y - r, 2 * r, 2 * r);
  }
};

// The color that the page shows. The skin reflects it, most where it faces the screen: light is added as light, not as levels of sRGB.
const linear = Float32Array.from({ length: 256 }, (_, level) => { const s = level / 255; return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; });
const levels = Uint8ClampedArray.from({ length: 4096 }, (_, index) => { const v = index / 4095; return 255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055) + 0.5; });
const screenLight = (sx, sy) => {
  const color = __web.shown(".lit")?.style.getPropertyValue("--l");
  if (!color || !state.lit) return;
  const k = state.zoom * 127, cx = WIDTH / 2 + state.x + sx, cy = HEIGHT / 2 + 6 + state.y + sy;
  const light = [1, 3, 5].map((at, channel) => state.lit * linear[heads.skin[state.who][channel]] * linear[parseInt(color.slice(at, at + 2), 16)]);
  const left = Math.max(0, Math.round(cx - 0.85 * k)), top = Math.max(0, Math.round(cy - 1.2 * k));
  const width = Math.min(WIDTH, Math.round(cx + 0.85 * k)) - left, height = Math.min(HEIGHT, Math.round(cy + 1.2 * k)) - top;
  const picture = pen.getImageData(left, top, width, height), { data } = picture;
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++, i += 4) {
      const rest = 1 - ((left + x - cx) / (0.85 * k)) ** 2 - ((top + y - cy) / (1.2 * k)) ** 2;
      if (rest <= 0) continue;
      const facing = Math.sqrt(rest);
      for (let c = 0; c < 3; c++) data[i + c] = levels[Math.min(4095, Math.round(4095 * (linear[data[i + c]] + facing * light[c])))];
    }
  }
  pen.putImageData(picture, left, top);
};

// A table with a document, as the camera on the back sees it.
const table = document.createElement("canvas"), brush = table.getContext("2d", { alpha: false });
const documents = {};
const loadCards = () => Promise.all(Object.entries(state.cards).map(async ([name, data]) => { documents[name] ??= await bitmap(data); }));
const lay = (picture, x, y, width, turn) => {
  const height = (width * picture.height) / picture.width;
  brush.save(); brush.translate(x, y); brush.rotate((turn * Math.PI) / 180);
  brush.shadowColor = "rgb(0 0 0 / 45%)"; brush.shadowBlur = 18; brush.shadowOffsetY = 6;
  brush.imageSmoothingQuality = "high";
  brush.drawImage(picture, -width / 2, -height / 2, width, height);
  brush.restore();
};
// Turned about its vertical axis, in strips of a pixel or two. A mirror-like surface shows the lamp at another place for each angle.
const layTilted = (picture, x, y, width, degrees) => {
  const angle = (degrees * Math.PI) / 180, distance = 0.9 * table.width, strips = 600, height = (width * picture.height) / picture.width;
  const at = (u) => { const depth = distance + u * width * Math.sin(angle); return [x + (distance * u * width * Math.cos(angle)) / depth, distance / depth]; };
  brush.imageSmoothingQuality = "high";
  for (let k = 0; k < strips; k++) {
    const [left] = at(k / strips - 0.5), [right] = at((k + 1) / strips - 0.5), [, scale] = at((k + 0.5) / strips - 0.5);
    brush.drawImage(picture, (k / strips) * picture.width, 0, picture.width / strips, picture.height, left, y - (height * scale) / 2, right - left + 0.5, height * scale);
  }
  if (!state.shine) return;
  const [cx] = at((0.35 * degrees) / state.tilts), [left, near] = at(-0.5), [right, far] = at(0.5);
  brush.save();
  brush.beginPath(); brush.moveTo(left, y - (height * near) / 2); brush.lineTo(right, y - (height * far) / 2); brush.lineTo(right, y + (height * far) / 2);
  brush.lineTo(left, y + (height * near) / 2); brush.closePath(); brush.clip();
  brush.globalCompositeOperation = "lighter";
  const spot = brush.createRadialGradient(cx, y - height * 0.1, 0, cx, y - height * 0.1, width * 0.2);
  spot.addColorStop(0, "rgb(190 185 175)"); spot.addColorStop(1, "rgb(0 0 0)");
  brush.fillStyle = spot; brush.fillRect(0, 0, table.width, table.height);
  brush.restore();
};
const drawTable = () => {
  const { width, height } = table, t = performance.now() / 1000;
  const wood = brush.createLinearGradient(0, 0, width, height);
  wood.addColorStop(0, "#4a4038"); wood.addColorStop(1, "#3a322c");
  brush.fillStyle = wood; brush.fillRect(0, 0, width, height);
  const picture = documents[state.card], sx = state.tremble * Math.sin(2.1 * t), sy = state.tremble * Math.cos(1.7 * t);
  if (state.blur) brush.filter = `blur(${state.blur}px)`;
  if (picture && state.tilts) layTilted(picture, width * state.cardX + sx, height * state.cardY + sy, width * state.fill, state.tilts * Math.sin(0.9 * t));
  else if (picture) lay(picture, width * state.cardX + sx, height * state.cardY + sy, width * state.fill, state.turn);
  if (documents[state.second]) lay(documents[state.second], width * (1 - state.cardX), height * state.cardY, width * state.fill, state.turn);
  brush.filter = "none";
  if (picture && state.glare) {
    const spot = brush.createRadialGradient(width * 0.42, height * 0.46, width * 0.05, width * 0.42, height * 0.46, width * 0.15);
    spot.addColorStop(0, "#fff"); spot.addColorStop(1, "rgb(255 255 255 / 0)");
    brush.fillStyle = spot; brush.fillRect(0, 0, width, height);
  }
  if (state.dark) { brush.fillStyle = `rgb(0 0 0 / ${state.dark})`; brush.fillRect(0, 0, width, height); }
  if (state.grain) for (let i = 0; i < 400; i++) { brush.fillStyle = random() < 0.5 ? "rgb(255 255 255 / 5%)" : "rgb(0 0 0 / 5%)"; brush.fillRect(random() * width, random() * height, 2, 2); }
  // One pixel changes, so that frames never stop.
  brush.fillStyle = frames % 2 ? "#4a4038" : "#4b4139"; brush.fillRect(0, 0, 1, 1);
  frames++;
};

const draw = () => {
  const time = performance.now();
  let t = (time - began) / 1000;
  room();
  if (state.recording) {
    const pose = state.recording[Math.min(state.recording.length - 1, Math.floor(((time - began) / 1000) * RATE))];
    ({ t } = pose);
    Object.assign(state, pose.state);
  } else if (state.obeys && state.shows === "person") move(time);
  const sx = state.recording ? 0 : state.sway * (Math.sin(2.1 * t) + 0.5 * Math.sin(5.3 * t + 1)), sy = state.recording ? 0 : state.sway * (Math.sin(1.7 * t + 2) + 0.5 * Math.sin(4.7 * t));
  if (state.shows === "person" && pictures[state.who]) {
    person(sx, sy);
    light(t, WIDTH / 2 + state.x + sx, HEIGHT / 2 + state.y + sy);
    screenLight(sx, sy);
  }
  if (state.shows === "photo" && pictures.photo) {
    const photo = pictures.photo, fit = Math.min(WIDTH / photo.width, HEIGHT / photo.height) * (state.photoScale ?? 1);
    pen.drawImage(photo, WIDTH / 2 - photo.width * fit * (state.photoX ?? 0.5) + sx, HEIGHT / 2 - photo.height * fit * (state.photoY ?? 0.5) + sy, photo.width * fit, photo.height * fit);
  }
  if (state.dark) { pen.fillStyle = `rgb(0 0 0 / ${state.dark})`; pen.fillRect(0, 0, WIDTH, HEIGHT); }
  // A camera's grain, so that no two pictures are the same.
  if (state.grain && (state.shows !== "photo" || state.sway > 0)) for (let i = 0; i < 500; i++) { pen.fillStyle = random() < 0.5 ? "rgb(255 255 255 / 5%)" : "rgb(0 0 0 / 5%)"; pen.fillRect(random() * WIDTH, random() * HEIGHT, 2, 2); }
  if (began && recorded.length < RATE * 60) recorded.push({ t, state: { yaw: state.yaw, pitch: state.pitch, blink: state.blink, mouth: state.mouth, zoom: state.zoom, x: state.x + sx, y: state.y + sy } });
  frames++;
};

Object.defineProperty(globalThis, "__camera", { value: {
  state, recorded, asked: () => asked, frames: () => frames,
  set: async (changes) => { Object.assign(state, changes); if (state.photo) await loadPhoto(); await loadCards(); await load(state.who); },
  unplug: () => { for (const track of tracks) { track.stop(); track.dispatchEvent(new Event("ended")); } },
  live: () => tracks.filter((track) => track.readyState === "live").length,
} });

if (navigator.mediaDevices) {
  const about = { deviceId: "drawn", groupId: "drawn", kind: "videoinput", label: "Drawn camera", toJSON() { return { ...this }; } };
  const begin = (canvas, { width, height }, facingMode) => {
    const stream = canvas.captureStream(RATE), [track] = stream.getVideoTracks(), settings = track.getSettings.bind(track);
    tracks.push(track);
    track.getSettings = () => ({ ...settings(), width, height, frameRate: RATE, facingMode, deviceId: about.deviceId });
    Object.defineProperty(track, "label", { value: about.label });
    return stream;
  };
  MediaDevices.prototype.getUserMedia = async function ({ video } = {}) {
    if (state.delay) await new Promise((done) => setTimeout(done, state.delay));
    if (state.refuses) throw new DOMException("refused by the test", state.refuses);
    // One camera at a time, as on a phone.
    clearInterval(timer);
    if (video?.facingMode === "environment") {
      await loadCards();
      Object.assign(table, state.table);
      drawTable();
      timer = setInterval(drawTable, 1000 / RATE);
      return begin(table, state.table, "environment");
    }
    await Promise.all([load(state.who), loadPhoto()]);
    began = lastTime = performance.now();
    // Nobody sits twice in the same place.
    if (state.shows === "person" && !state.recording && wanted.zoom === undefined) Object.assign(state, { zoom: 0.92 + 0.14 * unit(90), x: 24 * (unit(91) - 0.5), y: 16 * (unit(92) - 0.5) });
    recorded.length = 0;
    timer = setInterval(draw, 1000 / RATE);
    draw();
    return begin(canvas, { width: WIDTH, height: HEIGHT }, "user");
  };
  MediaDevices.prototype.enumerateDevices = async () => (state.refuses === "NotFoundError" ? [] : [about]);
}
