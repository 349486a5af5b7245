"""Writes outlines.txt: the outlines of the letters that specimens are drawn with.

python3 make-outlines.py > outlines.txt

Needs fontTools and Debian's fonts-ocr-b and fonts-dejavu-core. Curves become straight lines; units are thousandths of the
font's size, y up. A line is: font, code point, advance, contours separated by "/", each x,y pairs separated by spaces.
"""
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont

FONTS = {
    "ocrb": ("/usr/share/fonts/opentype/ocr-b/OCRB.otf", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<"),
    "sans": ("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "".join(map(chr, range(33, 127))) + "ÀÁÂÄÅÆÇÈÉÊËÍÑÓÔÖØÚÜßŁŚŻŠŽ"),
}
STEPS = 4


class Flat(BasePen):
    def __init__(self, glyphs):
        super().__init__(glyphs)
        self.contours = []

    def _moveTo(self, p):
        self.contours.append([p])

    def _lineTo(self, p):
        self.contours[-1].append(p)

    def _curveToOne(self, b, c, d):
        a = self.contours[-1][-1]
        for k in range(1, STEPS + 1):
            t = k / STEPS
            u = 1 - t
            self.contours[-1].append(tuple(u * u * u * a[i] + 3 * u * u * t * b[i] + 3 * u * t * t * c[i] + t * t * t * d[i] for i in (0, 1)))


for name, (path, letters) in FONTS.items():
    font = TTFont(path)
    glyphs, names, size = font.getGlyphSet(), font.getBestCmap(), font["head"].unitsPerEm
    for letter in letters:
        glyph = glyphs[names[ord(letter)]]
        pen = Flat(glyphs)
        glyph.draw(pen)
        contours = []
        for contour in pen.contours:
            points = []
            for x, y in contour:
                p = f"{round(1000 * x / size)},{round(1000 * y / size)}"
                if not points or points[-1] != p:
                    points.append(p)
            contours.append(" ".join(points))
        print(f"{name} {ord(letter)} {round(1000 * glyph.width / size)} " + "/".join(contours))
