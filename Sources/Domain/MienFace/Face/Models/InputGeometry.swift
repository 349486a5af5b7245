/// The conversion from a picture to a network's input: size, layout, and scale.
///
/// An 8-bit value p of channel c becomes (p − mean[c]) × scale.
public struct InputGeometry: Sendable, Hashable, Codable {
    public enum Layout: String, Sendable, Codable { case nhwc = "NHWC", nchw = "NCHW" }
    public enum Color: String, Sendable, Codable { case rgb = "RGB", bgr = "BGR" }

    /// Pixels, 8...1024.
    public let width, height: Int
    public let layout: Layout
    public let color: Color
    /// Three numbers in the order red, green, blue, regardless of ``color``.
    public let mean: [Float]
    public let scale: Float

    private enum CodingKeys: String, CodingKey {
        case width, height, layout, color = "colour", mean, scale
    }

    public init(
        width: Int, height: Int, layout: Layout = .nhwc, color: Color = .rgb,
        mean: [Float] = [0, 0, 0], scale: Float = 1
    ) {
        precondition(mean.count == 3, "mean must have three values: red, green, and blue")
        (self.width, self.height, self.layout, self.color, self.mean, self.scale) = (
            width, height, layout, color, mean, scale
        )
    }

    /// The number of values in one input.
    public var count: Int { 3 * width * height }

    /// The input's shape with a batch of one.
    public var shape: [Int] { layout == .nhwc ? [1, height, width, 3] : [1, 3, height, width] }

    /// Writes `image`, which must have this geometry's size, into `input`.
    public func write(_ image: RGBImage, into input: inout MutableSpan<Float>) {
        precondition(
            image.width == width && image.height == height,
            "the picture must have the network's size")
        precondition(
            input.count == count, "the input must hold \(count) values, not \(input.count)")
        // For each output channel: its source channel, and (p − mean) × scale written as p × scale
        // + shift.
        let sources = color == .rgb ? [0, 1, 2] : [2, 1, 0]
        let shifts = sources.map { -mean[$0] * scale }
        let pixels = image.pixels
        switch layout {
        case .nhwc:
            let (s0, s1, s2) = (sources[0], sources[1], sources[2])
            let (b0, b1, b2) = (shifts[0], shifts[1], shifts[2])
            var i = 0
            while i < count {
                input[i] = Float(pixels[i + s0]) * scale + b0
                input[i + 1] = Float(pixels[i + s1]) * scale + b1
                input[i + 2] = Float(pixels[i + s2]) * scale + b2
                i += 3
            }
        case .nchw:
            let plane = width * height
            for channel in 0..<3 {
                let (source, shift, base) = (sources[channel], shifts[channel], channel * plane)
                for i in 0..<plane {
                    input[base + i] = Float(pixels[3 * i + source]) * scale + shift
                }
            }
        }
    }
}
