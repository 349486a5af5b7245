/// Filters that turn dark text on a lighter ground into bars: regions of dense vertical edges.
///
/// Beyond the borders, the outermost pixels repeat.
enum BarPlanes {
    /// A mask of pixels with more vertical edges than their surroundings, in characters of about
    /// `pitch` pixels.
    static func mask(_ image: GrayImage, pitch: Double) -> (mask: [UInt8], edges: [Float]) {
        let w = image.width, h = image.height
        let edges = sobel(blackHat(image, side: max(3, Int((pitch * 1.3).rounded()) | 1)), w, h)
        let near = (Int(2.6 * pitch) | 1, max(3, Int(0.55 * pitch) | 1))
        let far = (Int(6 * pitch) | 1, Int(5 * pitch) | 1)
        let inner = box(edges, w, h, near.0, near.1), outer = box(edges, w, h, far.0, far.1)
        let a = 1 / Float(near.0 * near.1), b = 1.15 / Float(far.0 * far.1)
        var mask = [UInt8](repeating: 0, count: w * h), energy = [Float](repeating: 0, count: w * h)
        for i in 0..<w * h {
            let e = Float(inner[i]) * a
            energy[i] = e
            mask[i] = e > 22 && e > Float(outer[i]) * b ? 1 : 0
        }
        let kernel = (max(2, Int(1.0 * pitch)), max(2, Int(0.3 * pitch)))
        mask = extreme(mask, w, h, kernel.0, kernel.1, max: false)
        return (extreme(mask, w, h, kernel.0, kernel.1, max: true), energy)
    }

    /// Dark details: the difference that a closing by a square makes.
    private static func blackHat(_ image: GrayImage, side: Int) -> [UInt8] {
        let w = image.width, h = image.height
        let wide = extreme(image.pixels, w, h, side, side, max: true)
        var out = extreme(wide, w, h, side, side, max: false)
        for i in out.indices { out[i] &-= image.pixels[i] }
        return out
    }

    /// The maximum or minimum over a rectangle around each pixel, without what lies beyond the
    /// borders.
    static func extreme(
        _ pixels: [UInt8], _ w: Int, _ h: Int, _ kw: Int, _ kh: Int, max isMax: Bool
    ) -> [UInt8] {
        var rows = pixels, out = pixels
        unsafe pixels.withUnsafeBufferPointer { source in
            unsafe rows.withUnsafeMutableBufferPointer { rows in
                unsafe out.withUnsafeMutableBufferPointer { out in
                    for y in 0..<h {
                        unsafe horizontal(
                            source.baseAddress! + y * w, rows.baseAddress! + y * w, w, kw, isMax)
                    }
                    // Down the columns, one row at a time.
                    for y in 0..<h {
                        let from = max(0, y - kh / 2), to = min(h - 1, y - kh / 2 + kh - 1)
                        let target = unsafe out.baseAddress! + y * w
                        unsafe target.update(from: rows.baseAddress! + from * w, count: w)
                        var k = from + 1
                        while k <= to {
                            let line = unsafe rows.baseAddress! + k * w
                            if isMax {
                                for x in 0..<w { unsafe target[x] = max(target[x], line[x]) }
                            } else {
                                for x in 0..<w { unsafe target[x] = min(target[x], line[x]) }
                            }
                            k += 1
                        }
                    }
                }
            }
        }
        return out
    }

    private static func horizontal(
        _ source: UnsafePointer<UInt8>, _ out: UnsafeMutablePointer<UInt8>, _ w: Int, _ kw: Int,
        _ isMax: Bool
    ) {
        let back = kw / 2
        unsafe out.update(from: source, count: w)
        for k in -back..<(kw - back) where k != 0 {
            let a = max(0, -k), b = min(w, w - k)
            guard a < b else { continue }
            if isMax {
                for x in a..<b { unsafe out[x] = max(out[x], source[x &+ k]) }
            } else {
                for x in a..<b { unsafe out[x] = min(out[x], source[x &+ k]) }
            }
        }
    }

    /// The absolute horizontal gradient, weighted 1, 2, 1 over three rows.
    private static func sobel(_ pixels: [UInt8], _ w: Int, _ h: Int) -> [Int32] {
        var out = [Int32](repeating: 0, count: w * h), row = [Int32](repeating: 0, count: w)
        unsafe pixels.withUnsafeBufferPointer { source in
            unsafe out.withUnsafeMutableBufferPointer { out in
                unsafe row.withUnsafeMutableBufferPointer { row in
                    for y in 0..<h {
                        let a = unsafe source.baseAddress! + max(0, y - 1) * w
                        let b = unsafe source.baseAddress! + y * w
                        let c = unsafe source.baseAddress! + min(h - 1, y + 1) * w
                        for x in 0..<w {
                            unsafe row[x] = Int32(a[x]) &+ 2 &* Int32(b[x]) &+ Int32(c[x])
                        }
                        let target = unsafe out.baseAddress! + y * w
                        var x = 1
                        while x < w - 1 {
                            unsafe target[x] = abs(row[x &+ 1] &- row[x &- 1])
                            x &+= 1
                        }
                    }
                }
            }
        }
        return out
    }

    /// Sums over a rectangle with odd sides around each pixel.
    static func box(_ values: [Int32], _ w: Int, _ h: Int, _ kw: Int, _ kh: Int) -> [Int32] {
        let rx = kw / 2, ry = kh / 2
        var rows = [Int32](repeating: 0, count: w * h), out = rows
        var column = [Int32](repeating: 0, count: w)
        unsafe values.withUnsafeBufferPointer { source in
            unsafe rows.withUnsafeMutableBufferPointer { rows in
                for y in 0..<h {
                    let line = unsafe source.baseAddress! + y * w,
                        target = unsafe rows.baseAddress! + y * w
                    var sum: Int32 = 0
                    for k in -rx...rx { unsafe sum &+= line[max(0, min(w - 1, k))] }
                    for x in 0..<w {
                        unsafe target[x] = sum
                        unsafe sum &+= line[min(w &- 1, x &+ rx &+ 1)] &- line[max(0, x &- rx)]
                    }
                }
            }
        }
        unsafe rows.withUnsafeBufferPointer { rows in
            unsafe out.withUnsafeMutableBufferPointer { out in
                unsafe column.withUnsafeMutableBufferPointer { column in
                    for k in -ry...ry {
                        let line = unsafe rows.baseAddress! + max(0, min(h - 1, k)) * w
                        for x in 0..<w { unsafe column[x] &+= line[x] }
                    }
                    for y in 0..<h {
                        let target = unsafe out.baseAddress! + y * w
                        let add = unsafe rows.baseAddress! + min(h - 1, y + ry + 1) * w
                        let drop = unsafe rows.baseAddress! + max(0, y - ry) * w
                        for x in 0..<w {
                            unsafe target[x] = column[x]
                            unsafe column[x] &+= add[x] &- drop[x]
                        }
                    }
                }
            }
        }
        return out
    }
}
