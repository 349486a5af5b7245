"""Drawn identity documents of an invented person, rendered once by a browser and kept in .build/web. Their portraits are those of heads.py."""

import base64
import datetime
import hashlib
import json
import os
import pathlib

import heads

HERE = pathlib.Path(__file__).parent
OUTLINES = HERE.parent.parent / "scripts" / "specimens" / "outlines.txt"
SIZES = {"td1": (85.6, 54), "td3": (125, 88)}
ISSUERS = {"AT": "AUT", "ES": "ESP"}
FAMILY, GIVEN = "TOVMAR", "ADA LIZO"


def digit(text):
    """The check digit of a field: ICAO Doc 9303 part 3."""
    values = [0 if letter == "<" else int(letter, 36) for letter in text]
    return str(sum(value * (7, 3, 1)[place % 3] for place, value in enumerate(values)) % 10)


def zone(kind, issuer, number, birth, expiry):
    """The lines of the machine-readable zone."""
    names = f"{FAMILY}<<{GIVEN.replace(' ', '<')}"
    dates = birth + digit(birth) + "F" + expiry + digit(expiry)
    head, checked = number.ljust(9, "<") + digit(number.ljust(9, "<")), dates[:7] + dates[8:]
    if kind == "td1":
        return ["ID" + issuer + head + 15 * "<", dates + issuer + 11 * "<" + digit(head + 15 * "<" + checked + 11 * "<"), names.ljust(30, "<")]
    return [("P<" + issuer + names).ljust(44, "<"), head + issuer + dates + 15 * "<" + digit(head + checked + 15 * "<")]


def document(name, country="AT", expired=False, number="TK4802917", who="ada"):
    """What specimen.js draws: a passport's page, or one side of an identity card."""
    today = datetime.date.today()
    expiry = datetime.date(today.year + (-2 if expired else 4), 5, 17)
    birth = datetime.date(1988, 3, 9)
    short = lambda date: date.strftime("%y%m%d")
    printed = lambda date: date.strftime("%d.%m.%Y")
    kind = "td3" if name == "passport" else "td1"
    about = {"size": SIZES[kind], "paper": ["#dfe9e4", "#e6dfcf"], "lines": "rgb(70 110 110 / 20%)", "labels": [], "texts": [], "who": who,
             "skin": f"rgb({' '.join(str(round(value * 0.7)) for value in heads.SKIN[who])})", "shirt": heads.SHIRTS[who]}

    def field(label, value, x, y, size=3.0):
        about["labels"].append([label, x, y, 1.7])
        about["texts"].append([value, x, y + size * 1.12, size])

    lines = zone(kind, ISSUERS[country], number, short(birth), short(expiry))
    if name == "passport":
        about.update(portrait=[5, 14, 35, 45], zone=lines, zoneAt=[6.6, 75.6])
        about["labels"].append(["SPECIMEN   PASSPORT", 5, 8, 4])
        rows = [("Surname", FAMILY), ("Given names", GIVEN), ("Nationality", ISSUERS[country]), ("Date of birth", printed(birth)),
                ("Date of issue", printed(expiry.replace(year=expiry.year - 10))), ("Date of expiry", printed(expiry))]
        for row, (label, value) in enumerate(rows):
            field(label, value, 44, 16 + 7.7 * row, 3.4)
        field("Number", number, 88, 6, 3.4)
        field("Sex", "F", 88, 16 + 7.7 * 3, 3.4)
    elif name == "card_front":
        about.update(portrait=[4, 12, 24, 31])
        about["labels"].append(["SPECIMEN   IDENTITY CARD", 4, 7, 3.4])
        rows = [("Surname", FAMILY), ("Given names", GIVEN), ("Date of birth", printed(birth)), ("Date of expiry", printed(expiry))]
        for row, (label, value) in enumerate(rows):
            field(label, value, 32, 14 + 8.4 * row)
        field("Number", number, 60, 14 + 8.4 * 2)
        field("Sex", "F", 60, 14 + 8.4 * 3)
    else:
        about.update(zone=lines, zoneAt=[4.7, 37.6])
        about["labels"].append(["IDENTITY CARD", 5, 6, 3])
        field("Address", "1010 KEMHU, PRESI 12", 5, 12, 2.8)
        field("Date of issue", printed(expiry.replace(year=expiry.year - 10)), 5, 22, 2.8)
        field("Authority", "CITY OF KEMHU", 45, 22, 2.8)
    return about


RENDER = """
(async () => {
  const draw = MienSpecimen(%s), spec = %s, face = %s;
  const portrait = spec.portrait && await createImageBitmap(new Blob([Uint8Array.from(atob(face), (letter) => letter.charCodeAt(0))]));
  const bytes = new Uint8Array(await (await draw(spec, portrait).convertToBlob({ type: "image/jpeg", quality: 0.94 })).arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
})()"""


def specimen(world, folder, name, **more):
    """The JPEG of a document, in base64: `passport`, `card_front`, or `card_back`."""
    about = document(name, **more)
    source = (HERE / "specimen.js").read_text(encoding="utf-8")
    key = hashlib.sha256(json.dumps([source, about]).encode()).hexdigest()[:16]
    file = pathlib.Path(folder) / f"specimen-{name}-{key}.txt"
    if not file.exists():
        face = world.heads(about["who"])["people"][about["who"]]["front"]
        page = world.chromium.page(size=None)
        try:
            page.goto("about:blank")
            page.js(f"(() => {{ {source} }})()")
            made = page.js(RENDER % (json.dumps(OUTLINES.read_text(encoding="utf-8")), json.dumps(about), json.dumps(face)))
        finally:
            page.close()
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(f".part{os.getpid()}")
        part.write_text(made, encoding="ascii")
        part.rename(file)
    return file.read_text(encoding="ascii")


def photo(world, folder, name, **more):
    """The bytes of the JPEG."""
    return base64.b64decode(specimen(world, folder, name, **more))
