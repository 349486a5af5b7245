#!/usr/bin/env python3
"""Writes every file in this folder. Needs Pillow (made with 13.0, libjpeg-turbo 3.2): python3 make-vectors.py

PNG and GIF files are written byte by byte. Their expected contents are computed from the same samples, not by decoding, and
Pillow must agree. JPEG files are Pillow's, made of flat 8x8 blocks, so that their colors survive. No picture shows a person.
"""
import hashlib, io, json, pathlib, struct, zlib
from PIL import Image, ImageOps

HERE = pathlib.Path(__file__).parent
WIDTH, HEIGHT = 11, 9                                   # every Adam7 pass and every row filter occurs
expected = {}


def save(name, data, width, height, rgb):
    path = HERE / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    assert len(rgb) == 3 * width * height, name
    expected[name] = {"width": width, "height": height, "rgb": bytes(rgb).hex()}


def agree(name, tolerance=0):
    """Checks that Pillow decodes the computed picture, over white."""
    e = expected[name]
    image = ImageOps.exif_transpose(Image.open(HERE / name)).convert("RGBA")
    ground = Image.new("RGBA", image.size, "white")
    ours, theirs = bytes.fromhex(e["rgb"]), Image.alpha_composite(ground, image).convert("RGB").tobytes()
    assert image.size == (e["width"], e["height"]), name
    assert max(abs(a - b) for a, b in zip(ours, theirs)) <= tolerance, name


# --- PNG ----------------------------------------------------------------------------------------------------------------------

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def paeth(a, b, c):
    return min((a, b, c), key=lambda v: abs(a + b - c - v))     # ties go to the first, as specified


def filtered(rows, bytes_per_pixel):
    out, above = b"", bytes(len(rows[0]) if rows else 0)
    for y, row in enumerate(rows):
        kind, line = y % 5, bytearray()
        for i, value in enumerate(row):
            a = row[i - bytes_per_pixel] if i >= bytes_per_pixel else 0
            c = above[i - bytes_per_pixel] if i >= bytes_per_pixel else 0
            b = above[i]
            line.append((value - [0, a, b, (a + b) // 2, paeth(a, b, c)][kind]) & 255)
        out, above = out + bytes([kind]) + line, row
    return out


def packed(samples, depth):
    if depth == 16:
        return b"".join(struct.pack(">H", s) for s in samples)
    out, bits, count = bytearray(), 0, 0
    for s in samples:
        bits, count = bits << depth | s, count + depth
        if count == 8:
            out.append(bits)
            bits = count = 0
    return bytes(out) + (bytes([bits << 8 - count]) if count else b"")


ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def png(colour, depth, interlaced, pixel, before=b"", after=b""):
    """Returns a PNG file. `pixel(x, y)` returns a pixel's samples."""
    width = max(1, depth * len(pixel(0, 0)) // 8)
    stream = b""
    for x0, y0, dx, dy in ADAM7 if interlaced else [(0, 0, 1, 1)]:
        columns, rows = range(x0, WIDTH, dx), range(y0, HEIGHT, dy)
        lines = [packed([s for x in columns for s in pixel(x, y)], depth) for y in rows] if columns else []
        stream += filtered(lines, width)
    data = zlib.compress(stream, 9)
    half = len(data) // 2                               # two IDAT chunks
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, depth, colour, 0, 0, interlaced))
            + before + chunk(b"IDAT", data[:half]) + chunk(b"IDAT", data[half:]) + after + chunk(b"IEND", b""))


def over_white(rgb, alpha, top):
    """Returns samples of 0...top over white, as 8 bits."""
    return [int((s * alpha + top * (top - alpha)) / top * 255 / top + 0.5) for s in rgb]


def make_png(label, colour, depth, transparency):
    top = (1 << depth) - 1
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]

    def pixel(x, y):                                    # every sample value of a small depth occurs
        return [(x * (37 + 11 * i) * (257 if depth == 16 else 1) + y * (53 + 29 * i) + 5 * i) & top for i in range(channels)]

    palette = [((i * 97 + 20) % 256, (i * 57 + 90) % 256, (i * 31 + 200) % 256) for i in range(top + 1)]
    fades = [(i * 83) % 256 for i in range(min(top + 1, 7))]
    clear = pixel(3, 2)                                 # the color that tRNS makes transparent

    def shown(x, y):
        p = pixel(x, y)
        if colour == 3:
            alpha = fades[p[0]] if transparency and p[0] < len(fades) else 255
            return over_white(palette[p[0]], alpha, 255)
        alpha = p[-1] if colour in (4, 6) else 0 if transparency and p == clear else top
        rgb = p[:3] if colour in (2, 6) else [p[0]] * 3
        return over_white(rgb, alpha, top)

    extra = chunk(b"PLTE", bytes(v for c in palette for v in c)) if colour == 3 else b""
    if transparency:
        extra += chunk(b"tRNS", bytes(fades) if colour == 3 else b"".join(struct.pack(">H", s) for s in clear))
    rgb = [v for y in range(HEIGHT) for x in range(WIDTH) for v in shown(x, y)]
    for interlaced in (0, 1):
        name = f"PNG/{label}{depth}{'-trns' if transparency else ''}{'-interlaced' if interlaced else ''}.png"
        save(name, png(colour, depth, interlaced, pixel, extra), WIDTH, HEIGHT, rgb)
        # Pillow is not a reference for 16 bits (it clips) and tRNS of 2 and 4 bits (it compares scaled samples).
        if depth < 16 and not (transparency and colour == 0 and depth in (2, 4)):
            agree(name, 1 if colour in (3, 4, 6) else 0)


for label, colour, depths in [("grey", 0, (1, 2, 4, 8, 16)), ("rgb", 2, (8, 16)), ("palette", 3, (1, 2, 4, 8)),
                              ("grey-alpha", 4, (8, 16)), ("rgb-alpha", 6, (8, 16))]:
    for depth in depths:
        make_png(label, colour, depth, False)
        if colour in (0, 2, 3):
            make_png(label, colour, depth, True)


def colour_of(x, y):
    return [(x * 23) % 256, (y * 29) % 256, (x * y) % 256]


PLAIN = [v for y in range(HEIGHT) for x in range(WIDTH) for v in colour_of(x, y)]


def tiff(orientation, mark):
    """Returns the smallest EXIF: one directory, with another tag before the orientation."""
    e = "<" if mark == b"II" else ">"
    return (mark + struct.pack(e + "HIH", 42, 8, 2) + struct.pack(e + "HHIHH", 0x0103, 3, 1, 6, 0)
            + struct.pack(e + "HHIHH", 0x0112, 3, 1, orientation, 0) + struct.pack(e + "I", 0))


# Color profiles, gamma, and text are ignored.
noise = chunk(b"gAMA", struct.pack(">I", 100000)) + chunk(b"bKGD", bytes(6)) + chunk(b"tEXt", b"Comment\0nothing") \
    + chunk(b"iCCP", b"x\0\0" + zlib.compress(bytes(100))) + chunk(b"prVt", b"private")
save("PNG/ancillary.png", png(2, 8, 0, colour_of, noise), WIDTH, HEIGHT, PLAIN)

# The upright picture is stored rotated by 90 degrees counterclockwise; eXIf requests the rotation back.
turned = Image.frombytes("RGB", (WIDTH, HEIGHT), bytes(PLAIN)).transpose(Image.Transpose.ROTATE_270)
save("PNG/exif-6.png", png(2, 8, 0, colour_of, b"", chunk(b"eXIf", tiff(6, b"MM"))), HEIGHT, WIDTH, turned.tobytes())
agree("PNG/exif-6.png")


# --- JPEG ---------------------------------------------------------------------------------------------------------------------

BLOCKS = [[(200, 30, 40), (30, 170, 60), (40, 60, 210)], [(240, 240, 230), (20, 20, 25), (220, 200, 50)]]   # asymmetrical
UPRIGHT = Image.new("RGB", (24, 16))
for row, line in enumerate(BLOCKS):
    for column, colour in enumerate(line):
        UPRIGHT.paste(colour, (8 * column, 8 * row, 8 * column + 8, 8 * row + 8))
BEST = dict(quality=97, subsampling=0)


def jpeg(image, **options):
    out = io.BytesIO()
    image.save(out, "JPEG", **{**BEST, **options})
    return out.getvalue()


def save_jpeg(name, data, image):
    save(name, data, *image.size, image.convert("RGB").tobytes())


save_jpeg("JPEG/colour.jpg", jpeg(UPRIGHT), UPRIGHT)
save_jpeg("JPEG/optimised.jpg", jpeg(UPRIGHT, optimize=True), UPRIGHT)
save_jpeg("JPEG/progressive.jpg", jpeg(UPRIGHT, progressive=True), UPRIGHT)
save_jpeg("JPEG/restarts.jpg", jpeg(UPRIGHT, restart_marker_blocks=2), UPRIGHT)
save_jpeg("JPEG/rgb.jpg", jpeg(UPRIGHT, keep_rgb=True), UPRIGHT)
tones = Image.new("RGB", (37, 21))                      # 4:2:0 smears color, so there is only one, in six brightnesses
for y in range(21):
    for x in range(37):
        tones.putpixel((x, y), tuple(v + 20 * (x // 8 + y // 8) for v in (70, 20, 40)))
save_jpeg("JPEG/subsampled.jpg", jpeg(tones, subsampling=2), tones)
grey = UPRIGHT.convert("L")
save_jpeg("JPEG/grey.jpg", jpeg(grey), grey)
save_jpeg("JPEG/grey-progressive.jpg", jpeg(grey, progressive=True), grey)

INKS = [[(0, 0, 0, 0), (255, 0, 0, 0), (0, 255, 0, 64)], [(0, 0, 255, 128), (90, 160, 20, 30), (0, 0, 0, 255)]]
CMYK = Image.new("CMYK", (24, 16))
for row, line in enumerate(INKS):
    for column, ink in enumerate(line):
        CMYK.paste(ink, (8 * column, 8 * row, 8 * column + 8, 8 * row + 8))


def pixels(image):
    data = image.tobytes()
    return [data[i:i + 4] for i in range(0, len(data), 4)]


PRINTED = Image.frombytes("RGB", CMYK.size, bytes(
    int((255 - ink) * (255 - k) / 255 + 0.5) for *cmy, k in pixels(CMYK) for ink in cmy))


def without_adobe(data):
    at = data.index(b"\xff\xee")
    return data[:at] + data[at + 2 + struct.unpack(">H", data[at + 2:at + 4])[0]:]


def as_ycck(data):
    at = data.index(b"Adobe") + 11
    assert data[at] == 0
    return data[:at] + b"\x02" + data[at + 1:]


def full_range_ycc(r, g, b):
    return [0.299 * r + 0.587 * g + 0.114 * b, 128 - 0.168736 * r - 0.331264 * g + 0.5 * b, 128 + 0.5 * r - 0.418688 * g - 0.081312 * b]


# Pillow stores CMYK inverted, as Adobe does. YCCK stores the inks' YCC and, inverted, the black.
save_jpeg("JPEG/cmyk-adobe.jpg", jpeg(CMYK), PRINTED)
inverted = Image.frombytes("CMYK", CMYK.size, bytes(255 - v for v in CMYK.tobytes()))
save_jpeg("JPEG/cmyk-plain.jpg", without_adobe(jpeg(inverted)), PRINTED)
ycck = Image.frombytes("CMYK", CMYK.size, bytes(
    v for *cmy, k in pixels(CMYK) for v in [255 - min(255, max(0, round(c))) for c in full_range_ycc(*cmy)] + [k]))
save_jpeg("JPEG/ycck-adobe.jpg", as_ycck(jpeg(ycck)), PRINTED)

# Stored so that each orientation's transformation turns the picture upright.
T = Image.Transpose
UNDO = {1: None, 2: T.FLIP_LEFT_RIGHT, 3: T.ROTATE_180, 4: T.FLIP_TOP_BOTTOM, 5: T.TRANSPOSE, 6: T.ROTATE_90, 7: T.TRANSVERSE, 8: T.ROTATE_270}
for orientation, undo in UNDO.items():
    stored = UPRIGHT.transpose(undo) if undo is not None else UPRIGHT
    exif = tiff(orientation, b"II" if orientation % 2 else b"MM")
    save_jpeg(f"JPEG/exif-{orientation}.jpg", jpeg(stored, exif=b"Exif\0\0" + exif), UPRIGHT)
    (HERE / "EXIF").mkdir(exist_ok=True)
    (HERE / "EXIF" / f"{orientation}.tiff").write_bytes(exif)
for name in [n for n in expected if n.startswith("JPEG/")]:
    agree(name, 255 if "plain" in name else 6)      # Pillow does not invert without the Adobe mark


# --- GIF ----------------------------------------------------------------------------------------------------------------------

def lzw(indices, bits):
    clear, out, held, count = 1 << bits, bytearray(), 0, 0

    def put(code, size):
        nonlocal held, count
        held, count = held | code << count, count + size
        while count >= 8:
            out.append(held & 255)
            held, count = held >> 8, count - 8

    table = {(i,): i for i in range(clear)}
    fresh, size, run = clear + 2, bits + 1, ()
    put(clear, size)
    for i in indices:
        if run + (i,) in table:
            run += (i,)
            continue
        put(table[run], size)
        if fresh < 4096:
            table[run + (i,)] = fresh
            size += fresh == 1 << size
            fresh += 1
        else:
            put(clear, size)
            table, fresh, size = {(i,): i for i in range(clear)}, clear + 2, bits + 1
        run = (i,)
    put(table[run], size)
    size += fresh == 1 << size and size < 12 and fresh < 4096
    put(clear + 1, size)
    if count:
        out.append(held & 255)
    return bytes([bits]) + b"".join(bytes([len(out[i:i + 255])]) + out[i:i + 255] for i in range(0, len(out), 255)) + b"\0"


def colours(bits, shift=0):
    return [((i * 61 + 10 + shift) % 256, (i * 101 + 70) % 256, (i * 37 + 120) % 256) for i in range(1 << bits)]


def table(palette):
    return bytes(v for c in palette for v in c)


def frame(left, top, width, height, index, bits, interlaced=False, local=None):
    rows = [*range(0, height, 8), *range(4, height, 8), *range(2, height, 4), *range(1, height, 2)] if interlaced else range(height)
    flags = (0x40 if interlaced else 0) | (0x80 | bits - 1 if local else 0)
    pixels = [index(x, y) for y in rows for x in range(width)]
    return struct.pack("<BHHHHB", 0x2C, left, top, width, height, flags) + (table(local) if local else b"") + lzw(pixels, max(2, bits))


def gif(width, height, bits, *parts, version=b"89a", palette=True):
    flags = 0x80 | 0x70 | bits - 1 if palette else 0x70
    return b"GIF" + version + struct.pack("<HHBBB", width, height, flags, 1, 0) + (table(colours(bits)) if palette else b"") \
        + b"".join(parts) + b";"


def control(transparent):
    return struct.pack("<BBBBHBB", 0x21, 0xF9, 4, 1, 0, transparent, 0)


def painted(width, height, bits, left=0, top=0, fw=None, fh=None, index=None, transparent=None, palette=None):
    palette, out = palette or colours(bits), []
    for y in range(height):
        for x in range(width):
            inside = left <= x < left + (fw or width) and top <= y < top + (fh or height)
            i = index(x - left, y - top) if inside else transparent
            out += (255, 255, 255) if not inside or i == transparent else palette[i]
    return out


def pattern(bits):
    return lambda x, y: (x * 3 + y * 5 + x * y) % (1 << bits)


COMMENT = b"\x21\xFE\x07nothing\0"
for bits in (1, 2, 4, 8):
    save(f"GIF/colours{1 << bits}.gif", gif(11, 9, bits, frame(0, 0, 11, 9, pattern(bits), bits), version=b"87a"), 11, 9,
         painted(11, 9, bits, index=pattern(bits)))
save("GIF/interlaced.gif", gif(11, 19, 4, COMMENT, frame(0, 0, 11, 19, pattern(4), 4, interlaced=True)), 11, 19,
     painted(11, 19, 4, index=pattern(4)))
save("GIF/transparent.gif", gif(11, 9, 3, control(5), frame(0, 0, 11, 9, pattern(3), 3)), 11, 9,
     painted(11, 9, 3, index=pattern(3), transparent=5))
save("GIF/offset.gif", gif(13, 10, 3, control(2), frame(4, 3, 6, 5, pattern(3), 3)), 13, 10,
     painted(13, 10, 3, 4, 3, 6, 5, pattern(3), 2))
save("GIF/beyond-screen.gif", gif(13, 10, 3, frame(9, 7, 9, 8, pattern(3), 3)), 13, 10, painted(13, 10, 3, 9, 7, 9, 8, pattern(3)))
save("GIF/local-palette.gif", gif(11, 9, 3, frame(0, 0, 11, 9, pattern(3), 3, local=colours(3, 77)), palette=False), 11, 9,
     painted(11, 9, 3, index=pattern(3), palette=colours(3, 77)))
save("GIF/animated.gif", gif(11, 9, 3, control(200), frame(0, 0, 11, 9, pattern(3), 3), control(1), frame(2, 2, 5, 5, lambda x, y: 7, 3)),
     11, 9, painted(11, 9, 3, index=pattern(3)))


def scattered(x, y):
    return (x * x * 31 + y * y * 17 + x * y * 7 + (x ^ y)) % 251 % 64


save("GIF/full-table.gif", gif(90, 80, 6, frame(0, 0, 90, 80, scattered, 6)), 90, 80, painted(90, 80, 6, index=scattered))
for name in [n for n in expected if n.startswith("GIF/") and "beyond" not in n]:   # Pillow widens the screen for these
    agree(name)

(HERE / "expected.json").write_text("{\n" + ",\n".join(f"{json.dumps(n)}: {json.dumps(e)}" for n, e in sorted(expected.items())) + "\n}\n")
files = sorted(p for p in HERE.rglob("*") if p.is_file() and p.suffix in (".png", ".jpg", ".gif", ".tiff", ".json"))
(HERE / "SHA256SUMS").write_text("".join(f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.relative_to(HERE)}\n" for p in files))
print(len(expected), "pictures")
