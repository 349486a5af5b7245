/// The discrete Fourier transform of squares of a fixed size.
struct FourierTransform {
    /// A power of two.
    static let size = 128
    private static let count = size * size

    /// Cosines and sines of the first half turn.
    private let cosines, sines: [Float]
    private let reversed: [Int]

    init() {
        let n = Self.size
        cosines = (0..<n / 2).map { Float((-2 * Double.pi * Double($0) / Double(n)).cosine) }
        sines = (0..<n / 2).map { Float((-2 * Double.pi * Double($0) / Double(n)).sine) }
        let bits = n.trailingZeroBitCount
        reversed = (0..<n).map { k in
            (0..<bits).reduce(0) { $0 << 1 | (k >> $1 & 1) }
        }
    }

    /// Transforms rows, then columns, in place.
    /// - Precondition: Both have a value for each pixel of the square.
    func apply(_ real: inout [Float], _ imaginary: inout [Float]) {
        precondition(real.count == Self.count && imaginary.count == Self.count)
        let n = Self.size
        unsafe real.withUnsafeMutableBufferPointer { re in
            unsafe imaginary.withUnsafeMutableBufferPointer { im in
                for line in 0..<n {
                    unsafe apply(re.baseAddress! + line * n, im.baseAddress! + line * n, stride: 1)
                }
                for line in 0..<n {
                    unsafe apply(re.baseAddress! + line, im.baseAddress! + line, stride: n)
                }
            }
        }
    }

    private func apply(
        _ re: UnsafeMutablePointer<Float>, _ im: UnsafeMutablePointer<Float>, stride: Int
    ) {
        let n = Self.size
        for i in 0..<n {
            let j = reversed[i]
            if j > i {
                unsafe swap(&re[i * stride], &re[j * stride])
                unsafe swap(&im[i * stride], &im[j * stride])
            }
        }
        var half = 1
        while half < n {
            let step = n / (2 * half)
            var start = 0
            while start < n {
                for k in 0..<half {
                    let c = cosines[k * step], s = sines[k * step]
                    let a = (start + k) * stride, b = a + half * stride
                    let x = unsafe re[b] * c - im[b] * s, y = unsafe re[b] * s + im[b] * c
                    unsafe re[b] = re[a] - x
                    unsafe im[b] = im[a] - y
                    unsafe re[a] += x
                    unsafe im[a] += y
                }
                start += 2 * half
            }
            half *= 2
        }
    }
}
