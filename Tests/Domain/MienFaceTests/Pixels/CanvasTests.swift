import MienFace
import Testing

@Suite struct CanvasTests {
    /// Returns the amount of ink on white paper, in whole black pixels.
    static func ink(_ canvas: Canvas) -> Double {
        canvas.image.pixels.reduce(0) { $0 + Double(255 - $1) } / (3 * 255)
    }

    @Test(
        "a filled rectangle leaves as much ink as its area",
        arguments: [(3.0, 4.0, 5.0, 2.0), (3.25, 4.5, 5.5, 2.25), (0.1, 0.1, 0.5, 0.5)])
    func area(x: Double, y: Double, width: Double, height: Double) {
        var canvas = Canvas(width: 20, height: 20)
        canvas.filledRectangle(Rectangle(x: x, y: y, width: width, height: height), .black)
        #expect(abs(Self.ink(canvas) - width * height) < 0.1)
    }

    @Test("a dot leaves as much ink as a circle's area")
    func dot() {
        var canvas = Canvas(width: 40, height: 40)
        canvas.dot(Point(x: 20.3, y: 19.8), radius: 10, .black)
        #expect(abs(Self.ink(canvas) - Double.pi * 100) < 6)
        var ring = Canvas(width: 40, height: 40)
        ring.circle(Point(x: 20, y: 20), radius: 10, .black, width: 2)
        #expect(abs(Self.ink(ring) - 2 * Double.pi * 10 * 2) < 6)
        #expect(ring.image[20, 20] == .white && ring.image[29, 20] == .black)
    }

    @Test("a line along pixel centers is sharp, and others are smooth")
    func line() {
        var canvas = Canvas(width: 20, height: 10)
        canvas.line(from: Point(x: 2.5, y: 5.5), to: Point(x: 15.5, y: 5.5), .black)
        for x in 2...15 {
            #expect(
                canvas.image[x, 5] == .black && canvas.image[x, 4] == .white
                    && canvas.image[x, 6] == .white)
        }
        var slanted = Canvas(width: 20, height: 20)
        slanted.line(from: Point(x: 2, y: 2), to: Point(x: 18, y: 9), .black, width: 1.5)
        let greys = Set(slanted.image.pixels).subtracting([0, 255])
        #expect(greys.count > 5)
    }

    @Test(
        "lines of any direction have ink for their length and width",
        arguments: [(0.0, 1.0), (30, 2), (45, 3), (90, 1), (137, 2.5)])
    func lineInk(degrees: Double, width: Double) {
        var canvas = Canvas(width: 60, height: 60)
        let map = AffineMap.crop(
            center: Point(x: 0, y: 0), size: 1, angle: degrees * .pi / 180, side: 1)
        let along = map(Point(x: 20, y: 0)) - map(Point(x: 0, y: 0)), middle = Point(x: 30, y: 30)
        canvas.line(from: middle - along, to: middle + along, .black, width: width)
        #expect(
            abs(Self.ink(canvas) - (40 * width + .pi * width * width / 4)) < 0.08 * 40 * width + 2)
    }

    @Test("shapes are clipped to the image")
    func clipping() {
        var canvas = Canvas(width: 10, height: 10)
        canvas.line(from: Point(x: -500, y: -500), to: Point(x: -1, y: 30), .black, width: 2)
        canvas.dot(Point(x: 100, y: 5), radius: 20, .black)
        canvas.rectangle(Rectangle(x: -50, y: -50, width: 500, height: 500), .black, width: 4)
        canvas.text("outside", x: 50, y: -20, .black, scale: 3)
        canvas.line(from: Point(x: .nan, y: 0), to: Point(x: 5, y: .infinity), .black)
        #expect(Self.ink(canvas) == 0)
        canvas.text("half", x: -8, y: -3, .black, scale: 2)
        #expect(Self.ink(canvas) > 0)
    }

    @Test("a rectangle's outline does not change its interior")
    func rim() {
        var canvas = Canvas(width: 20, height: 20)
        canvas.rectangle(Rectangle(x: 4, y: 4, width: 10, height: 10), .black, width: 2)
        #expect(abs(Self.ink(canvas) - (12 * 12 - 8 * 8)) < 0.1)
        #expect(
            canvas.image[9, 9] == .white && canvas.image[3, 3] == .black
                && canvas.image[2, 2] == .white)
    }

    @Test("opacity blends with the background")
    func opacity() {
        var canvas = Canvas(width: 3, height: 3)
        canvas.filledRectangle(
            Rectangle(x: 0, y: 0, width: 3, height: 3), RGBColor(255, 0, 0), opacity: 0.5)
        #expect(canvas.image[1, 1] == RGBColor(255, 128, 128))
    }

    @Test("text fills exactly its size", arguments: [1, 2, 3])
    func text(scale: Int) {
        var canvas = Canvas(width: 120, height: 40)
        canvas.text("Hg|", x: 10, y: 5, .black, scale: scale)
        let size = Canvas.size(of: "Hg|", scale: scale)
        #expect(size.width == 17 * scale && size.height == 8 * scale)
        for y in 0..<40 {
            for x in 0..<120 where canvas.image[x, y] != .white {
                #expect((10..<10 + size.width).contains(x) && (5..<5 + size.height).contains(y))
            }
        }
        #expect(canvas.image[10, 5] == .black)
        #expect(Canvas.size(of: "").width == 0)
    }

    @Test("every printable character looks different; others show as a box")
    func glyphs() {
        func drawn(_ character: Character) -> [UInt8] {
            var canvas = Canvas(width: 6, height: 9)
            canvas.text(String(character), x: 0, y: 0, .black)
            return canvas.image.pixels
        }
        let printable = (32...126).map { Character(UnicodeScalar($0)) } + ["°", "±", "×"]
        #expect(Set(printable.map(drawn)).count == printable.count)
        #expect(drawn("é") == drawn("漢") && drawn("−") == drawn("-"))
    }

    @Test("a background lies behind the text, one dot larger")
    func background() {
        var canvas = Canvas(width: 30, height: 20)
        canvas.text("A", x: 5, y: 5, .white, background: .black)
        #expect(
            abs(Double(7 * 10) - Self.ink(canvas)) < 25 && canvas.image[4, 4] == .black
                && canvas.image[3, 4] == .white)
    }

    @Test("dashes leave about their share of the ink")
    func dashes() {
        var whole = Canvas(width: 120, height: 20), dashed = whole
        let points = [Point(x: 5, y: 10.5), Point(x: 60, y: 10.5), Point(x: 110, y: 10.5)]
        whole.polyline(points, .black)
        dashed.polyline(points, .black, dash: (mark: 6, gap: 6))
        #expect(abs(Self.ink(dashed) / Self.ink(whole) - 0.55) < 0.12)
    }
}
