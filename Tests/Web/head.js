// A drawn head with depth: shaped from ellipsoids, painted, lit, and rendered from any side. Nobody's face.
//
// Axes of the head: x to the right of the picture when the head is upright and frontal, y up, z toward the camera. The face is about 1.5 wide.

// The people that tests draw. `wide`, `jaw`, `nose`, `eyes` scale parts of the head.
const PEOPLE = {
  ada: { skin: [226, 172, 142], hair: [62, 40, 30], iris: [70, 100, 90], lips: [184, 92, 92], wide: 1, jaw: 1, nose: 1, eyes: 1, apart: 0.31, brow: 0.034, hairline: 0.78, length: 1.5 },
  eve: { skin: [150, 98, 70], hair: [18, 16, 18], iris: [52, 32, 20], lips: [128, 62, 60], wide: 1.1, jaw: 1.22, nose: 1.35, eyes: 0.84, apart: 0.345, brow: 0.06, hairline: 0.98, length: 0.25 },
};

const clamp = (value, low, high) => (value < low ? low : value > high ? high : value);
const mix = (a, b, share) => a + (b - a) * share;
// 0 below `low`, 1 above `high`, smooth between them.
const step = (low, high, value) => { const t = clamp((value - low) / (high - low), 0, 1); return t * t * (3 - 2 * t); };
const length = (x, y, z = 0) => Math.sqrt(x * x + y * y + z * z); // Math.hypot is slow.
// The distance of two shapes joined with a soft seam of width `k`.
const join = (a, b, k) => { const h = clamp(0.5 + (0.5 * (b - a)) / k, 0, 1); return mix(b, a, h) - k * h * (1 - h); };
const ellipsoid = (x, y, z, rx, ry, rz) => {
  const ax = x / rx, ay = y / ry, az = z / rz, k = Math.sqrt(ax * ax + ay * ay + az * az);
  const bx = ax / rx, by = ay / ry, bz = az / rz, slope = Math.sqrt(bx * bx + by * by + bz * bz);
  return slope < 1e-6 ? -Math.min(rx, ry, rz) : (k * (k - 1)) / slope;
};

// The distance from a point to the head's surface, about.
function distance(x, y, z, person, drop) {
  const side = Math.abs(x), w = person.wide, jaw = person.jaw, nose = person.nose;
  let d = ellipsoid(x, y - 0.42, z + 0.22, 0.8 * w, 0.9, 0.98);
  d = join(d, ellipsoid(x, y + 0.34 + 0.35 * drop, z - 0.06, 0.66 * w * mix(1, jaw, 0.5), 0.74, 0.64), 0.26);
  d = join(d, ellipsoid(x, y + 0.86 + drop, z - 0.42, 0.24 * jaw, 0.2, 0.2), 0.22);
  d = join(d, ellipsoid(side - 0.37 * w, y + 0.1, z - 0.44, 0.22, 0.22, 0.2), 0.24);
  d = join(d, ellipsoid(x, y - 0.33, z - 0.56, 0.52, 0.13, 0.17), 0.14);
  d = join(d, ellipsoid(x, y + 0.55, z - 0.5, 0.3, 0.22, 0.22), 0.16);
  // Far away, the details change nothing.
  if (d > 0.5) return d - 0.25;
  if (z < 0.3) return side > 0.5 ? join(d, ellipsoid(side - 0.8 * w, y - 0.05, z + 0.12, 0.07, 0.24, 0.13), 0.05) : d;
  // Sockets, with eyeballs in them.
  d = -join(-d, ellipsoid(side - person.apart, y - 0.12, z - 0.86, 0.19, 0.12, 0.17), 0.1);
  d = join(d, ellipsoid(side - person.apart, y - 0.12, z - 0.55, 0.18, 0.16, 0.165), 0.03);
  // Bridge, tip, and wings of the nose.
  d = join(d, ellipsoid(x, y + 0.02, z - 0.74 - 0.25 * (0.2 - y), 0.085 * nose, 0.36, 0.12), 0.09);
  d = join(d, ellipsoid(x, y + 0.24, z - 0.88, 0.125 * nose, 0.1, 0.13), 0.08);
  d = join(d, ellipsoid(side - 0.125 * nose, y + 0.27, z - 0.78, 0.075 * nose, 0.07, 0.1), 0.05);
  d = join(d, ellipsoid(x, y + 0.515, z - 0.7, 0.24, 0.045, 0.09), 0.05);
  d = join(d, ellipsoid(x, y + 0.63 + drop, z - 0.69 + 0.1 * drop, 0.2, 0.055, 0.09), 0.06);
  return d;
}

// The color of a point of the surface: red, green, and blue in `out`.
function paint(x, y, z, person, blink, drop, out) {
  const side = Math.abs(x);
  let [r, g, b] = person.skin;
  const color = (c, share) => { r = mix(r, c[0], share); g = mix(g, c[1], share); b = mix(b, c[2], share); };
  const dark = person.skin.map((v) => v * 0.52), line = person.hair.map((v) => v * 0.6);
  if (z > 0.1) {
    color([214, 96, 88], 0.22 * Math.exp(-((side - 0.42) ** 2 + (y + 0.2) ** 2) / 0.035));
    color([200, 100, 90], 0.12 * Math.exp(-(side ** 2 + (y + 0.26) ** 2) / 0.02));
    // Brows: thick toward the middle.
    const along = (side - 0.12) / 0.4, arch = 0.315 + 0.075 * Math.sin(clamp(along, 0, 1) * 2.5) - 0.02 * along;
    const thick = person.brow * (1.25 - 0.85 * clamp(along, 0, 1));
    color(person.hair, 0.85 * step(0, 0.1, along) * (1 - step(0.85, 1.05, along)) * (1 - step(thick * 0.7, thick * 1.5, Math.abs(y - arch))));
    // Eyes: an almond whose upper lid comes down.
    const u = (side - person.apart) / (0.165 * person.eyes), v = y - 0.12;
    if (Math.abs(u) < 1.4 && Math.abs(v) < 0.2) {
      const almond = Math.max(0, 1 - u * u), full = 0.092 * person.eyes * Math.pow(almond, 0.62), low = -0.058 * person.eyes * Math.pow(almond, 0.75);
      const high = mix(full, low + 0.006, blink), inside = Math.abs(u) < 1;
      if (inside) {
        const open = step(-0.004, 0.006, v - low) * step(-0.004, 0.006, high - v);
        const e = length(side - person.apart, v - 0.012), shade = 1 - 0.28 * step(0.03, 0, high - v);
        const white = [238 * shade, 234 * shade, 230 * shade];
        color(white, open);
        color(person.iris.map((c) => c * mix(1.15, 0.55, step(0.02, 0.078, e)) * shade), open * (1 - step(0.072, 0.082, e)));
        color([12, 10, 10], open * (1 - step(0.03, 0.037, e)));
        color([255, 255, 255], open * 0.9 * (1 - step(0.008, 0.016, length(x - (x < 0 ? -person.apart : person.apart) + 0.028, v - 0.045))));
        // The lid, and its crease.
        color(dark, (1 - open) * 0.28 * step(low, full, v) * (1 - step(full, full + 0.02, v)));
        color(line, 0.92 * (1 - step(0.009, 0.02, Math.abs(v - high - 0.008))));
        color(dark, 0.5 * (1 - step(0.004, 0.012, Math.abs(v - low))));
      }
      color(dark, 0.5 * (1 - step(0.006, 0.018, Math.abs(v - full - 0.045))) * (1 - step(0.7, 1.1, Math.abs(u))));
    }
    // Nostrils, the groove under the nose, and the lips with what is between them.
    color([58, 26, 22], 0.85 * (1 - step(0.6, 1.2, length((side - 0.075 * person.nose) / 0.045, (y + 0.33) / 0.024))));
    color(dark, 0.14 * (1 - step(0.01, 0.05, side)) * step(-0.47, -0.42, y) * (1 - step(-0.38, -0.34, y)));
    const m = x / 0.29, lip = Math.max(0, 1 - m * m);
    if (lip > 0) {
      const bow = 0.062 * Math.pow(lip, 0.6) - 0.014 * Math.exp(-(x * x) / 0.003);
      const under = -0.095 * Math.pow(lip, 0.7), middle = y + 0.565, gap = drop * Math.pow(lip, 0.5);
      const top = step(-0.004, 0.004, middle) * step(-0.006, 0.006, bow - middle), bottom = step(-0.006, 0.006, middle + gap - under) * step(-0.004, 0.004, -middle - gap);
      color(person.lips, top); color(person.lips.map((c) => Math.min(255, c * 1.1)), bottom);
      const within = step(-0.004, 0.004, -middle) * step(-0.004, 0.004, middle + gap);
      color([70, 18, 22], within);
      color([236, 230, 220], within * step(0, 0.01, drop) * step(-0.035, -0.02, middle) * (1 - step(0.1, 0.16, Math.abs(x))));
      color([72, 30, 30], 0.9 * (1 - step(0.006, 0.016, Math.abs(middle))) * (drop > 0.01 ? 0.4 : 1));
    }
  }
  // Hair: above a line across the forehead, and around the sides.
  const fringe = person.hairline - 0.16 * x * x - 0.1 * Math.sin(3 * x + 0.6) * (1 - side);
  const temple = 0.16 - 0.5 * (person.length > 1 ? 1 : 0.2);
  const strand = 0.86 + 0.14 * Math.sin(60 * Math.atan2(x, z + 0.3) + 9 * y);
  const share = Math.max(step(-0.025, 0.035, y - fringe), step(-0.03, 0.05, 0.16 - z - 0.12 * (y - 0.2)) * step(temple - 0.05, temple + 0.05, y) * (side < 0.735 * person.wide || y > 0.3 ? 1 : 0));
  color(person.hair.map((c) => c * strand), share);
  out[0] = r; out[1] = g; out[2] = b; out[3] = share;
}

/**
 * Renders a head with a transparent background.
 *
 * @param {string} name one of PEOPLE
 * @param {{yaw?: number, pitch?: number, blink?: number, mouth?: number}} pose degrees, the person's own left and up are positive; 0...1
 * @param {number} size pixels of half the face's width, before `zoom`
 * @returns {{width: number, height: number, data: Uint8ClampedArray}} RGBA, the head's middle in the middle
 */
function renderHead(name, { yaw = 0, pitch = 0, blink = 0, mouth = 0 } = {}, size = 95) {
  const person = PEOPLE[name], unit = size / 0.75, half = Math.ceil(1.25 * unit), tall = Math.ceil(1.55 * unit);
  const width = 2 * half, height = 2 * tall, data = new Uint8ClampedArray(4 * width * height);
  const a = (yaw * Math.PI) / 180, p = (pitch * Math.PI) / 180, ca = Math.cos(a), sa = Math.sin(a), cp = Math.cos(p), sp = Math.sin(p);
  const drop = 0.3 * mouth, out = [0, 0, 0, 0], far = 6.5;
  // From the camera's axes to the head's: undo the nod, then the turn.
  const turn = (x, y, z, to) => { const y1 = y * cp - z * sp, z1 = z * cp + y * sp; to[0] = x * ca - z1 * sa; to[1] = y1; to[2] = z1 * ca + x * sa; };
  const origin = [0, 0, 0], ray = [0, 0, 0], light = [0, 0, 0], fill = [0, 0, 0];
  turn(0, 0, far, origin);
  const unitVector = (x, y, z) => { const l = length(x, y, z); return [x / l, y / l, z / l]; };
  turn(...unitVector(-0.45, 0.55, 0.9), light); turn(...unitVector(0.8, 0.1, 0.5), fill);
  for (let row = 0; row < height; row++) {
    let before = -1;
    for (let column = 0; column < width; column++) {
      const px = (column + 0.5 - half) / unit, py = (tall - row - 0.5) / unit;
      if ((px / 1.22) ** 2 + (py / 1.52) ** 2 > 1) continue;
      const l0 = length(px, py, far); turn(px / l0, py / l0, -far / l0, ray);
      let t = before > 0 ? before - 0.22 : far - 1.5, d = 1, hit = false;
      // The last pixel's depth is a good start, unless this ray begins inside.
      if (before > 0 && distance(origin[0] + t * ray[0], origin[1] + t * ray[1], origin[2] + t * ray[2], person, drop) < 0.02) t = far - 1.5;
      for (let i = 0; i < 60 && t < far + 1.4; i++) {
        d = distance(origin[0] + t * ray[0], origin[1] + t * ray[1], origin[2] + t * ray[2], person, drop);
        if (d < 0.0025) { hit = true; break; }
        t += 0.82 * d;
      }
      if (!hit) { before = -1; continue; }
      before = t;
      const x = origin[0] + t * ray[0], y = origin[1] + t * ray[1], z = origin[2] + t * ray[2], e = 0.006;
      const here = d, nx = distance(x + e, y, z, person, drop) - here, ny = distance(x, y + e, z, person, drop) - here, nz = distance(x, y, z + e, person, drop) - here;
      const l = length(nx, ny, nz) || 1, key = (nx * light[0] + ny * light[1] + nz * light[2]) / l, soft = (nx * fill[0] + ny * fill[1] + nz * fill[2]) / l;
      const facing = -(nx * ray[0] + ny * ray[1] + nz * ray[2]) / l;
      paint(x, y, z, person, blink, drop, out);
      const bright = 0.42 + 0.5 * Math.max(0, key) + 0.14 * Math.max(0, soft) + 0.06 * Math.max(0, ny / l), shine = 26 * Math.pow(Math.max(0, key), 24) * (1 - out[3]) + 14 * Math.pow(Math.max(0, key), 10);
      const i = 4 * (row * width + column), warm = mix(0.85, 1, step(0, 0.5, facing));
      data[i] = out[0] * bright + shine; data[i + 1] = out[1] * bright * warm + shine; data[i + 2] = out[2] * bright * warm + shine;
      data[i + 3] = 255 * step(0.02, 0.22, facing);
    }
  }
  return { width, height, data };
}

globalThis.MienHead = { PEOPLE, renderHead };
