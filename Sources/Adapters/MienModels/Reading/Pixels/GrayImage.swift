internal import MienFace

/// Brightness of pixels, 0…255, in rows from top to bottom without padding.
struct GrayImage: Sendable {
    let width: Int
    let height: Int
    var pixels: [UInt8]

    init(width: Int, height: Int, pixels: [UInt8]) {
        precondition(
            width > 0 && height > 0 && pixels.count == width * height, "one byte per pixel")
        (self.width, self.height, self.pixels) = (width, height, pixels)
    }

    init(_ image: RGBImage) {
        self.init(width: image.width, height: image.height, pixels: image.luma)
    }

    /// Half the size, after a 5×5 binomial blur. Beyond the borders, the outermost pixels repeat.
    func halved() -> GrayImage {
        let w = (width + 1) / 2, h = (height + 1) / 2, width = width, height = height
        var out = [UInt8](repeating: 0, count: w * h)
        // Two more columns on each side.
        var row = [UInt16](repeating: 0, count: width + 4)
        unsafe pixels.withUnsafeBufferPointer { source in
            unsafe row.withUnsafeMutableBufferPointer { row in
                unsafe out.withUnsafeMutableBufferPointer { out in
                    for y in 0..<h {
                        func line(_ offset: Int) -> UnsafePointer<UInt8> {
                            unsafe source.baseAddress! + min(max(2 * y + offset, 0), height - 1)
                                * width
                        }
                        let (a, b, c, d, e) = unsafe (line(-2), line(-1), line(0), line(1), line(2))
                        let target = unsafe row.baseAddress! + 2
                        for x in 0..<width {
                            let outer = unsafe UInt16(a[x]) &+ UInt16(e[x])
                            let inner = unsafe UInt16(b[x]) &+ UInt16(d[x])
                            unsafe target[x] = outer &+ inner &* 4 &+ UInt16(c[x]) &* 6
                        }
                        unsafe target[-1] = target[0]
                        unsafe target[-2] = target[0]
                        unsafe target[width] = target[width - 1]
                        unsafe target[width + 1] = target[width - 1]
                        let result = unsafe out.baseAddress! + y * w
                        for x in 0..<w {
                            let p = unsafe target + 2 * x
                            let outer = unsafe UInt32(p[-2]) &+ UInt32(p[2])
                            let inner = unsafe UInt32(p[-1]) &+ UInt32(p[1])
                            let sum = unsafe outer &+ inner &* 4 &+ UInt32(p[0]) &* 6
                            unsafe result[x] = UInt8(truncatingIfNeeded: (sum &+ 128) >> 8)
                        }
                    }
                }
            }
        }
        return GrayImage(width: w, height: h, pixels: out)
    }

    /// Another size. Shrinking averages the area that each new pixel covers; enlarging interpolates.
    func resized(width w: Int, height h: Int) -> GrayImage {
        guard w < width, h < height else {
            return sampled(
                SamplingMap(
                    xx: Double(width) / Double(w), xy: 0, x: 0.5 * Double(width) / Double(w) - 0.5,
                    yx: 0, yy: Double(height) / Double(h), y: 0.5 * Double(height) / Double(h) - 0.5
                ),
                width: w, height: h, cubic: true)
        }
        let columns = Shares(from: width, to: w), rows = Shares(from: height, to: h)
        var out = [UInt8](repeating: 0, count: w * h)
        var sums = [Float](repeating: 0, count: w), line = sums
        unsafe pixels.withUnsafeBufferPointer { source in
            unsafe sums.withUnsafeMutableBufferPointer { sums in
                unsafe line.withUnsafeMutableBufferPointer { line in
                    var previous = -1
                    for y in 0..<h {
                        for x in 0..<w { unsafe sums[x] = 0 }
                        for k in rows.first[y]...rows.last[y] {
                            if k != previous {
                                unsafe columns.apply(source.baseAddress! + k * width, line)
                                previous = k
                            }
                            let weight = rows.weight(y, k)
                            for x in 0..<w { unsafe sums[x] += weight * line[x] }
                        }
                        for x in 0..<w {
                            unsafe out[y * w + x] = UInt8(max(0, min(255, sums[x] + 0.5)))
                        }
                    }
                }
            }
        }
        return GrayImage(width: w, height: h, pixels: out)
    }

    /// Which pixels of one side each new pixel covers, and how much of the first and last.
    private struct Shares {
        var first: [Int] = [], last: [Int] = []
        private var head: [Float] = [], tail: [Float] = [], full: Float

        init(from old: Int, to new: Int) {
            let scale = Double(old) / Double(new)
            full = Float(1 / scale)
            for i in 0..<new {
                let start = Double(i) * scale, end = min(Double(i + 1) * scale, Double(old))
                let a = Int(start), b = max(a, min(old - 1, Int(end.rounded(.up)) - 1))
                first.append(a)
                last.append(b)
                head.append(Float((min(end, Double(a + 1)) - start) / scale))
                tail.append(Float((end - Double(b)) / scale))
            }
        }

        func weight(_ i: Int, _ k: Int) -> Float {
            k == first[i] ? head[i] : k == last[i] ? tail[i] : full
        }

        func apply(_ row: UnsafePointer<UInt8>, _ out: UnsafeMutableBufferPointer<Float>) {
            for i in 0..<out.count {
                let a = first[i], b = last[i]
                var sum = unsafe head[i] * Float(row[a])
                if b > a {
                    var inner: UInt32 = 0
                    var k = a + 1
                    while k < b {
                        unsafe inner &+= UInt32(row[k])
                        k &+= 1
                    }
                    unsafe sum += full * Float(inner) + tail[i] * Float(row[b])
                }
                unsafe out[i] = sum
            }
        }
    }
}
