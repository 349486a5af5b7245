import MienMedia
import Testing

@Suite("Errors")
struct ImageErrorTests {
    @Test(
        "an unsupported type is named",
        arguments: [
            ("RIFF\u{4}\u{0}\u{0}\u{0}WEBPVP8 ", "WebP"),
            ("\0\0\0\u{18}ftypheic\0\0\0\0mif1", "HEIC"), ("\0\0\0\u{18}ftypavif", "AVIF"),
            ("\0\0\0\u{18}ftypMiHB\0\0\0\0MiHBheic", "HEIC"),
            ("\0\0\0\u{18}ftypheif\0\0\0\0mif1heic", "HEIC"),
            ("\0\0\0\u{18}ftypisom\0\0\0\0mif1heic", "HEIC"),
            ("\0\0\0\0ftypheix", "HEIC"), ("\0\0\0\u{18}ftypmif1\0\0\0\0mif1avif", "AVIF"),
            ("\0\0\0\u{18}ftypcrx \0\0\0\u{1}crx isom", "a raw photo (CR3)"),
            ("\0\0\0\u{14}ftypqt  \0\0\0\0qt  ", "a video (MP4 or QuickTime)"),
            // A brand behind the box does not count.
            ("\0\0\0\u{10}ftypisom\0\0\0\0heic", "a video (MP4 or QuickTime)"),
            ("\0\0\0\u{18}ftypisom", "a video (MP4 or QuickTime)"), ("BM\u{10}\0\0\0", "BMP"),
            ("II*\0\u{8}", "TIFF"), ("MM\0*\0", "TIFF"),
            ("%PDF-1.7", "a PDF document"), ("PK\u{3}\u{4}", "a ZIP archive"),
            ("<!DOCTYPE html><html>", "text/HTML"), ("\n <html>", "text/HTML"),
            ("<svg xmlns=", "SVG"), ("<?xml version=\"1.0\"?><svg/>", "SVG"),
            ("data:image/png;base64,iVBOR", "a data: URL"),
            ("iVBORw0KGgoAAAANSUhEUg", "Base64 text"), ("/9j/4AAQSkZJRg", "Base64 text"),
            ("{\"error\": 404}", "text"),
            ("\u{1}\u{2}\u{3}", "an unknown type"),
        ])
    func foreign(text: String, name: String) {
        #expect(outcome(Array(text.utf8)) == .failure(.unsupportedType(name)))
    }

    @Test("binary signatures are recognized")
    func foreignBytes() {
        #expect(outcome([0xFF, 0x0A, 0]) == .failure(.unsupportedType("JPEG XL")))
        #expect(outcome([0xFF, 0x4F, 0xFF, 0x51]) == .failure(.unsupportedType("JPEG 2000")))
        #expect(
            outcome([0x1A, 0x45, 0xDF, 0xA3])
                == .failure(.unsupportedType("a video (Matroska or WebM)")))
    }

    @Test("unsupported kinds of JPEG are named")
    func rareJPEG() {
        #expect(
            outcome(Header.jpeg(8, 8, marker: 0xC3))
                == .failure(.unsupportedType("a lossless or hierarchical JPEG")))
        #expect(
            outcome(Header.jpeg(8, 8, precision: 12))
                == .failure(.unsupportedType("a JPEG of 12 bits per color")))
        #expect(
            outcome(Header.jpeg(8, 8, colors: 2))
                == .failure(.unsupportedType("a JPEG of 2 colors")))
    }

    @Test("empty input has its own error")
    func empty() {
        #expect(outcome([]) == .failure(.empty))
        #expect(throws: ImageError.empty) { try ImageDecoder.probe([]) }
    }

    @Test("codes never change")
    func codes() {
        #expect(
            ImageError.Code.allCases.map(\.rawValue) == [
                "image.empty", "image.truncated", "image.unsupported-type", "image.corrupt",
                "image.too-many-bytes", "image.too-many-pixels",
                "image.sides", "image.too-complex",
            ])
    }

    @Test(
        "each error states the cause, the limit, and the remedy",
        arguments: [
            (
                ImageError.empty, ImageError.Code.empty,
                "The picture is empty (0 bytes). Send a PNG, JPEG, or GIF file."
            ),
            (
                .truncated(.jpeg), .truncated,
                "The JPEG is incomplete. It was probably cut off in transit. Send the whole file again."
            ),
            (
                .unsupportedType("HEIC"), .unsupportedType,
                "This is HEIC, which is not supported. Send a PNG, JPEG, or GIF file."
            ),
            (
                .corrupt(.png), .corrupt,
                "The PNG is damaged and cannot be read. Save or take the picture again."
            ),
            (
                .tooManyBytes(count: 17_000_000, limit: 16_777_216), .tooManyBytes,
                "The picture has 17,000,000 bytes, over the limit of 16,777,216. Reduce its size or compress it more."
            ),
            (
                .tooManyPixels(width: 60_000, height: 800, limit: 40_000_000), .tooManyPixels,
                "The picture has 60,000 × 800 pixels, over the total limit of 40,000,000. Scale it down."
            ),
            (
                .sides(width: 0, height: 5), .sides,
                "The picture has 0 × 5 pixels; each side must have 1 to 32,768. Scale or crop it."
            ),
            (
                .tooComplex(.jpeg), .tooComplex,
                "The JPEG needs far more work to decode than its size allows. Save it again as a plain PNG or JPEG."
            ),
        ])
    func descriptions(error: ImageError, code: ImageError.Code, text: String) {
        #expect(error.code == code)
        #expect("\(error)" == text)
    }
}
