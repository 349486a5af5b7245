import MienFace

/// Straightforward versions of the product's optimized computations: floating point, no shortcuts,
/// one color at a time.
enum NaiveReference {
    /// Makes each new pixel the mean of the area it covers.
    static func areaAverage(_ image: RGBImage, width: Int, height: Int) -> RGBImage {
        let stepX = Double(image.width) / Double(width),
            stepY = Double(image.height) / Double(height)
        return map(width, height) { x, y, k in
            let left = Double(x) * stepX, right = left + stepX, top = Double(y) * stepY,
                bottom = top + stepY
            var sum = 0.0
            for row in Int(top)..<min(image.height, Int(bottom.rounded(.up))) {
                for column in Int(left)..<min(image.width, Int(right.rounded(.up))) {
                    let covered = max(0, min(right, Double(column + 1)) - max(left, Double(column)))
                    let covers = max(0, min(bottom, Double(row + 1)) - max(top, Double(row)))
                    sum += covered * covers * value(image, column, row, k)
                }
            }
            return sum / (stepX * stepY)
        }
    }

    /// Interpolates linearly between pixel centers. The picture ends half a pixel beyond the
    /// outermost centers, where black begins.
    /// - Parameter back: The map from the canvas to the picture.
    static func bilinear(_ image: RGBImage, back: AffineMap, width: Int, height: Int) -> RGBImage {
        map(width, height) { column, row, k in
            let p = back(Point(x: Double(column) + 0.5, y: Double(row) + 0.5))
            guard p.x >= 0, p.y >= 0, p.x < Double(image.width), p.y < Double(image.height) else {
                return 0
            }
            return between(image, p, k)
        }
    }

    /// Interpolates linearly between pixel centers, with the outermost ones repeated.
    static func enlarged(_ image: RGBImage, width: Int, height: Int) -> RGBImage {
        map(width, height) { column, row, k in
            let x = (Double(column) + 0.5) * Double(image.width) / Double(width),
                y = (Double(row) + 0.5) * Double(image.height) / Double(height)
            return between(image, Point(x: x, y: y), k)
        }
    }

    private static func between(_ image: RGBImage, _ p: Point, _ k: Int) -> Double {
        let x = min(max(p.x - 0.5, 0), Double(image.width - 1)),
            y = min(max(p.y - 0.5, 0), Double(image.height - 1))
        let (x0, y0) = (Int(x), Int(y)),
            (x1, y1) = (min(x0 + 1, image.width - 1), min(y0 + 1, image.height - 1))
        let (wx, wy) = (x - Double(x0), y - Double(y0))
        let upper = value(image, x0, y0, k) * (1 - wx) + value(image, x1, y0, k) * wx
        let lower = value(image, x0, y1, k) * (1 - wx) + value(image, x1, y1, k) * wx
        return upper * (1 - wy) + lower * wy
    }

    private static func value(_ image: RGBImage, _ x: Int, _ y: Int, _ k: Int) -> Double {
        Double(image.pixels[3 * (y * image.width + x) + k])
    }

    private static func map(_ width: Int, _ height: Int, _ value: (Int, Int, Int) -> Double)
        -> RGBImage
    {
        var pixels: [UInt8] = []
        pixels.reserveCapacity(3 * width * height)
        for y in 0..<height {
            for x in 0..<width {
                for k in 0..<3 { pixels.append(UInt8(min(max(value(x, y, k), 0), 255).rounded())) }
            }
        }
        return try! RGBImage(width: width, height: height, pixels: pixels)
    }
}
