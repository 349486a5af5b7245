public import MienDocument
public import MienFace

extension TiltMeasurements {
    /// Measures a series of pictures of a document that was tilted.
    ///
    /// - Parameters:
    ///   - frames: In any order; at most ``ReflectionCheck/frameRange``.
    ///   - front: The document's own picture, and where the document is in it.
    public init(of frames: [RGBImage], front: (image: RGBImage, place: CardPlace)? = nil) {
        let original = front.flatMap { front in
            front.place.corners.flatMap { RegisteredCard.flat(front.image, $0) }
        }
        var cards: [(card: RegisteredCard, pose: CardPose)] = []
        for frame in frames.prefix(ReflectionCheck.frameRange.upperBound) {
            let place = CardPlace(in: frame)
            guard let corners = place.corners, !place.isCutOff,
                let pose = CardPose(corners, width: frame.width, height: frame.height),
                let flat = RegisteredCard.flat(frame, corners)
            else { continue }
            // The first picture takes the original's place if there is none.
            let model = original ?? cards.first?.card.image
            cards.append((RegisteredCard(flat, like: model ?? flat), pose))
        }
        self.init(frames: cards.count)
        guard cards.count >= ReflectionCheck.frameRange.lowerBound else { return }
        for (k, one) in cards.enumerated() {
            for other in cards[(k + 1)...] { tilt = max(tilt, one.pose.angle(to: other.pose)) }
        }
        if let original {
            likeness = PrintDetail(original).likeness(of: cards.map { PrintDetail($0.card.image) })
        }
        let shares = ReflectionMap(cards.map(\.card.image)).shares.sorted()
        reflections = shares[shares.count - 2]
    }
}

/// A document without perspective, moved so that its print is where that of another picture is.
struct RegisteredCard {
    static let width = 320, height = 208
    /// The greatest distance by which an outline is off, in pixels.
    private static let reach = 4

    let image: RGBImage
    /// - Returns: `nil` if three corners lie on a line.
    static func flat(_ image: RGBImage, _ corners: [Point]) -> RGBImage? {
        image.rectified(corners, width: width, height: height)
    }

    /// Turns the picture upside down if that is more alike.
    init(_ flat: RGBImage, like model: RGBImage) {
        let there = PrintDetail(model)
        var best = (image: flat, x: 0, y: 0, likeness: -Double.infinity)
        for image in [flat, flat.upsideDown] {
            let here = PrintDetail(image)
            for y in -Self.reach...Self.reach {
                for x in -Self.reach...Self.reach {
                    let likeness = here.correlation(with: there, x: x, y: y)
                    if likeness > best.likeness { best = (image, x, y, likeness) }
                }
            }
        }
        image = best.image.shifted(x: best.x, y: best.y)
    }
}

/// The brightness of a print, without what changes slowly across it.
private struct PrintDetail {
    private let width: Int, height: Int
    private let values: [Float]

    init(_ image: RGBImage) {
        (width, height) = (image.width, image.height)
        let luma = image.luma.map { Float($0) }
        let radius = 6
        let mean = luma.boxMean(width: width, height: height, radius: radius)
        // Compressed, so that a white spot does not outweigh all of the print.
        values = zip(luma, mean).map { max(-40, min(40, $0 - $1)) }
    }

    /// With the pixels `x` to the right and `y` below.
    func correlation(with other: Self, x dx: Int, y dy: Int) -> Double {
        var product: Float = 0, a: Float = 0, b: Float = 0
        let margin = 8
        for y in stride(from: margin, to: height - margin, by: 2) {
            for x in stride(from: margin, to: width - margin, by: 2) {
                let p = values[(y + dy) * width + x + dx], q = other.values[y * width + x]
                product += p * q
                a += p * p
                b += q * q
            }
        }
        return Double(product / max((a * b).squareRoot(), 1e-6))
    }

    /// How alike the windows with print are in most of the pictures: the correlation that three
    /// quarters of the windows exceed. The layout of two people's documents is the same, and their
    /// names, numbers, and portraits are not, so that a correlation of the whole says little.
    func likeness(of others: [PrintDetail]) -> Double {
        let side = 16, reach = 2
        var found: [Double] = []
        for top in stride(from: side / 2, through: height - side * 3 / 2, by: side) {
            for left in stride(from: side / 2, through: width - side * 3 / 2, by: side) {
                let own = window(left, top, side)
                guard own.deviation > 6 else { continue }
                let each = others.map { other in
                    var best = -1.0
                    for y in -reach...reach {
                        for x in -reach...reach {
                            let there = other.window(left + x, top + y, side)
                            best = max(best, own.correlation(with: there))
                        }
                    }
                    return best
                }
                found.append(median(each))
            }
        }
        guard found.count >= 10 else { return 0 }
        return found.sorted()[found.count / 4]
    }

    private func window(_ left: Int, _ top: Int, _ side: Int) -> Window {
        var values: [Float] = []
        values.reserveCapacity(side * side)
        for y in top..<top + side {
            for x in left..<left + side { values.append(self.values[y * width + x]) }
        }
        return Window(values)
    }

    private struct Window {
        private var values: [Float]
        let deviation: Float

        init(_ values: [Float]) {
            let mean = values.reduce(0, +) / Float(values.count)
            let rest = values.map { $0 - mean }
            self.values = rest
            deviation = (rest.reduce(0) { $0 + $1 * $1 } / Float(values.count)).squareRoot()
        }

        func correlation(with other: Self) -> Double {
            let product = zip(values, other.values).reduce(Float(0)) { $0 + $1.0 * $1.1 }
            return Double(
                product / (Float(values.count) * max(deviation * other.deviation, 1e-3)))
        }
    }
}

extension RGBImage {
    fileprivate var upsideDown: RGBImage {
        var out = self
        for y in 0..<height {
            for x in 0..<width { out[x, y] = self[width - 1 - x, height - 1 - y] }
        }
        return out
    }

    /// The picture whose pixels are those to the right and below. The outermost repeat.
    fileprivate func shifted(x dx: Int, y dy: Int) -> RGBImage {
        guard dx != 0 || dy != 0 else { return self }
        var out = self
        for y in 0..<height {
            let from = min(max(y + dy, 0), height - 1)
            for x in 0..<width { out[x, y] = self[min(max(x + dx, 0), width - 1), from] }
        }
        return out
    }
}

extension [Float] {
    /// The mean of a square around each pixel, as far as it is in the picture.
    func boxMean(width: Int, height: Int, radius: Int) -> [Float] {
        var rows = self, out = self
        for y in 0..<height {
            for x in 0..<width {
                let a = Swift.max(0, x - radius), b = Swift.min(width - 1, x + radius)
                var sum: Float = 0
                for k in a...b { sum += self[y * width + k] }
                rows[y * width + x] = sum / Float(b - a + 1)
            }
        }
        for y in 0..<height {
            let a = Swift.max(0, y - radius), b = Swift.min(height - 1, y + radius)
            for x in 0..<width {
                var sum: Float = 0
                for k in a...b { sum += rows[k * width + x] }
                out[y * width + x] = sum / Float(b - a + 1)
            }
        }
        return out
    }
}
