public import MienDocument
public import MienFace

extension CardPlace {
    /// The document as an upright rectangle, or upside down.
    /// - Parameter width: Of the longer side in pixels; the other follows from the document's
    ///   format.
    /// - Returns: `nil` without a document.
    public func rectified(_ image: RGBImage, width: Int) -> RGBImage? {
        guard let corners else { return nil }
        return image.rectified(
            corners, width: width, height: Int((Double(width) / aspect).rounded()))
    }

    /// The longer side divided by the shorter: of a bank card or of a passport's page, whichever
    /// is nearer.
    private var aspect: Double {
        guard let c = corners else { return 1.5 }
        let long = c[0].distance(to: c[1]) + c[3].distance(to: c[2])
        let short = c[1].distance(to: c[2]) + c[0].distance(to: c[3])
        guard !isCutOff else { return min(max(long / max(short, 1), 0.2), 5) }
        return long / max(short, 1) > 1.505 ? 85.6 / 53.98 : 1.42
    }

    /// The longer side in pixels.
    public var width: Double {
        guard let c = corners else { return 0 }
        return (c[0].distance(to: c[1]) + c[3].distance(to: c[2])) / 2
    }

    /// Measures the picture of the document.
    public func measurements(in image: RGBImage) -> CaptureMeasurements {
        guard let card = rectified(image, width: Self.measuringWidth) else {
            return CaptureMeasurements(documents: 0)
        }
        let gray = GrayImage(card)
        return CaptureMeasurements(
            documents: count, isCutOff: isCutOff, width: width, sharpness: gray.sharpness,
            brightness: Double(gray.percentile(0.8)), glare: card.glare(paper: gray.percentile(0.5))
        )
    }

    /// The longer side of the rectangle that is measured.
    private static let measuringWidth = 1000
}

extension GrayImage {
    /// The brightness that a share of the pixels does not exceed.
    func percentile(_ share: Double) -> UInt8 {
        var histogram = [Int](repeating: 0, count: 256)
        for pixel in pixels { histogram[Int(pixel)] += 1 }
        var left = Int(share * Double(pixels.count))
        for (level, count) in histogram.enumerated() {
            left -= count
            if left < 0 { return UInt8(level) }
        }
        return 255
    }

    /// The median, over the strongest edges, of the change within two pixels divided by that within
    /// eight. `nil` when there are too few edges.
    var sharpness: Double? {
        var found: [(change: Int, ratio: Double)] = []
        let margin = 12
        guard width > 2 * margin, height > 2 * margin else { return nil }
        let p = pixels
        for step in [1, width] {
            for y in stride(from: margin, to: height - margin, by: 2) {
                for x in margin..<width - margin {
                    let i = y * width + x
                    let size = abs(Int(p[i + step]) - Int(p[i - step]))
                    guard size >= 6, size >= abs(Int(p[i + 2 * step]) - Int(p[i])),
                        size > abs(Int(p[i]) - Int(p[i - 2 * step]))
                    else { continue }
                    let middle = abs(Int(p[i + 3 * step]) - Int(p[i - 3 * step]))
                    let far = abs(Int(p[i + 4 * step]) - Int(p[i - 4 * step]))
                    let all = max(size, middle, far)
                    found.append((all, Double(size) / Double(all)))
                }
            }
        }
        guard found.count >= 200 else { return nil }
        found.sort { $0.change > $1.change }
        return median(found.prefix(max(200, found.count / 10)).map(\.ratio))
    }
}

extension RGBImage {
    /// The share of the picture in white spots that are larger than details of the print.
    /// - Parameter paper: The brightness of the paper. Where that is almost white, only spots without
    ///   any texture count; where it is white, nothing can be told from it.
    func glare(paper: UInt8) -> Double {
        guard paper < 253 else { return 1 }
        let white: UInt8 = paper < 245 ? 250 : 254
        // Blocks of 8×8 pixels in which everything is white.
        let side = 8, columns = width / side, rows = height / side
        var count = 0
        for row in 0..<rows {
            for column in 0..<columns {
                var isWhite = true
                for y in row * side..<(row + 1) * side where isWhite {
                    for x in column * side..<(column + 1) * side {
                        let i = 3 * (y * width + x)
                        if min(pixels[i], pixels[i + 1], pixels[i + 2]) < white {
                            isWhite = false
                            break
                        }
                    }
                }
                if isWhite { count += 1 }
            }
        }
        return Double(count) / Double(max(columns * rows, 1))
    }
}
