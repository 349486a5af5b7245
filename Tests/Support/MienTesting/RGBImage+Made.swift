import MienFace

extension RGBImage {
    /// Returns a picture with the color that `color` returns for each column and row.
    public static func made(width: Int, height: Int, _ color: (_ x: Int, _ y: Int) -> RGBColor)
        -> RGBImage
    {
        var image = RGBImage(width: width, height: height, filledWith: .black)
        for y in 0..<height { for x in 0..<width { image[x, y] = color(x, y) } }
        return image
    }

    /// Returns a picture of random colors, the same for the same `stream`.
    public static func noise(
        width: Int, height: Int, stream: UInt64 = 0, levels: ClosedRange<UInt8> = 0...255
    ) -> RGBImage {
        var random = TestSeed.generator(stream)
        func level() -> UInt8 { UInt8.random(in: levels, using: &random) }
        return made(width: width, height: height) { _, _ in RGBColor(level(), level(), level()) }
    }

    /// Returns the picture in gray, with `percent` of its brightness.
    public func gray(percent: Int) -> RGBImage {
        var gray: [UInt8] = []
        gray.reserveCapacity(pixels.count)
        for light in luma {
            let level = UInt8(Int(light) * percent / 100)
            gray.append(contentsOf: [level, level, level])
        }
        return try! RGBImage(width: width, height: height, pixels: gray)
    }

    /// Returns the largest color difference of any pixel; `nil` when the sides differ.
    public func largestDifference(from other: RGBImage) -> Int? {
        guard (width, height) == (other.width, other.height) else { return nil }
        return zip(pixels, other.pixels).map { abs(Int($0) - Int($1)) }.max()
    }
}
