extension RGBImage {
    /// Returns the picture that `map` makes of this one on a canvas of `width`×`height` pixels.
    /// Uncovered areas are black.
    ///
    /// Interpolates linearly between pixel centers. When the map shrinks by more than a factor of
    /// two, whole blocks are averaged first, so that fine detail does not turn into noise. The map
    /// converts this image's coordinates to the canvas's, both with (0, 0) at the top-left
    /// *corner*.
    /// - Parameter averaging: If `false`, nothing is averaged, however much the map shrinks. Only
    ///   for networks that were trained so.
    /// - Precondition: The map can be inverted, and the canvas's sides are in ``sideRange``.
    public func warped(
        by map: AffineMap, width outWidth: Int, height outHeight: Int, averaging: Bool = true
    ) -> RGBImage {
        precondition(
            Self.sideRange.contains(outWidth) && Self.sideRange.contains(outHeight),
            "sides \(outWidth)×\(outHeight) are out of range")
        let back = map.inverse
        let factor = Int(min(256, back.scale))
        guard averaging, factor >= 2 else {
            return sampled(by: back, width: outWidth, height: outHeight)
        }

        // Reduce only the visible part.
        let corners = [(0, 0), (outWidth, 0), (0, outHeight), (outWidth, outHeight)].map {
            back(Point(x: Double($0.0), y: Double($0.1)))
        }
        let margin = Double(2 * factor)
        let left = max(0, Int(clamping: (corners.map(\.x).min()! - margin).rounded(.down)))
        let top = max(0, Int(clamping: (corners.map(\.y).min()! - margin).rounded(.down)))
        let right = min(width, Int(clamping: (corners.map(\.x).max()! + margin).rounded(.up)))
        let bottom = min(height, Int(clamping: (corners.map(\.y).max()! + margin).rounded(.up)))
        guard right - left >= factor, bottom - top >= factor else {
            return sampled(by: back, width: outWidth, height: outHeight)
        }
        let part = reduced(by: factor, x: left, y: top, width: right - left, height: bottom - top)
        let k = 1 / Double(factor)
        let toPart = AffineMap(a: k, b: 0, tx: -Double(left) * k, c: 0, d: k, ty: -Double(top) * k)
        return part.sampled(by: back.then(toPart), width: outWidth, height: outHeight)
    }

    /// - Parameter back: The map from the canvas to this image.
    private func sampled(by back: AffineMap, width outWidth: Int, height outHeight: Int) -> RGBImage
    {
        var out = [UInt8](repeating: 0, count: 3 * outWidth * outHeight)
        let stride = 3 * width
        // Positions in 1/65536 pixel relative to pixel centers. A canvas of 32768 pixels and an
        // image of 32768 pixels fit in 64 bits easily.
        let unit = 65_536.0
        let dx = Int(clamping: (back.a * unit).rounded()),
            dy = Int(clamping: (back.c * unit).rounded())
        let (lastX, lastY) = (width - 1, height - 1)
        unsafe pixels.withUnsafeBufferPointer { source in
            unsafe out.withUnsafeMutableBufferPointer { target in
                let source = source.baseAddress!
                var o = 0
                for row in 0..<outHeight {
                    let start = back(Point(x: 0.5, y: Double(row) + 0.5))
                    var fx = Int(clamping: ((start.x - 0.5) * unit).rounded()),
                        fy = Int(clamping: ((start.y - 0.5) * unit).rounded())
                    for _ in 0..<outWidth {
                        let x = fx >> 16, y = fy >> 16
                        // Half a pixel beyond the outermost centers still belongs to the picture.
                        if x >= -1, y >= -1, x <= lastX, y <= lastY {
                            let wx = (fx >> 8) & 255, wy = (fy >> 8) & 255
                            let x0 = max(x, 0), y0 = max(y, 0), x1 = min(x + 1, lastX),
                                y1 = min(y + 1, lastY)
                            let inside =
                                (x >= 0 || wx >= 128) && (y >= 0 || wy >= 128)
                                && (x < lastX || wx < 128) && (y < lastY || wy < 128)
                            if inside {
                                let a = unsafe source + (y0 * stride + 3 * x0),
                                    b = unsafe source + (y0 * stride + 3 * x1)
                                let c = unsafe source + (y1 * stride + 3 * x0),
                                    d = unsafe source + (y1 * stride + 3 * x1)
                                let wa = (256 - wx) &* (256 - wy), wb = wx &* (256 - wy),
                                    wc = (256 - wx) &* wy, wd = wx &* wy
                                for k in 0..<3 {
                                    let sum =
                                        unsafe Int(a[k]) &* wa &+ Int(b[k]) &* wb &+ Int(c[k]) &* wc
                                        &+ Int(d[k]) &* wd
                                    unsafe target[o + k] = UInt8(
                                        truncatingIfNeeded: (sum &+ 32_768) >> 16)
                                }
                            }
                        }
                        o &+= 3
                        fx &+= dx
                        fy &+= dy
                    }
                }
            }
        }
        return RGBImage(trustedWidth: outWidth, height: outHeight, pixels: out)
    }

    /// Returns the image on a black canvas, with its top-left corner at (`x`, `y`).
    /// - Precondition: The image lies entirely on the canvas.
    public func placed(onWidth canvasWidth: Int, height canvasHeight: Int, x: Int, y: Int)
        -> RGBImage
    {
        precondition(
            x >= 0 && y >= 0 && x + width <= canvasWidth && y + height <= canvasHeight,
            "the image must lie entirely on the canvas")
        if x == 0, y == 0, width == canvasWidth, height == canvasHeight { return self }
        var canvas = RGBImage(width: canvasWidth, height: canvasHeight, filledWith: .black)
        for row in 0..<height {
            let start = 3 * ((y + row) * canvasWidth + x)
            canvas.pixels.replaceSubrange(
                start..<start + 3 * width, with: pixels[3 * row * width..<3 * (row + 1) * width])
        }
        return canvas
    }

    /// Returns the mirror image, with left and right exchanged.
    public func mirrored() -> RGBImage {
        var out = pixels
        for y in 0..<height {
            for x in 0..<width {
                let i = 3 * (y * width + x), o = 3 * (y * width + width - 1 - x)
                out[o] = pixels[i]
                out[o + 1] = pixels[i + 1]
                out[o + 2] = pixels[i + 2]
            }
        }
        return RGBImage(trustedWidth: width, height: height, pixels: out)
    }

    /// Returns the image turned clockwise by quarter turns, 0...3. Meant for small pictures.
    public func turned(byQuarters quarters: Int) -> RGBImage {
        precondition((0...3).contains(quarters), "a full turn has four quarters")
        if quarters == 0 { return self }
        let last = width * height - 1
        // The index of the result's first pixel, and the steps to its neighbors right and below.
        let (start, right, down) =
            switch quarters {
            case 1: (last + 1 - width, -width, 1)
            case 2: (last, -1, -width)
            default: (width - 1, width, -1)
            }
        let (newWidth, newHeight) = quarters == 2 ? (width, height) : (height, width)
        var out: [UInt8] = []
        out.reserveCapacity(pixels.count)
        for y in 0..<newHeight {
            for x in 0..<newWidth {
                let i = 3 * (start + x * right + y * down)
                out += pixels[i..<i + 3]
            }
        }
        return RGBImage(trustedWidth: newWidth, height: newHeight, pixels: out)
    }
}

extension Int {
    /// Converts to the nearest integer that fits; NaN becomes 0.
    fileprivate init(clamping value: Double) {
        self = value.isNaN ? 0 : Int(Swift.min(Swift.max(value, -1e15), 1e15))
    }
}
