// Draws specimens of identity documents, in millimeters: paper with fine lines, fields, a portrait, and a machine-readable zone in OCR-B. `outlines` is
// the text of scripts/specimens/outlines.txt.
globalThis.MienSpecimen = (outlines) => {
  const fonts = {};
  for (const line of outlines.split("\n").filter(Boolean)) {
    const [font, code, advance, ...rest] = line.split(" ");
    (fonts[font] ??= {})[String.fromCodePoint(Number(code))] = {
      advance: Number(advance), contours: rest.join(" ").split("/").map((part) => part.trim().split(" ").filter(Boolean).map((pair) => pair.split(",").map(Number))) };
  }
  const MM = 300 / 25.4;

  return (spec, portrait) => {
    const [width, height] = spec.size, canvas = new OffscreenCanvas(Math.round(width * MM), Math.round(height * MM)), pen = canvas.getContext("2d", { alpha: false });
    const paper = pen.createLinearGradient(0, 0, canvas.width, canvas.height);
    paper.addColorStop(0, spec.paper[0]); paper.addColorStop(1, spec.paper[1]);
    pen.fillStyle = paper; pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.strokeStyle = spec.lines; pen.lineWidth = 1.3;
    for (let y = -20; y < canvas.height + 20; y += 13) {
      pen.beginPath();
      for (let x = 0; x <= canvas.width; x += 8) pen.lineTo(x, y + 11 * Math.sin(x / 90 + y / 200));
      pen.stroke();
    }
    const write = (text, x, y, size, font = "sans", pitch = 0, ink = "#19191e") => {
      let at = x * MM;
      pen.fillStyle = ink; pen.beginPath();
      const scale = (size * MM) / 1000;
      for (const letter of text) {
        const glyph = fonts[font][letter];
        for (const contour of glyph?.contours ?? []) {
          contour.forEach(([gx, gy], k) => pen[k ? "lineTo" : "moveTo"](at + gx * scale, y * MM - gy * scale));
          pen.closePath();
        }
        at += pitch ? pitch * MM : (glyph?.advance ?? 300) * scale;
      }
      pen.fill("evenodd");
    };
    for (const [text, x, y, size] of spec.labels) write(text, x, y, size, "sans", 0, "#283c78");
    for (const [text, x, y, size] of spec.texts) write(text, x, y, size);
    (spec.zone ?? []).forEach((line, k) => write(line, spec.zoneAt[0], spec.zoneAt[1] + 4.233 * k, 3.52, "ocrb", 2.54));
    if (spec.portrait) {
      const [x, y, w, h] = spec.portrait.map((value) => value * MM);
      pen.fillStyle = "#d9dee2"; pen.fillRect(x, y, w, h);
      if (portrait) {
        pen.save(); pen.beginPath(); pen.rect(x, y, w, h); pen.clip();
        // Head and shoulders, as on a passport photo.
        const scale = (0.62 * w) / (portrait.width * 0.62), pw = portrait.width * scale * 0.95, ph = portrait.height * scale * 0.95, cx = x + w / 2, cy = y + h * 0.47;
        pen.fillStyle = spec.shirt; pen.beginPath(); pen.ellipse(cx, y + h * 1.08, w * 0.5, h * 0.27, 0, 0, 7); pen.fill();
        pen.fillStyle = spec.skin; pen.fillRect(cx - w * 0.11, cy + h * 0.12, w * 0.22, h * 0.3);
        pen.imageSmoothingQuality = "high";
        pen.drawImage(portrait, cx - pw / 2, cy - ph / 2, pw, ph);
        pen.restore();
      }
    }
    return canvas;
  };
};
