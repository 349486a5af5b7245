/// The position in a source picture of each pixel of a new one: the source's column is
/// `xx · column + xy · row + x`, and its row `yx · column + yy · row + y`, counted between pixel
/// centers.
struct SamplingMap {
    var xx, xy, x, yx, yy, y: Double
}

extension GrayImage {
    /// Samples this picture, linearly or with cubic interpolation (a = −0.75, as in OpenCV). Beyond
    /// the borders, the outermost pixels repeat.
    func sampled(_ map: SamplingMap, width w: Int, height h: Int, cubic: Bool) -> GrayImage {
        var out = [UInt8](repeating: 0, count: w * h)
        unsafe pixels.withUnsafeBufferPointer { source in
            unsafe out.withUnsafeMutableBufferPointer { out in
                let source = unsafe Source(
                    pixels: source.baseAddress!, width: width, height: height)
                for row in 0..<h {
                    var x = map.xy * Double(row) + map.x, y = map.yy * Double(row) + map.y
                    for column in 0..<w {
                        unsafe out[row * w + column] =
                            cubic ? source.cubic(x, y) : source.linear(x, y)
                        x += map.xx
                        y += map.yx
                    }
                }
            }
        }
        return GrayImage(width: w, height: h, pixels: out)
    }

    @safe private struct Source {
        let pixels: UnsafePointer<UInt8>
        let width, height: Int

        @inline(__always)
        private func split(_ v: Double) -> (Int, Float) {
            let bounded = max(-1e6, min(1e6, v)), floor = bounded.rounded(.down)
            return (Int(floor), Float(bounded - floor))
        }

        @inline(__always)
        private func pixel(_ x: Int, _ y: Int) -> Float {
            unsafe Float(pixels[max(0, min(height - 1, y)) &* width &+ max(0, min(width - 1, x))])
        }

        @inline(__always)
        func linear(_ x: Double, _ y: Double) -> UInt8 {
            let (x0, fx) = split(x), (y0, fy) = split(y)
            let top = pixel(x0, y0) * (1 - fx) + pixel(x0 + 1, y0) * fx
            let bottom = pixel(x0, y0 + 1) * (1 - fx) + pixel(x0 + 1, y0 + 1) * fx
            return UInt8(max(0, min(255, top * (1 - fy) + bottom * fy + 0.5)))
        }

        @inline(__always)
        private func weights(_ t: Float) -> SIMD4<Float> {
            let a: Float = -0.75, s = t + 1, u = 1 - t
            let w0 = ((a * s - 5 * a) * s + 8 * a) * s - 4 * a
            let w1 = ((a + 2) * t - (a + 3)) * t * t + 1
            let w2 = ((a + 2) * u - (a + 3)) * u * u + 1
            return SIMD4(w0, w1, w2, 1 - w0 - w1 - w2)
        }

        @inline(__always)
        func cubic(_ x: Double, _ y: Double) -> UInt8 {
            let (x0, fx) = split(x), (y0, fy) = split(y)
            let wx = weights(fx), wy = weights(fy)
            var sum: Float = 0
            for k in 0..<4 {
                let row = y0 - 1 + k
                let line = SIMD4<Float>(
                    pixel(x0 - 1, row), pixel(x0, row), pixel(x0 + 1, row), pixel(x0 + 2, row))
                sum += wy[k] * (line * wx).sum()
            }
            return UInt8(max(0, min(255, sum + 0.5)))
        }
    }

    /// Turns the picture by an angle, on a canvas that holds all of it.
    /// - Returns: The picture, and the map from its positions to this picture's.
    func turned(degrees: Double) -> (GrayImage, SamplingMap) {
        if degrees == 0 {
            return (self, SamplingMap(xx: 1, xy: 0, x: 0, yx: 0, yy: 1, y: 0))
        }
        let angle = degrees * .pi / 180, co = angle.cosine, si = angle.sine
        let w = Double(width), h = Double(height)
        let nw = (w * abs(co) + h * abs(si)).rounded(.down),
            nh = (w * abs(si) + h * abs(co)).rounded(.down)
        // new = R (old − center) + new center, R = [co si; −si co]; its inverse is the transpose.
        let map = SamplingMap(
            xx: co, xy: -si, x: w / 2 - co * nw / 2 + si * nh / 2, yx: si, yy: co,
            y: h / 2 - si * nw / 2 - co * nh / 2)
        return (sampled(map, width: max(1, Int(nw)), height: max(1, Int(nh)), cubic: false), map)
    }
}
