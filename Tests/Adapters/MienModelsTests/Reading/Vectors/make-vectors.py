# Draws the specimens of Tests/Adapters/MienModelsTests/Reading/Vectors: python3 make-vectors.py FOLDER
import sys
import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

FONT = "/usr/share/fonts/opentype/ocr-b/OCRB.otf"
TD3 = ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"]
TD1 = ["I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<"]
TD2 = ["I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6"]


def page(lines, pitch, degrees, seed, blur=0.6, noise=4):
    font = ImageFont.truetype(FONT, 100)
    font = ImageFont.truetype(FONT, int(100 * pitch / font.getlength("H")))
    width, step = int(pitch * len(lines[0])), pitch * 1.75
    random = np.random.default_rng(seed)
    side = int((width + 6 * pitch) * 1.05)
    image = Image.new("L", (side, side), 205)
    draw = ImageDraw.Draw(image)
    for i, line in enumerate(lines):
        for k, c in enumerate(line):
            draw.text(((side - width) / 2 + k * pitch, side / 2 + (i - len(lines) / 2) * step), c, font=font, fill=40)
    pixels = np.array(image, np.float32)
    turn = cv2.getRotationMatrix2D((side / 2, side / 2), degrees, 1)
    pixels = cv2.warpAffine(pixels, turn, (side, side), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
    pixels = cv2.GaussianBlur(pixels, (0, 0), blur) + random.normal(0, noise, pixels.shape)
    return np.clip(pixels, 0, 255).astype(np.uint8)


folder = sys.argv[1]
altered = [TD3[0], TD3[1].replace("7408122F", "7508122F")]
for name, image in {
    "td3": page(TD3, 14, 2, 1), "td3-upside-down": page(TD3, 14, 181, 2), "td2-sideways": page(TD2, 14, 88, 3), "td1-tilted": page(TD1, 16, 24, 4),
    "td3-altered": page(altered, 14, -3, 5), "td3-blurred": page(TD3, 14, 1, 6, blur=5.5, noise=8),
}.items():
    cv2.imwrite(f"{folder}/{name}.jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 70])
