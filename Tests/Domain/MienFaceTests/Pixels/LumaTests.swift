import MienFace
import MienTesting
import Testing

@Suite("Luma")
struct LumaTests {
    @Test("primary colors weigh 0.299, 0.587, and 0.114")
    func primaries() {
        let colors = [
            RGBColor(255, 0, 0), RGBColor(0, 255, 0), RGBColor(0, 0, 255), .white, .black,
            RGBColor(10, 20, 30), RGBColor(200, 100, 50),
        ]
        let image = RGBImage.made(width: colors.count, height: 1) { x, _ in colors[x] }
        #expect(image.luma == [76, 150, 29, 255, 0, 18, 124])
    }

    @Test("gray keeps its value")
    func gray() {
        let image = RGBImage.made(width: 256, height: 1) { x, _ in
            RGBColor(UInt8(x), UInt8(x), UInt8(x))
        }
        #expect(image.luma == Array(0...255))
    }

    @Test("luma matches the formula within rounding for any color")
    func formula() {
        let image = RGBImage.noise(width: 64, height: 64)
        for (i, y) in image.luma.enumerated() {
            let p = image.pixels[3 * i..<3 * i + 3].map(Double.init)
            #expect(abs(Double(y) - (0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2])) < 0.51)
        }
    }
}
